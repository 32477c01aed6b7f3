//! A change of one number among many, before it is called: its interval, and how likely chance makes one as large.

use super::Metric;
use super::judge::{self, Delta, DeltaResult, Reason, Scale};
use crate::stats::student::{student_chance, student_t};
use crate::stats::{Deviation, float};

/// The chance at which equal runs may be called different in any of their numbers.
pub(super) const CHANCE: f64 = 0.05;

/// A change of which the result depends on all others.
pub(super) struct Candidate {
    /// The change. Its result is absent until all others are known, where it depends on them.
    pub(super) delta: Delta,
    /// The chance of a change this large where nothing changed; absent where it is not evaluated.
    pub(super) chance: Option<f64>,
    /// The change below which it does not matter.
    min: f64,
}

impl Candidate {
    /// Of a mean change from a baseline: what single runs deviate by, and what share of that variance the mean
    /// change has. Without a degree of freedom it has no interval.
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
        // Nothing changed by 0, even where nothing deviates.
        let chance = student_chance(deviation.freedom, change / error.max(f64::MIN_POSITIVE));
        let result = DeltaResult::NoClearDifference;
        let delta = Delta { change, ratio, interval, result, reason: None };
        Self { delta, chance: Some(chance), min }
    }

    /// The change with its result, next to all others: certain where its chance is at most `most`.
    pub(super) fn called(self, metric: &Metric, most: f64, is_incomparable: bool) -> Delta {
        let Self { delta, chance, min } = self;
        if is_incomparable {
            let (result, reason) = (DeltaResult::NotEvaluated, Some(Reason::SettingsDiffer));
            return Delta { result, reason, ..delta };
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

/// The largest chance of a number of which its difference is certain, next to those of all others: where all
/// are equal, one is called different in 5 of 100 cases (Simes 1986), and else 5% of what is called different
/// is equal (Benjamini and Hochberg 1995). Sharing the 5% evenly would need 13 standard errors of three
/// pairs, although a delay changes several numbers at once.
pub(super) fn max_chance(chances: &[Option<f64>]) -> f64 {
    let mut rising: Vec<f64> = chances.iter().copied().flatten().collect();
    rising.sort_unstable_by(f64::total_cmp);
    let count = float(rising.len());
    let fits = |(chance, rank): &(f64, usize)| *chance <= CHANCE * float(*rank) / count;
    rising.into_iter().zip(1..).filter(fits).map(|(chance, _)| chance).fold(0.0, f64::max)
}

/// Student's t of a 95% interval.
pub(super) fn t(freedom: usize) -> f64 {
    student_t(freedom, 0.95)
}

/// The mean of values, and their standard deviation with n − 1, which is 0 for a single value.
pub(super) fn mean_and_std_dev(values: &[f64]) -> (f64, f64) {
    let count = float(values.len().max(1));
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}
