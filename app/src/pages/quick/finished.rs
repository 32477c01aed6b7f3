//! The verdict: a banner, five cards, the frame rates that this PC can pace, and lateness plots.

use std::sync::Arc;

use eframe::egui::{CornerRadius, Frame, Margin, Rect, Role, Sense, Stroke, Ui, WidgetInfo, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::chart::{Series, of_tails};
use jitterscope_engine::report::quick::{Card as PartCard, Scorecard};

use super::{QuickPage, icon_of_part, rates, side, two_columns};
use crate::pages::frame_loop::mark_frame;
use crate::pages::severity_of;
use crate::plots::{ChartCard, ScaleStrip};
use crate::session::{Action, FinishedCheck, PageId, Session, Subject};
use crate::text;
use crate::theme::{Tokens, Type, icon, icons, paint_icon, size};
use crate::widgets::card::plain_card;
use crate::widgets::keys::pressed;
use crate::widgets::{
    Button, Command, ResultTable, Severity, Spans, key_text, link_in_table, right_aligned,
};

/// Width of the right column.
const RIGHT: f32 = 480.0;
/// Size of the icon of the banner.
const BANNER_ICON: f32 = 44.0;
/// Room for the buttons of the banner.
const BUTTONS: f32 = 290.0;
/// Height of the curves.
const CURVES: f32 = 230.0;
/// The narrowest a card can be.
const MIN_CARD: f32 = 196.0;
/// Height of what is in a card.
const CARD_HEIGHT: f32 = 178.0;

impl QuickPage {
    /// Draws the result.
    pub(super) fn finished_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        result: &Arc<FinishedCheck>,
        actions: &mut Vec<Action>,
    ) {
        self.take_curves(result);
        banner_ui(ui, result, actions);
        cards_ui(ui, result, actions);
        let mut requested = Vec::new();
        two_columns(
            ui,
            RIGHT,
            |ui| {
                rates_ui(ui, &result.card);
                self.curves_ui(ui);
            },
            |ui| {
                side::advice_ui(ui, session, &result.card, &mut requested);
                side::trust_ui(ui, result, &mut requested);
            },
        );
        actions.extend(requested);
    }

    /// How late frames were, idle and under load.
    fn curves_ui(&self, ui: &mut Ui) {
        let Some(curves) = &self.curves else { return };
        let all = [("Idle", &curves.idle), ("Under load", &curves.loaded)];
        let tails = all.iter().filter(|(_, points)| !points.is_empty());
        let tails = tails.map(|(name, points)| Series::new(*name, (*points).clone())).collect();
        let names = ("Lateness", "Share of frames");
        let Some(mut chart) = of_tails("tail", "Frame lateness", names, tails) else { return };
        let period = Nanos::from_secs_f64(1.0 / jitterscope_engine::plan::quick::FPS);
        mark_frame(&mut chart, period);
        let note = "idle and under load, share of frames above each lateness";
        ChartCard::new(("quick", "result"), &chart).note(note).height(CURVES).show(ui, |_| {});
    }
}

/// Grade, answer and the numbers behind it.
fn banner_ui(ui: &mut Ui, result: &FinishedCheck, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    let card = &result.card;
    let severity = severity_of(card.grade);
    let frame = Frame::new()
        .fill(severity.strip_color(tokens))
        .stroke(Stroke::new(1.0, tokens.line))
        .corner_radius(CornerRadius::same(size::CARD_RADIUS))
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
                if is_narrow {
                    ui.horizontal_wrapped(|ui| buttons_ui(ui, result, actions));
                }
            });
            if !is_narrow {
                right_aligned(ui, "banner", |ui| buttons_ui(ui, result, actions));
            }
        });
    });
    let rect = framed.response.rect;
    let bar = Rect::from_min_size(rect.min, vec2(size::STRIP_BAR, rect.height()));
    let corners = CornerRadius { nw: size::CARD_RADIUS, sw: size::CARD_RADIUS, ne: 0, se: 0 };
    ui.painter().rect_filled(bar, corners, severity.bar_color(tokens));
}

/// What can be done with the answer, by button or key.
fn buttons_ui(ui: &mut Ui, result: &FinishedCheck, actions: &mut Vec<Action>) {
    let key = key_text(ui.ctx(), Command::Ticket);
    let copy = ui.add(Button::new("Copy report").icon(icons::COPY)).on_hover_text(key);
    if copy.clicked() || pressed(ui.ctx(), Command::Ticket) {
        ui.ctx().copy_text(ticket(result));
        actions.push(Action::Tell("Report copied as Markdown.".to_owned()));
    }
    let paths = result.paths();
    let key = key_text(ui.ctx(), Command::Export);
    let export = Button::new("Export…").icon(icons::EXPORT);
    let export = ui.add_enabled(!paths.is_empty(), export).on_hover_text(key);
    if !paths.is_empty() && (export.clicked() || pressed(ui.ctx(), Command::Export)) {
        actions.push(Action::Export { subject: Subject::Runs(paths), kind: None });
    }
}

/// The words of the banner: one node for a screen reader.
fn words_ui(ui: &mut Ui, card: &Scorecard, severity: Severity) {
    let tokens = Tokens::of(ui);
    let (word, sentence) = (text::quick::word(card), text::quick::sentence(card));
    let evidence = text::quick::evidence(card);
    let width = ui.available_width();
    let rows = [
        (Type::Sentence, word, severity.word_color(tokens)),
        (Type::Verdict, sentence.as_str(), tokens.t1),
        (Type::Body, evidence.as_str(), tokens.t2),
    ]
    .map(|(style, words, color)| {
        (Spans::new(style).text(style, words, color).wrapped(ui, width), color)
    });
    let height = rows.iter().map(|(galley, _)| galley.size().y).sum();
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let mut at = rect.min;
    for (galley, color) in rows {
        let height = galley.size().y;
        ui.painter().galley(at, galley, color);
        at.y += height;
    }
    let said = format!("Verdict: {word}. {sentence} {evidence}");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
}

/// The answer as Markdown, for a ticket.
fn ticket(result: &FinishedCheck) -> String {
    let machine =
        result.parts.iter().find_map(|(_, shown)| shown.as_ref()).map_or(String::new(), |shown| {
            let machine = &shown.run.machine;
            match &machine.virtualization {
                None => machine.short(),
                Some(host) => format!("{} · virtual machine ({host})", machine.short()),
            }
        });
    text::quick::ticket(&result.card, &machine, result.began)
}

fn cards_ui(ui: &mut Ui, result: &FinishedCheck, actions: &mut Vec<Action>) {
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
                    plain_card(ui, |ui| card_ui(ui, result, card, actions));
                });
            }
        });
    }
}

fn card_ui(ui: &mut Ui, result: &FinishedCheck, card: &PartCard, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    ui.set_min_height(CARD_HEIGHT);
    ui.spacing_mut().item_spacing.y = 2.0;
    let width = ui.available_width();
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_ICON;
        ui.label(icon(icon_of_part(card.part), size::ICON).color(tokens.t2));
        match result.shown(card.part) {
            None => {
                let name = card.part.name();
                Spans::new(Type::Strong).text(Type::Strong, name, tokens.t1).label(ui);
            }
            Some(shown) => {
                let name = card.part.name();
                if link_in_table(ui, Type::TableStrong, name, &format!("Open {name}")).clicked() {
                    actions.push(match &shown.path {
                        Some(path) => Action::OpenRun(path.clone()),
                        None => Action::GoTo(PageId::Test(shown.run.subject.key())),
                    });
                }
            }
        }
    });
    let severity =
        if card.grade.is_some() { severity_of(card.grade) } else { Severity::NotMeasured };
    let word = text::quick::card_word(card);
    Spans::new(Type::Strong)
        .icon(severity.icon(), size::ICON, severity.color(tokens))
        .gap(2.0)
        .text(Type::Strong, &word, severity.word_color(tokens))
        .label(ui);
    let Some(words) = text::quick::card(card) else {
        let about = if card.is_skipped {
            "Skipped, so there is no overall verdict."
        } else {
            "Not enough data for a verdict."
        };
        let about = Spans::new(Type::Small).text(Type::Small, about, tokens.t2);
        ui.label(about.wrapped(ui, width));
        return;
    };
    Spans::new(Type::Verdict)
        .text(Type::Verdict, &words.number, tokens.t1)
        .gap(size::GAP_LABEL)
        .text(Type::Body, words.unit, tokens.t2)
        .label(ui);
    Spans::new(Type::Small).text(Type::Small, &words.caption, tokens.t2).label(ui);
    if let Some(strip) = card.strip {
        let jitterscope_engine::report::quick::ScaleLimits { good, fair, typical, worst } = strip;
        ScaleStrip { good, fair, typical, worst }.ui(ui);
    }
    let sentence = Spans::new(Type::Small).text(Type::Small, &words.sentence, tokens.t2);
    ui.label(sentence.wrapped(ui, width));
}

/// Which frame rates this PC can pace.
fn rates_ui(ui: &mut Ui, card: &Scorecard) {
    if card.rates.is_empty() {
        return;
    }
    let table = rates::table(&card.rates);
    let measured = card.rates.iter().position(|rate| rate.is_measured);
    ResultTable::new("quick-rates", &table, rates::LAYOUT).selected(measured).show(ui);
    let color = Tokens::of(ui).t2;
    let width = ui.available_width();
    let limits = Spans::new(Type::Small).text(Type::Small, text::quick::RATE_LIMITS, color);
    ui.label(limits.wrapped(ui, width));
}
