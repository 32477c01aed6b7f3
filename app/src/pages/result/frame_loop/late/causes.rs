//! The number of late frames by cause, above an adjustable late threshold.

use eframe::egui::{Align, Layout, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::form::Parameter;
use jitterscope_engine::platform::TraceState;
use jitterscope_engine::report::{Cause, Configuration};
use jitterscope_engine::run::TrialRun;

use super::super::late_frames::{DelayKey, LateFrames};
use super::{HEIGHT, culprits, hints, mark_ui, permission};
use crate::plots::axis::float;
use crate::plots::cause_style;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{BarPart, Card, Spans, share_bar, value_field};

/// Width of the field for the late threshold.
const LIMIT_WIDTH: f32 = 84.0;

/// Returns the range of the late threshold. It begins at the lateness above which causes are
/// recorded, and ends at the target frame time.
fn limits(row: &Configuration, trial: &TrialRun) -> Parameter {
    let min = trial.trial.evidence_above.unwrap_or(Nanos::from_micros(1));
    Parameter::micros(min.as_micros(), row.period.max(min).as_micros())
}

/// Returns the default threshold: the late threshold of the report, moved into the range of
/// `limits`.
pub(in super::super) fn default_limit(row: &Configuration, trial: &TrialRun) -> Nanos {
    limits(row, trial).nearest(row.late_limit)
}

/// Draws the card of causes, with a field for the late threshold. Returns whether the field is
/// being dragged or edited.
pub(super) fn ui(
    ui: &mut Ui,
    (row, trial): (&Configuration, &TrialRun),
    (late, state): (&LateFrames, Option<&TraceState>),
    threshold: &mut Nanos,
    culprit: &mut Option<DelayKey>,
) -> bool {
    let card = Card::new("Why were frames late?").height(HEIGHT).show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        let part = |&(cause, count): &(Cause, u64)| {
            let (color, _) = cause_style(tokens, cause);
            BarPart { name: cause.label(), amount: float(count), color: Some(color) }
        };
        share_bar(ui, &late.causes.iter().map(part).collect::<Vec<_>>(), false);
        ui.spacing_mut().item_spacing.y = 3.0;
        let causes = if late.has_names() { &[][..] } else { &late.causes };
        if late.has_names() {
            // Leaves space below the list for the threshold and for the line about missing
            // permissions.
            let below = ui.spacing().interact_size.y + 2.0 * size::COMPACT_ROW;
            let height = ui.available_height() - below;
            culprits::ui(ui, late, culprit, height);
        }
        for &(cause, count) in causes {
            ui.horizontal(|ui| {
                mark_ui(ui, cause);
                let words = Spans::plain(Type::Body, cause.label(), tokens.t1);
                words.whole_label(ui).on_hover_text(cause.row().advice);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let count = text::format_count(count);
                    Spans::plain(Type::Strong, &count, tokens.t1).label(ui);
                });
            });
        }
        let held = ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
            // While a threshold is being typed, `late` still has the frames above the previous
            // threshold.
            let is_none_over = late.is_empty() && late.threshold == *threshold;
            let words = if is_none_over { "No frames later than" } else { "Late threshold" };
            let small = |words: &str| Spans::plain(Type::Small, words, tokens.t2);
            small(words).whole_label(ui);
            let parameter = limits(row, trial);
            let field = value_field(ui, "Late threshold", threshold, &parameter, LIMIT_WIDTH);
            small("late").whole_label(ui);
            field.dragged() || field.has_focus()
        });
        if !late.has_names() {
            hints::of_run_ui(ui, &late.busiest);
        }
        permission::ui(ui, state);
        held.inner
    });
    card.inner
}
