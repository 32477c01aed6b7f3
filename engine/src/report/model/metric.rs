//! Metrics: the numbers by which configurations and imported recordings are compared. A metric has a name, a unit, and
//! the statistic by which it summarizes the samples.

use super::configuration::Configuration;
use super::table::{Better, Quantity};
use crate::stats::{Quantile, Statistic, float};

/// The values of the samples that a metric summarizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// The value that the test measures: lateness, overshoot, the length of gaps, or the time of cycles.
    Values,
    /// Frame times: the times between the starts of two consecutive frames.
    FrameTimes,
    /// Times from the start to the end of the work in a sample.
    Work,
    /// The same as `Values`, with the count of missed frames and of all slots of the schedule.
    Slots,
    /// The frame times of an imported recording, with the total time of stutters and of all frames.
    Stutter,
}

/// The kind of a metric: metrics of one kind vary by a similar share from run to run, and matter from a similar size on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A time of scheduling: lateness, overshoot, gaps, cycles, and how much any time varies.
    Scheduling,
    /// A frame time or a frame rate.
    Frames,
    /// A share of samples or of time.
    Share,
    /// Any other number.
    Other,
}

impl MetricKind {
    /// The smallest change that matters by default: a share of the baseline, or for a share the difference of the shares.
    pub const fn min_effect(self) -> f64 {
        match self {
            Self::Scheduling | Self::Other => 0.10,
            Self::Frames | Self::Share => 0.01,
        }
    }

    /// The standard deviation between two sessions on one machine, as a share of the value, or of a share as a
    /// difference of shares. Between sessions, temperature, other programs, and the memory layout change.
    pub const fn session_deviation(self) -> f64 {
        match self {
            Self::Scheduling | Self::Other => 0.05,
            Self::Frames => 0.02,
            Self::Share => 0.005,
        }
    }
}

/// The description of one number by which configurations or recordings are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name in files and on the command line.
    pub key: &'static str,
    /// The name on screen.
    pub title: &'static str,
    /// The kind of number, such as a time or a share.
    pub unit: Quantity,
    /// Whether a lower or a higher value is better; absent if neither is.
    pub better: Option<Better>,
    /// The values of the samples that the metric summarizes.
    pub track: Track,
    /// How the metric summarizes these values.
    pub statistic: Statistic,
}

/// The metrics, and lists of metrics for tests and imported files.
impl Metric {
    /// The median of the values.
    pub const P50: Self = Self::time("p50", "p50", Track::Values, Statistic::P50);
    /// The 95th percentile.
    pub const P95: Self = Self::time("p95", "p95", Track::Values, Statistic::P95);
    /// The 99th percentile.
    pub const P99: Self = Self::time("p99", "p99", Track::Values, Statistic::P99);
    /// The 99.9th percentile.
    pub const P99_9: Self = Self::time("p99.9", "p99.9", Track::Values, Statistic::P99_9);
    /// The share of values above the baseline's p99. In a run that got worse, many more samples are above this limit than
    /// above the run's own p99, so the share shows the change more reliably.
    pub const ABOVE_BASELINE: Self =
        Self::share("over-p99", "Above A's p99", Track::Values, Statistic::AboveBaseline);
    /// The mean of the values.
    pub const MEAN: Self = Self::time("mean", "Mean", Track::Values, Statistic::Mean);
    /// The standard deviation of the values.
    pub const STD_DEV: Self = Self::time("std-dev", "Std dev", Track::Values, Statistic::StdDev);
    /// The highest value. It tends to be higher in a longer run.
    pub const MAX: Self = Self::time("max", "Max", Track::Values, Statistic::Max);
    /// The share of frames above the late threshold.
    pub const LATE: Self = Self::share("late", "Late", Track::Values, Statistic::LateShare);
    /// The share of slots of the schedule whose frame was missed.
    pub const MISSED: Self = Self::share("missed", "Missed", Track::Slots, Statistic::CountShare);
    /// The 1% low: the frame rate of the slowest 1% of frames, in FPS.
    pub const LOW_1: Self = Self::rate("1%-low", "1% low", Track::FrameTimes, Statistic::LOW_1);

    /// The metrics of frames on a schedule. The first eight apply to every test.
    pub const PACED: &[Self] = &[
        Self::P50,
        Self::P95,
        Self::P99,
        Self::P99_9,
        Self::ABOVE_BASELINE,
        Self::MEAN,
        Self::STD_DEV,
        Self::MAX,
        Self::LATE,
        Self::MISSED,
        Self::LOW_1,
    ];

    /// The metrics of a test without a schedule.
    pub const VALUES: &[Self] = Self::PACED.split_at(8).0;

    /// The metrics of an imported recording that has the time of every frame.
    pub const FRAMES: [Self; 12] = [
        Self::rate("average-fps", "Average FPS", Track::FrameTimes, Statistic::Rate),
        Self::LOW_1,
        Self::rate("0.1%-low", "0.1% low", Track::FrameTimes, Statistic::LOW_0_1),
        Self::share("stutter", "Stutter", Track::Stutter, Statistic::CountShare),
        Self::time("p50", "p50", Track::FrameTimes, Statistic::P50),
        Self::time("p95", "p95", Track::FrameTimes, Statistic::P95),
        Self::time("p99", "p99", Track::FrameTimes, Statistic::P99),
        Self::time("p99.9", "p99.9", Track::FrameTimes, Statistic::P99_9),
        Self::share("over-p99", "Above A's p99", Track::FrameTimes, Statistic::AboveBaseline),
        Self::time("mean", "Mean", Track::FrameTimes, Statistic::Mean),
        Self::time("std-dev", "Std dev", Track::FrameTimes, Statistic::StdDev),
        Self::time("max", "Max", Track::FrameTimes, Statistic::Max),
    ];

    /// The metrics of an imported log of the ticks of a server.
    pub const TICKS: &[Self] = Self::FRAMES.as_slice().split_at(4).1;

    /// The metrics of an imported log with one reading per interval, which has no reading of most frames.
    pub const READINGS: [Self; 3] = [
        Self::time("p50", "p50", Track::FrameTimes, Statistic::P50),
        Self::time("min", "Min", Track::FrameTimes, Statistic::Min),
        Self::time("max", "Max", Track::FrameTimes, Statistic::Max),
    ];

    /// The metrics of an imported histogram, which counts how often each value occurred.
    pub const COUNTS: [Self; 7] = [
        Self::time("min", "Min", Track::Values, Statistic::Min),
        Self::MEAN,
        Self::P50,
        Self::P95,
        Self::P99,
        Self::P99_9,
        Self::MAX,
    ];
}

impl Metric {
    /// Returns a metric that is a time, better if lower.
    pub(in crate::report) const fn time(
        key: &'static str,
        title: &'static str,
        track: Track,
        statistic: Statistic,
    ) -> Self {
        Self { key, title, unit: Quantity::Time, better: Some(Better::Lower), track, statistic }
    }

    /// Returns a metric that is a share, better if lower.
    pub(in crate::report) const fn share(
        key: &'static str,
        title: &'static str,
        track: Track,
        statistic: Statistic,
    ) -> Self {
        Self { unit: Quantity::Share, ..Self::time(key, title, track, statistic) }
    }

    /// Returns a metric that is a frame rate, better if higher.
    const fn rate(
        key: &'static str,
        title: &'static str,
        track: Track,
        statistic: Statistic,
    ) -> Self {
        let better = Some(Better::Higher);
        Self { unit: Quantity::Rate, better, ..Self::time(key, title, track, statistic) }
    }

    /// Returns the metric without a better direction: its changes are neither better nor worse.
    pub(in crate::report) const fn neutral(self) -> Self {
        Self { better: None, ..self }
    }

    /// Returns the kind of the metric.
    pub const fn kind(&self) -> MetricKind {
        match (self.unit, self.track, self.statistic) {
            (Quantity::Share, ..) => MetricKind::Share,
            // How much frame times vary depends on scheduling, and varies as lateness does.
            (Quantity::Time, Track::FrameTimes, Statistic::StdDev) => MetricKind::Scheduling,
            (Quantity::Rate, ..) | (Quantity::Time, Track::FrameTimes, _) => MetricKind::Frames,
            (Quantity::Time, ..) => MetricKind::Scheduling,
            _ => MetricKind::Other,
        }
    }

    /// Whether the metric varies by a share of its value; a share varies by a difference of shares.
    pub const fn is_relative(&self) -> bool {
        !matches!(self.unit, Quantity::Share)
    }

    /// Returns the standard deviation from run to run that is assumed where it was not measured: a share of the value, or
    /// of a share a difference of shares. Statistics of a few extreme samples vary more than others.
    pub fn assumed_deviation(&self) -> f64 {
        let is_of_extremes = match self.statistic {
            Statistic::Percentile(quantile) => Quantile::P99.parts() < quantile.parts(),
            Statistic::Low(share) => share.parts() < 1_000,
            Statistic::StdDev | Statistic::Min | Statistic::Max => true,
            _ => false,
        };
        match (self.kind(), is_of_extremes) {
            (MetricKind::Scheduling | MetricKind::Other, false) | (MetricKind::Frames, true) => {
                0.10
            }
            (MetricKind::Scheduling | MetricKind::Other, true) => 0.20,
            (MetricKind::Frames, false) => 0.03,
            (MetricKind::Share, _) => 0.01,
        }
    }

    /// Returns whether a change of the value by `change` is an improvement. Only the sign of `change` matters.
    pub fn is_better(&self, change: f64) -> bool {
        match self.better {
            Some(Better::Lower) => change < 0.0,
            Some(Better::Higher) => 0.0 < change,
            None => false,
        }
    }

    /// Returns the two numbers from which this share is computed in a configuration: that of late samples or
    /// missed frames, and that of all samples or slots. `None` for other metrics.
    pub(in crate::report) fn count_of(&self, row: &Configuration) -> Option<(usize, usize)> {
        let summary = row.summary.as_ref()?;
        match (self.track, self.statistic) {
            (_, Statistic::LateShare) => Some((summary.late_count, summary.lateness.count)),
            (Track::Slots, Statistic::CountShare) => {
                Some((summary.missed_count(), summary.slot_count))
            }
            _ => None,
        }
    }

    /// Returns the value of the metric in a configuration: nanoseconds, a share (1 is 100%), a rate per second, or a
    /// count, as `unit` states. `None` if the metric depends on a baseline or there are too few samples.
    pub(in crate::report) fn of(&self, row: &Configuration) -> Option<f64> {
        if let Some((events, slots)) = self.count_of(row) {
            return (0 < slots).then(|| float(events) / float(slots));
        }
        let summary = row.summary.as_ref()?;
        match (self.track, self.statistic) {
            (Track::FrameTimes, Statistic::Rate) => summary.average_fps,
            (Track::FrameTimes, Statistic::LOW_1) => summary.one_percent_low_fps,
            (Track::FrameTimes, _) => summary.frame_time.as_ref()?.statistic(self.statistic),
            (Track::Work, _) => summary.work.statistic(self.statistic),
            (Track::Values | Track::Slots, _) => summary.lateness.statistic(self.statistic),
            (Track::Stutter, _) => None,
        }
    }
}
