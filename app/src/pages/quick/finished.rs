//! The verdict: a banner, five cards, the frame rates that this PC can pace, and lateness plots.

use std::sync::Arc;

use eframe::egui::{CornerRadius, Margin, Rect, Role, Sense, Ui, WidgetInfo, vec2};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::plan::{Plan, WhatHelps};
use jitterscope_engine::report::quick::{Answer, Card as PartCard, Scorecard};
use jitterscope_engine::report::table::Cell;

use super::{QuickPage, icon_of_part, saved, side, two_columns};
use crate::pages::export::export_buttons;
use crate::pages::{lost, severity_of, what_helps_button_ui};
use crate::plots::{ChartCard, scale_strip};
use crate::session::{Action, CopiedText, FinishedCheck, LoadedRun, PageId, Session, Subject};
use crate::text;
use crate::theme::{Tokens, Type, icon, icons, paint_icon, size};
use crate::widgets::card::plain_card;
use crate::widgets::keys::pressed;
use crate::widgets::paint::bordered_frame;
use crate::widgets::{
    Button, Card, Command, ResultTable, Severity, Spans, TableLayout, link_in_table, right_aligned,
};

/// Width of the right column, in points.
const RIGHT: f32 = 480.0;
/// Width and height of the icon in the banner, in points.
const BANNER_ICON: f32 = 44.0;
/// Width reserved for the buttons of the banner, in points.
const BUTTONS: f32 = 470.0;
/// Height of the lateness plot.
const CURVES: f32 = 230.0;
/// Minimum width of a card.
const MIN_CARD: f32 = 196.0;
/// Height of the contents of a card.
const CARD_HEIGHT: f32 = 178.0;

impl QuickPage {
    /// Draws the result of a check, with buttons and links.
    pub(super) fn finished_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        result: &Arc<FinishedCheck>,
        actions: &mut Vec<Action>,
    ) {
        let saved = result.paths().first().and_then(|file| session.library.check_with(file));
        lost::check_ui(ui, session, result, actions);
        banner_ui(ui, &result.card, |ui, side| match side {
            RatesSide::Words => saved::previous_ui(ui, session, saved, actions),
            RatesSide::Buttons => buttons_ui(ui, session, result, actions),
        });
        let mut requested = Vec::new();
        two_columns(
            ui,
            RIGHT,
            |ui| side::advice_ui(ui, session, &result.card, &mut requested),
            |ui| side::trust_ui(ui, &result.card),
        );
        actions.extend(requested);
        what_helps_ui(ui, session, result, actions);
        cards_ui(ui, result, |ui, card, shown| part_name_ui(ui, card, shown, actions));
        let title = if self.has_details { "Hide details" } else { "Details" };
        let caret = if self.has_details { icons::CARET_DOWN } else { icons::CARET_RIGHT };
        let about = "Percentiles, and the frame rates that this PC can pace";
        if ui.add(Button::new(title).icon(caret)).on_hover_text(about).clicked() {
            self.has_details = !self.has_details;
        }
        if self.has_details {
            details_ui(ui, result);
        }
        self.saved.ui(ui, &session.library, (result, saved), actions);
    }
}

/// Draws the result without controls, for an image.
pub(in crate::pages) fn result_ui(ui: &mut Ui, result: &FinishedCheck) {
    banner_ui(ui, &result.card, |_, _| {});
    two_columns(
        ui,
        RIGHT,
        |ui| side::plain_advice_ui(ui, &result.card),
        |ui| side::trust_ui(ui, &result.card),
    );
    cards_ui(ui, result, |ui, card, _| {
        let color = Tokens::of(ui).t1;
        Spans::plain(Type::Strong, card.part.name(), color).label(ui);
    });
    details_ui(ui, result);
}

/// Offers to test which change reduces the lateness measured by the check.
fn what_helps_ui(
    ui: &mut Ui,
    session: &Session,
    result: &FinishedCheck,
    actions: &mut Vec<Action>,
) {
    let note = "Tests which priority, pinning, spin tail, or timer reduces lateness under the load of this check.";
    let plan = under_load_of(result);
    Card::new("What helps on this PC?").note(note).flush().show(
        ui,
        |ui| what_helps_button_ui(ui, session, &plan, actions),
        |_| {},
    );
}

/// Returns a What helps test with as many load threads as the check had.
fn under_load_of(result: &FinishedCheck) -> WhatHelps {
    let loads =
        result.parts.iter().find_map(|(part, loaded)| match loaded.as_ref()?.run.plan()? {
            Plan::FrameLoop(plan) if *part == Part::FrameLoad => Some(plan.load.count),
            _ => None,
        });
    let mut plan = WhatHelps::default();
    plan.baseline.load.count = loads.unwrap_or(plan.baseline.load.count);
    plan
}

/// Draws the details: the frame rates that this PC can pace, and percentiles of lateness.
fn details_ui(ui: &mut Ui, result: &FinishedCheck) {
    let numbers = text::quick::numbers(&result.card);
    if !numbers.is_empty() {
        let color = Tokens::of(ui).t2;
        Spans::plain(Type::Body, &numbers, color).paragraph(ui);
    }
    two_columns(
        ui,
        RIGHT,
        |ui| rates_ui(ui, &result.card),
        |ui| {
            let Some(chart) = &result.chart else { return };
            let card = ChartCard::new(("quick", "result"), chart);
            ChartCard { height: CURVES, ..card }.show(ui, |_| {});
        },
    );
}

/// Where the caller adds contents to the banner.
enum RatesSide {
    /// Below the text.
    Words,
    /// At the right.
    Buttons,
}

/// Draws the banner with grade and answer. For a disturbed check, the banner has the color of a
/// card instead of the color of Fair.
fn banner_ui(ui: &mut Ui, card: &Scorecard, mut add: impl FnMut(&mut Ui, RatesSide)) {
    let tokens = Tokens::of(ui);
    let is_inconclusive = matches!(card.answer, Answer::Inconclusive { .. });
    let severity = if is_inconclusive { Severity::Inconclusive } else { severity_of(card.grade) };
    let frame = bordered_frame(severity.strip_color(tokens), tokens.line, size::CARD_RADIUS)
        .inner_margin(Margin { left: 22, right: 14, top: 12, bottom: 12 });
    let width = ui.available_width() - frame.total_margin().sum().x;
    let framed = frame.show(ui, |ui| {
        ui.set_width(width.max(0.0));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_GROUP;
            let room = vec2(BANNER_ICON, BANNER_ICON);
            let (rect, _) = ui.allocate_exact_size(room, Sense::hover());
            let color = severity.color(tokens);
            paint_icon(ui.painter(), rect.center(), severity.icon(), BANNER_ICON, color);
            let is_narrow = ui.content_rect().width() < size::MEDIUM_FROM;
            let room = if is_narrow { 0.0 } else { BUTTONS };
            let words = (ui.available_width() - room).max(160.0);
            ui.vertical(|ui| {
                ui.set_width(words);
                words_ui(ui, card, severity);
                add(ui, RatesSide::Words);
                if is_narrow {
                    ui.horizontal_wrapped(|ui| add(ui, RatesSide::Buttons));
                }
            });
            if !is_narrow {
                right_aligned(ui, "banner", |ui| add(ui, RatesSide::Buttons));
            }
        });
    });
    let rect = framed.response.rect;
    let edge = Rect::from_min_size(rect.min, vec2(size::STRIP_BAR, rect.height()));
    let corners = CornerRadius { nw: size::CARD_RADIUS, sw: size::CARD_RADIUS, ne: 0, se: 0 };
    ui.painter().rect_filled(edge, corners, severity.bar_color(tokens));
}

/// Draws the buttons of the banner, and handles their shortcuts.
fn buttons_ui(ui: &mut Ui, session: &Session, result: &FinishedCheck, actions: &mut Vec<Action>) {
    if matches!(result.card.answer, Answer::Inconclusive { .. }) {
        let again = Button::primary("Wait for quiet and run again").icon(icons::HOURGLASS_MEDIUM);
        if ui.add_enabled(session.can_start(PageId::Quick), again).clicked() {
            actions.push(Action::RunQuickWhenQuiet);
        }
    }
    let facts = session.machine.facts();
    let is_disturbed = matches!(result.card.answer, Answer::Inconclusive { .. });
    if let Some(longer) = facts.and_then(|facts| session.running.longer(facts))
        && !is_disturbed
    {
        let words = format!("Measure longer ({})", text::format_long_time(longer));
        let button = Button::primary(&words).icon(icons::PLAY_FILL);
        if ui.add_enabled(session.can_start(PageId::Quick), button).clicked() {
            actions.push(Action::MeasureLonger);
        }
    }
    export_buttons(ui, &Subject::Check, actions);
    if pressed(ui.ctx(), Command::Ticket) {
        actions.push(Action::Copy(Subject::Check, CopiedText::Ticket));
    }
    if pressed(ui.ctx(), Command::Export) {
        actions.push(Action::Export { subject: Subject::Check, kind: None });
    }
}

/// Draws the text of the banner as one node for screen readers.
fn words_ui(ui: &mut Ui, card: &Scorecard, severity: Severity) {
    let tokens = Tokens::of(ui);
    let sentence = text::quick::sentence_after_grade(card);
    let evidence = text::quick::plain_evidence(card);
    let width = ui.available_width();
    let mut spans = Spans::new(Type::Verdict);
    // Without a grade, the first word is already part of the sentence.
    if let Some(grade) = card.grade {
        let word = format!("{}: ", grade.word());
        spans = spans.text(Type::Verdict, &word, severity.word_color(tokens));
    }
    let spans = spans.text(Type::Verdict, &sentence, tokens.t1);
    let mut rows = vec![(spans.wrapped(ui, width), tokens.t1)];
    if !evidence.is_empty() {
        let spans = Spans::plain(Type::Body, &evidence, tokens.t2);
        rows.push((spans.wrapped(ui, width), tokens.t2));
    }
    let height = rows.iter().map(|(galley, _)| galley.size().y).sum();
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let mut at = rect.min;
    for (galley, color) in rows {
        let height = galley.size().y;
        ui.painter().galley(at, galley, color);
        at.y += height;
    }
    let said = format!("Verdict: {} {evidence}", text::quick::sentence(card));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
}

fn cards_ui(
    ui: &mut Ui,
    result: &FinishedCheck,
    mut name_ui: impl FnMut(&mut Ui, &PartCard, Option<&LoadedRun>),
) {
    let gap = size::GAP_CARD;
    let room = ui.available_width();
    let mut a_row = 5_u16;
    while 1 < a_row && (room + gap) / f32::from(a_row) - gap < MIN_CARD {
        a_row -= 1;
    }
    let width = ((room + gap) / f32::from(a_row) - gap).floor();
    for cards in result.card.cards.chunks(usize::from(a_row)) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = gap;
            for card in cards {
                ui.vertical(|ui| {
                    ui.set_width(width);
                    plain_card(ui, |ui| {
                        let shown = result.shown(card.part).map(AsRef::as_ref);
                        card_ui(ui, card, |ui| name_ui(ui, card, shown));
                    });
                });
            }
        });
    }
}

/// Draws the name of a part as a link that opens its run.
fn part_name_ui(
    ui: &mut Ui,
    card: &PartCard,
    shown: Option<&LoadedRun>,
    actions: &mut Vec<Action>,
) {
    let name = card.part.name();
    match shown {
        None => {
            let color = Tokens::of(ui).t1;
            Spans::plain(Type::Strong, name, color).label(ui);
        }
        Some(shown) => {
            if link_in_table(ui, Type::TableStrong, name, &format!("Open {name}")).clicked() {
                actions.push(match &shown.path {
                    Some(path) => Action::OpenRun(path.clone()),
                    None => Action::GoTo(PageId::Test(shown.run.subject.key())),
                });
            }
        }
    }
}

fn card_ui(ui: &mut Ui, card: &PartCard, name_ui: impl FnOnce(&mut Ui)) {
    let tokens = Tokens::of(ui);
    ui.set_min_height(CARD_HEIGHT);
    ui.spacing_mut().item_spacing.y = 2.0;
    let width = ui.available_width();
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_ICON;
        ui.label(icon(icon_of_part(card.part), size::ICON).color(tokens.t2));
        name_ui(ui);
    });
    let severity = Severity::of_result(card.grade, card.standing);
    let word = text::quick::card_word(card);
    Spans::new(Type::Strong)
        .icon(severity.icon(), size::ICON, severity.color(tokens))
        .gap(2.0)
        .text(Type::Strong, &word, severity.word_color(tokens))
        .label(ui);
    let Some(words) = text::quick::card(card) else {
        let about = text::quick::why_no_number(card);
        Spans::plain(Type::Small, &about, tokens.t2).paragraph_within(ui, width);
        return;
    };
    Spans::plain(Type::Verdict, &words.number, tokens.t1)
        .gap(size::GAP_LABEL)
        .text(Type::Body, words.unit, tokens.t2)
        .label(ui);
    Spans::plain(Type::Small, &words.caption, tokens.t2).paragraph_within(ui, width);
    if let Some(scale) = &card.scale {
        scale_strip(ui, scale);
    }
    Spans::plain(Type::Small, &words.sentence, tokens.t2).paragraph_within(ui, width);
}

/// Draws the table of frame rates that this PC can pace.
fn rates_ui(ui: &mut Ui, card: &Scorecard) {
    if card.rates.is_empty() {
        return;
    }
    let mut table = text::quick::rates_grid(card).table(text::quick::RATE_TITLE);
    text::quick::RATE_SOURCE.clone_into(&mut table.note);
    for (row, rate) in table.rows.iter_mut().zip(&card.rates) {
        if let (Some(cell), Some(grade)) = (row.cells.last_mut(), rate.grade) {
            *cell = Cell::Grade(grade);
        }
    }
    let measured = card.rates.iter().position(|rate| rate.is_measured);
    let table = ResultTable::new("quick-rates", &table, TableLayout::of(&[]));
    ResultTable { selected: measured, ..table }.show(ui);
    let color = Tokens::of(ui).t2;
    Spans::plain(Type::Small, &text::quick::rate_limits(), color).paragraph(ui);
}
