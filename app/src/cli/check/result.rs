//! The result of each limit (met, exceeded, or undecided), as a sentence and as a row of a table.

use jitterscope_engine::export::document::Grid;
use jitterscope_engine::report::comparison::{ValuesByLabel, noise_of};
use jitterscope_engine::stats::decision::{Decision, Estimate};
use jitterscope_engine::units::count_text;

use super::prepare::{Allowed, Limit, Test};
use crate::cli::compare::gate::Limit as Size;
use crate::text::compare::value;
use crate::text::{MINUS, MISSING};

/// Definition of the noise floor, printed below the results.
pub(super) const NOISE: &str = "Noise floor: two runs with the same settings differ by less 95% of \
                                the time. The intervals hold for all looks at the repeats together.";

/// A limit with the result of the repeats.
#[derive(Debug)]
pub(super) struct LimitResult<'a> {
    pub(super) test: &'a Test,
    pub(super) limit: &'a Limit,
    pub(super) decision: Decision,
    /// The metric, or its change from the baseline, with a confidence interval.
    estimate: Option<Estimate>,
    /// The mean of the baseline runs, for a limit relative to the baseline.
    baseline: Option<f64>,
    /// The noise floor: in 95% of cases, two runs with the same settings differ by less than this
    /// value.
    noise: Option<f64>,
    count: usize,
    /// Why there is no estimate; empty if there is one.
    reason: String,
    /// Whether the result is undecided because a run was disturbed.
    is_disturbed: bool,
}

/// Returns the result of each limit of a test after these repeats.
pub(super) fn results<'a>(test: &'a Test, repeats: &[ValuesByLabel]) -> Vec<LimitResult<'a>> {
    test.limits.iter().map(|limit| LimitResult::of(test, limit, repeats)).collect()
}

/// Returns the value of a limit's metric in each run that has this metric.
fn values(runs: &[ValuesByLabel], limit: &Limit) -> Vec<f64> {
    let of = |run: &ValuesByLabel| run.get(&limit.configuration)?.get(limit.metric.key).copied();
    runs.iter().filter_map(of).collect()
}

impl<'a> LimitResult<'a> {
    fn of(test: &'a Test, limit: &'a Limit, repeats: &[ValuesByLabel]) -> Self {
        let found = values(repeats, limit);
        let is_relative = matches!(limit.allowed, Allowed::Increase(_) | Allowed::Decrease(_));
        let baseline = if is_relative { values(&test.baseline, limit) } else { Vec::new() };
        let reason = if found.len() < repeats.len() {
            format!(
                "{} of {} runs have too few samples",
                repeats.len() - found.len(),
                repeats.len()
            )
        } else if is_relative && baseline.len() < test.baseline.len() {
            "a baseline run has too few samples".to_owned()
        } else if found.len() < 3 {
            format!("at least 3 runs are needed, {} measured", found.len())
        } else {
            String::new()
        };
        let usable = |weight| Estimate::of(&found, &baseline, weight).filter(|_| reason.is_empty());
        let mean = mean(&baseline);
        let decision = decide(limit.allowed, mean, &usable)
            .unwrap_or_else(|| without_interval(limit.allowed, &found, mean));
        Self {
            test,
            limit,
            decision,
            estimate: usable(1.0),
            baseline: mean,
            noise: noise_of(&found),
            count: found.len(),
            reason,
            is_disturbed: false,
        }
    }

    /// Makes the result undecided because a run was disturbed and could not be repeated undisturbed.
    pub(super) fn undecide(&mut self) {
        (self.decision, self.is_disturbed) = (Decision::Undecided, true);
    }

    /// Returns the result of the limit as one sentence.
    pub(super) fn sentence(&self) -> String {
        let [value, interval] = self.estimated();
        let is = match self.decision {
            Decision::Met => "met",
            Decision::Broken => "exceeded",
            Decision::Undecided => "undecided",
        };
        let metric = self.limit.metric.title;
        let mut text = format!("{} {is}: {metric} ", self.limit.text);
        text.push_str(&match (self.estimate, self.baseline) {
            (None, _) => format!("has no interval, {}", self.reason),
            (Some(_), None) => format!("is {value}, 95% interval {interval}"),
            (Some(_), Some(of)) => format!(
                "changed by {value}, 95% interval {interval}, from {} of the baseline",
                crate::text::compare::value(&self.limit.metric, of)
            ),
        });
        let noise = self.noise.map(|noise| value_of(self.limit, noise));
        if self.is_disturbed {
            text.push_str("; a run was disturbed");
        }
        text.push_str(&format!("; noise floor {}", noise.as_deref().unwrap_or("not known")));
        text + "; " + &count_text(self.count, "runs")
    }

    /// Returns the estimate and its 95% interval as two texts. A change from the baseline has a
    /// sign.
    fn estimated(&self) -> [String; 2] {
        let Some(Estimate { mean, low, high }) = self.estimate else {
            return [MISSING, MISSING].map(str::to_owned);
        };
        let text = |one: f64| match self.baseline {
            Some(_) => {
                let sign = if one < 0.0 { MINUS } else { '+' };
                format!("{sign}{}", value_of(self.limit, one.abs()))
            }
            None => value_of(self.limit, one),
        };
        [text(mean), format!("{} to {}", text(low), text(high))]
    }
}

/// Returns the mean, or `None` without values.
fn mean(values: &[f64]) -> Option<f64> {
    let (sum, count) = values.iter().fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
    (0.0 < count).then(|| sum / count)
}

fn value_of(limit: &Limit, of: f64) -> String {
    value(&limit.metric, of)
}

/// Decides whether a limit is met, or returns `None` without an estimate. `baseline` is the mean of
/// the baseline runs. `less(x)` returns the estimate of the repeats minus `x` times the baseline.
fn decide(
    allowed: Allowed,
    baseline: Option<f64>,
    less: &dyn Fn(f64) -> Option<Estimate>,
) -> Option<Decision> {
    let sign = baseline.unwrap_or(0.0).signum();
    Some(match allowed {
        Allowed::Max(limit) => less(0.0)?.is_at_most(limit),
        Allowed::Min(limit) => less(0.0)?.is_at_least(limit),
        Allowed::Increase(Size::Change(change)) => less(1.0)?.is_at_most(change),
        Allowed::Increase(Size::Ratio(ratio)) => less(1.0 + ratio * sign)?.is_at_most(0.0),
        Allowed::Decrease(Size::Change(change)) => less(1.0)?.is_at_least(-change),
        Allowed::Decrease(Size::Ratio(ratio)) => less(1.0 - ratio * sign)?.is_at_least(0.0),
    })
}

/// Decides a limit by the mean of values that have no interval: met where it is within the limit, else undecided.
fn without_interval(allowed: Allowed, found: &[f64], baseline: Option<f64>) -> Decision {
    let Some(mean) = mean(found) else { return Decision::Undecided };
    let less = |weight: f64| {
        let mean = mean - weight * baseline.unwrap_or_default();
        Some(Estimate { mean, low: mean, high: mean })
    };
    let is_relative = matches!(allowed, Allowed::Increase(_) | Allowed::Decrease(_));
    let decision = decide(allowed, baseline, &less).filter(|_| !is_relative || baseline.is_some());
    Decision::without_interval(decision == Some(Decision::Met))
}

/// Combines the decisions of several limits: exceeded if any limit is exceeded; otherwise undecided
/// if any limit is undecided.
pub(super) fn joined<'a>(results: impl Iterator<Item = &'a LimitResult<'a>>) -> Decision {
    let all: Vec<Decision> = results.map(|one| one.decision).collect();
    if all.contains(&Decision::Broken) {
        Decision::Broken
    } else if all.contains(&Decision::Undecided) || all.is_empty() {
        Decision::Undecided
    } else {
        Decision::Met
    }
}

/// Returns the sentence for the combined decision of all limits.
pub(super) const fn sentence(decision: Decision) -> &'static str {
    match decision {
        Decision::Met => "All limits are met.",
        Decision::Broken => "At least one limit is exceeded.",
        Decision::Undecided => "At least one limit is undecided.",
    }
}

/// Returns the table of all results, one row per limit.
pub(super) fn grid<'a>(results: impl Iterator<Item = &'a LimitResult<'a>>) -> Grid {
    let header = [
        "Test",
        "Configuration",
        "Metric",
        "Limit",
        "Result",
        "Value",
        "95% interval",
        "Baseline",
        "Noise floor",
        "Runs",
    ];
    let row = |one: &LimitResult<'_>| {
        let [value, interval] = one.estimated();
        let known =
            |of: Option<f64>| of.map_or_else(|| MISSING.to_owned(), |of| value_of(one.limit, of));
        let decision = match one.decision {
            Decision::Met => "Met",
            Decision::Broken => "Exceeded",
            Decision::Undecided => "Undecided",
        };
        vec![
            one.test.name.clone(),
            one.limit.configuration.clone(),
            one.limit.metric.title.to_owned(),
            one.limit.text.clone(),
            decision.to_owned(),
            value,
            interval,
            known(one.baseline),
            known(one.noise),
            one.count.to_string(),
        ]
    };
    Grid {
        is_right: (0..header.len()).map(|at| 4 < at).collect(),
        header: header.map(str::to_owned).to_vec(),
        rows: results.map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jitterscope_engine::plan::{FrameLoop, Plan};
    use jitterscope_engine::report::Metric;

    use super::*;

    fn run(p99: f64) -> ValuesByLabel {
        BTreeMap::from([("a".to_owned(), BTreeMap::from([("p99".to_owned(), p99)]))])
    }

    fn decision(allowed: Allowed, baseline: &[f64], repeats: &[f64]) -> (Decision, String) {
        let limit = Limit {
            configuration: "a".to_owned(),
            metric: Metric::P99,
            allowed,
            text: "max".to_owned(),
        };
        let test = Test {
            name: "test".to_owned(),
            plan: Plan::FrameLoop(FrameLoop::default()),
            limits: vec![limit],
            baseline: baseline.iter().map(|value| run(*value)).collect(),
        };
        let repeats: Vec<ValuesByLabel> = repeats.iter().map(|value| run(*value)).collect();
        let found = results(&test, &repeats);
        (found[0].decision, found[0].sentence())
    }

    #[test]
    fn limits_are_decided_by_the_interval() {
        let around = [99e3, 100e3, 101e3];
        let (met, broken) = (Decision::Met, Decision::Broken);
        for (allowed, baseline, expected) in [
            (Allowed::Max(200e3), [].as_slice(), met),
            (Allowed::Max(50e3), &[], broken),
            (Allowed::Max(100.5e3), &[], Decision::Undecided),
            (Allowed::Min(50e3), &[], met),
            (Allowed::Min(200e3), &[], broken),
            (Allowed::Increase(Size::Ratio(0.2)), &[100e3], met),
            (Allowed::Increase(Size::Ratio(0.2)), &[50e3], broken),
            (Allowed::Increase(Size::Change(20e3)), &[95e3], met),
            (Allowed::Increase(Size::Change(20e3)), &[50e3, 51e3], broken),
            (Allowed::Decrease(Size::Ratio(0.2)), &[100e3], met),
            (Allowed::Decrease(Size::Ratio(0.2)), &[200e3], broken),
            (Allowed::Decrease(Size::Change(20e3)), &[160e3], broken),
            (Allowed::Increase(Size::Ratio(0.0)), &[100e3], Decision::Undecided),
        ] {
            let (found, sentence) = decision(allowed, baseline, &around);
            assert_eq!(found, expected, "{allowed:?} {baseline:?}: {sentence}");
            assert!(
                sentence.contains("noise floor ") && sentence.ends_with("3 runs"),
                "{sentence}"
            );
        }
    }

    #[test]
    fn limits_without_an_interval_are_met_or_undecided() {
        let (found, sentence) = decision(Allowed::Max(1e9), &[], &[1.0, 2.0]);
        assert_eq!(found, Decision::Met);
        assert!(sentence.contains("at least 3 runs are needed, 2 measured;"), "{sentence}");
        let (found, sentence) = decision(Allowed::Max(0.5), &[], &[1.0]);
        assert_eq!(found, Decision::Undecided);
        assert!(sentence.ends_with("; 1 run"), "{sentence}");
        assert_eq!(
            decision(Allowed::Increase(Size::Ratio(0.2)), &[], &[1.0]).0,
            Decision::Undecided
        );
        assert_eq!(decision(Allowed::Increase(Size::Ratio(0.2)), &[2.0], &[1.0]).0, Decision::Met);
        assert_eq!(decision(Allowed::Max(0.5), &[], &[]).0, Decision::Undecided);
    }

    #[test]
    fn a_disturbed_run_makes_every_limit_undecided() {
        for (max, expected) in [(200e3, Decision::Met), (50e3, Decision::Broken)] {
            let limit = Limit {
                configuration: "a".to_owned(),
                metric: Metric::P99,
                allowed: Allowed::Max(max),
                text: "max".to_owned(),
            };
            let test = Test {
                name: "test".to_owned(),
                plan: Plan::FrameLoop(FrameLoop::default()),
                limits: vec![limit],
                baseline: Vec::new(),
            };
            let repeats = [99e3, 100e3, 101e3].map(run);
            let mut found = results(&test, &repeats);
            assert_eq!(found[0].decision, expected);
            found[0].undecide();
            assert_eq!(found[0].decision, Decision::Undecided);
            assert!(found[0].sentence().contains("undecided: p99 is"), "{}", found[0].sentence());
            assert!(found[0].sentence().contains("a run was disturbed;"));
        }
    }
}
