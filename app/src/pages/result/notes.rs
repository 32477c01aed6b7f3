//! Notes above and below a result: changed settings, denied requests, warnings about measurement
//! quality.

use eframe::egui::Ui;
use jitterscope_engine::report::Report;
use jitterscope_engine::report::document::{Statement, quality_notes, refused};

use crate::pages::rights::rights_ui;
use crate::session::{Action, LoadedRun, PageId, Session, TestState};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Button, Card, Severity, Spans, VerdictStrip, link};

/// Maximum number of warnings: a run may have one for each of thousands of configurations.
const MAX_WARNINGS: usize = 30;

/// Draws a note if the settings were changed after the run, with a link that restores the settings
/// of the run.
pub(super) fn notes_ui(
    ui: &mut Ui,
    session: &Session,
    shown: &LoadedRun,
    key: &'static str,
    actions: &mut Vec<Action>,
) {
    if session.running.test(key).is_some_and(TestState::is_changed_since_result) {
        ui.horizontal(|ui| {
            let color = Tokens::of(ui).t2;
            let note = "These results were measured with different settings.";
            Spans::plain(Type::Small, note, color).whole_label(ui);
            let is_here = session.machine.facts().is_none_or(|facts| facts.are_of(&shown.run));
            let words = if is_here { "Restore settings" } else { "Use this report's settings" };
            if link(ui, words).clicked() {
                actions.push(Action::ShowSettingsOfResult(key));
            }
        });
    }
}

/// Draws a warning before a test that requires a priority which this PC denies: the test would end
/// without a verdict. Offers a preset without this requirement, and ways to allow the priority.
pub(super) fn denial_ui(
    ui: &mut Ui,
    session: &Session,
    state: &TestState,
    actions: &mut Vec<Action>,
) {
    let Some((priority, applied)) = session.known_denial(state.key()) else { return };
    let sentence =
        format!("{} is denied on this PC: the test would end without a verdict.", priority.name());
    let evidence = applied.refusals.first().map_or_else(String::new, |refusal| {
        let remedy = refusal.remedy.trim_end_matches('.');
        let remedy =
            if remedy.is_empty() { String::new() } else { format!(" To allow it, {remedy}.") };
        format!("{}.{remedy}", text::capitalized(&refusal.to_string()))
    });
    VerdictStrip::new(Severity::Denied, "Denied")
        .sentence(&sentence)
        .evidence(&evidence)
        .show(ui, |_| {});
    ui.horizontal_wrapped(|ui| {
        let granted = state.presets.iter().find(|preset| {
            let needed = preset.plan.probe().needs_one_of();
            let facts = session.machine.facts();
            facts.is_some_and(|facts| {
                needed.iter().any(|other| facts.realtime.denial(*other).is_none())
            })
        });
        if let Some(preset) = granted {
            let words = format!("Use preset {}", preset.name);
            if ui.add(Button::new(&words)).clicked() {
                actions.push(Action::ChoosePreset { test: state.key(), preset: preset.key });
            }
        }
        if ui.add(Button::new("How to allow it").icon(icons::CPU)).clicked() {
            actions.push(Action::GoTo(PageId::Machine));
        }
        rights_ui(ui, session, || Action::Run(state.key()), actions);
    });
}

/// Draws a note if a run is worse than its baseline, with a button that compares the run with the
/// baseline.
pub(super) fn worse_ui(
    ui: &mut Ui,
    session: &Session,
    shown: &LoadedRun,
    actions: &mut Vec<Action>,
) {
    let Some(file) = &shown.path else { return };
    let Some((share, baseline)) = session.library.worse_than_baseline(file) else { return };
    let sentence = format!("This run is {} worse than its baseline.", text::format_share(share));
    VerdictStrip::new(Severity::Fair, "").sentence(&sentence).show(ui, |ui| {
        if ui.add(Button::new("Compare with baseline").icon(icons::COLUMNS)).clicked() {
            actions.push(Action::Compare(vec![baseline.to_owned(), file.clone()]));
        }
    });
}

/// Lists the denied requests, with the reasons and the steps to allow them.
pub(super) fn refused_ui(ui: &mut Ui, report: &Report) {
    if let Some(Statement { grade, sentence, evidence, .. }) = refused(report) {
        let strip = VerdictStrip::new(Severity::Denied, &grade).sentence(&sentence);
        strip.evidence(&evidence).show(ui, |_| {});
    }
}

/// Draws the warnings about measurement quality.
pub(super) fn trust_ui(ui: &mut Ui, report: &Report) {
    let lines = quality_notes(report);
    if lines.is_empty() {
        return;
    }
    Card::new("Measurement quality").show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        for line in lines.iter().take(MAX_WARNINGS) {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                Severity::Info.icon_ui(ui, size::ICON_SMALL);
                Spans::plain(Type::Small, line, tokens.t2).paragraph(ui);
            });
        }
        if MAX_WARNINGS < lines.len() {
            let more = text::count_text(lines.len() - MAX_WARNINGS, "more warnings");
            Spans::plain(Type::Small, &format!("and {more}"), tokens.t2).label(ui);
        }
    });
}
