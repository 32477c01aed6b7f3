//! Decides whether a difference is better, worse, or neither.
//!
//! A difference is called better or worse if all of these rules hold:
//! 1. Its 95% interval excludes 0.
//! 2. It is larger than the multiple of its bootstrap standard error that chance exceeds in 2% of
//!    comparisons. The 2% are divided among all compared differences by Bonferroni's correction.
//!    Without this rule, one of ten metrics of two equal runs would be called different in every
//!    second comparison.
//! 3. It is larger than the run-to-run variation (at 5%, divided in the same way).
//! 4. It is large enough to matter.
//!
//! The interval covers only the variation within the runs, and not how a machine differs from one
//! run to the next. If the run-to-run variation is not known, a difference must be larger to matter,
//! and the outcome is only that the runs differ.

use super::Interval;
use crate::nanos::Nanos;
use crate::report::model::metric::Metric;
use crate::report::model::table::Quantity;
use crate::stats::{Quantile, Statistic};

/// A change of a time does not matter below this share of the baseline's value.
const MIN_SHARE: f64 = 0.10;
/// A change of a time does not matter below this share of the period of the frames.
const MIN_SHARE_OF_PERIOD: f64 = 1.0 / 20_000.0;
/// A change of a share of samples, such as missed frames, does not matter below this difference.
const MIN_RATE: f64 = 0.000_5;
/// A change of the share of samples above the baseline's p99 does not matter below this difference.
const MIN_BEYOND: f64 = 0.005;
/// A change of frames per second does not matter below this share of the baseline.
const MIN_SHARE_OF_FPS: f64 = 0.005;
/// If the run-to-run variation is not known, a change does not matter below this share of a frame,
/// or of the frames per second.
const UNKNOWN_SHARE_OF_FRAME: f64 = 0.005;
/// If the run-to-run variation is not known, a change of a share of samples does not matter below
/// this difference.
const UNKNOWN_RATE: f64 = 0.005;
/// Max probability that equal runs are called different in any of their metrics. It covers only the
/// variation within each run, and two runs of one machine differ by more than that. Therefore it is 2%,
/// to stay below the promised 10% in practice.
const CHANCE: f64 = 0.02;

/// The result of evaluating a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeltaResult {
    /// Better than the baseline.
    Better,
    /// Worse than the baseline.
    Worse,
    /// Equal, or so close that it does not matter.
    Same,
    /// The interval shows neither a change that matters nor that the values are equal.
    NoClearDifference,
    /// There is no interval: more samples or runs are needed.
    NotEnoughData,
    /// The metric is not compared with the baseline.
    NotEvaluated,
}

impl DeltaResult {
    /// Returns the word on screen. In lower case and with hyphens, it is the key in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Better => "Better",
            Self::Worse => "Worse",
            Self::Same => "Same",
            Self::NoClearDifference => "No clear difference",
            Self::NotEnoughData => "Not enough data",
            Self::NotEvaluated => "Not evaluated",
        }
    }
}

/// Why a difference is neither better nor worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The difference is within the run-to-run variation.
    WithinVariation,
    /// The run-to-run variation is unknown, and may be as large as this difference.
    VariationUnknown,
    /// The difference is too small to matter: for a time, below 10% of the baseline.
    TooSmall,
    /// The interval of the difference includes 0.
    IntervalIncludesZero,
    /// Among this many metrics, chance alone can cause a difference this large in one of them.
    OneOfMany,
    /// The run that has fewer samples needs this many more for an interval.
    TooFewSamples(usize),
    /// The group that has fewer runs needs this many more.
    TooFewRuns(usize),
    /// A maximum has no interval and grows with the length of a run.
    Maximum,
    /// The settings differ, so the numbers do not mean the same.
    SettingsDiffer,
}

impl Reason {
    /// Returns the key in JSON, and the sentence on screen.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::WithinVariation => {
                ("within-variation", "The change is within run-to-run variation.")
            }
            Self::VariationUnknown => (
                "variation-unknown",
                "Run-to-run variation is unknown: two runs with the same settings may differ by as much.",
            ),
            Self::TooSmall => {
                ("too-small", "The change is too small to matter: smaller than 10% of A's value.")
            }
            Self::IntervalIncludesZero => {
                ("interval-includes-0", "The 95% confidence interval includes 0.")
            }
            Self::OneOfMany => (
                "multiple-comparisons",
                "The change is not statistically significant after correcting for multiple comparisons.",
            ),
            Self::TooFewSamples(_) => ("too-few-samples", "There are too few samples."),
            Self::TooFewRuns(_) => {
                ("too-few-runs", "A group needs at least 2 runs to show its variation.")
            }
            Self::Maximum => {
                ("maximum", "A maximum has no confidence interval and grows with run length.")
            }
            Self::SettingsDiffer => ("settings-differ", "The settings differ."),
        }
    }

    /// Returns how many more samples or runs a result needs; `None` if there are enough.
    pub const fn more_needed(self) -> Option<usize> {
        match self {
            Self::TooFewSamples(more) | Self::TooFewRuns(more) => Some(more),
            _ => None,
        }
    }
}

/// The outcome of a run compared with the baseline, over all its metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Better in some metrics, worse in none.
    Better,
    /// Worse in some metrics, better in none.
    Worse,
    /// Better in some metrics, worse in others.
    Mixed,
    /// Better or worse in some metrics, but the run-to-run variation is not known.
    Differs,
    /// The same in all metrics.
    Same,
    /// Neither better nor worse, and not shown to be the same.
    NoClearDifference,
    /// No metric has an interval.
    NotEnoughData,
    /// Not compared with the baseline.
    NotComparable,
}

impl Outcome {
    /// Returns the key in JSON, the words in a table, and the predicate after the letter of the run.
    pub const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Better => ["better", "better", "is better"],
            Self::Worse => ["worse", "worse", "is worse"],
            Self::Mixed => {
                ["mixed", "partly better", "is better in some metrics and worse in others"]
            }
            Self::Differs => ["differs", "changed, run-to-run variation unknown", "differs"],
            Self::Same => ["same", "same", "is the same"],
            Self::NoClearDifference => {
                ["no-clear-difference", "no clear difference", "shows no clear difference"]
            }
            Self::NotEnoughData => ["not-enough-data", "not enough data", "has not enough data"],
            Self::NotComparable => ["not-comparable", "not comparable", "cannot be compared"],
        }
    }

    /// Returns the outcome of several differences. If any difference has an interval, differences
    /// without an interval count only if they are better or worse.
    pub(super) fn of(deltas: &[Delta]) -> Self {
        let has_any = deltas.iter().any(|delta| delta.interval.is_some());
        let is_clear = |delta: &Delta| {
            matches!(delta.result, DeltaResult::Better | DeltaResult::Worse)
                || delta.interval.is_some()
        };
        let counted = deltas.iter().filter(|delta| !has_any || is_clear(delta));
        Self::joined(counted.filter_map(|delta| match delta.result {
            DeltaResult::Better => Some(Self::Better),
            DeltaResult::Worse => Some(Self::Worse),
            DeltaResult::Same => Some(Self::Same),
            DeltaResult::NoClearDifference => Some(Self::NoClearDifference),
            DeltaResult::NotEnoughData => Some(Self::NotEnoughData),
            DeltaResult::NotEvaluated => None,
        }))
    }

    /// Converts the outcome to the one for an unknown run-to-run variation: better, worse, and mixed
    /// become [`Self::Differs`].
    pub(super) const fn without_variation(self) -> Self {
        match self {
            Self::Better | Self::Worse | Self::Mixed => Self::Differs,
            other => other,
        }
    }

    /// Combines several outcomes into one.
    pub fn joined(outcomes: impl Iterator<Item = Self>) -> Self {
        let all: Vec<Self> = outcomes.collect();
        let any = |outcome| all.contains(&outcome);
        match (any(Self::Better), any(Self::Worse)) {
            _ if any(Self::Differs) => Self::Differs,
            _ if any(Self::Mixed) => Self::Mixed,
            (true, true) => Self::Mixed,
            (true, false) => Self::Better,
            (false, true) => Self::Worse,
            (false, false) if any(Self::NoClearDifference) => Self::NoClearDifference,
            (false, false) if any(Self::Same) => Self::Same,
            (false, false) if any(Self::NotEnoughData) => Self::NotEnoughData,
            (false, false) => Self::NotComparable,
        }
    }
}

/// The difference of a metric from the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delta {
    /// The change, in the metric's unit; positive if the run's value is larger than the baseline's.
    pub change: f64,
    /// The change as a share of the baseline's value; `None` if that value is 0.
    pub ratio: Option<f64>,
    /// The 95% interval of the change; `None` with too few samples, or if the change is not
    /// evaluated.
    pub interval: Option<(f64, f64)>,
    /// The result.
    pub result: DeltaResult,
    /// Why the result is neither better nor worse; `None` if the result is better or worse.
    pub reason: Option<Reason>,
}

/// Parameters of the evaluation that are the same for all metrics of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The length of a frame; 0 if it is not known.
    pub(super) period: Nanos,
    /// The coarsest clock resolution of the runs.
    pub(super) clock_step: Nanos,
    /// The number of standard errors that a change must exceed.
    pub(super) errors: f64,
}

/// Returns the change below which a difference does not matter, in the metric's unit.
pub(super) fn min_relevant_change(metric: &Metric, baseline: f64, scale: &Scale) -> f64 {
    match metric.unit {
        Quantity::Share if metric.statistic == Statistic::AboveBaseline => MIN_BEYOND,
        Quantity::Share => MIN_RATE,
        Quantity::Rate => baseline.abs() * MIN_SHARE_OF_FPS,
        _ => (baseline.abs() * MIN_SHARE)
            .max(scale.clock_step.as_f64())
            .max(scale.period.as_f64() * MIN_SHARE_OF_PERIOD),
    }
}

/// Returns the change below which a difference does not matter if the run-to-run variation is not
/// known, in the metric's unit.
pub(super) fn min_change_of_unknown(metric: &Metric, baseline: f64, scale: &Scale) -> f64 {
    let min = match metric.unit {
        Quantity::Share => UNKNOWN_RATE,
        Quantity::Rate => baseline.abs() * UNKNOWN_SHARE_OF_FRAME,
        _ => scale.period.as_f64() * UNKNOWN_SHARE_OF_FRAME,
    };
    min.max(min_relevant_change(metric, baseline, scale))
}

/// Returns the typical standard deviation of a metric from run to run, in the metric's unit: the
/// smallest change that matters, or half of it for a median.
pub(super) fn typical_variation(metric: &Metric, baseline: f64, scale: &Scale) -> f64 {
    let min = min_relevant_change(metric, baseline, scale);
    match metric.statistic {
        Statistic::Percentile(Quantile::P50) => min / 2.0,
        _ => min,
    }
}

/// Returns the number of standard errors that a change must exceed so that chance is excluded when this
/// many metrics are compared at once.
pub(super) fn errors_for(numbers: usize) -> f64 {
    upper_normal(CHANCE / 2.0 / crate::stats::float(numbers.max(1)))
}

/// Returns the number of standard deviations that a share of the normal distribution exceeds. `share` is
/// below 0.5; the error is at most 0.000 45 (Abramowitz and Stegun 26.2.23).
fn upper_normal(share: f64) -> f64 {
    let t = (-2.0 * share.ln()).sqrt();
    let top = 0.010_328_f64.mul_add(t, 0.802_853).mul_add(t, 2.515_517);
    let bottom = 0.001_308_f64.mul_add(t, 0.189_269).mul_add(t, 1.432_788).mul_add(t, 1.0);
    t - top / bottom
}

/// Compares a value with the value of the baseline. `interval` is the interval of the change, from
/// resampled runs; `missing` is the number of further samples that the interval needs; `noise_limit`
/// is the run-to-run variation, if it is known.
pub(super) fn delta(
    metric: &Metric,
    [baseline, value]: [f64; 2],
    interval: Option<Interval>,
    missing: usize,
    noise_limit: Option<f64>,
    scale: &Scale,
) -> Delta {
    let change = value - baseline;
    let ratio = (baseline != 0.0).then(|| change / baseline.abs());
    let unjudged =
        |result, reason| Delta { change, ratio, interval: None, result, reason: Some(reason) };
    if !metric.statistic.has_interval() {
        return unjudged(DeltaResult::NotEvaluated, Reason::Maximum);
    }
    let Some(Interval { low, high, error }) = interval else {
        return unjudged(DeltaResult::NotEnoughData, Reason::TooFewSamples(missing));
    };
    let min = min_relevant_change(metric, baseline, scale);
    let needed = noise_limit
        .map_or_else(|| min_change_of_unknown(metric, baseline, scale), |limit| limit.max(min));
    let excludes_zero = 0.0 < low || high < 0.0;
    let is_clear = excludes_zero && scale.errors * error < change.abs();
    let unclear = DeltaResult::NoClearDifference;
    let (result, reason) = if is_clear && needed < change.abs() {
        (if metric.is_better(change) { DeltaResult::Better } else { DeltaResult::Worse }, None)
    } else if -min <= low && high <= min {
        (DeltaResult::Same, Some(Reason::TooSmall))
    } else if missing != 0 {
        (DeltaResult::NotEnoughData, Some(Reason::TooFewSamples(missing)))
    } else if !excludes_zero {
        (unclear, Some(Reason::IntervalIncludesZero))
    } else if change.abs() <= min {
        (unclear, Some(Reason::TooSmall))
    } else if noise_limit.is_some_and(|limit| change.abs() <= limit) {
        (unclear, Some(Reason::WithinVariation))
    } else if is_clear {
        (unclear, Some(Reason::VariationUnknown))
    } else {
        (unclear, Some(Reason::OneOfMany))
    };
    let interval = (missing == 0).then_some((low, high));
    Delta { change, ratio, interval, result, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale() -> Scale {
        Scale { period: Nanos::from_millis(16), clock_step: Nanos::new(20), errors: errors_for(9) }
    }

    /// Returns the interval of a change with the standard error `error`.
    fn around(change: f64, error: f64) -> Interval {
        Interval { low: change - 1.96 * error, high: change + 1.96 * error, error }
    }

    #[test]
    fn quantiles_of_the_normal_distribution() {
        for (share, expected) in [(0.025, 1.960), (0.005, 2.576), (0.05 / 18.0, 2.773)] {
            assert!((upper_normal(share) - expected).abs() < 0.002, "{share}");
        }
    }

    #[test]
    fn a_change_is_called_where_it_is_clear_and_large_enough() {
        let none = Some(0.0);
        for (metric, baseline, change, error, noise, expected) in [
            (Metric::P99, 50e3, 200e3, 10e3, none, DeltaResult::Worse),
            (Metric::P99, 50e3, -30e3, 5e3, none, DeltaResult::Better),
            // The interval excludes 0, but chance alone can change one of nine metrics by this much.
            (Metric::P99, 50e3, 12e3, 5e3, none, DeltaResult::NoClearDifference),
            (Metric::P99, 50e3, 1e3, 0.1e3, none, DeltaResult::Same),
            (Metric::P99, 50e3, 0.0, 0.0, none, DeltaResult::Same),
            (Metric::P99, 50e3, 200e3, 200e3, none, DeltaResult::NoClearDifference),
            (Metric::LOW_1, 60.0, -6.0, 0.5, none, DeltaResult::Worse),
            (Metric::LOW_1, 50.0, 6.0, 0.5, none, DeltaResult::Better),
            (Metric::MISSED, 0.0, 0.0, 0.0, none, DeltaResult::Same),
            (Metric::MISSED, 0.0, 0.02, 0.002, none, DeltaResult::Worse),
            (Metric::MAX, 50e3, 900e3, 1.0, none, DeltaResult::NotEvaluated),
            // The run-to-run variation is larger than the change in the first row, and smaller in the second.
            (Metric::P99, 50e3, 200e3, 10e3, Some(210e3), DeltaResult::NoClearDifference),
            (Metric::P99, 50e3, 200e3, 10e3, Some(195e3), DeltaResult::Worse),
            // Without a known run-to-run variation, the limits are 0.5% of a frame of 16 ms (80 µs) and of all frames.
            (Metric::P99, 50e3, 79e3, 1e3, None, DeltaResult::NoClearDifference),
            (Metric::P99, 50e3, 81e3, 1e3, None, DeltaResult::Worse),
            (Metric::MISSED, 0.0, 0.004, 0.000_1, None, DeltaResult::NoClearDifference),
            (Metric::MISSED, 0.0, 0.006, 0.000_1, None, DeltaResult::Worse),
        ] {
            let interval = Some(around(change, error));
            let values = [baseline, baseline + change];
            let found = delta(&metric, values, interval, 0, noise, &scale());
            assert_eq!(found.result, expected, "{metric:?} {change} ± {error}");
            let is_called = matches!(expected, DeltaResult::Better | DeltaResult::Worse);
            assert_eq!(found.reason.is_none(), is_called, "{metric:?} {change} ± {error}");
        }
        assert_eq!(delta(&Metric::LATE, [0.0, 0.1], None, 50, None, &scale()).ratio, None);
    }

    #[test]
    fn a_difference_without_a_result_has_its_reason() {
        let reason = |change: f64, error, missing, noise| {
            let interval = (0.0 < error).then(|| around(change, error));
            let found =
                delta(&Metric::P99, [50e3, 50e3 + change], interval, missing, noise, &scale());
            (found.result, found.reason.unwrap())
        };
        let unclear = DeltaResult::NoClearDifference;
        let few = Reason::TooFewSamples(120);
        assert_eq!(reason(40e3, 0.0, 120, None), (DeltaResult::NotEnoughData, few));
        assert_eq!(reason(40e3, 30e3, 120, None), (DeltaResult::NotEnoughData, few));
        assert_eq!(reason(40e3, 30e3, 0, None), (unclear, Reason::IntervalIncludesZero));
        assert_eq!(reason(4.5e3, 1e3, 0, Some(1e3)), (unclear, Reason::TooSmall));
        assert_eq!(reason(40e3, 1e3, 0, Some(60e3)), (unclear, Reason::WithinVariation));
        assert_eq!(reason(40e3, 1e3, 0, None), (unclear, Reason::VariationUnknown));
        assert_eq!(reason(40e3, 19e3, 0, Some(1e3)), (unclear, Reason::OneOfMany));
    }

    #[test]
    fn outcomes_join() {
        use DeltaResult::{Better, NoClearDifference, NotEvaluated, Same, Worse};
        for (judgements, expected) in [
            (vec![Same, Better, NotEvaluated], Outcome::Better),
            (vec![Worse, NoClearDifference], Outcome::Worse),
            (vec![Worse, Better], Outcome::Mixed),
            (vec![Same, NotEvaluated], Outcome::Same),
            (vec![Same, NoClearDifference], Outcome::NoClearDifference),
            (vec![NotEvaluated], Outcome::NotComparable),
        ] {
            let delta = |result| Delta {
                change: 1.0,
                ratio: None,
                interval: (result != NotEvaluated).then_some((0.0, 1.0)),
                result,
                reason: None,
            };
            let mut deltas: Vec<Delta> = judgements.into_iter().map(delta).collect();
            assert_eq!(Outcome::of(&deltas), expected);
            // A difference with too few samples does not count if any other difference has an interval.
            deltas.push(Delta { interval: None, ..delta(DeltaResult::NotEnoughData) });
            let without = expected == Outcome::NotComparable;
            assert_eq!(
                Outcome::of(&deltas),
                if without { Outcome::NotEnoughData } else { expected }
            );
        }
    }
}
