//! One comparable number of a configuration or a recording, as data: what it is called, its unit, and how
//! it follows from the samples.

use super::configuration::Configuration;
use super::table::{Better, Quantity};
use crate::stats::{Statistic, float};

/// The values of the samples that a metric summarizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// What the test is about: lateness, overshoot, the length of gaps, the time of cycles.
    Values,
    /// Times between two starts.
    FrameTimes,
    /// Times from the start to the end of the work.
    Work,
    /// Values, with the missed frames and all slots of the schedule.
    Slots,
    /// Frame times, with the time of stutter and all time.
    Stutter,
}

/// One comparable number of a configuration or a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Names it in files.
    pub key: &'static str,
    /// Names it on screen.
    pub title: &'static str,
    /// What it is counted in.
    pub unit: Quantity,
    /// Which direction is better; absent where neither is.
    pub better: Option<Better>,
    /// The values it summarizes.
    pub track: Track,
    /// How it summarizes them.
    pub statistic: Statistic,
}

/// What every test has.
impl Metric {
    /// The median.
    pub const P50: Self = Self::time("p50", "p50", Track::Values, Statistic::P50);
    /// The 95th percentile.
    pub const P95: Self = Self::time("p95", "p95", Track::Values, Statistic::P95);
    /// The 99th percentile.
    pub const P99: Self = Self::time("p99", "p99", Track::Values, Statistic::P99);
    /// The 99.9th percentile.
    pub const P99_9: Self = Self::time("p99.9", "p99.9", Track::Values, Statistic::P99_9);
    /// The share of values above the baseline's p99: by more than runs with the same settings differ by, or
    /// where that is unknown, by more than does not matter. Many more samples decide it than decide p99 where a
    /// run got worse.
    pub const ABOVE_BASELINE: Self =
        Self::share("over-p99", "Above A's p99", Track::Values, Statistic::AboveBaseline);
    /// The mean.
    pub const MEAN: Self = Self::time("mean", "Mean", Track::Values, Statistic::Mean);
    /// The standard deviation.
    pub const STD_DEV: Self = Self::time("std-dev", "Std dev", Track::Values, Statistic::StdDev);
    /// The highest value: a longer run has a higher one.
    pub const MAX: Self = Self::time("max", "Max", Track::Values, Statistic::Max);
    /// The share of frames above the late threshold.
    pub const LATE: Self = Self::share("late", "Late", Track::Values, Statistic::LateShare);
    /// The share of slots whose frame was missed.
    pub const MISSED: Self = Self::share("missed", "Missed", Track::Slots, Statistic::CountShare);
    /// The 1% low.
    pub const LOW_1: Self = Self::rate("1%-low", "1% low", Track::FrameTimes, Statistic::LOW_1);

    /// The metrics of frames on a schedule; the first are those of every test.
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

    /// The metrics of an imported recording of every frame.
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

    /// The metrics of readings that were taken now and then.
    pub const READINGS: [Self; 3] = [
        Self::time("p50", "p50", Track::FrameTimes, Statistic::P50),
        Self::time("min", "Min", Track::FrameTimes, Statistic::Min),
        Self::time("max", "Max", Track::FrameTimes, Statistic::Max),
    ];

    /// The metrics of imported counts of values.
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
    /// A time that is better when lower.
    pub(in crate::report) const fn time(
        key: &'static str,
        title: &'static str,
        track: Track,
        statistic: Statistic,
    ) -> Self {
        Self { key, title, unit: Quantity::Time, better: Some(Better::Lower), track, statistic }
    }

    /// A share that is better when lower.
    pub(in crate::report) const fn share(
        key: &'static str,
        title: &'static str,
        track: Track,
        statistic: Statistic,
    ) -> Self {
        Self { unit: Quantity::Share, ..Self::time(key, title, track, statistic) }
    }

    /// A frame rate, which is better when higher.
    const fn rate(
        key: &'static str,
        title: &'static str,
        track: Track,
        statistic: Statistic,
    ) -> Self {
        let better = Some(Better::Higher);
        Self { unit: Quantity::Rate, better, ..Self::time(key, title, track, statistic) }
    }

    /// Neither direction is better.
    pub(in crate::report) const fn neutral(self) -> Self {
        Self { better: None, ..self }
    }

    /// Whether a change of this sign is an improvement.
    pub fn is_better(&self, change: f64) -> bool {
        match self.better {
            Some(Better::Lower) => change < 0.0,
            Some(Better::Higher) => 0.0 < change,
            None => false,
        }
    }

    /// Of a share of events in a configuration: how many there were, and among how many.
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

    /// Returns its value in a configuration: nanoseconds, a share of 1, a rate per second or a count, as its
    /// unit states. What depends on a baseline has none.
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
