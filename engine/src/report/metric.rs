//! One comparable number of a configuration or a recording, as data: what it is called, its unit, and how
//! it follows from the samples.

use super::configuration::Configuration;
use super::table::{Better, Quantity};
use crate::nanos::Nanos;
use crate::stats::{Quantile, Spread, Statistic, float};

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

const P50: Statistic = Statistic::Percentile(Quantile::P50);
const P95: Statistic = Statistic::Percentile(Quantile::P95);
const P99: Statistic = Statistic::Percentile(Quantile::P99);
const P99_9: Statistic = Statistic::Percentile(Quantile::P99_9);

/// What every test has.
impl Metric {
    /// The median.
    pub const P50: Self = Self::time("p50", "p50", Track::Values, P50);
    /// The 95th percentile.
    pub const P95: Self = Self::time("p95", "p95", Track::Values, P95);
    /// The 99th percentile.
    pub const P99: Self = Self::time("p99", "p99", Track::Values, P99);
    /// The 99.9th percentile.
    pub const P99_9: Self = Self::time("p99.9", "p99.9", Track::Values, P99_9);
    /// The share of values well above the baseline's p99: by more than runs with the same settings differ by, or
    /// where that is unknown, by more than does not matter. Many more samples decide it than decide p99 where a
    /// run got worse.
    pub const ABOVE_BASELINE: Self =
        Self::share("over-p99", "Well above A's p99", Track::Values, Statistic::AboveBaseline);
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
        Self::time("p50", "p50", Track::FrameTimes, P50),
        Self::time("p95", "p95", Track::FrameTimes, P95),
        Self::time("p99", "p99", Track::FrameTimes, P99),
        Self::time("p99.9", "p99.9", Track::FrameTimes, P99_9),
        Self::share("over-p99", "Well above A's p99", Track::FrameTimes, Statistic::AboveBaseline),
        Self::time("mean", "Mean", Track::FrameTimes, Statistic::Mean),
        Self::time("std-dev", "Std dev", Track::FrameTimes, Statistic::StdDev),
        Self::time("max", "Max", Track::FrameTimes, Statistic::Max),
    ];

    /// The metrics of readings that were taken now and then.
    pub const READINGS: [Self; 3] = [
        Self::time("p50", "Middle", Track::FrameTimes, P50),
        Self::time("min", "Lowest", Track::FrameTimes, Statistic::Min),
        Self::time("max", "Highest", Track::FrameTimes, Statistic::Max),
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
    pub(super) const fn time(
        key: &'static str,
        title: &'static str,
        track: Track,
        statistic: Statistic,
    ) -> Self {
        Self { key, title, unit: Quantity::Time, better: Some(Better::Lower), track, statistic }
    }

    /// A share that is better when lower.
    pub(super) const fn share(
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
    pub(super) const fn neutral(self) -> Self {
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

    /// Returns its value in a configuration: nanoseconds, a share of 1, a rate per second or a count, as its
    /// unit states. What depends on a baseline has none.
    pub(super) fn of(&self, row: &Configuration) -> Option<f64> {
        let summary = row.summary.as_ref()?;
        let share = |part: usize, of: usize| (0 < of).then(|| float(part) / float(of));
        match (self.track, self.statistic) {
            (_, Statistic::LateShare) => share(summary.late_count, summary.lateness.count),
            (Track::Slots, Statistic::CountShare) => {
                share(summary.missed_count(), summary.slot_count)
            }
            #[expect(clippy::cast_precision_loss, reason = "frames of a run")]
            (_, Statistic::HiddenFrames) => Some(row.figures.paced()?.rebasing?.frame_count as f64),
            (Track::FrameTimes, Statistic::Rate) => summary.average_fps,
            (Track::FrameTimes, Statistic::LOW_1) => summary.one_percent_low_fps,
            (Track::FrameTimes, _) => of_spread(self.statistic, summary.frame_time.as_ref()?),
            (Track::Work, _) => of_spread(self.statistic, &summary.work),
            (Track::Values | Track::Slots, _) => of_spread(self.statistic, &summary.lateness),
            (Track::Stutter, _) => None,
        }
    }
}

/// A statistic that a spread has; `None` where it has too few values.
pub(super) fn of_spread(statistic: Statistic, spread: &Spread) -> Option<f64> {
    match statistic {
        Statistic::Mean => Some(spread.mean_nanos),
        Statistic::StdDev => spread.std_dev_nanos,
        Statistic::Min => Some(spread.min.as_f64()),
        Statistic::Max => Some(spread.max.as_f64()),
        P50 => Some(spread.p50.as_f64()),
        P95 => spread.p95.map(Nanos::as_f64),
        P99 => spread.p99.map(Nanos::as_f64),
        P99_9 => spread.p99_9.map(Nanos::as_f64),
        _ => None,
    }
}
