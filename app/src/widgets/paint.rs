//! Drawing functions that several widgets share: focus rings, hatching, and boxes with a border.

use eframe::egui::{
    Color32, CornerRadius, Frame, Painter, Rect, Response, Stroke, StrokeKind, Ui, pos2,
};

use crate::theme::{Tokens, size};

/// Draws the focus ring around a widget if it has the focus.
pub(crate) fn focus_ring(ui: &Ui, response: &Response) {
    focus_ring_around(ui, response, response.rect, size::RADIUS);
}

/// Draws the focus ring around a part of a widget if the widget has the focus.
pub(crate) fn focus_ring_around(ui: &Ui, response: &Response, rect: Rect, radius: u8) {
    if response.has_focus() {
        let stroke = Stroke::new(size::FOCUS_STROKE, Tokens::of(ui).acc);
        let rect = rect.expand(size::FOCUS_GAP);
        ui.painter().rect_stroke(rect, radius + 1, stroke, StrokeKind::Outside);
    }
}

/// Horizontal distance between two lines of a hatch pattern, in points.
const HATCH: f32 = 6.0;

/// Fills the rectangle `place` with diagonal lines. The lines extend beyond `place`: the painter
/// must clip them to this rectangle.
pub(crate) fn hatch(painter: &Painter, place: Rect, color: Color32) {
    let mut left = place.left() - place.height();
    while left < place.right() {
        let ends = [pos2(left, place.bottom()), pos2(left + place.height(), place.top())];
        painter.line_segment(ends, Stroke::new(1.5, color));
        left += HATCH;
    }
}

/// Draws a filled box with a border of 1 point inside its edge.
pub(super) fn bordered_box(
    ui: &Ui,
    rect: Rect,
    radius: impl Into<CornerRadius>,
    fill: Color32,
    line: Color32,
) {
    ui.painter().rect(rect, radius, fill, Stroke::new(1.0, line), StrokeKind::Inside);
}

/// Returns a filled frame with rounded corners and a border of 1 point, without a margin inside.
pub(crate) fn bordered_frame(fill: Color32, line: Color32, radius: u8) -> Frame {
    Frame::new().fill(fill).stroke(Stroke::new(1.0, line)).corner_radius(radius)
}

/// Returns the fill of a button for its state: normal, hovered, or pressed.
pub(super) fn button_fill(ui: &Ui, response: &Response) -> Color32 {
    let tokens = Tokens::of(ui);
    if response.is_pointer_button_down_on() {
        tokens.sel
    } else if response.hovered() {
        tokens.hov
    } else {
        tokens.wid
    }
}
