//! Next to the verdict: recommendations, each with one button, and measurement quality.

use eframe::egui::{Align, Layout, Ui};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::quick::{Advice, Scorecard};

use super::idle::{line_ui, row};
use crate::session::{Action, FinishedCheck, PageId, Session};
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, Card, Severity, Spans, link};

/// Room for a button at the right.
const BUTTONS: f32 = 170.0;

/// Recommendations.
pub(super) fn advice_ui(
    ui: &mut Ui,
    session: &Session,
    card: &Scorecard,
    actions: &mut Vec<Action>,
) {
    if card.advice.is_empty() {
        return;
    }
    Card::new("Recommendations").flush().show(
        ui,
        |_| {},
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for advice in &card.advice {
                row(ui, |ui| one_ui(ui, session, advice, actions));
            }
        },
    );
}

fn one_ui(ui: &mut Ui, session: &Session, advice: &Advice, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    let words = text::quick::advice(advice);
    severity_of_advice(advice).icon_ui(ui, size::ICON);
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_width((ui.available_width() - BUTTONS).max(120.0));
        let width = ui.available_width();
        let title = Spans::new(Type::Strong).text(Type::Strong, &words.title, tokens.t1);
        ui.label(title.wrapped(ui, width));
        let said = Spans::new(Type::Small).text(Type::Small, &words.text, tokens.t2);
        ui.label(said.wrapped(ui, width));
    });
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        let name = format!("{}: {}", words.title, words.button);
        let is_free = !session.is_busy();
        if ui.add_enabled(is_free, Button::new(words.button).name(&name)).clicked() {
            follow(advice, actions);
        }
    });
}

/// Action of a recommendation's button.
fn follow(advice: &Advice, actions: &mut Vec<Action>) {
    match advice {
        Advice::RepeatWhole => {
            for part in Part::ALL {
                actions.push(Action::ChooseQuickPart { part, is_selected: true });
            }
            actions.push(Action::RunQuick);
        }
        Advice::OtherPrograms { .. } | Advice::OnBattery => actions.push(Action::RunQuick),
        Advice::PowerPlan { .. } | Advice::VirtualMachine { .. } | Advice::LookElsewhere => {
            actions.push(Action::GoTo(PageId::Machine));
        }
        Advice::LongGaps { .. } => actions.push(Action::GoTo(PageId::Test("scheduling-gaps"))),
        Advice::LateUnderLoad { .. } => actions.push(Action::GoTo(PageId::Test("frame-loop"))),
        Advice::UnsafeSleep { .. } => actions.push(Action::GoTo(PageId::Test("sleep-accuracy"))),
    }
}

/// Warnings are about this check, everything else is information.
const fn severity_of_advice(advice: &Advice) -> Severity {
    match advice {
        Advice::RepeatWhole
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

/// Measurement quality, and the location of the runs.
pub(super) fn trust_ui(ui: &mut Ui, result: &FinishedCheck, actions: &mut Vec<Action>) {
    Card::new("Measurement quality").flush().show(
        ui,
        |_| {},
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for trust in &result.card.trust {
                let severity = if trust.is_good() { Severity::Good } else { Severity::Fair };
                let (name, words) = text::quick::trust(trust);
                line_ui(ui, severity, name, &words);
            }
            row(ui, |ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                let color = Tokens::of(ui).t2;
                let words = match result.paths().len() {
                    0 => "Not saved".to_owned(),
                    count => format!(
                        "Saved as {count} runs of {}",
                        text::quick::check_name(result.began)
                    ),
                };
                Spans::new(Type::Small).text(Type::Small, &words, color).whole_label(ui);
                if link(ui, "Show runs").clicked() {
                    actions.push(Action::GoTo(PageId::Runs));
                }
            });
        },
    );
}
