//! What is read off each run to be held against another's.

use super::judge::Delta;
use crate::report::Row;
use crate::stats::{Quantile, Spread, Summary};

/// What a figure is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Nanos,
    /// A share, 0 to 1.
    Share,
    /// Frames a second.
    Fps,
}

/// A number of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Half of the values lie at or below it.
    P50,
    /// 95 of 100 do.
    P95,
    /// 99 of 100 do.
    P99,
    /// 999 of 1 000 do.
    P99_9,
    /// The share of values above the baseline's p99: one in a hundred in the baseline itself. Many more
    /// samples decide it than decide p99 where a run got worse.
    Beyond,
    /// The mean.
    Mean,
    /// The standard deviation with n − 1.
    StdDev,
    /// The greatest value: a longer run has a larger one, so it is never judged.
    Max,
    /// The share of samples above the late limit.
    Late,
    /// The share of slots that were missed.
    Missed,
    /// The 1 % low by the default definition.
    OnePercentLow,
}

impl Metric {
    /// Every metric, in the order of a table.
    pub const ALL: [Self; 11] = [
        Self::P50,
        Self::P95,
        Self::P99,
        Self::P99_9,
        Self::Beyond,
        Self::Mean,
        Self::StdDev,
        Self::Max,
        Self::Late,
        Self::Missed,
        Self::OnePercentLow,
    ];

    /// The words on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P99_9 => "p99.9",
            Self::Beyond => "Over A's p99",
            Self::Mean => "Mean",
            Self::StdDev => "Std dev",
            Self::Max => "Max",
            Self::Late => "Late",
            Self::Missed => "Missed",
            Self::OnePercentLow => "1% low",
        }
    }

    /// The word of the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P99_9 => "p99.9",
            Self::Beyond => "over-p99",
            Self::Mean => "mean",
            Self::StdDev => "std-dev",
            Self::Max => "max",
            Self::Late => "late",
            Self::Missed => "missed",
            Self::OnePercentLow => "1%-low",
        }
    }

    /// What it is counted in.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Beyond | Self::Late | Self::Missed => Unit::Share,
            Self::OnePercentLow => Unit::Fps,
            _ => Unit::Nanos,
        }
    }

    /// Whether a larger value is the worse one.
    pub const fn is_lower_better(self) -> bool {
        !matches!(self, Self::OnePercentLow)
    }

    /// Whether a difference in it is judged.
    pub const fn is_judged(self) -> bool {
        !matches!(self, Self::Max)
    }

    /// The percentile it is, where it is one.
    pub(super) const fn quantile(self) -> Option<Quantile> {
        match self {
            Self::P50 => Some(Quantile::P50),
            Self::P95 => Some(Quantile::P95),
            Self::P99 => Some(Quantile::P99),
            Self::P99_9 => Some(Quantile::P99_9),
            _ => None,
        }
    }

    /// Samples that are needed before a difference is judged: five of them must lie beyond a percentile, or
    /// among the slowest hundredth, for a draw to say anything of it.
    pub const fn samples_needed(self) -> usize {
        match self {
            Self::P95 => 100,
            Self::P99 | Self::Beyond | Self::OnePercentLow => 500,
            Self::P99_9 => 5_000,
            _ => 50,
        }
    }

    /// Its value in a row, as the report has it, which knows nothing of a baseline; `is_paced` where the test is about a schedule.
    pub(super) fn of(self, row: &Row, is_paced: bool) -> Option<f64> {
        let summary = row.summary.as_ref()?;
        let Summary { lateness, .. } = summary;
        let Spread { p50, p95, p99, p99_9, max, mean_nanos, std_dev_nanos, .. } = lateness;
        let share = |part: usize, of: usize| {
            (0 < of).then(|| crate::stats::float(part) / crate::stats::float(of))
        };
        match self {
            Self::P50 => Some(p50.as_f64()),
            Self::P95 => p95.map(crate::nanos::Nanos::as_f64),
            Self::P99 => p99.map(crate::nanos::Nanos::as_f64),
            Self::P99_9 => p99_9.map(crate::nanos::Nanos::as_f64),
            Self::Mean => Some(*mean_nanos),
            Self::StdDev => *std_dev_nanos,
            Self::Max => Some(max.as_f64()),
            Self::Beyond => None,
            Self::Late => share(summary.late_count, lateness.count).filter(|_| is_paced),
            Self::Missed => share(summary.missed_count(), summary.slot_count).filter(|_| is_paced),
            Self::OnePercentLow => summary.one_percent_low_fps.filter(|_| is_paced),
        }
    }
}

/// A number of each run, and how it differs from the baseline's.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Which number.
    pub metric: Metric,
    /// Its value in each run: nanoseconds, a share or frames a second, as the metric's unit says; `None`
    /// where there are too few samples.
    pub values: Vec<Option<f64>>,
    /// What two runs of the same setting differ by on this machine, where repeats of it were measured.
    pub noise: Option<f64>,
    /// How each run differs; `None` at the baseline, and where a value is absent.
    pub deltas: Vec<Option<Delta>>,
}
