//! The items of a timeline for `egui_plot`: line or points, limits, late and missed samples.

use eframe::egui::{Color32, Stroke};
use egui_plot::{HLine, LineStyle, MarkerShape, PlotPoints, PlotUi, Points, VLine};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Cause;

use super::super::axis::float;
use super::super::cause_style;
use super::super::style::{self, marker};
use super::{LateMark, MISSED, Quantity, SAMPLES, TARGET, Timeline, TimelineData};
use crate::theme::{Tokens, size};

/// Minimum distance between triangles at an edge of the plot, in points: for values outside of the
/// view, and for missed frames.
const APART: (f64, f64) = (7.0, 2.0);
/// Distance of a triangle from the edge of the plot, in points.
const INSET: f64 = 6.0;
/// Average distance between late samples, in points, below which these samples are drawn as dots
/// instead of markers.
const DENSE: f64 = 5.0;
/// Number of late samples per point of width above which their density is shaded instead.
const SHADED: f64 = 2.0;
/// Opacity of late samples that are not in the list next to the plot.
const FAINT: f32 = 0.2;

/// The visible range of time (seconds) and of positions on the value axis, and the length of a
/// screen point on each of the two axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) time: (f64, f64),
    pub(super) value: (f64, f64),
    pub(super) per_point: (f64, f64),
}

impl Seen {
    /// Returns the distance between two positions of the plot, in screen points.
    pub(super) fn distance(&self, one: (f64, f64), other: (f64, f64)) -> f64 {
        let per = (self.per_point.0.max(1e-12), self.per_point.1.max(1e-12));
        ((one.0 - other.0) / per.0).hypot((one.1 - other.1) / per.1)
    }
}

impl Timeline {
    /// Adds lines, points, limits and marks to the plot, from back to front.
    pub(super) fn add(
        &self,
        plot: &mut PlotUi<'_>,
        tokens: &Tokens,
        data: &TimelineData,
        drawn: &[(f64, f64)],
        seen: Seen,
    ) {
        let look = tokens.series(0);
        self.add_range(plot, tokens);
        self.add_notes(plot, tokens, seen.time);
        match self.quantity {
            Quantity::Period => {
                if !self.hidden.is_hidden(SAMPLES) {
                    let points = self.points(drawn.iter().copied());
                    let line = style::line("Frame time", points, look.stroke(size::LINE_LIVE));
                    plot.line(line.allow_hover(false));
                }
                if !self.hidden.is_hidden(TARGET) {
                    self.level(plot, data.frame, tokens.target);
                }
            }
            Quantity::Lateness => {
                self.cloud(plot, tokens, data, drawn);
                if Nanos::ZERO < data.frame {
                    self.level(plot, data.late_limit, tokens.fair);
                    self.level(plot, data.frame, tokens.poor);
                }
                self.late(plot, tokens, data, seen);
            }
        }
        if !self.hidden.is_hidden(SAMPLES) {
            self.clipped(plot, data, drawn, (seen, look.color));
        }
        if self.quantity == Quantity::Lateness || !self.hidden.is_hidden(MISSED) {
            self.missed_marks(plot, tokens, data, seen);
        }
        self.add_marked(plot, tokens, data, seen);
        self.ring(plot, tokens, data, seen);
        for secs in &self.marks {
            let line = VLine::new("mark", *secs).color(tokens.acc).width(1.0);
            plot.vline(line.allow_hover(false));
        }
    }

    fn points<'a>(&self, samples: impl Iterator<Item = (f64, f64)>) -> PlotPoints<'a> {
        samples.map(|(secs, nanos)| [secs, self.scale.place(nanos)]).collect()
    }

    fn level(&self, plot: &mut PlotUi<'_>, at: Nanos, color: Color32) {
        let line = HLine::new("limit", self.scale.place(at.as_f64())).color(color).width(1.0);
        plot.hline(line.style(LineStyle::dashed_dense()).allow_hover(false));
    }

    fn cloud(
        &self,
        plot: &mut PlotUi<'_>,
        tokens: &Tokens,
        data: &TimelineData,
        drawn: &[(f64, f64)],
    ) {
        let limit = data.late_limit.as_f64();
        let is_late = |sample: &&(f64, f64)| limit < sample.1 && data.late.is_empty();
        let in_time = drawn.iter().filter(|sample| !is_late(sample)).copied();
        let faint = tokens.t2.gamma_multiply(0.75);
        let cloud = Points::new("in time", self.points(in_time)).radius(size::POINT * 0.9);
        plot.points(cloud.color(faint).allow_hover(false));
        // If most samples are late, large dots would cover each other: smaller dots show how many
        // late samples there are.
        let late = drawn.iter().filter(is_late);
        let is_dense = drawn.len() < late.clone().count() * 2;
        let radius = if is_dense { size::POINT } else { 2.6 };
        let late = Points::new("late", self.points(late.copied())).radius(radius);
        plot.points(late.color(tokens.series(0).color).allow_hover(false));
    }

    /// Draws the visible late samples. Samples that are not in the list next to the plot are faint
    /// and behind the listed ones.
    fn late(&self, plot: &mut PlotUi<'_>, tokens: &Tokens, data: &TimelineData, seen: Seen) {
        let start = data.late.partition_point(|mark| mark.secs < seen.time.0);
        let end = data.late.partition_point(|mark| mark.secs <= seen.time.1);
        let in_view = data.late.get(start..end).unwrap_or_default();
        let (listed, others): (Vec<&LateMark>, Vec<&LateMark>) =
            in_view.iter().partition(|mark| mark.is_listed);
        self.late_marks(plot, tokens, (&others, FAINT), seen);
        self.late_marks(plot, tokens, (&listed, 1.0), seen);
    }

    /// Draws a marker per late sample in the style of its cause, with opacity `strength`. If there
    /// are too many samples for markers, draws dots or shading.
    fn late_marks(
        &self,
        plot: &mut PlotUi<'_>,
        tokens: &Tokens,
        (marks, strength): (&[&LateMark], f32),
        seen: Seen,
    ) {
        let room = (seen.time.1 - seen.time.0) / seen.per_point.0.max(1e-12);
        let count = float(u64::try_from(marks.len()).unwrap_or(u64::MAX));
        if room * SHADED < count {
            self.shade(plot, tokens, (marks, strength), seen);
            return;
        }
        let is_dense = room < count * DENSE;
        for cause in Cause::ALL {
            // Markers at the same position are drawn only once, to save time.
            let mut last = (f64::NEG_INFINITY, 0.0);
            let own = marks.iter().filter(|mark| mark.cause == cause).filter_map(|mark| {
                let at = (mark.secs, self.scale.place(mark.late.as_f64()));
                let is_apart = 0.5 <= seen.distance(at, last);
                last = if is_apart { at } else { last };
                is_apart.then_some([at.0, at.1])
            });
            let own: PlotPoints<'_> = own.collect();
            let (color, mark) = cause_style(tokens, cause);
            let (shape, is_filled) = marker(mark);
            let points = Points::new(cause.label(), own).color(color.gamma_multiply(strength));
            let points = if is_dense {
                points.radius(size::POINT)
            } else {
                points.radius(size::MARK).shape(shape).filled(is_filled)
            };
            plot.points(points.allow_hover(false));
        }
    }

    /// Draws triangles at the upper and lower edge for samples whose values are outside of the
    /// visible range.
    fn clipped(
        &self,
        plot: &mut PlotUi<'_>,
        data: &TimelineData,
        drawn: &[(f64, f64)],
        (seen, color): (Seen, Color32),
    ) {
        let mut last = [f64::NEG_INFINITY; 2];
        let (mut up, mut down): (Vec<[f64; 2]>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
        let inset = INSET * seen.per_point.1;
        for &(secs, nanos) in drawn {
            let place = self.scale.place(nanos);
            let above = seen.value.1 < place;
            if !above && seen.value.0 <= place {
                continue;
            }
            // Missed frames have their own triangles. Lateness below the visible range is not
            // marked, because such a frame is early, not late.
            if above && is_missed_at(data, secs) || !above && self.quantity == Quantity::Lateness {
                continue;
            }
            let [last_up, last_down] = &mut last;
            let last = if above { last_up } else { last_down };
            if APART.0 * seen.per_point.0 < secs - *last {
                *last = secs;
                if above {
                    up.push([secs, seen.value.1 - inset]);
                } else {
                    down.push([secs, seen.value.0 + inset]);
                }
            }
        }
        for (points, shape) in [(up, MarkerShape::Down), (down, MarkerShape::Up)] {
            let triangles = Points::new("beyond", points).shape(shape).radius(6.0);
            plot.points(triangles.color(color).allow_hover(false));
        }
    }

    fn missed_marks(
        &self,
        plot: &mut PlotUi<'_>,
        tokens: &Tokens,
        data: &TimelineData,
        seen: Seen,
    ) {
        let start = data.missed.partition_point(|missed| missed.secs < seen.time.0);
        let in_view =
            data.missed.iter().skip(start).take_while(|missed| missed.secs <= seen.time.1);
        let top = seen.value.1 - INSET * seen.per_point.1;
        let mut marks: Vec<[f64; 2]> = Vec::new();
        for missed in in_view {
            let is_apart = |last: &[f64; 2]| APART.1 * seen.per_point.0 < missed.secs - last[0];
            if marks.last().is_none_or(is_apart) {
                marks.push([missed.secs, top]);
            }
        }
        let triangles = Points::new("missed", marks).shape(MarkerShape::Down).radius(6.0);
        plot.points(triangles.color(tokens.poor).allow_hover(false));
    }

    /// Draws a ring around the selected sample, and a vertical line through the sample.
    fn ring(&self, plot: &mut PlotUi<'_>, tokens: &Tokens, data: &TimelineData, seen: Seen) {
        let Some((secs, period, late)) = self.selected.and_then(|index| data.sample(index)) else {
            return;
        };
        if secs < seen.time.0 || seen.time.1 < secs {
            return;
        }
        let nanos = if self.quantity == Quantity::Period { period } else { late };
        let inset = INSET * seen.per_point.1;
        let place = self.scale.place(nanos.as_f64());
        let place = place.min(seen.value.1 - inset).max(seen.value.0 + inset);
        let line = VLine::new("selected", secs).stroke(Stroke::new(1.2, tokens.acc));
        plot.vline(line.allow_hover(false));
        let ring = Points::new("selected", vec![[secs, place]]).filled(false);
        plot.points(ring.radius(size::MARK + 3.5).color(tokens.acc).allow_hover(false));
    }
}

/// Whether a missed frame woke at this time.
fn is_missed_at(data: &TimelineData, secs: f64) -> bool {
    let at = data.missed.partition_point(|missed| missed.secs < secs);
    data.missed.get(at).is_some_and(|missed| missed.secs <= secs)
}
