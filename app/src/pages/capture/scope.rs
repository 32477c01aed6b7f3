//! What an imported recording is shown of: the bar that selects its frames and its part, the proposal to omit pauses, and
//! the menu of definitions of lows. Everything below follows them.

use eframe::egui::{Popup, Rect, Role, Ui, UiBuilder, WidgetInfo, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{CaptureFigures, FrameFigures, RecordingFigures, Scope};
use jitterscope_engine::report::{CaptureView, FrameKind};
use jitterscope_engine::stats::{LowDefinition, Lows};

use crate::text::{self, low};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Card, Severity, Spans, VerdictStrip, card::plain_card, field::choice_rows_ui, link,
    position_field, quiet_icon_button, segmented,
};

/// Width of a field of the range, in points.
const FIELD: f32 = 84.0;
/// Width of the menu of definitions, in points.
const DEFINITIONS: f32 = 230.0;

/// Draws the bar for a recording; changes `asked` to what the user selects.
pub(super) fn scope_bar_ui(ui: &mut Ui, figures: &RecordingFigures, asked: &mut CaptureView) {
    let Some(scope) = figures.scope.as_deref() else { return };
    let frames = match &figures.figures {
        CaptureFigures::Frames(frames) => Some(frames),
        _ => None,
    };
    plain_card(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(size::GAP_FIELD, size::GAP_SMALL);
            if let Some(frames) = frames {
                frames_ui(ui, scope, frames, asked);
            }
            range_ui(ui, scope, asked);
            if let Some(frames) = frames {
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

/// Draws that the pauses are omitted, the 1% low with them, and the button that includes them.
fn pauses_ui(ui: &mut Ui, scope: &Scope, frames: &FrameFigures, asked: &mut CaptureView) {
    let Scope { pauses, view, .. } = scope;
    if pauses.count == 0 || !view.omits_pauses {
        return;
    }
    let it = if pauses.count == 1 { "it" } else { "them" };
    let low = frames.other_one_percent_low.map(|lows| {
        format!(" · 1% low with {it}: {}", text::format_measured_fps(lows.by(view.low)))
    });
    label(ui, &format!("Without {}{}", pauses.words(), low.unwrap_or_default()));
    if ui.add(Button::new(&format!("Include {it}"))).clicked() {
        asked.omits_pauses = false;
    }
}

/// Draws a strip that proposes to omit the pauses, as long as they are in the figures.
pub(super) fn pauses_strip_ui(ui: &mut Ui, figures: &RecordingFigures, asked: &mut CaptureView) {
    let (Some(scope), CaptureFigures::Frames(frames)) = (&figures.scope, &figures.figures) else {
        return;
    };
    if scope.pauses.count == 0 || scope.view.omits_pauses {
        return;
    }
    let is_one = scope.pauses.count == 1;
    let sentence = pauses_sentence(scope, frames);
    VerdictStrip::new(Severity::Info, "").evidence(&sentence).show(ui, |ui| {
        let button = if is_one { "Omit pause" } else { "Omit pauses" };
        if ui.add(Button::new(button)).clicked() {
            asked.omits_pauses = true;
        }
    });
}

/// Returns what the pauses do to the 1% low: "One pause of 5 s dominates the 1% low (10.2 FPS with it, 36.1 FPS without)."
fn pauses_sentence(scope: &Scope, frames: &FrameFigures) -> String {
    let time = text::format_long_time(scope.pauses.time);
    let (pauses, verbs, it) = if scope.pauses.count == 1 {
        (format!("One pause of {time}"), ["dominates", "is in the figures"], "it")
    } else {
        let count = text::format_count(scope.pauses.count);
        (format!("{count} pauses of {time} together"), ["dominate", "are in the figures"], "them")
    };
    let by = |lows: Lows| text::format_measured_fps(lows.by(scope.view.low));
    let lows = frames.one_percent_low.zip(frames.other_one_percent_low);
    match lows.map(|(with, without)| (by(with), by(without))) {
        Some((with, without)) if with != without => {
            format!("{pauses} {} the 1% low ({with} with {it}, {without} without).", verbs[0])
        }
        _ => format!("{pauses} {}.", verbs[1]),
    }
}

/// Draws the menu of definitions at the top right of the tile of the 1% low.
pub(super) fn low_menu_ui(ui: &mut Ui, tile: Rect, asked: &mut LowDefinition) {
    const NAME: &str = "Definition of the 1% low";
    let side = vec2(size::TARGET, size::TARGET);
    let place = Rect::from_min_size(tile.right_top() + vec2(-side.x - 2.0, 2.0), side);
    let mut corner = ui.new_child(UiBuilder::new().max_rect(place));
    let button = quiet_icon_button(&mut corner, icons::CARET_DOWN, NAME);
    button.widget_info(|| WidgetInfo {
        current_text_value: Some(low::name(*asked).to_owned()),
        ..WidgetInfo::labeled(Role::ComboBox, true, NAME)
    });
    Popup::menu(&button).show(|ui| {
        ui.set_min_width(DEFINITIONS);
        let definitions = LowDefinition::ALL.map(|definition| (definition, low::name(definition)));
        if let Some(definition) = choice_rows_ui(ui, asked, definitions) {
            *asked = definition;
        }
    });
}

fn label(ui: &mut Ui, words: &str) {
    let tokens = Tokens::of(ui);
    Spans::plain(Type::Small, words, tokens.t2).whole_label(ui);
}
