//! The comparison of quick checks: one card per check, and the change of every measurement.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Align, Frame, Layout, Margin, Ui, vec2};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::comparison::Overall;
use jitterscope_engine::stats::Outcome;

use crate::pages::export::export_buttons;
use crate::pages::severity_of;
use crate::session::{Action, CheckComparison, FinishedCheck, Session, Subject};
use crate::text::{self, compare as words};
use crate::theme::{Tokens, Type, size};
use crate::widgets::card::plain_card;
use crate::widgets::{Card, Severity, Spans, VerdictStrip, link, link_in_table, series_chip};

/// Width of the column with the names of the measurements, in points.
const PART: f32 = 190.0;
/// Height of the row of a measurement, in points.
const ROW: f32 = 40.0;

/// Draws the comparison of quick checks: cards, verdict, and the change of every measurement.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    compared: &CheckComparison,
    actions: &mut Vec<Action>,
) {
    let sentence = words::check_sentence(&compared.outcomes, compared.sides().len());
    let severity = match words::check_outcome(&compared.outcomes) {
        Overall::Of(Outcome::Better) => Severity::Good,
        Overall::Of(Outcome::Worse) | Overall::Mixed => Severity::Fair,
        _ => Severity::Info,
    };
    cards_ui(ui, session, compared, actions);
    VerdictStrip::new(severity, "")
        .sentence(&sentence)
        .evidence("Each measurement is compared like two runs of its test. Click one for all its metrics.")
        .show(ui, |ui| export_buttons(ui, &Subject::Comparison, actions));
    Card::new("What changed").flush().show_plain(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (part, outcomes) in &compared.outcomes {
            part_ui(ui, compared, *part, outcomes, actions);
        }
    });
}

/// Draws one card per check, in a row.
fn cards_ui(ui: &mut Ui, session: &Session, compared: &CheckComparison, actions: &mut Vec<Action>) {
    let sides = compared.sides();
    let width = column(ui, sides.len());
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_CARD;
        for (side, at) in sides.into_iter().zip(0..) {
            ui.allocate_ui_with_layout(vec2(width, 84.0), Layout::top_down(Align::Min), |ui| {
                ui.set_width(width);
                match side {
                    [check] => card_ui(ui, session, compared, (check, at), actions),
                    group => group_ui(ui, session, group, at, actions),
                }
            });
        }
    });
}

fn column(ui: &Ui, count: usize) -> f32 {
    let count = f32::from(u16::try_from(count.max(1)).unwrap_or(1));
    ((ui.available_width() - (count - 1.0) * size::GAP_CARD) / count).floor()
}

/// Draws the card of a group of checks: their number, their dates, and the PC.
fn group_ui(
    ui: &mut Ui,
    session: &Session,
    group: &[Arc<FinishedCheck>],
    at: usize,
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    plain_card(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            series_chip(ui, at);
            let name = format!("{} quick checks", group.len());
            Spans::plain(Type::Strong, &name, tokens.t1).label(ui);
        });
        let date = |check: &Arc<FinishedCheck>| text::date(&text::local(check.began));
        let dates: Vec<String> = group.iter().map(date).collect();
        let machine = group.first().and_then(|check| check.runs().next());
        let machine = machine.map_or(String::new(), |shown| shown.run.machine_name());
        for line in [dates.join(" · "), machine] {
            let words = Spans::plain(Type::Small, &line, tokens.t2);
            words.label_within(ui, ui.available_width()).on_hover_text(&line);
        }
        let groups = session.comparing.groups().filter(|groups| groups.len() == 2);
        if at == 0
            && groups.is_some()
            && link(ui, "Swap A and B").clicked()
            && let Some(mut groups) = groups
        {
            groups.reverse();
            actions.push(Action::CompareGroups(groups));
        }
    });
}

fn card_ui(
    ui: &mut Ui,
    session: &Session,
    compared: &CheckComparison,
    (check, at): (&FinishedCheck, usize),
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    let paths = &compared.paths;
    let entry = session
        .library
        .items
        .as_deref()
        .unwrap_or_default()
        .iter()
        .find(|item| paths.get(at).is_some_and(|path| item.path == *path));
    let name = entry.and_then(|item| item.run.as_ref().ok()).map_or("Quick check", |run| &run.name);
    plain_card(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            series_chip(ui, at);
            Spans::plain(Type::Strong, name, tokens.t1).label(ui);
        });
        let severity = severity_of(check.card.grade);
        let word = text::quick::word(&check.card);
        Spans::new(Type::Label)
            .severity(severity, size::GAP_LABEL, tokens)
            .text(Type::LabelStrong, word, severity.word_color(tokens))
            .label(ui);
        let machine = check.runs().next().map_or(String::new(), |shown| shown.run.machine_name());
        let line = format!("{} · {machine}", text::date(&text::local(check.began)));
        Spans::plain(Type::Small, &line, tokens.t2).label(ui);
        ui.horizontal(|ui| {
            if link(ui, &format!("Open {}", words::letter(at))).clicked() {
                actions.push(Action::OpenQuick(check.paths()));
            }
            if at == 0 && paths.len() == 2 && link(ui, "Swap A and B").clicked() {
                actions.push(Action::Compare(paths.iter().rev().cloned().collect()));
            }
        });
    });
}

/// Draws the row of a measurement: its value and grade in each check, and for every check after the
/// first the result compared with the first.
fn part_ui(
    ui: &mut Ui,
    compared: &CheckComparison,
    part: Part,
    outcomes: &[Option<Overall>],
    actions: &mut Vec<Action>,
) {
    let frame = Frame::new().inner_margin(Margin::symmetric(size::CARD_PADDING, 0));
    frame.show(ui, |ui| {
        let tokens = Tokens::of(ui);
        let top = ui.cursor().top();
        ui.painter().hline(ui.max_rect().x_range(), top, (1.0, tokens.line));
        let sides = compared.sides();
        let count = f32::from(u16::try_from(sides.len()).unwrap_or(1));
        let width = ((ui.available_width() - PART) / count).floor();
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let cell = |ui: &mut Ui, width: f32, contents: &mut dyn FnMut(&mut Ui)| {
                let row = Layout::left_to_right(Align::Center);
                ui.allocate_ui_with_layout(vec2(width, ROW), row, |ui| {
                    ui.set_width(width);
                    ui.set_min_height(ROW);
                    ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                    contents(ui);
                });
            };
            let files = compared.files_of(part);
            let measured = files.iter().filter(|files| !files.is_empty()).count();
            cell(ui, PART, &mut |ui| {
                if measured < 2 {
                    Spans::plain(Type::Strong, part.name(), tokens.t1).label(ui);
                    return;
                }
                let name = format!("Compare {}", part.name());
                if link_in_table(ui, Type::TableStrong, part.name(), &name).clicked() {
                    let groups: Vec<Vec<PathBuf>> =
                        files.iter().filter(|files| !files.is_empty()).cloned().collect();
                    actions.push(match &compared.group_counts {
                        Some(_) => Action::CompareGroups(groups),
                        None => Action::Compare(files.concat()),
                    });
                }
            });
            for (side, at) in sides.iter().zip(0..) {
                let outcome = usize::checked_sub(at, 1).and_then(|at| *outcomes.get(at)?);
                cell(ui, width, &mut |ui| {
                    match side {
                        [check] => value_ui(ui, check, part),
                        group => values_ui(ui, group, part),
                    }
                    outcome_ui(ui, outcome);
                });
            }
        });
    });
}

/// Draws the values of a measurement in a group of checks.
fn values_ui(ui: &mut Ui, group: &[Arc<FinishedCheck>], part: Part) {
    let cards = group.iter().filter_map(|check| text::quick::card(check.card.card(part)?));
    let numbers: Vec<String> = cards.map(|said| format!("{} {}", said.number, said.unit)).collect();
    let (numbers, tokens) = (numbers.join(" · "), Tokens::of(ui));
    let words = Spans::plain(Type::Table, &numbers, tokens.t1);
    words.label_within(ui, ui.available_width() * 0.7).on_hover_text(&numbers);
}

fn value_ui(ui: &mut Ui, check: &FinishedCheck, part: Part) {
    let tokens = Tokens::of(ui);
    let Some(card) = check.card.card(part) else { return };
    let number = text::quick::card(card)
        .map_or_else(|| text::MISSING.to_owned(), |said| format!("{} {}", said.number, said.unit));
    Spans::plain(Type::TableStrong, &number, tokens.t1).label(ui);
    let severity = Severity::of_result(card.grade, card.standing);
    Spans::new(Type::Small)
        .severity(severity, 2.0, tokens)
        .text(Type::Small, &text::quick::card_word(card), severity.word_color(tokens))
        .label(ui);
}

/// Draws the outcome of a measurement in a check or group, compared with the first check or group.
fn outcome_ui(ui: &mut Ui, outcome: Option<Overall>) {
    let tokens = Tokens::of(ui);
    if let Some(outcome) = outcome {
        let color = match outcome {
            Overall::Of(Outcome::Better) => tokens.good,
            Overall::Of(Outcome::Worse) => tokens.fair,
            _ => tokens.t2,
        };
        Spans::plain(Type::TableStrong, outcome.words()[1], color).label(ui);
    }
}
