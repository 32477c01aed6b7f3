//! Confidence intervals from whole runs resampled in blocks of neighbors, at a cost that does not grow
//! with their length: the one implementation behind changes and comparisons.
//!
//! The moving-block bootstrap (Künsch 1989; Liu and Singh 1992) draws blocks of neighbors with
//! replacement until there are as many samples as before. Blocks never reach from one round into the
//! next. Where there are at least [`MIN_ROUNDS`] rounds, each of them is a block: what differs between
//! rounds then widens the interval as it should.

mod bins;
mod resampler;

use super::percentile::Quantile;
use super::statistic::{MIN_SAMPLES, Statistic};
use super::{float, position};
use crate::nanos::Nanos;
use crate::sample::Column;

pub use bins::Bins;
use resampler::{BlockSpread, Resampler};

/// How often a run is resampled.
pub const RESAMPLES: usize = 2_000;
/// From this many rounds on, each round is a block.
pub const MIN_ROUNDS: usize = 8;
/// A block is at least this share of a run, so that a drift in mid-run widens the interval as it should.
const MAX_BLOCKS: usize = 20;
/// A block is at most this share, so that there is something to draw from.
const MIN_BLOCKS: usize = 10;

/// What is resampled: values in order of time, round after round, and two counts per value.
#[derive(Clone, Debug, Default)]
pub struct ResampleSource {
    /// What is summarized, in nanoseconds.
    pub values: Column,
    /// Two whole numbers per value that are summed up; empty where there are none.
    pub counts: [Column; 2],
    /// A value above it counts as late.
    pub late_threshold: i64,
    /// A limit that hardly any value of what is compared with exceeds, where there is one.
    pub baseline_limit: Option<i64>,
    /// Where each round ends.
    round_ends: Vec<usize>,
}

impl ResampleSource {
    /// No samples yet.
    pub fn new(late_threshold: Nanos, baseline_limit: Option<Nanos>) -> Self {
        Self {
            late_threshold: late_threshold.get(),
            baseline_limit: baseline_limit.map(Nanos::get),
            ..Self::default()
        }
    }

    /// One round of values without thresholds.
    pub fn of_values(values: impl IntoIterator<Item = i64>) -> Self {
        let mut source = Self { values: values.into_iter().collect(), ..Self::default() };
        source.end_round();
        source
    }

    /// Ends a round: what follows depends on nothing before.
    pub fn end_round(&mut self) {
        let end = self.values.len();
        if self.round_ends.last().copied().unwrap_or(0) < end {
            self.round_ends.push(end);
        }
    }

    /// The share of values above the limit of what is compared with.
    pub fn share_above_baseline(&self) -> Option<f64> {
        let limit = self.baseline_limit?;
        let above = self.values.values().filter(|&value| limit < value).count();
        (!self.values.is_empty()).then(|| float(above) / float(self.values.len()))
    }

    /// Resamples; `None` below `MIN_SAMPLES`. A statistic that needs more samples than there are has no
    /// values. The same seed draws the same blocks.
    pub fn resample(&self, bins: &Bins, seed: u64, statistics: &[Statistic]) -> Option<Resampled> {
        let has_enough = |one: &Statistic| one.samples_to_resample() <= self.values.len();
        self.resample_where(bins, seed, statistics, has_enough)
    }

    fn resample_where(
        &self,
        bins: &Bins,
        seed: u64,
        statistics: &[Statistic],
        is_wanted: impl Fn(&Statistic) -> bool,
    ) -> Option<Resampled> {
        let mut resampler = Resampler::of(self, bins, seed)?;
        let mut values = vec![Vec::new(); statistics.len()];
        for _ in 0..RESAMPLES {
            resampler.draw();
            let wanted = values.iter_mut().zip(statistics).filter(|(_, one)| is_wanted(one));
            for (list, &statistic) in wanted {
                list.push(resampler.statistic(statistic).unwrap_or(f64::NAN));
            }
        }
        Some(Resampled { values, spread: resampler.spread() })
    }

    /// The 95% interval of a statistic, as tests take it; `None` where it needs more samples. That of a percentile starts
    /// no lower than the smallest value, however far it is widened.
    #[cfg(test)]
    pub(crate) fn interval(&self, statistic: Statistic) -> Option<Interval> {
        (statistic.samples_needed() <= self.values.len()).then(|| self.range(statistic)).flatten()
    }

    /// The range of a statistic over resampled runs: an interval only where there are enough samples.
    fn range(&self, statistic: Statistic) -> Option<Interval> {
        const SEED: u64 = 0x6a69_7474_6572;
        let bins = Bins::of(&[self]);
        let found = self.resample_where(&bins, SEED, &[statistic], |_| true)?.interval(0)?;
        let min = match statistic {
            Statistic::Percentile(_) => self.values.values().min().map(super::nanos_float),
            _ => None,
        };
        Some(Interval { low: min.map_or(found.low, |min| found.low.max(min)), ..found })
    }
}

/// The range of a percentile over resamples of one round in order of time, in nanoseconds; `None` below
/// `MIN_SAMPLES`. With fewer samples than an interval needs, it shows how far these values carry, and
/// not where the percentile of others would be.
pub fn percentile_range(in_time: &[i64], quantile: Quantile) -> Option<(Nanos, Nanos)> {
    let source = ResampleSource::of_values(in_time.iter().copied());
    source.range(Statistic::Percentile(quantile)).map(Interval::nanos)
}

/// Every statistic of every resampled run.
#[derive(Clone, Debug)]
pub struct Resampled {
    /// A list per statistic.
    values: Vec<Vec<f64>>,
    /// How much its blocks understate.
    spread: BlockSpread,
}

impl Resampled {
    /// The interval of the statistic at this place.
    pub fn interval(&self, at: usize) -> Option<Interval> {
        let widening = self.spread.widening(Confidence::SINGLE);
        Interval::of(self.values.get(at)?.clone(), widening, Confidence::SINGLE)
    }

    /// The interval of how the statistic at this place changes from this run to another one, as `change`
    /// has it of both values.
    pub fn change(
        &self,
        other: &Self,
        at: usize,
        change: impl Fn(f64, f64) -> f64,
    ) -> Option<Interval> {
        self.change_at(Confidence::SINGLE, other, at, change)
    }

    /// The same at this confidence.
    pub fn change_at(
        &self,
        confidence: Confidence,
        other: &Self,
        at: usize,
        change: impl Fn(f64, f64) -> f64,
    ) -> Option<Interval> {
        let pairs = self.values.get(at)?.iter().zip(other.values.get(at)?);
        let changes = pairs.map(|(&before, &after)| change(before, after)).collect();
        let widening = self.spread.widening(confidence).max(other.spread.widening(confidence));
        Interval::of(changes, widening, confidence)
    }
}

/// How sure intervals are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// The share of values beyond each end.
    one_side: f64,
    /// The normal quantile of that share.
    normal_quantile: f64,
}

impl Confidence {
    /// 95%.
    pub const SINGLE: Self = Self { one_side: 0.025, normal_quantile: 1.959_964 };
    /// 95% for three intervals together, by Bonferroni's correction.
    pub const OF_THREE: Self = Self { one_side: 0.025 / 3.0, normal_quantile: 2.393_980 };
}

/// A 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The standard error.
    pub error: f64,
}

impl Interval {
    /// What 95% of resampled values, or more where several are tested, lie between, widened around their middle; `None` where that has no end.
    ///
    /// A value that is not a number counts as above all others, as a change from 0 is. To give no interval
    /// because of a single one would leave those of runs with more events than typical: they held the truth
    /// in 92.8%.
    fn of(mut values: Vec<f64>, widening: f64, confidence: Confidence) -> Option<Self> {
        for value in values.iter_mut().filter(|value| !value.is_finite()) {
            *value = f64::INFINITY;
        }
        values.sort_unstable_by(f64::total_cmp);
        let middle = *values.get(values.len() / 2)?;
        let end = |share: f64| {
            let value = values.get(position(share * float(values.len() - 1)))?;
            Some(middle + (value - middle) * widening).filter(|end| end.is_finite())
        };
        let (low, high) = (end(confidence.one_side)?, end(1.0 - confidence.one_side)?);
        values.truncate(values.partition_point(|value| value.is_finite()));
        let count = float(values.len());
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
        Some(Self { low, high, error: (squares / (count - 1.0).max(1.0)).sqrt() * widening })
    }

    /// Its ends in whole nanoseconds.
    pub fn nanos(self) -> (Nanos, Nanos) {
        (Nanos::from_nanos_f64(self.low), Nanos::from_nanos_f64(self.high))
    }
}

/// How many neighbors to keep together so that what depends on one another stays together.
///
/// Starts at the longer of `⌈n^⅓⌉` (Hall, Horowitz and Jing 1995) and a twentieth of the run, and doubles
/// while values that far apart are still correlated (autocorrelation above `2 / √n`); at most a tenth.
fn block_length(values: &Column) -> usize {
    let count = values.len();
    let most = (count / MIN_BLOCKS).max(1);
    let mut block = (count / MAX_BLOCKS).max(position(float(count).cbrt().ceil())).max(1);
    let (limit, correlation) = (2.0 / float(count).sqrt(), autocorrelation(values));
    while block < most && limit < correlation(block) {
        block *= 2;
    }
    block.min(most)
}

/// The autocorrelation of values at a lag; 0 where all are the same.
fn autocorrelation(values: &Column) -> impl Fn(usize) -> f64 {
    let mean = values.values().map(super::nanos_float).sum::<f64>() / float(values.len());
    let part = move |value: i64| super::nanos_float(value) - mean;
    let variance: f64 = values.values().map(|value| part(value) * part(value)).sum();
    move |lag| {
        let pairs = values.values().zip(values.values_from(lag));
        let covariance: f64 = pairs.map(|(one, other)| part(one) * part(other)).sum();
        if 0.0 < variance { covariance / variance } else { 0.0 }
    }
}

/// By how much blocks of this many values understate a standard error, as neighbors in different blocks
/// depend on each other all the same: as if each value remembered the one before it, so that those `k`
/// places apart are correlated by ρᵏ.
fn lost_dependence(values: &Column, block: usize) -> f64 {
    let memory = autocorrelation(values)(1).clamp(0.0, 0.95);
    let (mut within, mut power) = (1.0, 1.0);
    for distance in 1..block {
        power *= memory;
        within += 2.0 * (1.0 - float(distance) / float(block)) * power;
    }
    ((1.0 + memory) / (1.0 - memory) / within).sqrt()
}

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod tests;
