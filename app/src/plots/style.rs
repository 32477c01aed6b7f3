//! Dashes and markers of series as `egui_plot` draws them.

use eframe::egui::Stroke;
use egui_plot::{Line, LineStyle, MarkerShape, PlotPoints};

use crate::theme::tokens::{Dash, Mark};

/// A line through each of its points. The bands that `egui_plot` makes of more than one point a pixel join a column
/// with the next by wedges, as if a single late frame had lasted.
pub(super) fn line<'a>(name: &str, points: PlotPoints<'a>, stroke: Stroke) -> Line<'a> {
    Line::new(name, points).stroke(stroke).allow_band(false)
}

/// The dashes of a line.
pub(super) fn line_style(dash: Dash) -> LineStyle {
    match dash.drawn() {
        [] => LineStyle::Solid,
        [length, ..] if *length < 3.0 => LineStyle::Dotted { spacing: 5.0 },
        [length, ..] => LineStyle::Dashed { length: *length },
    }
}

/// The shape of a point, and whether it is filled.
pub(super) const fn marker(mark: Mark) -> (MarkerShape, bool) {
    match mark {
        Mark::Circle => (MarkerShape::Circle, true),
        Mark::Square => (MarkerShape::Square, true),
        Mark::TriangleUp => (MarkerShape::Up, true),
        Mark::TriangleDown => (MarkerShape::Down, true),
        Mark::Diamond => (MarkerShape::Diamond, true),
        Mark::Cross => (MarkerShape::Cross, true),
        Mark::Plus => (MarkerShape::Plus, true),
        Mark::Ring => (MarkerShape::Circle, false),
        Mark::HollowDiamond => (MarkerShape::Diamond, false),
        Mark::HollowSquare => (MarkerShape::Square, false),
    }
}
