//! Next to the verdict: recommendations, each with one button, and measurement quality.

use eframe::egui::{Align, Layout, Ui};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::platform::SystemTool;
use jitterscope_engine::report::quick::{Advice, Scorecard};

use super::idle::{line_ui, row};
use crate::session::{Action, PageId, Session};
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, Card, Severity, Spans};

/// Room for a button at the right.
const BUTTONS: f32 = 170.0;

/// Recommendations.
pub(super) fn advice_ui(
    ui: &mut Ui,
    session: &Session,
    card: &Scorecard,
    actions: &mut Vec<Action>,
) {
    list_ui(ui, card, |ui, advice| one_ui(ui, session, advice, actions));
}

fn one_ui(ui: &mut Ui, session: &Session, advice: &Advice, actions: &mut Vec<Action>) {
    words_ui(ui, advice, BUTTONS);
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
        let words = text::quick::advice(advice);
        let tool = tool_of(advice).filter(|tool| session.has_tool(*tool));
        let label = tool.map_or(words.button, text::quick::tool_button);
        let name = format!("{}: {label}", words.title);
        let is_free = !session.is_busy();
        if ui.add_enabled(is_free, Button::new(label).name(&name)).clicked() {
            match tool {
                Some(tool) => actions.push(Action::OpenTool(tool)),
                None => follow(advice, actions),
            }
        }
    });
}

/// Title and text of a recommendation, with this much room at the right.
fn words_ui(ui: &mut Ui, advice: &Advice, right: f32) {
    let tokens = Tokens::of(ui);
    let words = text::quick::advice(advice);
    severity_of_advice(advice).icon_ui(ui, size::ICON);
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_width((ui.available_width() - right).max(120.0));
        let width = ui.available_width();
        let title = Spans::new(Type::Strong).text(Type::Strong, &words.title, tokens.t1);
        ui.label(title.wrapped(ui, width));
        let said = Spans::new(Type::Small).text(Type::Small, &words.text, tokens.t2);
        ui.label(said.wrapped(ui, width));
    });
}

/// The window of the desktop where a recommendation is followed.
const fn tool_of(advice: &Advice) -> Option<SystemTool> {
    match advice {
        Advice::OtherPrograms { .. } => Some(SystemTool::Programs),
        Advice::PowerPlan { .. } => Some(SystemTool::Power),
        _ => None,
    }
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
        Advice::Delayed(..) | Advice::OtherPrograms { .. } | Advice::OnBattery => {
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

/// Warnings are about this check, everything else is information.
const fn severity_of_advice(advice: &Advice) -> Severity {
    match advice {
        Advice::RepeatWhole
        | Advice::Denied(_)
        | Advice::Delayed(..)
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

/// Recommendations without their buttons.
pub(super) fn plain_advice_ui(ui: &mut Ui, card: &Scorecard) {
    list_ui(ui, card, |ui, advice| words_ui(ui, advice, 0.0));
}

/// The card of recommendations, each drawn by `one_ui`; nothing where there is none.
fn list_ui(ui: &mut Ui, card: &Scorecard, mut one_ui: impl FnMut(&mut Ui, &Advice)) {
    if card.advice.is_empty() {
        return;
    }
    Card::new("Recommendations").flush().show(
        ui,
        |_| {},
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for advice in &card.advice {
                row(ui, |ui| one_ui(ui, advice));
            }
        },
    );
}

/// Measurement quality.
pub(super) fn trust_ui(ui: &mut Ui, card: &Scorecard) {
    Card::new("Measurement quality").flush().show(
        ui,
        |_| {},
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for trust in &card.trust {
                let severity = if trust.is_good() { Severity::Good } else { Severity::Fair };
                let (name, words) = text::quick::trust(trust);
                line_ui(ui, severity, name, &words);
            }
        },
    );
}
