//! Dashes and markers of series as `egui_plot` draws them.

use egui_plot::{LineStyle, MarkerShape};

use crate::theme::tokens::{Dash, Mark};

/// The one dash of a solid line: as a path, its sharp turns are filled with wedges.
const ENDLESS: f32 = 1e6;

/// The dashes of a line.
pub(super) fn line_style(dash: Dash) -> LineStyle {
    match dash.drawn() {
        [] => LineStyle::Dashed { length: ENDLESS },
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
    }
}
