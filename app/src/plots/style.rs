//! Dashes and markers of series as `egui_plot` draws them.

use eframe::egui::Stroke;
use egui_plot::{Line, LineStyle, MarkerShape, PlotPoints};

use crate::theme::tokens::{Dash, Mark};

/// Opacity of the shade over the selected range.
pub(super) const SHADE: f32 = 0.16;

/// Returns a line through every point. By default, `egui_plot` draws several points per pixel as a
/// band, and the sloping edges of a band make a single late frame look like a longer delay.
pub(super) fn line<'a>(name: &str, points: PlotPoints<'a>, stroke: Stroke) -> Line<'a> {
    Line::new(name, points).stroke(stroke).allow_band(false)
}

/// Returns the line style for a dash pattern.
pub(super) fn line_style(dash: Dash) -> LineStyle {
    match dash.drawn() {
        [] => LineStyle::Solid,
        [length, ..] if *length < 3.0 => LineStyle::Dotted { spacing: 5.0 },
        [length, ..] => LineStyle::Dashed { length: *length },
    }
}

/// Returns the shape of a marker, and whether it is filled.
pub(super) const fn marker(mark: Mark) -> (MarkerShape, bool) {
    let shape = match mark {
        Mark::Circle | Mark::Ring => MarkerShape::Circle,
        Mark::Square | Mark::HollowSquare => MarkerShape::Square,
        Mark::TriangleUp | Mark::HollowTriangle => MarkerShape::Up,
        Mark::TriangleDown => MarkerShape::Down,
        Mark::Diamond | Mark::HollowDiamond => MarkerShape::Diamond,
        Mark::Cross => MarkerShape::Cross,
        Mark::Plus => MarkerShape::Plus,
    };
    (shape, mark.is_filled() || matches!(mark, Mark::Cross | Mark::Plus))
}
