//! Selection of bars and points of a distribution, which represent samples: by a click, or by
//! Shift, arrow keys, and Enter.

use eframe::egui::{Key, Pos2, Response};
use egui_plot::{PlotPoint, PlotTransform};
use jitterscope_engine::report::chart::{Chart, HistogramBin, Marks, Series};
use jitterscope_engine::report::table::Quantity;

use super::super::plane::has_keys;
use super::words::{holds_lower, range_text, value_text};
use crate::widgets::Hidden;

/// Maximum distance between the pointer and a point of a curve, in points.
const REACH: f32 = 14.0;

/// The samples that a bar or a point represents.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartPick {
    /// Label of the series.
    pub series: String,
    /// Lower limit of the values in nanoseconds, inclusive.
    pub from: f64,
    /// Upper limit of the values in nanoseconds, exclusive; infinite if there is none.
    pub to: f64,
    /// The range as text.
    pub words: String,
}

impl ChartPick {
    /// Returns whether a value in nanoseconds is in the range from `from` to `to`.
    pub fn holds(&self, value: f64) -> bool {
        self.from <= value && value < self.to
    }
}

/// A bar or point that can be selected: its samples, and its position in the plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    pub(super) pick: ChartPick,
    pub(super) at: PlotPoint,
}

/// Returns all bars and points of a chart that can be selected, series by series from left to
/// right.
pub(super) fn targets(chart: &Chart, hidden: Hidden) -> Vec<Target> {
    let (all, is_binned) = match &chart.marks {
        Marks::Steps(all) => (all, true),
        Marks::Lines(all) if chart.y.quantity == Quantity::Share => (all, false),
        Marks::Curves(all) if !chart.x.names.is_empty() => (all, false),
        _ => return Vec::new(),
    };
    let of = if is_binned { bars } else { points };
    let shown = all.iter().enumerate().filter(|(at, _)| !hidden.is_hidden(*at));
    shown.flat_map(|(_, one)| of(chart, one)).collect()
}

fn bars(chart: &Chart, one: &Series) -> Vec<Target> {
    let bars = one.bins().filter(|bin| 0.0 < bin.count).map(|HistogramBin { from, to, count }| {
        let middle = f64::midpoint(chart.x.position(from), chart.x.position(to));
        let words = range_text(&chart.x, (from, to));
        let from = if holds_lower(&chart.x, from) { f64::NEG_INFINITY } else { from };
        let pick = ChartPick { series: one.label.clone(), from, to, words };
        Target { pick, at: PlotPoint::new(middle, chart.y.position(count)) }
    });
    bars.collect()
}

fn points(chart: &Chart, one: &Series) -> Vec<Target> {
    let point = |&(x, y): &(f64, f64)| Target {
        pick: ChartPick {
            series: one.label.clone(),
            from: x,
            to: f64::INFINITY,
            words: if chart.x.names.is_empty() {
                format!("{} or more", value_text(&chart.x, x))
            } else {
                value_text(&chart.x, x)
            },
        },
        at: PlotPoint::new(chart.x.position(x), chart.y.position(y)),
    };
    one.points.iter().map(point).collect()
}

/// Returns the target under the pointer. In a histogram, this is the bar whose range contains the
/// pointer; if bars overlap, the bar with the nearest top. In other charts, it is the nearest point
/// within `REACH`.
pub(super) fn pointed<'a>(
    chart: &Chart,
    targets: &'a [Target],
    transform: &PlotTransform,
    pointer: Pos2,
) -> Option<&'a Target> {
    let off = |target: &&Target| transform.position_from_point(&target.at).distance(pointer);
    let nearest = |a: &&Target, b: &&Target| off(a).total_cmp(&off(b));
    if matches!(chart.marks, Marks::Steps(_)) {
        let value = chart.x.value_at(transform.value_from_position(pointer).x);
        return targets.iter().filter(|target| target.pick.holds(value)).min_by(nearest);
    }
    targets.iter().min_by(nearest).filter(|target| off(target) <= REACH)
}

/// Moves the keyboard cursor with Shift and the arrow keys; returns whether Enter selected the
/// target at the cursor.
pub(super) fn move_cursor(
    response: &Response,
    cursor: &mut Option<usize>,
    targets: &[Target],
) -> bool {
    if !has_keys(response) || targets.is_empty() {
        return false;
    }
    let last = targets.len() - 1;
    let (right, left, enter) = response.ctx.input(|input| {
        let pressed = |key| input.modifiers.shift_only() && input.key_pressed(key);
        let enter = input.modifiers.is_none() && input.key_pressed(Key::Enter);
        (pressed(Key::ArrowRight), pressed(Key::ArrowLeft), enter)
    });
    if right {
        *cursor = Some(cursor.map_or(0, |at| (at + 1).min(last)));
    }
    if left {
        *cursor = Some(cursor.map_or(last, |at| at.min(last).saturating_sub(1)));
    }
    enter && cursor.is_some_and(|at| at <= last)
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;
    use jitterscope_engine::report::chart::{of_histograms, of_tails};
    use jitterscope_engine::stats::LogHistogram;

    use super::*;

    #[test]
    fn each_bar_holds_the_values_that_it_counts() {
        let values: Vec<i64> = vec![-4, 0, 99, 100, 125, 126, 158, 159, 1_000, 17_400_000];
        let counts = LogHistogram::of(&values);
        let names = ("Lateness", "Frames");
        let chart = of_histograms("test", "Test", names, &[("Normal", &counts)]).unwrap();
        let bars = targets(&chart, Hidden::default());
        let held = |target: &Target| {
            let floats = values.iter().map(|&value| Nanos::new(value).as_f64());
            floats.filter(|value| target.pick.holds(*value)).count()
        };
        assert_eq!(bars.iter().map(held).collect::<Vec<_>>(), [3, 2, 2, 1, 1, 1]);
        assert_eq!(bars[0].pick.words.replace('\u{202f}', " "), "below 100 ns");
        let mut hidden = Hidden::default();
        hidden.toggle(0);
        assert_eq!(targets(&chart, hidden), []);
    }

    #[test]
    fn a_point_of_a_tail_stands_for_everything_from_there_on() {
        let curve = Series::new("Normal", vec![(100.0, 1.0), (2_000.0, 0.01)]);
        let chart = of_tails("tail", "Tail", ("Lateness", "Share of frames"), vec![curve]).unwrap();
        let points = targets(&chart, Hidden::default());
        assert!(points[1].pick.holds(2_000.0) && points[1].pick.holds(1e12));
        assert!(!points[1].pick.holds(1_999.0));
    }
}
