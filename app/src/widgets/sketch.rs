//! Sketches of example results, shown before the first run: shapes without numbers, in the color of
//! hints.

use eframe::egui::{
    Align2, CornerRadius, Painter, Pos2, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};

use crate::theme::tokens::Dash;
use crate::theme::{Tokens, Type, size};

/// A kind of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sketch {
    /// Frames on time, and some that are late.
    Frames,
    /// Ranges of sleep durations from min to max, idle and under load.
    Ranges,
    /// The overshoot of each spin strategy as a line with a dot at its end.
    Lollipops,
    /// One strip per CPU, with a stall (an interruption of all CPUs at once).
    Strips,
    /// Two lines of values over time: one with much variation above one with little.
    TwoLines,
    /// A line of the time per cycle, which decreases with the number of threads.
    Falling,
    /// Five parts of a check, each with a verdict.
    Parts,
    /// Frame times with stutters above a limit.
    Stutters,
    /// A histogram of frame times with a median and a percentile.
    Histogram,
}

/// Number of points from left to right in a sketch of values over time.
const MARKS: usize = 96;

impl Sketch {
    /// Draws the sketch in its full size, or narrower if less width is available.
    pub fn show(self, ui: &mut Ui) {
        let wanted = vec2(size::SKETCH[0].min(ui.available_width()), size::SKETCH[1]);
        let (rect, painter) = frame(ui, wanted);
        let corner = rect.left_top() + vec2(size::GAP_FIELD, size::GAP_SMALL);
        let hint = Tokens::of(ui).t3;
        painter.text(corner, Align2::LEFT_TOP, "Example", Type::Small.font(), hint);
        let mut area = rect.shrink(size::GAP_GROUP);
        area.min.y += size::GAP_GROUP;
        self.draw(ui, painter, area);
    }

    /// Draws the sketch in the available width and this height, without a title.
    pub fn show_low(self, ui: &mut Ui, height: f32) {
        let (rect, painter) = frame(ui, vec2(ui.available_width(), height));
        self.draw(ui, painter, rect.shrink(size::GAP_FIELD));
    }

    fn draw(self, ui: &Ui, painter: Painter, area: Rect) {
        let pen = Pen { painter, area, stroke: Stroke::new(1.2, Tokens::of(ui).t3) };
        match self {
            Self::Frames => pen.frames(),
            Self::Ranges => pen.ranges(),
            Self::Lollipops => pen.lollipops(),
            Self::Strips => pen.strips(),
            Self::TwoLines => pen.two_lines(),
            Self::Falling => pen.falling(),
            Self::Parts => pen.parts(),
            Self::Stutters => pen.stutters(),
            Self::Histogram => pen.histogram(),
        }
    }
}

/// Draws the frame of a sketch; returns its area, and a painter of this area.
fn frame(ui: &mut Ui, wanted: Vec2) -> (Rect, Painter) {
    let (rect, response) = ui.allocate_exact_size(wanted, Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Image, true, "Example of a result, not measured")
    });
    let line = Stroke::new(1.0, Tokens::of(ui).line);
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_stroke(rect, CornerRadius::same(size::CARD_RADIUS), line, StrokeKind::Inside);
    (rect, painter)
}

/// Draws the shapes of a sketch in an area. Coordinates reach from (0, 0) at the bottom left to
/// (1, 1) at the top right of the area.
struct Pen {
    painter: Painter,
    area: Rect,
    stroke: Stroke,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> Pos2 {
        self.area.left_bottom() + vec2(x * self.area.width(), -y * self.area.height())
    }

    fn level(&self, y: f32) {
        let path = [self.at(0.0, y), self.at(1.0, y)];
        self.painter.extend(Dash::LIMIT.line(&path, self.stroke));
    }

    fn frames(&self) {
        self.level(0.55);
        for (x, variation) in places(MARKS) {
            let is_late = variation > 0.94;
            let y = if is_late { 0.62 + 5.0 * (variation - 0.94) } else { 0.04 + variation * 0.22 };
            let radius = if is_late { 3.0 } else { 1.4 };
            self.painter.circle_filled(self.at(x, y), radius, self.stroke.color);
        }
    }

    fn ranges(&self) {
        let rows = [(0.9, 0.18, 0.24), (0.64, 0.18, 0.7), (0.38, 0.34, 0.4), (0.12, 0.34, 0.86)];
        for (y, begin, end) in rows {
            let (from, to) = (self.at(begin, y), self.at(end, y));
            self.painter.line_segment([from, to], self.stroke);
            for end in [from, to] {
                self.painter
                    .line_segment([end - vec2(0.0, 4.0), end + vec2(0.0, 4.0)], self.stroke);
            }
            let middle = pos2(from.x + (to.x - from.x) * 0.3, from.y);
            self.painter.circle_filled(middle, 3.0, self.stroke.color);
        }
    }

    fn lollipops(&self) {
        let heights = [0.12, 0.16, 0.3, 0.14, 0.2, 0.5, 0.2, 0.24, 0.7, 0.3, 0.36, 0.92];
        for (height, column) in heights.into_iter().zip(0u8..) {
            let group = f32::from(column / 3);
            let x = 0.08 + group * 0.26 + f32::from(column % 3) * 0.045;
            let (foot, head) = (self.at(x, 0.0), self.at(x, height));
            self.painter.line_segment([foot, head], self.stroke);
            self.painter.circle_filled(head, 3.0, self.stroke.color);
        }
        self.painter.line_segment([self.at(0.0, 0.0), self.at(1.0, 0.0)], self.stroke);
    }

    fn strips(&self) {
        for row in 0u8..4 {
            let top = 1.0 - f32::from(row) * 0.26;
            for (x, variation) in places(MARKS).skip(usize::from(row) * 7).take(48) {
                let from = (x * 96.0 - f32::from(row) * 7.0) / 48.0;
                let is_stall = (0.6..0.62).contains(&from);
                let strength = if is_stall { 1.0 } else { 0.1 + 0.35 * variation * variation };
                let cell =
                    Rect::from_two_pos(self.at(from, top), self.at(from + 0.017, top - 0.18));
                let color = self.stroke.color.gamma_multiply(strength);
                self.painter.rect_filled(cell, CornerRadius::ZERO, color);
            }
        }
    }

    fn two_lines(&self) {
        for (middle, reach) in [(0.72, 0.5), (0.16, 0.04)] {
            let path: Vec<Pos2> = places(MARKS)
                .map(|(x, variation)| {
                    let swing =
                        if variation > 0.86 { variation - 0.6 } else { (variation - 0.45) * 0.2 };
                    self.at(x, middle + reach * swing)
                })
                .collect();
            self.painter.line(path, self.stroke);
        }
    }

    fn falling(&self) {
        let heights = [0.95_f32, 0.52, 0.3, 0.19, 0.15];
        let path: Vec<Pos2> = heights
            .into_iter()
            .zip(0u8..)
            .map(|(height, step)| self.at(0.06 + f32::from(step) * 0.22, height))
            .collect();
        for at in &path {
            self.painter.circle_filled(*at, 3.0, self.stroke.color);
            let reach = vec2(0.0, 7.0);
            self.painter.line_segment([*at - reach, *at + reach], self.stroke);
        }
        self.painter.line(path, self.stroke);
    }

    fn parts(&self) {
        for part in 0u8..5 {
            let left = f32::from(part) * 0.2 + 0.02;
            let card = Rect::from_two_pos(self.at(left, 0.96), self.at(left + 0.16, 0.04));
            let radius = CornerRadius::same(size::CARD_RADIUS);
            self.painter.rect_stroke(card, radius, self.stroke, StrokeKind::Inside);
            for (y, end, height) in [(0.8, 0.13, 2.0), (0.6, 0.11, 5.0), (0.26, 0.09, 3.0)] {
                let middle = self.at(left + 0.03, y);
                let bar = Rect::from_min_max(
                    middle - vec2(0.0, height / 2.0),
                    self.at(left + end, y) + vec2(0.0, height / 2.0),
                );
                self.painter.rect_filled(bar, CornerRadius::ZERO, self.stroke.color);
            }
        }
    }

    fn stutters(&self) {
        self.level(0.4);
        let path = places(MARKS).map(|(x, variation)| self.at(x, 0.06 + variation * 0.12));
        self.painter.line(path.collect(), self.stroke);
        for (x, y) in
            [(0.1, 0.78), (0.24, 0.66), (0.4, 0.9), (0.56, 0.94), (0.74, 0.6), (0.9, 0.76)]
        {
            self.painter.line_segment([self.at(x, 0.14), self.at(x, y)], self.stroke);
            self.painter.circle_filled(self.at(x, y), 3.0, self.stroke.color);
        }
    }

    fn histogram(&self) {
        let heights = [4_u8, 12, 38, 74, 90, 62, 34, 20, 13, 9, 7, 5, 4, 3, 2, 1, 0, 1, 0, 4, 3];
        for (height, column) in heights.into_iter().zip(0u8..) {
            let left = f32::from(column) * 0.047;
            let bar = Rect::from_two_pos(
                self.at(left, 0.0),
                self.at(left + 0.045, f32::from(height) / 100.0),
            );
            let color = self.stroke.color.gamma_multiply(0.5);
            self.painter.rect_filled(bar, CornerRadius::ZERO, color);
        }
        for x in [0.21, 0.52] {
            let path = [self.at(x, 0.0), self.at(x, 1.0)];
            self.painter.extend(Dash::LIMIT.line(&path, self.stroke));
        }
    }
}

/// Returns `count` horizontal positions from 0 to below 1, each with a pseudo-random number from 0
/// to 1. The numbers are the same in every call.
fn places(count: usize) -> impl Iterator<Item = (f32, f32)> {
    let mut state = 7_u32;
    (0..count).map(move |place| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, _, _, high] = state.to_le_bytes();
        let place = f32::from(u16::try_from(place).unwrap_or(u16::MAX));
        let count = f32::from(u16::try_from(count).unwrap_or(u16::MAX));
        (place / count, f32::from(high) / 255.0)
    })
}
