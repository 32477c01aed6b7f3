//! Quick checks compared: one card each, and what changed in every measurement.

use eframe::egui::{Align, Frame, Layout, Margin, Ui, vec2};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::comparison::Outcome;

use crate::pages::severity_of;
use crate::session::{Action, CheckComparison, FinishedCheck, Session};
use crate::text::{self, compare as words};
use crate::theme::{Tokens, Type, size};
use crate::widgets::card::plain_card;
use crate::widgets::{Card, Severity, Spans, VerdictStrip, link, link_in_table, series_chip};

/// Width of the column of measurements.
const PART: f32 = 190.0;
/// Height of a row.
const ROW: f32 = 40.0;

/// Draws the comparison.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    compared: &CheckComparison,
    actions: &mut Vec<Action>,
) {
    let sentence = words::check_sentence(&compared.outcomes, compared.checks.len());
    let severity = match words::check_outcome(&compared.outcomes) {
        Outcome::Better => Severity::Good,
        Outcome::Worse | Outcome::Mixed => Severity::Fair,
        _ => Severity::Info,
    };
    cards_ui(ui, session, compared, actions);
    VerdictStrip::new(severity, "")
        .sentence(&sentence)
        .evidence("Each measurement is compared like two runs of its test. Click one for all its metrics.")
        .show(ui, |_| {});
    Card::new("What changed").flush().show(
        ui,
        |_| {},
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (part, outcomes) in &compared.outcomes {
                part_ui(ui, compared, *part, outcomes, actions);
            }
        },
    );
}

/// A card of each check, in a row.
fn cards_ui(ui: &mut Ui, session: &Session, compared: &CheckComparison, actions: &mut Vec<Action>) {
    let width = column(ui, compared.checks.len());
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_CARD;
        for (check, at) in compared.checks.iter().zip(0..) {
            ui.allocate_ui_with_layout(vec2(width, 84.0), Layout::top_down(Align::Min), |ui| {
                ui.set_width(width);
                card_ui(ui, session, compared, (check, at), actions);
            });
        }
    });
}

fn column(ui: &Ui, count: usize) -> f32 {
    let count = f32::from(u16::try_from(count.max(1)).unwrap_or(1));
    ((ui.available_width() - (count - 1.0) * size::GAP_CARD) / count).floor()
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
        .library()
        .items()
        .unwrap_or_default()
        .iter()
        .find(|item| paths.get(at).is_some_and(|path| item.path == *path));
    let name = entry.and_then(|item| item.run.as_ref().ok()).map_or("Quick check", |run| &run.name);
    plain_card(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            series_chip(ui, at);
            Spans::new(Type::Strong).text(Type::Strong, name, tokens.t1).label(ui);
        });
        let severity = severity_of(check.card.grade);
        let word = text::quick::word(&check.card);
        Spans::new(Type::Label)
            .icon(severity.icon(), size::ICON_SMALL, severity.color(tokens))
            .gap(size::GAP_LABEL)
            .text(Type::LabelStrong, word, severity.word_color(tokens))
            .label(ui);
        let machine = check.runs().next().map_or(String::new(), |shown| shown.run.machine.short());
        let line = format!("{} · {machine}", text::date(&text::local(check.began)));
        Spans::new(Type::Small).text(Type::Small, &line, tokens.t2).label(ui);
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

/// A measurement: its number and grade in each check, and what each is against the first.
fn part_ui(
    ui: &mut Ui,
    compared: &CheckComparison,
    part: Part,
    outcomes: &[Option<Outcome>],
    actions: &mut Vec<Action>,
) {
    let frame = Frame::new().inner_margin(Margin::symmetric(size::CARD_PADDING, 0));
    frame.show(ui, |ui| {
        let tokens = Tokens::of(ui);
        let top = ui.cursor().top();
        ui.painter().hline(ui.max_rect().x_range(), top, (1.0, tokens.line));
        let count = f32::from(u16::try_from(compared.checks.len()).unwrap_or(1));
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
            cell(ui, PART, &mut |ui| {
                if files.len() < 2 {
                    let name = Spans::new(Type::Strong).text(Type::Strong, part.name(), tokens.t1);
                    name.label(ui);
                    return;
                }
                let name = format!("Compare {}", part.name());
                if link_in_table(ui, Type::TableStrong, part.name(), &name).clicked() {
                    actions.push(Action::Compare(files.clone()));
                }
            });
            for (check, at) in compared.checks.iter().zip(0..) {
                let outcome = usize::checked_sub(at, 1).and_then(|at| *outcomes.get(at)?);
                cell(ui, width, &mut |ui| value_ui(ui, check, part, outcome));
            }
        });
    });
}

fn value_ui(ui: &mut Ui, check: &FinishedCheck, part: Part, outcome: Option<Outcome>) {
    let tokens = Tokens::of(ui);
    let Some(card) = check.card.card(part) else { return };
    let number = text::quick::card(card)
        .map_or_else(|| text::MISSING.to_owned(), |said| format!("{} {}", said.number, said.unit));
    Spans::new(Type::TableStrong).text(Type::TableStrong, &number, tokens.t1).label(ui);
    let severity =
        if card.grade.is_some() { severity_of(card.grade) } else { Severity::NotMeasured };
    Spans::new(Type::Small)
        .icon(severity.icon(), size::ICON_SMALL, severity.color(tokens))
        .gap(2.0)
        .text(Type::Small, &text::quick::card_word(card), severity.word_color(tokens))
        .label(ui);
    if let Some(outcome) = outcome {
        let (words, color) = match outcome {
            Outcome::Better => ("better", tokens.good),
            Outcome::Worse => ("worse", tokens.fair),
            other => (words::short_outcome(other), tokens.t2),
        };
        Spans::new(Type::TableStrong).text(Type::TableStrong, words, color).label(ui);
    }
}
