//! The difference of a metric from the baseline, what decides its outcome, and the outcome over all metrics of a run.

use crate::nanos::Nanos;
use crate::report::model::metric::{Metric, MetricKind};
use crate::report::model::table::Quantity;
use crate::stats::{Effect, Outcome};

/// A change of a time of scheduling does not matter below this share of the target frame time.
const MIN_SHARE_OF_PERIOD: f64 = 1.0 / 20_000.0;
/// The same, if the run-to-run variation is not known.
const UNKNOWN_SHARE_OF_PERIOD: f64 = 0.005;

/// The smallest changes that matter, where they are set; otherwise by the kind of metric.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MinEffect {
    /// For times, rates, and counts: as a share of the baseline.
    pub share: Option<f64>,
    /// For shares: the difference of the shares; 0.01 is 1 percentage point.
    pub points: Option<f64>,
}

impl MinEffect {
    /// Returns the smallest change of metrics of a kind that matters: a share of the baseline, or of a share a difference
    /// of shares.
    pub fn of(self, kind: MetricKind) -> f64 {
        let given = if kind == MetricKind::Share { self.points } else { self.share };
        given.unwrap_or_else(|| kind.min_effect())
    }
}

/// Why a difference is neither better nor worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The run-to-run variation is unknown, and may be as large as this difference.
    VariationUnknown,
    /// The difference is below the minimum effect.
    TooSmall,
    /// The interval of the difference includes 0.
    IntervalIncludesZero,
    /// Something disturbed a single run: the variation of undisturbed runs does not apply to it.
    Disturbed,
    /// Something disturbed at least half of the runs of a group that was measured before or after the other one: nothing shows how much
    /// what disturbed them differs between the sessions.
    DisturbedSession,
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
            Self::VariationUnknown => (
                "variation-unknown",
                "Run-to-run variation is not known: two runs with the same settings may differ by as much.",
            ),
            Self::TooSmall => ("too-small", "The change is below the minimum effect."),
            Self::IntervalIncludesZero => {
                ("interval-includes-0", "The 95% confidence interval includes 0.")
            }
            Self::Disturbed => (
                "disturbed",
                "A run was disturbed, so its run-to-run variation is not known: repeat it while the PC is quiet, or compare groups of 3 or more runs, which show theirs.",
            ),
            Self::DisturbedSession => (
                "disturbed-session",
                "Something disturbed the groups, which were measured one after the other, so nothing shows how much it differed: measure them interleaved, or while the PC is quiet.",
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
pub enum Overall {
    /// The outcome of the metrics with the most certain changes; the other metrics show no change.
    Of(Outcome),
    /// Better in some metrics, worse in others.
    Mixed,
    /// Not compared with the baseline.
    NotComparable,
}

impl Overall {
    /// Returns the key in JSON, the words in a table, and the predicate after the letter of the run.
    pub fn words(self) -> [&'static str; 3] {
        match self {
            Self::Of(outcome) => {
                let words = outcome.words();
                [words.key, words.word, words.predicate]
            }
            Self::Mixed => {
                ["mixed", "Partly better", "is better in some metrics and worse in others"]
            }
            Self::NotComparable => ["not-comparable", "Not comparable", "cannot be compared"],
        }
    }

    /// Whether any metric is certain to have changed.
    pub const fn is_certain(self) -> bool {
        match self {
            Self::Of(outcome) => outcome.is_certain(),
            Self::Mixed => true,
            Self::NotComparable => false,
        }
    }

    /// Returns the outcome of several differences. Differences without an interval count only if none has one.
    pub(super) fn of(deltas: &[Delta]) -> Self {
        let has_any = deltas.iter().any(|delta| delta.effect.interval.is_some());
        let counted = deltas.iter().filter(|delta| !has_any || delta.effect.interval.is_some());
        Self::joined(counted.map(|delta| Self::Of(delta.result)))
    }

    /// Combines several outcomes into one.
    pub fn joined(outcomes: impl Iterator<Item = Self>) -> Self {
        let all: Vec<Self> = outcomes.collect();
        let any = |wanted| all.contains(&Self::Of(wanted));
        let improves = any(Outcome::Better) || any(Outcome::SlightlyBetter);
        let declines = any(Outcome::Worse) || any(Outcome::SlightlyWorse);
        if all.contains(&Self::Mixed) || (improves && declines) {
            return Self::Mixed;
        }
        [
            Outcome::Better,
            Outcome::Worse,
            Outcome::SlightlyBetter,
            Outcome::SlightlyWorse,
            Outcome::NoClearDifference,
            Outcome::Same,
            Outcome::NotEnoughData,
        ]
        .into_iter()
        .find(|&outcome| any(outcome))
        .map_or(Self::NotComparable, Self::Of)
    }
}

/// The difference of a metric from the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delta {
    /// The difference with its interval, in the metric's unit; positive if the run's value is larger than the baseline's.
    pub effect: Effect,
    /// The change as a share of the baseline's value; `None` if that value is 0.
    pub ratio: Option<f64>,
    /// The outcome.
    pub result: Outcome,
    /// Why the outcome is neither better nor worse; `None` if it is better or worse.
    pub reason: Option<Reason>,
}

impl Delta {
    /// Creates a difference from `baseline` without an interval.
    pub fn without_interval(
        baseline: f64,
        difference: f64,
        minimum: f64,
        result: Outcome,
        reason: Option<Reason>,
    ) -> Self {
        let ratio = (baseline != 0.0).then(|| difference / baseline.abs());
        Self { effect: Effect::without_interval(difference, minimum), ratio, result, reason }
    }

    /// Creates the difference of an effect from a baseline of this value.
    pub(in crate::report::across) fn of_effect(
        effect: Effect,
        baseline: f64,
        metric: &Metric,
    ) -> Self {
        let result = effect.outcome(metric.is_better(effect.difference));
        let reason = match result {
            Outcome::Better | Outcome::Worse => None,
            Outcome::SlightlyBetter | Outcome::SlightlyWorse | Outcome::Same => {
                Some(Reason::TooSmall)
            }
            _ => Some(Reason::IntervalIncludesZero),
        };
        let ratio = (baseline != 0.0).then(|| effect.difference / baseline.abs());
        Self { effect, ratio, result, reason }
    }

    /// Returns the interval as shares of the baseline's value; `None` without an interval, or if that value is 0.
    pub fn relative_interval(&self) -> Option<(f64, f64)> {
        let (low, high) = self.effect.interval?;
        let ratio = self.ratio.filter(|_| self.effect.difference != 0.0)?;
        let baseline = (self.effect.difference / ratio).abs();
        Some((low / baseline, high / baseline))
    }
}

/// What decides how large a change must be to matter; the same for all metrics of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The length of a frame; 0 if it is not known.
    pub(super) period: Nanos,
    /// The coarsest clock resolution of the runs.
    pub(super) clock_step: Nanos,
    /// Whether the run-to-run variation is known.
    pub(super) is_variation_known: bool,
    /// The minimum effect that is set.
    pub(super) minimum: MinEffect,
}

impl Scale {
    /// Returns the minimum effect of a metric with this value in the baseline, in the metric's unit.
    pub(super) fn min_effect(&self, metric: &Metric, baseline: f64) -> f64 {
        let kind = metric.kind();
        let share = self.minimum.of(kind);
        match kind {
            MetricKind::Share => share,
            MetricKind::Frames => baseline.abs() * share,
            MetricKind::Scheduling | MetricKind::Other => {
                let floor = match (self.minimum.share, self.is_variation_known) {
                    (Some(_), _) => 0.0,
                    (None, true) => MIN_SHARE_OF_PERIOD,
                    (None, false) => UNKNOWN_SHARE_OF_PERIOD,
                };
                let step = self.clock_step(metric);
                (baseline.abs() * share).max(self.period.as_f64() * floor).max(step)
            }
        }
    }

    /// Returns the clock resolution in the metric's unit; 0 for a metric that is no time.
    pub(super) fn clock_step(&self, metric: &Metric) -> f64 {
        if metric.unit == Quantity::Time { self.clock_step.as_f64() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{
        Better, NoClearDifference, NotEvaluated, Same, SlightlyBetter, SlightlyWorse, Worse,
    };

    #[test]
    fn minimum_effect_follows_from_the_kind_of_metric() {
        let scale = |is_variation_known, share| Scale {
            period: Nanos::from_millis(16),
            clock_step: Nanos::new(20),
            is_variation_known,
            minimum: MinEffect { share, points: None },
        };
        let average = Metric::FRAMES[0];
        let frame_p99 = Metric::FRAMES[6];
        for (metric, baseline, is_known, share, expected) in [
            (Metric::P99, 50e3, true, None, 5e3),
            (Metric::P99, 5e3, true, None, 800.0),
            (Metric::P99, 50e3, false, None, 80e3),
            (Metric::P99, 50e3, false, Some(0.02), 1e3),
            (Metric::P99, 10.0, true, Some(0.02), 20.0),
            (average, 60.0, false, None, 0.6),
            (frame_p99, 16e6, false, None, 160e3),
            (Metric::LOW_1, 60.0, true, Some(0.02), 1.2),
            (Metric::MISSED, 0.0, true, None, 0.01),
            (Metric::MISSED, 0.0, true, Some(0.02), 0.01),
        ] {
            let found = scale(is_known, share).min_effect(&metric, baseline);
            assert!((found - expected).abs() < 1e-9 * expected, "{metric:?} {baseline}: {found}");
        }
    }

    #[test]
    fn outcomes_join() {
        for (results, expected) in [
            (vec![Same, Better, NotEvaluated], Overall::Of(Better)),
            (vec![Worse, NoClearDifference], Overall::Of(Worse)),
            (vec![SlightlyWorse, Worse], Overall::Of(Worse)),
            (vec![SlightlyWorse, Same], Overall::Of(SlightlyWorse)),
            (vec![Worse, Better], Overall::Mixed),
            (vec![SlightlyWorse, SlightlyBetter], Overall::Mixed),
            (vec![Same, NotEvaluated], Overall::Of(Same)),
            (vec![Same, NoClearDifference], Overall::Of(NoClearDifference)),
            (vec![NotEvaluated], Overall::NotComparable),
        ] {
            let delta = |result| {
                let mut delta = Delta::without_interval(1.0, 1.0, 0.1, result, None);
                delta.effect.interval = (result != NotEvaluated).then_some((0.0, 1.0));
                delta
            };
            let mut deltas: Vec<Delta> = results.into_iter().map(delta).collect();
            assert_eq!(Overall::of(&deltas), expected);
            // A difference with too few samples does not count if any other difference has an interval.
            deltas.push(Delta::without_interval(1.0, 1.0, 0.1, Outcome::NotEnoughData, None));
            let without = expected == Overall::NotComparable;
            let few = Overall::Of(Outcome::NotEnoughData);
            assert_eq!(Overall::of(&deltas), if without { few } else { expected });
        }
    }

    #[test]
    fn interval_is_relative_to_the_baseline() {
        let mut delta = Delta::without_interval(-50.0, 10.0, 1.0, Worse, None);
        delta.effect.interval = Some((5.0, 15.0));
        let (low, high) = delta.relative_interval().unwrap();
        assert!((low - 0.1).abs() < 1e-12 && (high - 0.3).abs() < 1e-12, "{low} {high}");
    }
}
