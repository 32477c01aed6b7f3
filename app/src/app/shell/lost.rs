//! How many samples of the run in progress were lost, in the status bar.

use eframe::egui::Ui;
use jitterscope_engine::run::Run;

use crate::session::Live;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Severity, Spans};

/// Shows the number of lost samples, with a warning icon if any sample was lost.
pub(super) fn lost_ui(ui: &mut Ui, live: &Live) {
    let lost = live.run.as_ref().map_or(0, Run::lost_count);
    let tokens = Tokens::of(ui);
    let spans = Spans::new(Type::Small);
    let text = format!("Lost samples {}", text::format_count(lost));
    if lost == 0 {
        spans.text(Type::Small, &text, tokens.t2).whole_label(ui);
    } else {
        let octagon = Severity::Poor.icon();
        spans
            .icon(octagon, size::ICON_SMALL, tokens.poor)
            .gap(5.0)
            .text(Type::Small, &text, tokens.poor)
            .whole_label(ui);
    }
}
