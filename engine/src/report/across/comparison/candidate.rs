//! A change of one of many metrics, before its outcome is decided: the interval depends on the changes of all other
//! metrics.

use super::Metric;
use super::item::Item;
use super::judge::{Delta, Reason, Scale};
use crate::report::model::metric::MetricKind;
use crate::stats::binomial::two_sided_chance;
use crate::stats::effect::{Method, holm_levels};
use crate::stats::{Estimated, Outcome, float};

/// A change whose interval depends on the changes of all other metrics.
pub(super) struct Candidate {
    metric: Metric,
    values: [f64; 2],
    minimum: f64,
    /// The estimate, or why there is none.
    estimated: Result<Estimated, (Outcome, Reason)>,
    /// Whether the blocks within the runs alone would show a change.
    is_clear_within: bool,
}

impl Candidate {
    /// Returns the candidate for the change of a metric between two values, which an estimate replaces.
    pub(super) fn of(
        metric: &Metric,
        values: [f64; 2],
        scale: &Scale,
        estimated: Result<Estimated, Reason>,
    ) -> Self {
        let estimated = if metric.statistic.has_interval() {
            estimated.map_err(|reason| match reason {
                Reason::SettingsDiffer => (Outcome::NotEvaluated, reason),
                _ => (Outcome::NotEnoughData, reason),
            })
        } else {
            Err((Outcome::NotEvaluated, Reason::Maximum))
        };
        let values = estimated.as_ref().map_or(values, |estimated| estimated.values);
        let minimum = scale.min_effect(metric, values[0]);
        Self { metric: *metric, values, minimum, estimated, is_clear_within: false }
    }

    /// Returns the candidate with whether the blocks within the runs alone would show a change.
    pub(super) const fn clear_within(mut self, is_clear_within: bool) -> Self {
        self.is_clear_within = is_clear_within;
        self
    }

    /// Returns the compared values: of groups and pairs, their means.
    pub(super) const fn values(&self) -> [f64; 2] {
        self.values
    }

    /// Raises the probability of a share of rare events to that of the events, as counted in all runs of both sides:
    /// runs without variation do not make a single event significant.
    pub(super) fn count(&mut self, [a, b]: [&[Item<'_>]; 2]) {
        let of = |items: &[Item<'_>]| {
            items.iter().try_fold((0, 0), |(events, slots), item| {
                let (more_events, more_slots) = self.metric.count_of(item.row()?)?;
                Some((events + more_events, slots + more_slots))
            })
        };
        let counts = of(a).zip(of(b));
        if let (Ok(estimated), Some((a, b))) = (&mut self.estimated, counts) {
            let [a, b] = [a, b].map(|(events, slots)| (float(events), float(slots)));
            estimated.at_least(two_sided_chance(a, b));
        }
    }

    /// Returns the change with its outcome, with the interval of this level.
    fn decided(self, level: f64) -> Delta {
        let [a, b] = self.values;
        let estimated = match self.estimated {
            Ok(estimated) => estimated,
            Err((result, reason)) => {
                return Delta::without_interval(a, b - a, self.minimum, result, Some(reason));
            }
        };
        let mut effect = estimated.effect(level, self.minimum);
        if self.metric.kind() == MetricKind::Share {
            // Two shares differ by at most 100 percentage points.
            effect.interval = effect.interval.map(|(low, high)| (low.max(-1.0), high.min(1.0)));
        }
        let mut delta = Delta::of_effect(effect, a, &self.metric);
        let is_unknown = matches!(effect.method, Method::Assumed(_)) && self.is_clear_within;
        if is_unknown && delta.reason == Some(Reason::IntervalIncludesZero) {
            delta.reason = Some(Reason::VariationUnknown);
        }
        delta
    }
}

/// Decides all changes of a comparison together.
pub(super) fn decided(candidates: Vec<Option<Candidate>>) -> Vec<Option<Delta>> {
    let probability =
        |candidate: &Candidate| Some(candidate.estimated.as_ref().ok()?.probability());
    let probabilities: Vec<f64> = candidates.iter().flatten().filter_map(probability).collect();
    let mut levels = holm_levels(&probabilities).into_iter();
    let mut decide = |candidate: Candidate| {
        let level = candidate.estimated.as_ref().ok().and_then(|_| levels.next());
        candidate.decided(level.unwrap_or(1.0))
    };
    candidates.into_iter().map(|candidate| candidate.map(&mut decide)).collect()
}

/// Returns the mean and the standard deviation of values. The sum of squares is divided by n − 1; the deviation of a
/// single value is 0.
pub(super) fn mean_and_std_dev(values: &[f64]) -> (f64, f64) {
    let count = float(values.len().max(1));
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;
    use crate::report::across::comparison::judge::MinEffect;
    use crate::stats::blocks::Interval;

    #[test]
    fn two_shares_differ_by_at_most_all() {
        let scale = Scale {
            period: Nanos::ZERO,
            clock_step: Nanos::ZERO,
            is_variation_known: true,
            minimum: MinEffect::default(),
        };
        let interval = Interval { low: -1.05, high: -0.85, error: 0.05 };
        let estimated = Estimated::of_singles([0.97, 0.02], interval, None, false);
        let interval = |metric: &Metric| {
            let candidate = Candidate::of(metric, [0.97, 0.02], &scale, Ok(estimated.clone()));
            candidate.decided(0.05).effect.interval.unwrap()
        };
        let (low, high) = interval(&Metric::MISSED);
        assert!((low + 1.0).abs() < 1e-12 && (-0.86..-0.84).contains(&high), "{low} {high}");
        let (low, _) = interval(&Metric::MEAN);
        assert!(low < -1.04, "{low}");
    }
}
