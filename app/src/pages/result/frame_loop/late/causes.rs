//! The number of late frames by cause, above an adjustable late threshold.

use eframe::egui::{Align, CornerRadius, Layout, Rect, Sense, Ui, pos2, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::form::Parameter;
use jitterscope_engine::platform::TraceState;
use jitterscope_engine::report::{Cause, Configuration};
use jitterscope_engine::run::TrialRun;

use super::super::late_frames::{DelayKey, LateFrames};
use super::{HEIGHT, culprits, hints, mark_ui, permission};
use crate::plots::axis::{float, narrow};
use crate::plots::cause_style;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, Spans, value_field};

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
        bar_ui(ui, &late.causes);
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

/// Draws a bar with one segment per cause, as long as the cause's share of the late frames.
fn bar_ui(ui: &mut Ui, counts: &[(Cause, u64)]) {
    let tokens = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 12.0), Sense::hover());
    if counts.is_empty() {
        ui.painter().rect_filled(rect, CornerRadius::same(2), tokens.line);
    }
    let at = |share: f64| rect.left() + rect.width() * narrow(share);
    for (cause, begin, end) in pieces(counts) {
        // Segments are separated by one point; the rarest cause is still at least one point wide.
        let left = at(begin).min(rect.right() - 1.0);
        let right = (at(end) - 1.0).max(left + 1.0);
        let piece = Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom()));
        let (color, _) = cause_style(tokens, cause);
        ui.painter().rect_filled(piece, CornerRadius::same(2), color);
    }
}

/// Returns start and end of each cause's segment, as shares of the bar's width between 0 and 1.
fn pieces(counts: &[(Cause, u64)]) -> Vec<(Cause, f64, f64)> {
    let all: u64 = counts.iter().map(|(_, count)| *count).sum();
    let mut before = 0;
    let mut pieces = Vec::with_capacity(counts.len());
    for &(cause, count) in counts {
        let begin = float(before) / float(all);
        before += count;
        pieces.push((cause, begin, float(before) / float(all)));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fill_the_bar_however_many_frames_they_stand_for() {
        let counts = [(Cause::WaitedForCpu, 100_000), (Cause::TimerLate, 100_000)];
        let expected = [(Cause::WaitedForCpu, 0.0, 0.5), (Cause::TimerLate, 0.5, 1.0)];
        assert_eq!(pieces(&counts), expected);
        assert_eq!(pieces(&[(Cause::Blocked, 1)]), [(Cause::Blocked, 0.0, 1.0)]);
        assert_eq!(pieces(&[]), []);
    }
}
