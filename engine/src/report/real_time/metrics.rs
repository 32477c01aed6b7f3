//! The metrics that a real-time policy may change, and the reduction of each metric.

use crate::nanos::Nanos;
use crate::report::model::configuration::Configuration;
use crate::report::model::metric::{Metric, MetricKind, Track};
use crate::report::model::table::Quantity;
use crate::report::paced::PacedFigures;
use crate::report::resampled::source_of;
use crate::run::Run;
use crate::stats::blocks::{Bins, Confidence};
use crate::stats::{Effect, Outcome, Statistic};

/// Seed of the resampling. A fixed seed gives the same interval whenever the samples are the same.
const SEED: u64 = 0x6368_616e_6765;

/// The metrics of the table of changes, in the order of the rows.
pub(super) const METRICS: [Metric; 14] = [
    Metric::time("frame_time_std_dev", "Frame time std dev", Track::FrameTimes, Statistic::StdDev),
    Metric::time("frame_time_mean", "Frame time mean", Track::FrameTimes, Statistic::Mean)
        .neutral(),
    Metric::time("frame_time_min", "Frame time min", Track::FrameTimes, Statistic::Min).neutral(),
    Metric::time("frame_time_max", "Frame time max", Track::FrameTimes, Statistic::Max),
    Metric::time("frame_time_p99", "Frame time p99", Track::FrameTimes, P99),
    Metric::time("lateness_p99", "Lateness p99", Track::Values, P99),
    Metric::time("lateness_max", "Lateness max", Track::Values, Statistic::Max),
    Metric::time("work_std_dev", "Execution time std dev", Track::Work, Statistic::StdDev),
    Metric::time("work_mean", "Execution time mean", Track::Work, Statistic::Mean),
    Metric::time("work_min", "Execution time min", Track::Work, Statistic::Min).neutral(),
    Metric::time("work_max", "Execution time max", Track::Work, Statistic::Max),
    Metric::share("late", "Late frames", Track::Values, Statistic::LateShare),
    Metric::share("missed", "Missed frames", Track::Slots, Statistic::CountShare),
    Metric {
        unit: Quantity::Count,
        ..Metric::time(
            "hidden",
            "Frames hidden by re-basing",
            Track::Slots,
            Statistic::HiddenFrames,
        )
    },
];
pub(super) const P99: Statistic = Statistic::P99;

/// Returns the value of a metric in a configuration; `None` if the configuration has no such value.
pub(super) fn value_of(metric: &Metric, row: &Configuration) -> Option<f64> {
    if metric.statistic != Statistic::HiddenFrames {
        return metric.of(row);
    }
    #[expect(clippy::cast_precision_loss, reason = "frames of a run")]
    let frames = row.figures.get::<PacedFigures>()?.rebasing?.frame_count as f64;
    Some(frames)
}

/// The measures that can decide a rating. The first measure that changed clearly decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The standard deviation of the frame time, which a single stall can dominate.
    StdDev,
    /// p99 lateness.
    P99,
    /// The share of late frames.
    LateShare,
}

impl Measure {
    /// All measures, in the order in which they are checked for a clear change.
    pub const ALL: [Self; 3] = [Self::StdDev, Self::P99, Self::LateShare];

    /// Returns the measure of a metric; `None` if the metric cannot decide a rating.
    pub(super) fn of(metric: &Metric) -> Option<Self> {
        match (metric.track, metric.statistic) {
            (Track::FrameTimes, Statistic::StdDev) => Some(Self::StdDev),
            (Track::Values, Statistic::P99) => Some(Self::P99),
            (Track::Values, Statistic::LateShare) => Some(Self::LateShare),
            _ => None,
        }
    }
}

/// The relative reduction of a metric from normal scheduling to a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// `(before − after) / before`; negative if the metric rose.
    pub share: f64,
    /// The 95% interval of `share`; `None` with too few frames. The intervals of the three measures are widened so that
    /// together they hold with 95% confidence.
    pub interval: Option<(f64, f64)>,
}

impl Reduction {
    /// Whether the interval exists and excludes 0, and the change is at least the minimum effect.
    pub fn is_clear(self) -> bool {
        relative_outcome(&METRICS[0], -self.share, self.interval.map(|(low, high)| (-high, -low)))
            .is_change()
    }

    /// Returns the lower end of the interval, which is the certain reduction; without an interval, `share`.
    pub fn sure(self) -> f64 {
        self.interval.map_or(self.share, |(low, _)| low)
    }
}

/// Returns the outcome of a change of a metric, given as a share of its value under normal scheduling.
pub(super) fn relative_outcome(
    metric: &Metric,
    change: f64,
    interval: Option<(f64, f64)>,
) -> Outcome {
    // A share of late frames is compared relative to normal as well, so its minimum is that of lateness.
    let kind = match metric.kind() {
        MetricKind::Share => MetricKind::Other,
        kind => kind,
    };
    let effect = Effect { interval, ..Effect::without_interval(change, kind.min_effect()) };
    effect.outcome(metric.is_better(change))
}

/// Returns the interval of the relative change from `normal` to `row` for every metric, in the order of [`METRICS`].
pub(super) fn intervals(
    run: &Run,
    normal: &Configuration,
    row: &Configuration,
) -> [Option<(f64, f64)>; METRICS.len()] {
    let mut found = [None; METRICS.len()];
    for track in [Track::FrameTimes, Track::Values, Track::Work, Track::Slots] {
        let places = || METRICS.iter().zip(0..).filter(|(metric, _)| metric.track == track);
        let statistics: Vec<Statistic> = places().map(|(metric, _)| metric.statistic).collect();
        let [before, after] = [normal, row].map(|row| source_of(run, row, track, None));
        let bins = Bins::of(&[&before, &after]);
        let before = before.resample(&bins, SEED, &statistics);
        let both = before.zip(after.resample(&bins, SEED + 1, &statistics));
        let Some((before, after)) = both else { continue };
        let is_early = |row: &Configuration| {
            row.summary.as_ref().is_some_and(|summary| summary.lateness.min < Nanos::ZERO)
        };
        let is_signed = track == Track::Values && (is_early(normal) || is_early(row));
        let relative = |before: f64, after: f64| (after - before) / before.abs();
        for (at, (_, place)) in places().enumerate() {
            let is_tested = METRICS.get(place).is_some_and(|metric| Measure::of(metric).is_some());
            let confidence = if is_tested { Confidence::OF_THREE } else { Confidence::SINGLE };
            let interval = before.change_at(confidence, &after, at, relative);
            let interval = interval.map(|interval| (interval.low, interval.high));
            if let Some(place) = found.get_mut(place) {
                *place = if is_signed { interval } else { interval.map(possible) };
            }
        }
    }
    found
}

/// Raises the ends of an interval of a relative change to at least −100%. A metric without negative values cannot fall
/// further, but the interval of resampled blocks is widened and may extend below −100%.
fn possible((low, high): (f64, f64)) -> (f64, f64) {
    (low.max(-1.0), high.max(-1.0))
}

/// Returns a function that gives the reduction of a metric from `normal` to `row`. The function returns `None` if a
/// value is missing, or if the value of `normal` is not above 0.
pub(super) fn reductions(
    run: &Run,
    normal: &Configuration,
    row: &Configuration,
) -> impl Fn(Track, Statistic) -> Option<Reduction> {
    let intervals = intervals(run, normal, row);
    move |track, statistic| {
        let mut all = METRICS.iter().zip(intervals);
        let (metric, interval) =
            all.find(|(it, _)| (it.track, it.statistic) == (track, statistic))?;
        let (before, after) = (value_of(metric, normal)?, value_of(metric, row)?);
        (0.0 < before).then(|| Reduction {
            share: (before - after) / before,
            interval: interval.map(|(low, high)| (-high, -low)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_falls_by_more_than_all_of_itself() {
        assert_eq!(possible((-1.07, -0.62)), (-1.0, -0.62));
        assert_eq!(possible((-0.2, 1.4)), (-0.2, 1.4));
    }
}
