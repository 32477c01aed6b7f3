//! The permission that is required for the names of threads that delayed frames, and how to grant
//! and revoke it.

use eframe::egui::{Popup, PopupCloseBehavior, Ui};
use jitterscope_engine::platform::{TraceSource, TraceState, file_capabilities};

use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, Spans, card::has_controls, link};

/// Width of the popover that shows how to grant the permission, in points.
const WIDTH: f32 = 420.0;

/// Draws a line about missing trace sources, if any, with a link that shows how to allow them.
pub(super) fn ui(ui: &mut Ui, state: Option<&TraceState>) {
    let is_less =
        |state: &&TraceState| state.source < Some(TraceSource::Kernel) || !state.missing.is_empty();
    let Some(state) = state.filter(is_less) else { return };
    let tokens = Tokens::of(ui);
    let row = ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        let words = Spans::plain(Type::Small, &missing(state), tokens.t2);
        words.whole_label(ui);
        let has_remedy = state.paranoid.is_some() && state.missing.is_empty() && has_controls(ui);
        has_remedy.then(|| link(ui, "How to allow"))
    });
    if let Some(response) = row.inner {
        Popup::menu(&response)
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
            .show(|ui| popover_ui(ui, state));
    }
}

/// Draws a line which states that the trace was off and, if this PC has a trace source, a link to
/// run again with a trace. Returns whether the link was clicked.
pub(in super::super) fn untraced_ui(ui: &mut Ui, has_source: bool) -> bool {
    let row = ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        let (words, color) = ("Trace is off. Causes come from counters.", Tokens::of(ui).t2);
        Spans::plain(Type::Small, words, color).whole_label(ui);
        has_source && link(ui, "Run again with trace").clicked()
    });
    row.inner
}

fn missing(state: &TraceState) -> String {
    let words = match (state.source, state.paranoid) {
        _ if !state.missing.is_empty() => return state.shortage().unwrap_or_default(),
        (Some(TraceSource::AllSwitches), _) => "Interrupts need tracefs.",
        (_, Some(_)) => "Names need CAP_PERFMON.",
        _ if state.needs_administrator() => "Names need administrator rights.",
        (_, None) => "This system records no switches.",
    };
    words.to_owned()
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

/// Draws a command with a copy button.
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
    use jitterscope_engine::platform::Missing;

    use super::*;

    #[test]
    fn each_source_names_what_is_missing() {
        let state = |source, paranoid| TraceState { source, paranoid, ..TraceState::default() };
        assert_eq!(missing(&state(None, Some(4))), "Names need CAP_PERFMON.");
        let own = state(Some(TraceSource::OwnSwitches), Some(2));
        assert_eq!(missing(&own), "Names need CAP_PERFMON.");
        let all = state(Some(TraceSource::AllSwitches), Some(2));
        assert_eq!(missing(&all), "Interrupts need tracefs.");
        assert_eq!(missing(&state(None, None)), "This system records no switches.");
        let softirqs =
            Missing { event: "irq/softirq".to_owned(), errno: Some(24), cpus: vec![46, 47] };
        let few = TraceState { missing: vec![softirqs], ..all };
        assert!(missing(&few).starts_with("Too few file descriptors"), "{}", missing(&few));
    }
}
