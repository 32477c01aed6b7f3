//! A thin scale from 0.1 µs to 100 ms with the zones of Good, Fair, and Poor, and markers of
//! values.

use eframe::egui::{Align2, Color32, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::nanos::Nanos;

use super::axis::narrow;
use crate::text;
use crate::theme::{Tokens, Type};

/// The logarithms of the ends, in nanoseconds.
const ENDS: (f64, f64) = (2.0, 8.0);
/// Height of the zones.
const ZONE: f32 = 5.0;
/// Height of the whole, with the words below.
const HEIGHT: f32 = 30.0;

/// Values and the ends of the zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleStrip {
    /// Upper end of Good.
    pub good: Nanos,
    /// Upper end of Fair.
    pub fair: Nanos,
    /// A typical value: a dot.
    pub typical: Nanos,
    /// The maximum: a tick.
    pub worst: Nanos,
}

impl ScaleStrip {
    /// Draws it as wide as there is room.
    pub fn ui(self, ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        let room = vec2(ui.available_width(), HEIGHT);
        let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
        // A dot at an end stays within.
        let scale = rect.shrink2(vec2(4.0, 0.0));
        let middle = scale.top() + 7.0;
        let x = |value: Nanos| at(scale, value);
        let (good, fair) = (x(self.good), x(self.fair));
        let zone = |from: f32, to: f32, color: Color32| {
            let zone = Rect::from_min_max(
                pos2(from, middle - ZONE / 2.0),
                pos2((to - 1.5).max(from), middle + ZONE / 2.0),
            );
            ui.painter().rect_filled(zone, 1, color.gamma_multiply(0.5));
        };
        zone(scale.left(), good, tokens.good);
        zone(good, fair, tokens.fair);
        zone(fair, scale.right() + 1.5, tokens.poor);
        let stroke = Stroke::new(1.6, tokens.t1);
        let (dot, tick) = (x(self.typical), x(self.worst));
        ui.painter().line_segment([pos2(dot, middle), pos2(tick, middle)], stroke);
        ui.painter().line_segment([pos2(tick, middle - 5.0), pos2(tick, middle + 5.0)], stroke);
        ui.painter().circle_filled(pos2(dot, middle), 4.0, tokens.t1);
        let words = |at: Pos2, anchor: Align2, words: &str| {
            ui.painter().text(at, anchor, words, Type::Axis.font(), tokens.t3);
        };
        let below = rect.bottom();
        words(pos2(scale.left(), below), Align2::LEFT_BOTTOM, "0.1\u{202f}µs");
        words(pos2(scale.center().x, below), Align2::CENTER_BOTTOM, "100\u{202f}µs");
        words(pos2(scale.right(), below), Align2::RIGHT_BOTTOM, "100\u{202f}ms");
        let said = self.summary();
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &said));
        response.on_hover_text(said);
    }

    /// The accessible label.
    fn summary(self) -> String {
        format!(
            "Median {}, max {}. Good up to {}, Fair up to {}.",
            text::duration(self.typical),
            text::duration(self.worst),
            text::duration(self.good),
            text::duration(self.fair)
        )
    }
}

/// Position of a value from left to right, clamped to the ends.
fn at(scale: Rect, value: Nanos) -> f32 {
    let place = value.as_f64().max(1.0).log10().clamp(ENDS.0, ENDS.1);
    let share = narrow((place - ENDS.0) / (ENDS.1 - ENDS.0));
    scale.left() + share * scale.width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_lies_at_its_logarithm_within_the_ends() {
        let scale = Rect::from_min_size(pos2(10.0, 0.0), vec2(60.0, 30.0));
        for (nanos, expected) in [
            (100, 10.0),
            (100_000, 40.0),
            (100_000_000, 70.0),
            (1_000_000, 50.0),
            (0, 10.0),
            (-5_000, 10.0),
            (i64::MAX, 70.0),
        ] {
            let found = at(scale, Nanos::new(nanos));
            assert!((found - expected).abs() < 0.01, "{nanos}: {found}");
        }
    }
}
