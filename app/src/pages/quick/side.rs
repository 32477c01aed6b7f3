//! The cards next to the verdict of a quick check: recommendations, each with a button, and the
//! measurement quality.

use eframe::egui::{Align, Color32, Layout, Rect, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::platform::{SystemTool, TraceSource};
use jitterscope_engine::report::quick::{Advice, Delayed, DelayedRow, Scorecard};

use super::idle::{line_ui, row};
use crate::pages::rights::names_ui;
use crate::plots::axis::narrow;
use crate::plots::cause_style;
use crate::session::{Action, Facts, LateFocus, PageId, Session};
use crate::text;
use crate::text::quick::AdviceWords;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, Card, Severity, Spans, series_mark};

/// Width left free for the button at the right end of a row, in points.
const BUTTONS: f32 = 170.0;
/// Size of the bar that divides delayed frames by cause.
const BAR: Vec2 = vec2(240.0, 16.0);
/// Minimum width of the bar of causes, even if the note in the same line is long.
const MIN_BAR: f32 = 72.0;
/// The title of the card of recommendations.
const TITLE: &str = "What to do";

/// Draws the card of recommendations.
pub(super) fn advice_ui(
    ui: &mut Ui,
    session: &Session,
    card: &Scorecard,
    actions: &mut Vec<Action>,
) {
    list_ui(ui, card, |ui, to_do| match to_do {
        ToDo::Advice(advice) => one_ui(ui, session, advice, actions),
        ToDo::Delayed(delayed, row, words) => {
            delayed_ui(ui, session, (delayed, row), &words, actions);
        }
    });
    let has_names = |facts: &Facts| Some(TraceSource::AllSwitches) <= facts.trace.source;
    let is_nameless = card.delayed.as_ref().is_some_and(|delayed| 0 < delayed.late_count)
        && session.machine.facts().is_some_and(|facts| !has_names(facts));
    if is_nameless {
        names_ui(ui, session, || Action::RunQuick, actions);
    }
}

/// A row of the card of recommendations.
enum ToDo<'a> {
    /// A recommendation.
    Advice(&'a Advice),
    /// A thread, interrupt, or other cause that delayed frames in one part of the quick check.
    Delayed(&'a Delayed, &'a DelayedRow, AdviceWords),
}

/// Draws a row about a cause of delayed frames, with a button that opens these frames.
fn delayed_ui(
    ui: &mut Ui,
    session: &Session,
    (delayed, row): (&Delayed, &DelayedRow),
    words: &AdviceWords,
    actions: &mut Vec<Action>,
) {
    delayed_words_ui(ui, row, words, BUTTONS);
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        let name = format!("{}: {}", words.title, words.button);
        if ui
            .add_enabled(!session.running.is_busy(), Button::new(words.button).name(&name))
            .clicked()
        {
            let result = session.running.quick.result.as_ref();
            let shown = result.and_then(|result| result.shown(delayed.part));
            let focus = LateFocus { above: delayed.above, delay: row.source() };
            actions.push(match shown.and_then(|shown| shown.path.clone()) {
                Some(path) => Action::ShowLateFrames(path, focus),
                None => Action::GoTo(PageId::Test("frame-loop")),
            });
        }
    });
}

/// Draws marker, title, and text of a row about a cause of delayed frames.
fn delayed_words_ui(ui: &mut Ui, row: &DelayedRow, words: &AdviceWords, right: f32) {
    let tokens = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(size::ICON, size::ICON), Sense::hover());
    let (color, mark) = cause_style(tokens, row.cause);
    series_mark(ui.painter(), rect.center(), size::MARK, mark, color);
    text_ui(ui, (&words.title, &words.text), right);
}

fn one_ui(ui: &mut Ui, session: &Session, advice: &Advice, actions: &mut Vec<Action>) {
    words_ui(ui, advice, BUTTONS);
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        let words = text::quick::advice(advice);
        let tool = tool_of(advice).filter(|tool| session.machine.has_tool(*tool));
        let label = tool.map_or(words.button, text::quick::tool_button);
        let name = format!("{}: {label}", words.title);
        let is_free = !session.running.is_busy();
        if ui.add_enabled(is_free, Button::new(label).name(&name)).clicked() {
            match tool {
                Some(tool) => actions.push(Action::OpenTool(tool)),
                None => follow(advice, actions),
            }
        }
    });
}

/// Draws title and text of a recommendation; `right` is left free for the button.
fn words_ui(ui: &mut Ui, advice: &Advice, right: f32) {
    let words = text::quick::advice(advice);
    severity_of_advice(advice).icon_ui(ui, size::ICON);
    text_ui(ui, (&words.title, &words.text), right);
}

fn text_ui(ui: &mut Ui, (title, text): (&str, &str), right: f32) {
    let tokens = Tokens::of(ui);
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_width((ui.available_width() - right).max(120.0));
        let width = ui.available_width();
        Spans::plain(Type::Strong, title, tokens.t1).paragraph_within(ui, width);
        Spans::plain(Type::Small, text, tokens.t2).paragraph_within(ui, width);
    });
}

/// Returns the system tool in which the user carries out a recommendation; `None` if none is
/// needed.
const fn tool_of(advice: &Advice) -> Option<SystemTool> {
    match advice {
        Advice::OtherPrograms { .. } => Some(SystemTool::Programs),
        Advice::PowerPlan { .. } => Some(SystemTool::Power),
        _ => None,
    }
}

/// Carries out the action of a recommendation's button.
fn follow(advice: &Advice, actions: &mut Vec<Action>) {
    match advice {
        Advice::RepeatWhole => {
            for part in Part::ALL {
                actions.push(Action::ChooseQuickPart { part, is_selected: true });
            }
            actions.push(Action::RunQuick);
        }
        Advice::OtherPrograms { .. } | Advice::OnBattery => {
            actions.push(Action::RunQuick);
        }
        Advice::Denied(_)
        | Advice::PowerPlan { .. }
        | Advice::VirtualMachine { .. }
        | Advice::LookElsewhere => {
            actions.push(Action::GoTo(PageId::Machine));
        }
        Advice::LongGaps { .. } => actions.push(Action::GoTo(PageId::Test("scheduling-gaps"))),
        Advice::LateUnderLoad { .. } => actions.push(Action::GoTo(PageId::Test("frame-loop"))),
        Advice::UnsafeSleep { .. } => actions.push(Action::GoTo(PageId::Test("sleep-accuracy"))),
    }
}

/// Returns the severity of a recommendation: a warning if it concerns this check, otherwise
/// information.
const fn severity_of_advice(advice: &Advice) -> Severity {
    match advice {
        Advice::RepeatWhole
        | Advice::Denied(_)
        | Advice::OtherPrograms { .. }
        | Advice::OnBattery
        | Advice::LongGaps { .. } => Severity::Fair,
        Advice::PowerPlan { .. }
        | Advice::VirtualMachine { .. }
        | Advice::LateUnderLoad { .. }
        | Advice::UnsafeSleep { .. }
        | Advice::LookElsewhere => Severity::Info,
    }
}

/// Draws the delayed frames as a bar, divided by cause in the order and colors of the rows.
fn bar_ui(ui: &mut Ui, delayed: &Delayed, width: f32) {
    let tokens = Tokens::of(ui);
    let room = vec2(width.min(ui.available_width()), BAR.y);
    let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
    let whole = count_f64(delayed.late_count).max(1.0);
    let mut left = rect.left();
    for row in &delayed.rows {
        let width = rect.width() * narrow(count_f64(row.count) / whole);
        let piece = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
        let (color, _) = cause_style(tokens, row.cause);
        ui.painter().rect_filled(piece.shrink2(vec2(0.5, 0.0)), 1, color);
        let words = text::format_count(row.count);
        let galley = ui.painter().layout_no_wrap(words, Type::LabelStrong.font(), tokens.card);
        if galley.size().x + 4.0 < width {
            ui.painter().galley(piece.center() - galley.size() / 2.0, galley, tokens.card);
        }
        left += width;
    }
    let counts: Vec<String> =
        delayed.rows.iter().map(|row| text::format_count(row.count)).collect();
    let said = format!("{} frames: {}", text::format_count(delayed.late_count), counts.join(", "));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &said));
}

fn count_f64(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Draws the recommendations without buttons.
pub(super) fn plain_advice_ui(ui: &mut Ui, card: &Scorecard) {
    list_ui(ui, card, |ui, to_do| match to_do {
        ToDo::Advice(advice) => words_ui(ui, advice, 0.0),
        ToDo::Delayed(_, row, words) => delayed_words_ui(ui, row, &words, 0.0),
    });
}

/// Draws the card of recommendations; `one_ui` draws each row. Named causes of gaps and denied
/// rights come first, then causes of delayed frames, whose counts add up to the number in the note
/// of the card, then all other recommendations.
fn list_ui(ui: &mut Ui, card: &Scorecard, mut one_ui: impl FnMut(&mut Ui, ToDo<'_>)) {
    let nothing = text::quick::nothing_to_do(card);
    let delayed = card.delayed.as_ref().filter(|delayed| 0 < delayed.late_count);
    if card.advice.is_empty() && delayed.is_none() && nothing.is_none() {
        return;
    }
    let note = delayed.map(text::quick::delayed_note).unwrap_or_default();
    // The note of the card gets the width that it needs; the bar gets the rest.
    let words =
        |style, text: &str| Spans::plain(style, text, Color32::PLACEHOLDER).galley(ui).size().x;
    let used = words(Type::Strong, TITLE) + words(Type::Small, &note);
    let gaps = 3.0 * size::GAP_SMALL + 2.0 * f32::from(size::CARD_PADDING);
    let left = (ui.available_width() - used - gaps).clamp(MIN_BAR, BAR.x);
    Card::new(TITLE).note(&note).flush().show(
        ui,
        |ui| {
            if let Some(delayed) = delayed {
                bar_ui(ui, delayed, left);
            }
        },
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            if let Some(nothing) = &nothing {
                row(ui, |ui| {
                    Severity::Good.icon_ui(ui, size::ICON);
                    text_ui(ui, (nothing, ""), 0.0);
                });
            }
            let is_first = |advice: &&Advice| {
                matches!(advice, Advice::LongGaps { culprit: Some(_), .. } | Advice::Denied(_))
            };
            for advice in card.advice.iter().take_while(is_first) {
                row(ui, |ui| one_ui(ui, ToDo::Advice(advice)));
            }
            if let Some(delayed) = delayed {
                for one in &delayed.rows {
                    let words = text::quick::delayed_row(delayed, one);
                    row(ui, |ui| one_ui(ui, ToDo::Delayed(delayed, one, words)));
                }
            }
            for advice in card.advice.iter().skip_while(is_first) {
                row(ui, |ui| one_ui(ui, ToDo::Advice(advice)));
            }
        },
    );
}

/// Draws the card of measurement quality, with one line per criterion.
pub(super) fn trust_ui(ui: &mut Ui, card: &Scorecard) {
    Card::new("Measurement quality").flush().show_plain(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for trust in &card.trust {
            let severity = match trust.is_good() {
                _ if trust.is_unknown() => Severity::NotMeasured,
                true => Severity::Good,
                false => Severity::Fair,
            };
            let (name, words) = text::quick::trust(trust);
            line_ui(ui, severity, name, &words);
        }
    });
}
