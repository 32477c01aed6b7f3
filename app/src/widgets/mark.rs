//! Draws the swatch of a series: its marker, and a line with its dash pattern.

use eframe::egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};
use jitterscope_engine::report::Cause;

use crate::theme::Tokens;
use crate::theme::tokens::{Dash, Mark};

/// Draws a filled or hollow marker; `radius` is in points.
pub fn series_mark(painter: &Painter, center: Pos2, radius: f32, mark: Mark, color: Color32) {
    let stroke = Stroke::new(1.6, color);
    let outlines = mark.outlines();
    match (outlines.is_empty(), mark.is_filled()) {
        (true, true) => drop(painter.circle_filled(center, radius, color)),
        (true, false) => drop(painter.circle_stroke(center, radius - 0.5, stroke)),
        (false, is_filled) => painter.extend(outlines.iter().map(|outline| {
            let points: Vec<Pos2> =
                outline.iter().map(|&(x, y)| center + vec2(x, y) * radius).collect();
            match (is_filled, points.len()) {
                (true, _) => Shape::convex_polygon(points, color, Stroke::NONE),
                (false, 2) => Shape::line(points, stroke),
                (false, _) => Shape::closed_line(points, stroke),
            }
        })),
    }
}

/// Draws a horizontal line, 2 points wide, through the center of a rectangle, with the dash pattern
/// of a series.
pub fn line_sample(painter: &Painter, rect: Rect, dash: Dash, color: Color32) {
    let y = rect.center().y;
    let path = [pos2(rect.left(), y), pos2(rect.right(), y)];
    painter.extend(dash.line(&path, Stroke::new(2.0, color)));
}

/// Returns color and marker of a cause, the same in plot, list, and legend.
pub fn cause_style(tokens: &Tokens, cause: Cause) -> (Color32, Mark) {
    let (_, mark, series) = cause.row().look;
    (tokens.series(series).color, mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_that_differ_have_different_marks() {
        for tokens in [&crate::theme::tokens::DARK, &crate::theme::tokens::LIGHT] {
            let distinct = Cause::ALL.into_iter().filter(|cause| *cause != Cause::NoEvent);
            let marks: Vec<Mark> = distinct.map(|cause| cause_style(tokens, cause).1).collect();
            for (at, one) in marks.iter().enumerate() {
                assert!(!marks[at + 1..].contains(one), "{one:?}");
            }
        }
    }
}
