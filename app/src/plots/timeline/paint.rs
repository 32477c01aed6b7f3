//! What a timeline draws of its samples: line or cloud, limits, late and missed ones.

use eframe::egui::{Align2, Color32, Pos2, Shape, Stroke, pos2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Cause;

use super::super::canvas::Area;
use super::super::cause_style;
use super::{MISSED, Quantity, SAMPLES, TARGET, Timeline, TimelineData};
use crate::text;
use crate::theme::tokens::Dash;
use crate::theme::{Tokens, size};
use crate::widgets::series_mark;

type Range = (f64, f64);

impl Timeline {
    /// Draws everything but the readout.
    pub(super) fn paint(
        &self,
        area: &Area,
        tokens: &Tokens,
        data: &TimelineData,
        drawn: &[(f64, f64)],
        shown: (Range, Range),
    ) {
        let look = tokens.series(0);
        let color = look.color;
        match self.quantity {
            Quantity::Period => {
                if !self.hidden.is_hidden(SAMPLES) {
                    let path: Vec<Pos2> = drawn.iter().map(|&point| self.at(area, point)).collect();
                    let stroke = look.stroke(size::LINE_LIVE);
                    area.painter.add(Shape::line(turning_points(path), stroke));
                }
                if !self.hidden.is_hidden(TARGET) {
                    let target = self.scale.place(data.frame.as_f64());
                    area.limit(target, "", tokens.target, &[]);
                }
            }
            Quantity::Lateness => {
                self.cloud(area, tokens, data, drawn);
                let late = self.late_markers(area, data, shown.0);
                // What the words of a limit should not cover.
                let of_cloud = drawn.iter().map(|&sample| self.at(area, sample));
                let marks: Vec<Pos2> = late.iter().map(|one| one.0).chain(of_cloud).collect();
                self.limits(area, tokens, data, &marks);
                for (at, cause) in late {
                    let (color, shape) = cause_style(tokens, cause);
                    series_mark(&area.painter, at, size::MARK, shape, color);
                }
            }
        }
        if !self.hidden.is_hidden(SAMPLES) {
            self.clipped(area, data, drawn, shown.1, color);
        }
        if self.quantity == Quantity::Lateness || !self.hidden.is_hidden(MISSED) {
            self.missed_marks(area, tokens, data, shown.0);
        }
        self.ring(area, tokens, data, shown.0);
    }

    /// Position of a sample on the screen.
    pub(super) fn at(&self, area: &Area, (secs, nanos): (f64, f64)) -> Pos2 {
        area.at(secs, self.scale.place(nanos))
    }

    fn cloud(&self, area: &Area, tokens: &Tokens, data: &TimelineData, drawn: &[(f64, f64)]) {
        let limit = data.late_limit.as_f64();
        let faint = tokens.t2.gamma_multiply(0.75);
        let point = |&sample: &(f64, f64)| {
            let late = limit < sample.1 && data.late.is_empty();
            let (radius, color) =
                if late { (2.6, tokens.series(0).color) } else { (size::POINT * 0.9, faint) };
            Shape::circle_filled(self.at(area, sample), radius, color)
        };
        area.painter.extend(drawn.iter().map(point));
    }

    /// Where the late samples in view are marked, and why they were late.
    fn late_markers(&self, area: &Area, data: &TimelineData, time: Range) -> Vec<(Pos2, Cause)> {
        let start = data.late.partition_point(|mark| mark.secs < time.0);
        let mut places: Vec<(Pos2, Cause)> = Vec::new();
        for mark in data.late.iter().skip(start).take_while(|mark| mark.secs <= time.1) {
            let at = self.at(area, (mark.secs, mark.late.as_f64()));
            // Marks on top of each other would only cost time.
            if places.last().is_none_or(|before| 0.5 <= before.0.distance_sq(at)) {
                places.push((at, mark.cause));
            }
        }
        places
    }

    fn limits(&self, area: &Area, tokens: &Tokens, data: &TimelineData, marks: &[Pos2]) {
        let frame = data.frame;
        if frame <= Nanos::ZERO {
            return;
        }
        let share = data.late_limit.as_f64() / frame.as_f64() * 100.0;
        let late = if (share - share.round()).abs() < 1e-3 && 1.0 <= share {
            format!("Late: {share:.0}% of a frame")
        } else {
            format!("Late: {}", text::duration(data.late_limit))
        };
        area.limit(self.scale.place(data.late_limit.as_f64()), &late, tokens.fair, marks);
        let missed = "1 frame late";
        area.limit(self.scale.place(frame.as_f64()), missed, tokens.poor, marks);
    }

    /// Triangles at the edges where values lie beyond what is shown.
    fn clipped(
        &self,
        area: &Area,
        data: &TimelineData,
        drawn: &[(f64, f64)],
        value: Range,
        color: Color32,
    ) {
        let mut last = [f32::NEG_INFINITY; 2];
        for &(secs, nanos) in drawn {
            let place = self.scale.place(nanos);
            let above = value.1 < place;
            if !above && value.0 <= place {
                continue;
            }
            // What the limits leave out below is early, which is no news.
            let is_missed = above && is_missed_at(data, secs);
            if is_missed || !above && self.quantity == Quantity::Lateness {
                continue;
            }
            let x = area.at(secs, place).x;
            let [up, down] = &mut last;
            let last = if above { up } else { down };
            if 7.0 < x - *last {
                *last = x;
                area.edge_triangle(x, above, color);
            }
        }
    }

    fn missed_marks(&self, area: &Area, tokens: &Tokens, data: &TimelineData, time: Range) {
        let start = data.missed.partition_point(|missed| missed.secs < time.0);
        let in_view = data.missed.iter().skip(start).take_while(|missed| missed.secs <= time.1);
        let mut last = f32::NEG_INFINITY;
        let mut worst: Option<(f64, f32)> = None;
        for missed in in_view {
            let x = area.at(missed.secs, 0.0).x;
            if worst.is_none_or(|worst| worst.0 < missed.period_nanos) {
                worst = Some((missed.period_nanos, x));
            }
            if 2.0 < x - last {
                last = x;
                area.edge_triangle(x, true, tokens.poor);
            }
        }
        let Some((nanos, x)) = worst.filter(|_| self.quantity == Quantity::Period) else { return };
        let words = format!("Missed: {}", text::duration(Nanos::from_nanos_f64(nanos)));
        let left_of = area.rect().right() - 120.0 < x;
        let (anchor, gap) =
            if left_of { (Align2::RIGHT_TOP, -10.0) } else { (Align2::LEFT_TOP, 10.0) };
        area.text(pos2(x + gap, area.rect().top() + 2.0), anchor, &words, tokens.poor);
    }

    /// The ring around the selected sample, and a line through it.
    fn ring(&self, area: &Area, tokens: &Tokens, data: &TimelineData, time: Range) {
        let Some((secs, period, late)) = self.selected.and_then(|index| data.sample(index)) else {
            return;
        };
        if secs < time.0 || time.1 < secs {
            return;
        }
        let nanos = if self.quantity == Quantity::Period { period } else { late };
        let at = self.at(area, (secs, nanos.as_f64()));
        let (top, bottom) = (area.rect().top(), area.rect().bottom());
        let stroke = Stroke::new(1.2, tokens.acc);
        area.painter.line_segment([pos2(at.x, top), pos2(at.x, bottom)], stroke);
        let center = at.y.clamp(top + size::GAP_SMALL, bottom - size::GAP_SMALL);
        area.painter.circle_stroke(pos2(at.x, center), size::MARK + 3.5, stroke);
    }

    /// Draws the cursor: an upright line and a dot on the sample.
    pub(super) fn cursor(&self, area: &Area, tokens: &Tokens, sample: (f64, f64)) -> Pos2 {
        let rect = area.rect();
        let at = self.at(area, sample);
        let dot = pos2(at.x, at.y.clamp(rect.top(), rect.bottom()));
        let path = [pos2(at.x, rect.top()), pos2(at.x, rect.bottom())];
        area.painter.extend(Dash::SOLID.line(&path, Stroke::new(1.0, tokens.t3)));
        area.painter.circle_filled(dot, size::MARK - 0.7, tokens.series(0).color);
        dot
    }
}

/// Whether a missed frame woke at that moment.
fn is_missed_at(data: &TimelineData, secs: f64) -> bool {
    let at = data.missed.partition_point(|missed| missed.secs < secs);
    data.missed.get(at).is_some_and(|missed| missed.secs <= secs)
}

/// The path without points that lie within a column between their neighbors: it looks the same, and
/// drawing it costs half.
fn turning_points(path: Vec<Pos2>) -> Vec<Pos2> {
    let mut retained: Vec<Pos2> = Vec::with_capacity(path.len());
    for point in path {
        if let [.., before, last] = retained.as_mut_slice()
            && point.x - before.x < 1.0
            && (last.y - before.y) * (point.y - last.y) >= 0.0
        {
            *last = point;
        } else {
            retained.push(point);
        }
    }
    retained
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_retains_its_turns() {
        let path = [(0.0, 0.0), (0.2, 4.0), (0.4, 9.0), (0.6, 1.0), (5.0, 0.5), (9.0, 0.0)];
        let retained = turning_points(path.map(|(x, y)| pos2(x, y)).to_vec());
        let expected = [(0.0, 0.0), (0.4, 9.0), (0.6, 1.0), (5.0, 0.5), (9.0, 0.0)];
        assert_eq!(retained, expected.map(|(x, y)| pos2(x, y)));
    }
}
