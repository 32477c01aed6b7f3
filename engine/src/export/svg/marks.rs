//! The marks of a plot: lines, points, curves with intervals, boxes, and cells of a heat map.

use std::fmt::Write as _;

use super::{LEVEL, SvgDrawing, look, stroke};
use crate::report::chart::{Axis, BoxMark, Heat, Marks, Series};
use crate::stats::Grade;

/// Number of shades of a heat map.
const SHADES: u32 = 10;
/// The points of a series with fewer points than this number are drawn larger, so that each point
/// is visible.
const MAX_LARGE: usize = 100;
/// Height of a box as a share of the height of its row.
const BOX: f64 = 0.6;

impl SvgDrawing<'_> {
    /// Draws a colored area for each range of an axis that has a grade, behind all other marks.
    pub(super) fn zones(&mut self, axis: &Axis, is_vertical: bool) {
        for zone in &axis.zones {
            let color = match zone.grade {
                Grade::Excellent | Grade::Good => "#1d6b4a",
                Grade::Fair => "#b45a00",
                Grade::Poor => "#b3261e",
            };
            let (left, right) = if is_vertical {
                (self.across(zone.from), self.across(zone.to))
            } else {
                (0.0, self.size.0)
            };
            let (top, bottom) = if is_vertical {
                (self.top, self.size.1)
            } else {
                (self.down(zone.to), self.down(zone.from))
            };
            let (width, height) = (right - left, bottom - top);
            self.add(&format!(
                "<rect class='zone' x='{left:.1}' y='{top:.1}' width='{width:.1}' height='{height:.1}' \
                 fill='{color}' fill-opacity='.07'/>"
            ));
        }
    }

    /// Draws a range of values of the vertical axis, behind all other marks.
    pub(super) fn band(&mut self, band: Option<(f64, f64)>) {
        let Some((from, to)) = band else { return };
        let (top, bottom) = (self.down(to), self.down(from));
        let (width, height) = (self.size.0, bottom - top);
        self.add(&format!(
            "<rect class='band' x='0' y='{top:.1}' width='{width:.1}' height='{height:.1}' fill='#5b6472' \
             fill-opacity='.12'/>"
        ));
    }

    pub(super) fn marks(&mut self, marks: &Marks) {
        match marks {
            Marks::Lines(all) | Marks::Steps(all) => {
                for (series, number) in all.iter().zip(0..) {
                    self.line(number, series);
                }
            }
            Marks::Points(all) => {
                for (series, number) in all.iter().zip(0..) {
                    self.intervals(number, series);
                    let is_sparse = series.points.len() < MAX_LARGE;
                    let width = match (series.intervals.is_empty(), is_sparse) {
                        (false, _) => 7.0,
                        (true, true) => 5.0,
                        (true, false) => 2.0,
                    };
                    self.dots(number, series, width);
                }
            }
            Marks::Curves(all) => {
                for (series, number) in all.iter().zip(0..) {
                    if series.is_hollow {
                        self.rings(number, series);
                        continue;
                    }
                    self.line(number, series);
                    self.intervals(number, series);
                    self.dots(number, series, 5.0);
                }
            }
            Marks::Boxes(boxes) => {
                for (one, row) in boxes.iter().zip(0_u32..) {
                    self.one_box(one, f64::from(row));
                }
            }
            Marks::Heat(heat) => self.heat(heat),
        }
    }

    fn line(&mut self, number: usize, series: &Series) {
        let mut path = String::new();
        for points in series.connected() {
            for (&(x, y), at) in points.iter().zip(0_usize..) {
                let (x, y, letter) =
                    (self.across(x), self.down(y), if at == 0 { 'M' } else { 'L' });
                // Writing to a string cannot fail.
                let _ok = write!(path, "{letter}{x:.1} {y:.1}");
            }
        }
        if !path.is_empty() {
            self.add(&format!("<path {} d='{path}'/>", stroke(number)));
        }
    }

    fn dots(&mut self, number: usize, series: &Series, width: f64) {
        let points = series.points.iter();
        let path = super::dots::dots(points.map(|&(x, y)| (self.across(x), self.down(y))));
        let (number, color, _) = look(number);
        if !path.is_empty() {
            self.add(&format!(
                "<path class='dots s{number}' fill='none' stroke='{color}' stroke-width='{width}' \
                 stroke-linecap='round' d='{path}'/>"
            ));
        }
    }

    /// Draws hollow points. A drawing on a page is stretched, so they are marks of two strokes, whose width is not.
    fn rings(&mut self, number: usize, series: &Series) {
        let (number, color, _) = look(number);
        for &(x, y) in &series.points {
            let (x, y) = (self.across(x), self.down(y));
            let ring = format!("dots s{number}");
            for (class, color, width) in [(ring.as_str(), color, 7.0), ("hole", "#fff", 4.0)] {
                self.add(&format!(
                    "<path class='{class}' fill='none' stroke='{color}' stroke-width='{width}' \
                     stroke-linecap='round' d='M{x:.1} {y:.1}h0'/>"
                ));
            }
        }
    }

    /// Draws the intervals of points: along the rows, or else upright.
    fn intervals(&mut self, number: usize, series: &Series) {
        let (number, color, _) = look(number);
        let is_along = !self.y.names.is_empty();
        let (dx, dy, end) = if is_along { (0.0, 4.0, 'v') } else { (4.0, 0.0, 'h') };
        for (&(x, y), &(low, high)) in series.points.iter().zip(&series.intervals) {
            let ends = if is_along { [(low, y), (high, y)] } else { [(x, low), (x, high)] };
            let [(x1, y1), (x2, y2)] = ends.map(|(x, y)| (self.across(x), self.down(y)));
            self.add(&format!(
                "<path class='interval s{number}' fill='none' stroke='{color}' d='M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\
                 M{:.1} {:.1}{end}8M{:.1} {:.1}{end}8'/>",
                x1 - dx,
                y1 - dy,
                x2 - dx,
                y2 - dy,
            ));
        }
    }

    fn one_box(&mut self, one: &BoxMark, row: f64) {
        let (middle, height) =
            (self.down(row + 0.5), (self.down(row + 1.0) - self.down(row)) * BOX);
        let at = |value| self.across(value);
        let (p1, q1, median) = (at(one.p1), at(one.q1), at(one.median));
        let (q3, p99, max) = (at(one.q3), at(one.p99), at(one.max));
        let (top, bottom, width) =
            (middle - height / 2.0, middle + height / 2.0, (q3 - q1).max(1.0));
        let (number, color, _) = look(one.series);
        let look = format!("fill='none' stroke='{color}'");
        self.add(&format!(
            "<path class='whisker s{number}' {look} d='M{p1:.1} {middle:.1}H{p99:.1}'/>"
        ));
        self.add(&format!(
            "<rect class='box' x='{q1:.1}' y='{top:.1}' width='{width:.1}' height='{height:.1}' \
             fill='{color}' fill-opacity='.35' stroke='{color}'/>"
        ));
        self.add(&format!(
            "<path class='median s{number}' {look} stroke-width='2' d='M{median:.1} {top:.1}V{bottom:.1}'/>"
        ));
        self.add(&format!(
            "<path class='dots s{number}' {look} stroke-width='4' stroke-linecap='round' d='M{max:.1} {middle:.1}h0'/>"
        ));
        if let Some(reference) = one.reference.map(|value| self.across(value)) {
            let (top, bottom) = (top - 2.0, bottom + 2.0);
            self.add(&format!("<path {LEVEL} d='M{reference:.1} {top:.1}V{bottom:.1}'/>"));
        }
    }

    /// Draws a heat map as one path per shade: darker for longer times, on a logarithmic scale.
    fn heat(&mut self, heat: &Heat) {
        let columns = u32::try_from(heat.columns).unwrap_or(1).max(1);
        let width = self.size.0 / f64::from(columns);
        let (low, high) = (heat.range.0.max(1e-12).log10(), heat.range.1.max(1e-12).log10());
        let shade_of = |value: f64| {
            let share = ((value.max(1e-12).log10() - low) / (high - low)).clamp(0.0, 1.0);
            (share * f64::from(SHADES - 1)).round()
        };
        for shade in (0..SHADES).map(f64::from) {
            let mut path = String::new();
            for (cells, row) in heat.cells.iter().zip(0_u32..) {
                let (top, bottom) = (self.down(f64::from(row)), self.down(f64::from(row) + 1.0));
                for (&value, column) in cells.iter().zip(0_u32..) {
                    if 0.0 < value && (shade_of(value) - shade).abs() < 0.5 {
                        let left = width * f64::from(column);
                        let height = (bottom - top - 1.0).max(1.0);
                        // Writing to a string cannot fail.
                        let _ok =
                            write!(path, "M{left:.1} {top:.1}h{width:.2}v{height:.1}h-{width:.2}z");
                    }
                }
            }
            if !path.is_empty() {
                let opacity = 0.15 + 0.85 * shade / f64::from(SHADES - 1);
                let (_, color, _) = look(0);
                self.add(&format!(
                    "<path class='heat' fill='{color}' fill-opacity='{opacity:.2}' d='{path}'/>"
                ));
            }
        }
    }
}
