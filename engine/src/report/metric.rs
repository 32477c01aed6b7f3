//! One comparable number of a configuration, as data: what it is called, its unit, and how it follows
//! from the samples.

use super::row::Row;
use super::table::{Better, Quantity};
use crate::nanos::Nanos;
use crate::stats::{Quantile, Spread, float};

/// The values of the samples that a metric summarizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// What the test is about: lateness, overshoot, the length of gaps, the time of cycles.
    Values,
    /// Times between two starts.
    FrameTimes,
    /// Times from the start to the end of the work.
    Work,
    /// Slots of the schedule.
    Slots,
}

/// How a metric summarizes its track: a closed set, each of which resampled runs have too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The mean.
    Mean,
    /// The standard deviation with n − 1.
    StdDev,
    /// The lowest value.
    Min,
    /// The highest value.
    Max,
    /// A percentile by R-7.
    Percentile(Quantile),
    /// The share of values above the late threshold.
    LateShare,
    /// The share of slots whose frame was missed.
    MissedShare,
    /// Whole frames of lateness that a re-based schedule hides, or would hide.
    HiddenFrames,
}

/// One comparable number of a configuration.
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

    /// Neither direction is better.
    pub(super) const fn neutral(self) -> Self {
        Self { better: None, ..self }
    }

    /// Returns its value in a configuration: nanoseconds, a share of 1 or a count, as its unit says.
    pub(super) fn of(&self, row: &Row) -> Option<f64> {
        let summary = row.summary.as_ref()?;
        let share = |part: usize, of: usize| (0 < of).then(|| float(part) / float(of));
        match self.statistic {
            Statistic::LateShare => return share(summary.late_count, summary.lateness.count),
            Statistic::MissedShare => return share(summary.missed_count(), summary.slot_count),
            #[expect(clippy::cast_precision_loss, reason = "frames of a run")]
            Statistic::HiddenFrames => return row.rebasing.map(|it| it.frame_count as f64),
            _ => {}
        }
        let spread = match self.track {
            Track::Values | Track::Slots => Some(&summary.lateness),
            Track::FrameTimes => summary.frame_time.as_ref(),
            Track::Work => Some(&summary.work),
        };
        self.of_spread(spread?)
    }

    fn of_spread(&self, spread: &Spread) -> Option<f64> {
        match self.statistic {
            Statistic::Mean => Some(spread.mean_nanos),
            Statistic::StdDev => spread.std_dev_nanos,
            Statistic::Min => Some(spread.min.as_f64()),
            Statistic::Max => Some(spread.max.as_f64()),
            Statistic::Percentile(Quantile::P50) => Some(spread.p50.as_f64()),
            Statistic::Percentile(Quantile::P95) => spread.p95.map(Nanos::as_f64),
            Statistic::Percentile(Quantile::P99) => spread.p99.map(Nanos::as_f64),
            Statistic::Percentile(Quantile::P99_9) => spread.p99_9.map(Nanos::as_f64),
            _ => None,
        }
    }
}
