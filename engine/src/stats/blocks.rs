//! Confidence intervals of statistics, by resampling a run in blocks of neighboring samples. The time to draw
//! a resampled run does not grow with its length. All changes and comparisons use this implementation.
//!
//! **The idea.** Another run on the same PC would have had other samples, and so another p99. How much other, one run
//! can show itself: draw parts of it at random, with replacement, until the drawn run is as long as the original one, compute its
//! p99, and repeat this [`RESAMPLES`] times. The middle 95% of these values are the interval.
//!
//! Single samples must not be drawn. Late frames come in bursts, and a drawn run in which they are scattered evenly varies far less
//! than real runs do. The moving-block bootstrap (Künsch 1989; Liu and Singh 1992) draws blocks of neighbors, within which bursts
//! stay together. No block contains samples of two rounds. With at least [`MIN_ROUNDS`] rounds, each round is a block, so that
//! differences between rounds widen the interval.
//!
//! **How long is a block.** Long enough that what happens in one block does not depend on the one before it, and short enough that
//! there are many to draw from. The length starts at the longer of ⌈n^⅓⌉ and a twentieth of the run, and doubles while values one
//! block apart are still correlated, up to a tenth of the run.
//!
//! **An example.** 7 200 frames begin with blocks of 360: ⌈7 200^⅓⌉ is 20, a twentieth is 360. If frames that are 360 apart
//! correlate by more than 2 / √7 200 = 0.024, blocks have 720 frames, which is the most. With 720, a drawn run is made of ten
//! blocks. Ten blocks vary too little, for three reasons, each with its factor (`BlockSpread`). Their own mean is subtracted:
//! √(10 / 9) = 1.054. Their deviation is itself an estimate, which Student's distribution with 9 degrees of freedom allows for:
//! 1 + (1.96² + 1) / 4 / 9 = 1.134. And neighbors at the seams of blocks are torn apart: with a correlation ρ of 0.9 from frame to
//! frame, 1.007. Both ends of the interval are moved away from its middle by the product, here 1.204.
//!
//! **Why not the simpler way.** The binomial interval of a percentile holds for independent samples; in bursts of 20 it contained
//! the true p99 in 35 to 48 of 100 runs. A formula for correlated samples needs their spectrum, which a run of a minute does not
//! show. The interval of p99 that results show has its own method, the effective number of samples
//! (`effective`); blocks serve the statistics that have none: means, shares, differences.

mod bins;
mod resampler;

use super::percentile::Quantile;
use super::statistic::{MIN_SAMPLES, Statistic};
use super::{float, position};
use crate::nanos::Nanos;
use crate::sample::Column;

pub use bins::Bins;
use resampler::{BlockSpread, Resampler};

/// Number of times that a run is resampled.
pub const RESAMPLES: usize = 2_000;
/// The seed of the random blocks: the same samples always have the same intervals.
pub const SEED: u64 = 0x6a69_7474_6572;
/// With at least this many rounds, each round is a block.
pub const MIN_ROUNDS: usize = 8;
/// Maximum number of blocks in a run: blocks are so long that a drift during the run widens the interval.
const MAX_BLOCKS: usize = 20;
/// Minimum number of blocks in a run, so that there are enough different blocks to draw from.
const MIN_BLOCKS: usize = 10;

/// The data to resample: values in order of time, one round after the other, and two counts per value.
#[derive(Clone, Debug, Default)]
pub struct ResampleSource {
    /// Values to summarize, in nanoseconds.
    pub values: Column,
    /// Two whole numbers per value, such as missed frames and slots, whose sums are divided; empty without such
    /// numbers.
    pub counts: [Column; 2],
    /// Values above this threshold in nanoseconds count as late.
    pub late_threshold: i64,
    /// Limit in nanoseconds that hardly any value of the baseline run exceeds; `None` without a baseline.
    pub baseline_limit: Option<i64>,
    /// Position after the last value of each round.
    round_ends: Vec<usize>,
}

impl ResampleSource {
    /// Creates a source without samples.
    pub fn new(late_threshold: Nanos, baseline_limit: Option<Nanos>) -> Self {
        Self {
            late_threshold: late_threshold.get(),
            baseline_limit: baseline_limit.map(Nanos::get),
            ..Self::default()
        }
    }

    /// Creates a source with one round of values, without a late threshold and a baseline limit.
    pub fn of_values(values: impl IntoIterator<Item = i64>) -> Self {
        let mut source = Self { values: values.into_iter().collect(), ..Self::default() };
        source.end_round();
        source
    }

    /// Ends a round: later values do not depend on earlier ones.
    pub fn end_round(&mut self) {
        let end = self.values.len();
        if self.round_ends.last().copied().unwrap_or(0) < end {
            self.round_ends.push(end);
        }
    }

    /// Returns the share of values above the baseline limit; `None` without a limit or without values.
    pub fn share_above_baseline(&self) -> Option<f64> {
        let limit = self.baseline_limit?;
        let above = self.values.values().filter(|&value| limit < value).count();
        (!self.values.is_empty()).then(|| float(above) / float(self.values.len()))
    }

    /// Resamples the run; `None` below `MIN_SAMPLES` samples. A statistic that needs more samples than the run
    /// has gets no interval. The same seed draws the same blocks.
    pub fn resample(&self, bins: &Bins, seed: u64, statistics: &[Statistic]) -> Option<Resampled> {
        let has_enough = |one: &Statistic| one.samples_to_compare() <= self.values.len();
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

    /// Returns the 95% confidence interval of a statistic; `None` if the statistic needs more samples. The
    /// interval of a percentile does not start below the smallest value, however far it is widened.
    pub fn interval(&self, statistic: Statistic) -> Option<Interval> {
        (statistic.samples_needed() <= self.values.len()).then(|| self.range(statistic)).flatten()
    }

    /// Returns the range of a statistic over resampled runs. It is a confidence interval only with enough samples.
    fn range(&self, statistic: Statistic) -> Option<Interval> {
        let bins = Bins::of(&[self]);
        let found = self.resample_where(&bins, SEED, &[statistic], |_| true)?.interval(0)?;
        let min = match statistic {
            Statistic::Percentile(_) => self.values.values().min().map(super::nanos_float),
            _ => None,
        };
        Some(Interval { low: min.map_or(found.low, |min| found.low.max(min)), ..found })
    }
}

/// Returns the range of a percentile over resamples of one round, whose values are in order of time; `None`
/// below `MIN_SAMPLES` values. With fewer values than a confidence interval needs, the range only shows how
/// much the percentile varies within these values, and not where the percentile of further values would be.
pub fn percentile_range(in_time: &[i64], quantile: Quantile) -> Option<(Nanos, Nanos)> {
    let source = ResampleSource::of_values(in_time.iter().copied());
    source.range(Statistic::Percentile(quantile)).map(Interval::nanos)
}

/// The values of each statistic in all resampled runs.
#[derive(Clone, Debug)]
pub struct Resampled {
    /// One list per statistic, with one value per resampled run.
    values: Vec<Vec<f64>>,
    /// How much the blocks understate the variation of the run.
    spread: BlockSpread,
}

impl Resampled {
    /// Returns the 95% confidence interval of the statistic at position `at`.
    pub fn interval(&self, at: usize) -> Option<Interval> {
        let widening = self.spread.widening(Confidence::SINGLE);
        Interval::of(self.values.get(at)?.clone(), widening, Confidence::SINGLE)
    }

    /// Returns the 95% confidence interval of the change of the statistic at position `at` from this run to
    /// `other`. `change` computes the change from the values before and after.
    pub fn change(
        &self,
        other: &Self,
        at: usize,
        change: impl Fn(f64, f64) -> f64,
    ) -> Option<Interval> {
        self.change_at(Confidence::SINGLE, other, at, change)
    }

    /// Like `change`, but returns an interval of the given confidence.
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

/// The confidence level of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// Share of values beyond each end of the interval.
    one_side: f64,
    /// Distance of each end from the mean of a normal distribution, in standard deviations.
    normal_quantile: f64,
}

impl Confidence {
    /// 95% for a single interval.
    pub const SINGLE: Self = Self { one_side: 0.025, normal_quantile: 1.959_964 };
    /// 95% for three intervals together, by Bonferroni's correction.
    pub const OF_THREE: Self = Self { one_side: 0.025 / 3.0, normal_quantile: 2.393_980 };
}

/// A 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Standard error of the estimate.
    pub error: f64,
}

impl Interval {
    /// Returns the interval between the quantiles of resampled values that `confidence` defines, with both ends
    /// moved away from the median by the factor `widening`. `None` without values, or if an end is not finite.
    ///
    /// A value that is not a number, such as a relative change from 0, counts as larger than all others. If one
    /// such value suppressed the interval, only runs with more events than typical would have an interval, and
    /// these intervals hold the truth in only 92.8% of cases.
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

    /// Returns both ends, rounded to whole nanoseconds.
    pub fn nanos(self) -> (Nanos, Nanos) {
        (Nanos::from_nanos_f64(self.low), Nanos::from_nanos_f64(self.high))
    }
}

/// Returns the number of values in a block, so that values that depend on each other stay together.
///
/// Starts at the longer of `⌈n^⅓⌉` (Hall, Horowitz and Jing 1995) and a twentieth of the run. Doubles while
/// values one block length apart are correlated (autocorrelation above `2 / √n`), up to a tenth of the run.
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

/// Returns a function that computes the autocorrelation of the values at a lag; 0 if all values are the same.
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

/// Returns the factor by which blocks of `block` values understate a standard error, because neighboring values
/// in different blocks also depend on each other. Assumes that each value depends on the previous one, so that
/// values `k` places apart have the correlation ρᵏ.
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
mod tests;
