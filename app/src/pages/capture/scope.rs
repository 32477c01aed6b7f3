//! The bar above an imported recording that selects its frames, its part, and the definition of its lows. Everything
//! below follows it.

use eframe::egui::{Ui, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{CaptureFigures, FrameFigures, RecordingFigures, Scope};
use jitterscope_engine::report::{CaptureView, FrameKind};
use jitterscope_engine::stats::LowDefinition;

use crate::text::{self, low};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, Card, Spans, combo, link, position_field, segmented};

/// Width of a field of the range, in points.
const FIELD: f32 = 84.0;
/// Width of the list of definitions, in points.
const DEFINITIONS: f32 = 230.0;
/// Width of the list of definitions with its label, in points.
const LOW: f32 = DEFINITIONS + 70.0;

/// Draws the bar for a recording; changes `asked` to what the user selects.
pub(super) fn scope_bar_ui(ui: &mut Ui, figures: &RecordingFigures, asked: &mut CaptureView) {
    let Some(scope) = figures.scope.as_deref() else { return };
    let frames = match &figures.figures {
        CaptureFigures::Frames(frames) => Some(frames),
        _ => None,
    };
    Card::new("Shown part").note(&scope.caption()).show_plain(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(size::GAP_FIELD, size::GAP_SMALL);
            if let Some(frames) = frames {
                frames_ui(ui, scope, frames, asked);
            }
            range_ui(ui, scope, asked);
            if let Some(frames) = frames {
                low_ui(ui, asked);
                pauses_ui(ui, scope, frames, asked);
            }
        });
    });
}

/// Draws the way back from a part in which no frame is.
pub(super) fn no_frames_ui(ui: &mut Ui, asked: &mut CaptureView) {
    Card::new("Shown part").show_plain(ui, |ui| {
        label(ui, "No frame is in this part.");
        if link(ui, "Whole capture").clicked() {
            (asked.from, asked.to, asked.skip_first) = (None, None, 0);
        }
    });
}

fn frames_ui(ui: &mut Ui, scope: &Scope, frames: &FrameFigures, asked: &mut CaptureView) {
    if !scope.has_displayed {
        return;
    }
    label(ui, "Frames");
    let kinds = FrameKind::ALL.map(|kind| (kind, kind.label()));
    segmented(ui, "Frames", &mut asked.frames, &kinds);
    let [generated, _] = frames.generated_counts.unwrap_or_default();
    let counts = [(frames.dropped_count.unwrap_or(0), "dropped"), (generated, "generated")];
    let words: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| 0 < *count)
        .map(|(count, words)| format!("{} {words}", text::format_count(count)))
        .collect();
    if !words.is_empty() {
        let tokens = Tokens::of(ui);
        Spans::plain(Type::Small, &words.join(", "), tokens.t2).whole_label(ui);
    }
}

fn range_ui(ui: &mut Ui, scope: &Scope, asked: &mut CaptureView) {
    label(ui, "Range");
    let mut from = asked.from.unwrap_or(Nanos::ZERO);
    if position_field(ui, "From", &mut from, scope.end, FIELD).changed() {
        asked.from = Some(from).filter(|from| Nanos::ZERO < *from);
    }
    label(ui, "to");
    let mut to = asked.to.unwrap_or(scope.end);
    if position_field(ui, "To", &mut to, scope.end, FIELD).changed() {
        asked.to = Some(to).filter(|to| *to < scope.end);
    }
    if (asked.from.is_some() || asked.to.is_some()) && link(ui, "Whole capture").clicked() {
        (asked.from, asked.to) = (None, None);
    }
}

fn low_ui(ui: &mut Ui, asked: &mut CaptureView) {
    // The list is not wrapped by itself, but would widen the whole page.
    if ui.available_size_before_wrap().x < LOW {
        ui.end_row();
    }
    let definitions = LowDefinition::ALL.map(|definition| (definition, low::name(definition)));
    ui.horizontal(|ui| {
        label(ui, "1% low");
        combo(ui, "Definition of the 1% low", &mut asked.low, &definitions, DEFINITIONS);
    });
}

/// Draws whether the pauses are in the figures, the 1% low of the other choice, and the button for it.
fn pauses_ui(ui: &mut Ui, scope: &Scope, frames: &FrameFigures, asked: &mut CaptureView) {
    let Scope { pauses, view, .. } = scope;
    let (are, other, button) = match (view.omits_pauses, pauses.count) {
        (_, 0) => return,
        (true, 1) => ("Without", "with it", "Include pause"),
        (true, _) => ("Without", "with them", "Include pauses"),
        (false, 1) => ("With", "without it", "Omit pause"),
        (false, _) => ("With", "without them", "Omit pauses"),
    };
    let low = frames
        .other_one_percent_low
        .map(|lows| format!(" · 1% low {other}: {}", text::format_measured_fps(lows.by(view.low))));
    label(ui, &format!("{are} {}{}", pauses.words(), low.unwrap_or_default()));
    if ui.add(Button::new(button)).clicked() {
        asked.omits_pauses = !view.omits_pauses;
    }
}

fn label(ui: &mut Ui, words: &str) {
    let tokens = Tokens::of(ui);
    Spans::plain(Type::Small, words, tokens.t2).whole_label(ui);
}
