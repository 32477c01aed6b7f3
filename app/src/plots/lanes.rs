//! Runs below each other on one time axis: zoom and cursor are linked.

use eframe::egui::{Align2, EventFilter, Key, Sense, Stroke, Ui, pos2, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::stats::Pyramid;

use super::axis::{Axis, Scale, ZERO, columns, log_place};
use super::canvas::{Area, Canvas, Side};
use crate::text;
use crate::theme::{Tokens, size};
use crate::widgets::series_mark;

/// The shortest visible time span, in seconds.
const SHORTEST: f64 = 1e-4;
/// The markers of samples above this share of the axis are drawn larger: they carry the meaning.
const TALL_ABOVE: f64 = 0.62;

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Lane<'a> {
    /// Its name, with its letter.
    pub name: &'a str,
    /// Which series it is: color and marker.
    pub series: usize,
    /// Nanoseconds over seconds.
    pub samples: &'a Pyramid,
    /// Its start on the shared axis.
    pub begins: f64,
}

impl Lane<'_> {
    /// What is drawn of it between two points of the shared axis.
    fn seen(&self, time: (f64, f64), columns: usize) -> Vec<(f64, f64)> {
        let own = (time.0 - self.begins, time.1 - self.begins);
        let mut points = self.samples.query(own.0, own.1, columns);
        for point in &mut points {
            point.0 += self.begins;
        }
        points
    }
}

/// The view of lanes: the stretch of time that all show, and the moment that is pointed at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lanes {
    time: Option<(f64, f64)>,
    pointed: Option<f64>,
}

impl Lanes {
    /// Shows everything again.
    pub const fn reset(&mut self) {
        self.time = None;
    }

    /// Shows the lanes, each of that height.
    pub fn ui(&mut self, ui: &mut Ui, height: f32, value_name: &str, lanes: &[Lane<'_>]) {
        let end = lanes
            .iter()
            .map(|lane| lane.begins + lane.samples.end().as_secs())
            .fold(SHORTEST, f64::max);
        let time = self.time.unwrap_or((0.0, end));
        let width = columns(ui.available_width() / 2.0);
        let drawn: Vec<Vec<(f64, f64)>> = lanes.iter().map(|lane| lane.seen(time, width)).collect();
        let most = drawn.iter().flatten().map(|point| point.1).fold(1e5, f64::max);
        let value = (ZERO - 0.15, log_place(most * 2.0));
        let mut pointed = None;
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        for (lane, drawn) in lanes.iter().zip(&drawn) {
            let canvas = Canvas {
                name: lane.name,
                height,
                x: Side { axis: Axis::Time, range: time, label: "" },
                y: Side { axis: Axis::of(Scale::Log), range: value, label: "" },
            };
            let area = canvas.show(ui, Sense::click_and_drag());
            area.describe(&summary(lane, value_name));
            self.paint(ui, &area, lane, drawn, value);
            if let Some(place) =
                area.response.hover_pos().filter(|_| area.response.contains_pointer())
            {
                pointed = Some(area.value_at(place).0);
            }
            self.handle_input(ui, &area, time, end);
        }
        if self.pointed != pointed {
            self.pointed = pointed;
            ui.ctx().request_repaint();
        }
    }

    fn paint(
        &self,
        ui: &Ui,
        area: &Area,
        lane: &Lane<'_>,
        drawn: &[(f64, f64)],
        value: (f64, f64),
    ) {
        let tokens = Tokens::of(ui);
        let look = tokens.series(lane.series);
        if lane.samples.is_empty() {
            area.nothing(tokens);
            return;
        }
        let tall = value.0 + (value.1 - value.0) * TALL_ABOVE;
        for &(secs, nanos) in drawn {
            let place = log_place(nanos);
            let (radius, color) = if tall < place {
                (size::MARK * 0.7, look.color)
            } else {
                (size::POINT, look.color.gamma_multiply(0.7))
            };
            series_mark(&area.painter, area.at(secs, place), radius, look.mark, color);
        }
        let rect = area.rect();
        area.text(rect.left_top() + vec2(6.0, 3.0), Align2::LEFT_TOP, lane.name, look.color);
        let Some(secs) = self.pointed else { return };
        let x = area.at(secs, 0.0).x;
        let line = [pos2(x, rect.top()), pos2(x, rect.bottom())];
        area.painter.line_segment(line, Stroke::new(1.0, tokens.t3));
        let secs = secs - lane.begins;
        if !(0.0..=lane.samples.end().as_secs()).contains(&secs) {
            return;
        }
        let after = lane.samples.range(secs, secs).start;
        let near = [after.saturating_sub(1), after]
            .into_iter()
            .filter_map(|at| lane.samples.point(at))
            .min_by(|a, b| (a.0 - secs).abs().total_cmp(&(b.0 - secs).abs()));
        if let Some((secs, nanos)) = near {
            let value = text::duration(Nanos::from_nanos_f64(nanos));
            let words = format!("{value} at {:.2} s", secs + lane.begins);
            let (anchor, gap) = if x < rect.center().x {
                (Align2::LEFT_TOP, 6.0)
            } else {
                (Align2::RIGHT_TOP, -6.0)
            };
            area.text(pos2(x + gap, rect.top() + 3.0), anchor, &words, tokens.t1);
        }
    }

    /// Moves all lanes by pointer and keys.
    fn handle_input(&mut self, ui: &Ui, area: &Area, shown: (f64, f64), end: f64) {
        let response = &area.response;
        let (mut from, mut to) = shown;
        if response.clicked() {
            response.request_focus();
        }
        if response.dragged() {
            let moved = -f64::from(response.drag_delta().x) * area.per_point().0;
            (from, to) = (from + moved, to + moved);
        }
        let zoom = |range: (f64, f64), still: f64, factor: f64| {
            (still + (range.0 - still) * factor, still + (range.1 - still) * factor)
        };
        if let Some(place) = response.hover_pos().filter(|_| response.contains_pointer()) {
            let wheel = ui.input(|input| input.smooth_scroll_delta().y);
            let is_zoom = ui.input(|input| input.modifiers.command || input.modifiers.alt);
            if wheel.abs() > 0.0 && !is_zoom {
                let still = area.value_at(place).0;
                (from, to) = zoom((from, to), still, (-f64::from(wheel) / 300.0).exp());
                ui.input_mut(|input| input.smooth_scroll_delta.y = 0.0);
            }
        }
        if response.double_clicked() {
            self.reset();
            return;
        }
        if response.has_focus() {
            let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
            let pressed = |key| ui.input(|input| input.key_pressed(key));
            let step = (to - from) * 0.1;
            for (key, by) in [(Key::ArrowRight, step), (Key::ArrowLeft, -step)] {
                if pressed(key) {
                    (from, to) = (from + by, to + by);
                }
            }
            let middle = f64::midpoint(from, to);
            if pressed(Key::Plus) || pressed(Key::Equals) {
                (from, to) = zoom((from, to), middle, 1.0 / 1.4);
            }
            if pressed(Key::Minus) {
                (from, to) = zoom((from, to), middle, 1.4);
            }
            if pressed(Key::Num0) {
                self.reset();
                return;
            }
        }
        if (from - shown.0).abs() + (to - shown.1).abs() > (shown.1 - shown.0) * 1e-9 {
            let length = (to - from).clamp(SHORTEST, end.max(SHORTEST));
            let from = from.min(end - length).max(0.0);
            self.time = Some((from, from + length));
        }
    }
}

/// The accessible label of a lane.
fn summary(lane: &Lane<'_>, value_name: &str) -> String {
    let count = lane.samples.len();
    let Some((secs, nanos)) = lane.samples.max(0..count) else {
        return format!("Timeline of {}, no samples", lane.name);
    };
    format!(
        "Timeline of {}, {value_name}, {} samples, max {} at {secs:.2} seconds",
        lane.name,
        text::count(u64::try_from(count).unwrap_or(u64::MAX)),
        text::duration(Nanos::from_nanos_f64(nanos)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_reported_in_a_sentence() {
        let mut samples = Pyramid::default();
        samples.push(Nanos::from_millis(500), Nanos::new(900));
        samples.push(Nanos::from_secs(1), Nanos::new(17_400_000));
        let lane = Lane { name: "B Linux", series: 1, samples: &samples, begins: 0.0 };
        assert_eq!(
            summary(&lane, "lateness").replace('\u{202f}', " "),
            "Timeline of B Linux, lateness, 2 samples, max 17.40 ms at 1.00 seconds"
        );
        let later = Lane { begins: 100.0, ..lane };
        assert_eq!(later.seen((100.0, 102.0), 50), [(100.5, 900.0), (101.0, 17_400_000.0)]);
    }
}
