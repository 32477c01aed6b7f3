//! Box plots: the middle half of the values, whiskers to min and p95, and p99 and max.

use eframe::egui::{Align2, Rect, Sense, StrokeKind, Ui, pos2, vec2};
use jitterscope_engine::nanos::Nanos;

use super::axis::{Axis, FLOOR, ZERO, log_place};
use super::canvas::{Area, Canvas, Side};
use crate::text;
use crate::theme::tokens::{Dash, Mark};
use crate::theme::{Tokens, size};
use crate::widgets::series_mark;

/// Half the height of a box, in points.
const HALF: f32 = 9.0;

/// Distribution of one run, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct BoxSeries<'a> {
    /// Name of the run.
    pub name: &'a str,
    /// Which series it is.
    pub series: usize,
    /// Min, quartiles, p95, p99, max.
    pub at: [f64; 7],
}

/// Shows the boxes below each other.
pub fn boxes(ui: &mut Ui, name: &str, height: f32, series: &[BoxSeries<'_>]) {
    let tokens = Tokens::of(ui);
    let places = || series.iter().flat_map(|one| one.at).map(log_place);
    let last = places().fold(4.0, f64::max) + 0.3;
    let first = places().fold(FLOOR, f64::min).max(ZERO) - 0.1;
    let rows = f64::from(u16::try_from(series.len()).unwrap_or(u16::MAX));
    let canvas = Canvas {
        name,
        height,
        x: Side { axis: Axis::LogNanos, range: (first, last), label: "" },
        y: Side { axis: Axis::Blank, range: (-rows, 0.0), label: "" },
    };
    let area = canvas.show(ui, Sense::hover());
    area.describe(&summary(series));
    if series.is_empty() {
        area.nothing(tokens);
    }
    for (one, row) in series.iter().zip(0_u16..) {
        draw(&area, tokens, one, -f64::from(row) - 0.5);
    }
}

fn draw(area: &Area, tokens: &Tokens, one: &BoxSeries<'_>, level: f64) {
    let look = tokens.series(one.series);
    let stroke = look.stroke(size::LINE_COMPARE - 0.3);
    let [min, p25, p50, p75, p95, p99, max] = one.at.map(|nanos| area.at(log_place(nanos), level));
    let painter = &area.painter;
    let upright = |at: eframe::egui::Pos2, half: f32| {
        painter.line_segment([at - vec2(0.0, half), at + vec2(0.0, half)], stroke);
    };
    painter.line_segment([min, p25], stroke);
    painter.line_segment([p75, p95], stroke);
    painter.extend(Dash::DOTTED.line(&[p95, max], stroke));
    upright(min, HALF * 0.6);
    upright(p95, HALF * 0.6);
    let rect = Rect::from_two_pos(p25 - vec2(0.0, HALF), p75 + vec2(0.0, HALF));
    painter.rect(rect, 0, look.color.gamma_multiply(0.4), stroke, StrokeKind::Middle);
    upright(p50, HALF);
    series_mark(painter, p99, size::MARK, Mark::Diamond, look.color);
    series_mark(painter, max, size::MARK, Mark::Cross, look.color);
    let above = vec2(0.0, -HALF - 1.0);
    let mut end = f32::NEG_INFINITY;
    for (at, words) in [(p95, "p95"), (p99, "p99"), (max, "max")] {
        // Overlapping labels are omitted: the marks suffice.
        if end + 4.0 < at.x - 12.0 {
            let anchor = if at.x + 14.0 < area.rect().right() {
                Align2::CENTER_BOTTOM
            } else {
                Align2::RIGHT_BOTTOM
            };
            end = area.text(at + above, anchor, words, look.color).right();
        }
    }
    let left = pos2(area.rect().left() + 4.0, p50.y - HALF - 1.0);
    area.text(left, Align2::LEFT_BOTTOM, one.name, look.color);
}

/// The accessible label.
fn summary(series: &[BoxSeries<'_>]) -> String {
    let word = |nanos: f64| text::duration(Nanos::from_nanos_f64(nanos));
    let one = |one: &BoxSeries<'_>| {
        let [_, p25, p50, p75, p95, p99, max] = one.at.map(word);
        format!(
            "{}: middle half {p25} to {p75}, median {p50}, p95 {p95}, p99 {p99}, max {max}",
            one.name
        )
    };
    let parts: Vec<String> = series.iter().map(one).collect();
    if parts.is_empty() {
        "Box plot, no samples".to_owned()
    } else {
        format!("Box plot, {}", parts.join("; "))
    }
}
