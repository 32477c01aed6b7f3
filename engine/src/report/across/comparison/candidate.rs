//! A change of one of many metrics, before its result (better, worse, or neither) is decided. It
//! has the interval of the change, and the probability of a change this large by chance.

use super::Metric;
use super::item::Item;
use super::judge::{self, Delta, DeltaResult, Reason, Scale};
use crate::stats::binomial::two_sided_chance;
use crate::stats::student::{student_chance, student_t};
use crate::stats::{Deviation, float};

/// Max probability that equal runs are called different in any of their metrics.
pub(super) const CHANCE: f64 = 0.05;

/// A change whose result depends on the changes of all other metrics.
pub(super) struct Candidate {
    /// The change, with a provisional result: [`called`](Self::called) decides the result.
    pub(super) delta: Delta,
    /// The probability of a change this large by chance (p-value); absent if the change is not
    /// evaluated.
    pub(super) chance: Option<f64>,
    /// The size up to which a change does not matter, in the metric's unit.
    min: f64,
}

impl Candidate {
    /// Returns the candidate for a mean change from a baseline. `deviation` is the standard deviation
    /// from run to run; `share` is the variance of the mean change divided by the variance from run
    /// to run. If `deviation` has no degrees of freedom, the change has no interval.
    pub(super) fn of(
        metric: &Metric,
        baseline: f64,
        change: f64,
        deviation: Deviation,
        share: f64,
        scale: &Scale,
    ) -> Self {
        let min = judge::min_relevant_change(metric, baseline, scale);
        let ratio = (baseline != 0.0).then(|| change / baseline.abs());
        let without = |result, reason| Self {
            delta: Delta { change, ratio, interval: None, result, reason: Some(reason) },
            chance: None,
            min,
        };
        if !metric.statistic.has_interval() {
            return without(DeltaResult::NotEvaluated, Reason::Maximum);
        }
        if deviation.freedom == 0 {
            return without(DeltaResult::NotEnoughData, Reason::TooFewRuns(1));
        }
        let error = deviation.std_dev * share.sqrt();
        let half = t(deviation.freedom) * error;
        let interval = Some((change - half, change + half));
        // A change of 0 has a p-value of 1, even if the deviation is 0.
        let chance = student_chance(deviation.freedom, change / error.max(f64::MIN_POSITIVE));
        let result = DeltaResult::NoClearDifference;
        let delta = Delta { change, ratio, interval, result, reason: None };
        Self { delta, chance: Some(chance), min }
    }

    /// Raises the p-value of a share of rare events to that of the events, as counted in all runs
    /// of both sides: runs without variation do not make a single event significant.
    pub(super) fn count(&mut self, metric: &Metric, sides: &[Vec<Item<'_>>; 2]) {
        let of = |items: &[Item<'_>]| {
            items.iter().try_fold((0, 0), |(events, slots), item| {
                let (more_events, more_slots) = metric.count_of(item.row()?)?;
                Some((events + more_events, slots + more_slots))
            })
        };
        let [a, b] = sides;
        if let (Some(chance), Some(a), Some(b)) = (&mut self.chance, of(a), of(b)) {
            *chance = chance.max(two_sided_chance(a, b));
        }
    }

    /// Returns the change with its result. The result can be better or worse only if the p-value of the
    /// change is at most `most`, which depends on the changes of all other metrics.
    pub(super) fn called(self, metric: &Metric, most: f64, is_incomparable: bool) -> Delta {
        let Self { delta, chance, min } = self;
        if is_incomparable {
            let (result, reason) = (DeltaResult::NotEvaluated, Some(Reason::SettingsDiffer));
            return Delta { result, reason, interval: None, ..delta };
        }
        let (Some(chance), Some((low, high))) = (chance, delta.interval) else { return delta };
        let (result, reason) = if chance <= most && min < delta.change.abs() {
            let is_better = metric.is_better(delta.change);
            (if is_better { DeltaResult::Better } else { DeltaResult::Worse }, None)
        } else if -min <= low && high <= min {
            (DeltaResult::Same, Some(Reason::TooSmall))
        } else if low <= 0.0 && 0.0 <= high {
            (DeltaResult::NoClearDifference, Some(Reason::IntervalIncludesZero))
        } else if delta.change.abs() <= min {
            (DeltaResult::NoClearDifference, Some(Reason::TooSmall))
        } else {
            (DeltaResult::NoClearDifference, Some(Reason::OneOfMany))
        };
        Delta { result, reason, ..delta }
    }
}

/// Returns the largest p-value that is significant, given the p-values of all metrics; 0 if none is.
/// If all metrics are equal, at least one is called different in 5% of cases (Simes 1986); otherwise,
/// 5% of the metrics that are called different are equal (Benjamini and Hochberg 1995). Bonferroni's
/// correction is not used: for three pairs of runs, it would require 13 standard errors, although one
/// delay changes several metrics at once.
pub(super) fn max_chance(chances: &[Option<f64>]) -> f64 {
    let mut rising: Vec<f64> = chances.iter().copied().flatten().collect();
    rising.sort_unstable_by(f64::total_cmp);
    let count = float(rising.len());
    let fits = |(chance, rank): &(f64, usize)| *chance <= CHANCE * float(*rank) / count;
    rising.into_iter().zip(1..).filter(fits).map(|(chance, _)| chance).fold(0.0, f64::max)
}

/// Returns Student's t of a 95% interval, for a number of degrees of freedom.
pub(super) fn t(freedom: usize) -> f64 {
    student_t(freedom, 0.95)
}

/// Returns the mean and the standard deviation of values. The sum of squares is divided by n − 1; the
/// deviation of a single value is 0.
pub(super) fn mean_and_std_dev(values: &[f64]) -> (f64, f64) {
    let count = float(values.len().max(1));
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}
