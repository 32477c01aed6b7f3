//! Draws the swatch of a series: its marker, and a line with its dash pattern.

use eframe::egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

use crate::theme::tokens::{Dash, Mark};

/// Draws a filled or hollow marker; `radius` is in points.
pub fn series_mark(painter: &Painter, center: Pos2, radius: f32, mark: Mark, color: Color32) {
    let at = |x: f32, y: f32| center + vec2(x, y) * radius;
    let stroke = Stroke::new(1.6, color);
    let polygon = |points: Vec<Pos2>| Shape::convex_polygon(points, color, Stroke::NONE);
    match mark {
        Mark::Circle => {
            painter.circle_filled(center, radius, color);
        }
        Mark::Square => {
            let rect = Rect::from_center_size(center, vec2(2.0, 2.0) * radius);
            painter.rect_filled(rect, 0, color);
        }
        Mark::TriangleUp => {
            painter.add(polygon(vec![at(-1.2, 1.0), at(0.0, -1.0), at(1.2, 1.0)]));
        }
        Mark::TriangleDown => {
            painter.add(polygon(vec![at(-1.2, -1.0), at(1.2, -1.0), at(0.0, 1.0)]));
        }
        Mark::Diamond => {
            painter.add(polygon(vec![at(0.0, -1.2), at(1.2, 0.0), at(0.0, 1.2), at(-1.2, 0.0)]));
        }
        Mark::Cross => {
            painter.line_segment([at(-1.0, -1.0), at(1.0, 1.0)], stroke);
            painter.line_segment([at(-1.0, 1.0), at(1.0, -1.0)], stroke);
        }
        Mark::Ring => {
            painter.circle_stroke(center, radius - 0.5, stroke);
        }
        Mark::HollowDiamond => {
            let corners = vec![at(0.0, -1.1), at(1.1, 0.0), at(0.0, 1.1), at(-1.1, 0.0)];
            painter.add(Shape::closed_line(corners, stroke));
        }
        Mark::HollowSquare => {
            let rect = Rect::from_center_size(center, vec2(1.8, 1.8) * radius);
            painter.rect_stroke(rect, 0, stroke, StrokeKind::Middle);
        }
        Mark::HollowTriangle => {
            let corners = vec![at(-1.1, 0.9), at(0.0, -1.0), at(1.1, 0.9)];
            painter.add(Shape::closed_line(corners, stroke));
        }
        Mark::Plus => {
            painter.line_segment([at(0.0, -1.0), at(0.0, 1.0)], stroke);
            painter.line_segment([at(-1.0, 0.0), at(1.0, 0.0)], stroke);
        }
    }
}

/// Draws a horizontal line, 2 points wide, through the center of a rectangle, with the dash pattern
/// of a series.
pub fn line_sample(painter: &Painter, rect: Rect, dash: Dash, color: Color32) {
    let y = rect.center().y;
    let path = [pos2(rect.left(), y), pos2(rect.right(), y)];
    painter.extend(dash.line(&path, Stroke::new(2.0, color)));
}
