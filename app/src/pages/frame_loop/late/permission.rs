//! What is missing for names of those who delayed frames, how to permit it, and how to undo that.

use eframe::egui::{Popup, PopupCloseBehavior, Ui};
use jitterscope_engine::platform::{TraceSource, TraceState, file_capabilities};

use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, Spans, card::has_controls, link};

/// The width of the popover.
const WIDTH: f32 = 420.0;

/// One quiet line where something is missing, with the way to permit it.
pub(super) fn ui(ui: &mut Ui, state: Option<&TraceState>) {
    let Some(state) = state.filter(|state| state.source < Some(TraceSource::Kernel)) else {
        return;
    };
    let tokens = Tokens::of(ui);
    let row = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        let words = Spans::new(Type::Small).text(Type::Small, missing(state), tokens.t2);
        words.whole_label(ui);
        let has_remedy = state.paranoid.is_some() && has_controls(ui);
        has_remedy.then(|| link(ui, "How to allow"))
    });
    if let Some(response) = row.inner {
        Popup::menu(&response)
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
            .show(|ui| popover_ui(ui, state));
    }
}

/// States that no trace was requested; returns whether the test is to run again with one, which needs a source.
pub(in super::super) fn untraced_ui(ui: &mut Ui, has_source: bool) -> bool {
    let row = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        let (words, color) = ("Trace is off. Causes come from counters.", Tokens::of(ui).t2);
        Spans::new(Type::Small).text(Type::Small, words, color).whole_label(ui);
        has_source && link(ui, "Run again with trace").clicked()
    });
    row.inner
}

fn missing(state: &TraceState) -> &'static str {
    match (state.source, state.paranoid) {
        (Some(TraceSource::AllSwitches), _) => "Interrupts need tracefs.",
        (_, Some(_)) => "Names need CAP_PERFMON.",
        (_, None) => "This system records no switches.",
    }
}

fn popover_ui(ui: &mut Ui, state: &TraceState) {
    let tokens = Tokens::of(ui);
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 40.0));
    let paragraph = |ui: &mut Ui, words: &str| {
        ui.label(Type::Body.text(words).color(tokens.t1));
    };
    if state.source.is_none() {
        paragraph(ui, &state.sentence());
    }
    let program = std::env::current_exe().unwrap_or_default();
    let capabilities = file_capabilities(&program);
    if let Some([grant, undo]) = state.remedy(&program.display().to_string(), capabilities) {
        paragraph(
            ui,
            "Jitterscope can name the threads that delay a frame if it may record context switches \
             on all CPUs. CAP_PERFMON also permits profiling every process on this PC.",
        );
        command_ui(ui, "Allow", &grant);
        command_ui(ui, "Undo", &undo);
        paragraph(ui, "Then start Jitterscope again and repeat the test.");
    }
    paragraph(ui, "Interrupts and softirqs also need read access to tracefs (root).");
}

/// A command with a button that copies it.
fn command_ui(ui: &mut Ui, what: &str, command: &str) {
    let tokens = Tokens::of(ui);
    ui.label(Type::LabelStrong.text(what).color(tokens.t1));
    ui.label(Type::Table.text(command).color(tokens.t2));
    if ui.add(Button::new("Copy").name(&format!("Copy the command: {what}"))).clicked() {
        ui.ctx().copy_text(command.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_names_what_is_missing() {
        let state = |source, paranoid| TraceState { source, denied_errno: None, paranoid };
        assert_eq!(missing(&state(None, Some(4))), "Names need CAP_PERFMON.");
        let own = state(Some(TraceSource::OwnSwitches), Some(2));
        assert_eq!(missing(&own), "Names need CAP_PERFMON.");
        let all = state(Some(TraceSource::AllSwitches), Some(2));
        assert_eq!(missing(&all), "Interrupts need tracefs.");
        assert_eq!(missing(&state(None, None)), "This system records no switches.");
    }
}
