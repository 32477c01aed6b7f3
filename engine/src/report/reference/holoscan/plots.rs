//! The plots of the tool: distributions of frame periods, full and zoomed to 5% around the target, and of execution
//! times, and the same values over time.

use super::{Half, HoloscanSettings};
use crate::report::model::chart::{Axis, Chart, Limit, Marks, Series};
use crate::report::model::configuration::Configuration;
use crate::report::model::table::Quantity;
use crate::run::Run;
use crate::stats::{float, position};

/// Number of bins of a distribution over its full range, and of the zoomed one.
const BINS: usize = 149;
const ZOOMED_BINS: usize = 299;
/// The zoomed plots show periods up to this share from the target.
const ZOOM: f64 = 0.05;
/// Space below the shortest and above the longest value of a distribution, as a share of the value.
const SPACE: f64 = 0.1;
const NANOS_A_MILLI: f64 = 1e6;

/// A plot file of the tool: its name without an extension, what it shows, and the plots in it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotFile {
    /// The name of the file, without an extension.
    pub name: &'static str,
    /// What the file shows, as the list of files of the tool states it.
    pub about: &'static str,
    /// The plots, from top to bottom.
    pub plots: Vec<Chart>,
}

/// Values of normal scheduling and of the policy, in nanoseconds, each with the time of its frame.
struct PlotTrack {
    title: &'static str,
    modes: Vec<(String, Vec<(f64, f64)>)>,
}

/// Returns the plot files for normal scheduling and the first policy; `None` without frames of both.
pub(in crate::report::reference) fn files(
    run: &Run,
    rows: &[Configuration],
    (fps, _): HoloscanSettings,
) -> Option<[PlotFile; 2]> {
    let (normal, policies) = rows.split_first()?;
    let policy = policies.first()?;
    let halves = [normal, policy].map(|row| (row.label.clone(), Half::of(run, row)));
    let is_measured = |(_, half): &(String, Half)| !half.periods_millis.is_empty();
    if !halves.iter().all(is_measured) {
        return None;
    }
    let target = 1e9 / fps;
    let track = |title, pick: fn(&Half) -> &[f64]| PlotTrack {
        title,
        modes: halves.iter().map(|(label, half)| (label.clone(), over_time(half, pick))).collect(),
    };
    let periods = track("Frame period", |half| &half.periods_millis);
    let executions = track("Execution time", |half| &half.executions_millis);
    let near = (target * (1.0 - ZOOM), target * (1.0 + ZOOM));
    Some([
        PlotFile {
            name: "timing_over_time",
            about: "raw data points over time",
            plots: vec![
                periods.over_time("period-over-time", None, Some(target)),
                periods.over_time("period-over-time-zoomed", Some(near), Some(target)),
                executions.over_time("execution-over-time", None, None),
            ],
        },
        PlotFile {
            name: "simple_histograms",
            about: "distribution without overlays",
            plots: vec![
                periods.histogram("period-histogram", None, Some(target)),
                periods.histogram("period-histogram-zoomed", Some(near), Some(target)),
                executions.histogram("execution-histogram", None, None),
            ],
        },
    ])
}

/// Returns the values of a mode with the time at which each ended, from the first frame on.
fn over_time(half: &Half, pick: fn(&Half) -> &[f64]) -> Vec<(f64, f64)> {
    let mut at = 0.0;
    let ends = half.periods_millis.iter().map(|period| {
        at += period * NANOS_A_MILLI;
        at
    });
    // Execution times have one value more than periods: the first frame ends no period.
    let values = pick(half);
    let is_first_at_zero = half.periods_millis.len() < values.len();
    let times = std::iter::once(0.0).filter(|_| is_first_at_zero).chain(ends);
    times.zip(values.iter().map(|value| value * NANOS_A_MILLI)).collect()
}

impl PlotTrack {
    fn values(&self) -> impl Iterator<Item = f64> {
        self.modes.iter().flat_map(|(_, points)| points.iter().map(|point| point.1))
    }

    /// Returns the range of all values, with space around it.
    fn range(&self) -> (f64, f64) {
        let low = self.values().fold(f64::INFINITY, f64::min);
        let high = self.values().fold(0.0, f64::max);
        (low * (1.0 - SPACE), high * (1.0 + SPACE))
    }

    fn titled(&self, range: Option<(f64, f64)>, key: &'static str) -> (&'static str, &'static str) {
        match (range, self.title) {
            (Some(_), _) => (key, "Frame period, within 5% of the target"),
            (None, title) => (key, title),
        }
    }

    fn over_time(
        &self,
        key: &'static str,
        range: Option<(f64, f64)>,
        target: Option<f64>,
    ) -> Chart {
        let (low, high) = range.unwrap_or_else(|| self.range());
        let is_shown = |point: &&(f64, f64)| low <= point.1 && point.1 <= high;
        let series = self.modes.iter().map(|(label, points)| {
            Series::new(label.clone(), points.iter().filter(is_shown).copied().collect())
        });
        let ends = self.modes.iter().filter_map(|(_, points)| points.last());
        let end = ends.map(|point| point.0).fold(0.0, f64::max);
        let x = Axis::linear("Time", Quantity::Time, 0.0, end);
        let y = Axis::linear("", Quantity::Time, low, high);
        let limits = target.map(|at| Limit::horizontal(at, "target")).into_iter().collect();
        let marks = Marks::Points(series.collect());
        Chart { limits, ..Chart::new(self.titled(range, key), (x, y), marks) }
    }

    fn histogram(
        &self,
        key: &'static str,
        range: Option<(f64, f64)>,
        target: Option<f64>,
    ) -> Chart {
        let bin_count = if range.is_some() { ZOOMED_BINS } else { BINS };
        let (low, high) = range.unwrap_or_else(|| self.range());
        let width = (high - low) / float(bin_count);
        let mut most = 0.0_f64;
        let series: Vec<Series> = self
            .modes
            .iter()
            .map(|(label, points)| {
                let mut counts = vec![0_usize; bin_count];
                for (_, value) in points.iter().filter(|point| low <= point.1 && point.1 <= high) {
                    let bin = position((value - low) / width).min(bin_count - 1);
                    if let Some(count) = counts.get_mut(bin) {
                        *count += 1;
                    }
                }
                let edges = counts.iter().enumerate().flat_map(|(bin, &count)| {
                    let (left, count) = (low + float(bin) * width, float(count));
                    most = most.max(count);
                    [(left, count), (left + width, count)]
                });
                Series::new(label.clone(), edges.collect())
            })
            .collect();
        let x = Axis::linear("", Quantity::Time, low, high);
        let y = Axis::linear("Frames", Quantity::Count, 0.0, most.max(1.0) * (1.0 + SPACE));
        let limits = target.map(|at| Limit::vertical(at, "target")).into_iter().collect();
        Chart { limits, ..Chart::new(self.titled(range, key), (x, y), Marks::Steps(series)) }
    }
}
