//! Runs of one setting on one machine, held against each other: how far every number strays by itself,
//! and what two settings come to that were measured in turns.
//!
//! The noise floor of a number is what two single runs of the same setting differ by at most in 95 of 100
//! cases: Student's t times √2 times the standard deviation of the repeats. It is computed from the
//! repeats that are kept as runs, and not kept itself.

use super::figures::{Figure, late_limit, mean_and_std_dev};
use super::item::Item;
use super::judge::{self, Delta, Judgement, Outcome, Scale};
use super::{Comparison, Metric, Options, Report, Run, metrics};
use crate::nanos::Nanos;
use crate::stats::{Statistic, float};

/// Repeats below which no noise floor is told: two say next to nothing of how far a third may stray.
pub const LEAST_REPEATS: usize = 3;

/// Student's t that leaves out 5 of 100 in both tails together, for 1 to 19 degrees of freedom.
const T: [f64; 19] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093,
];
/// The same for many degrees of freedom, on the safe side.
const T_OF_MANY: f64 = 2.086;

/// How far a number strays over repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct Stray {
    /// The configuration.
    pub label: String,
    /// Which number.
    pub metric: Metric,
    /// The smallest of the repeats, in the metric's unit.
    pub least: f64,
    /// The greatest.
    pub most: f64,
    /// What two runs differ by at most in 95 of 100 cases.
    pub noise: f64,
}

/// How far the numbers of one setting stray on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFloor {
    /// How many repeats it is of.
    pub count: usize,
    /// Lateness above which a frame was late; `None` where it is not one and the same in all of them.
    pub late_limit: Option<Nanos>,
    /// Every number of every configuration that all repeats have.
    pub strays: Vec<Stray>,
}

impl NoiseFloor {
    /// Of repeats that were not judged yet; `None` where there are too few.
    pub fn of_runs(repeats: &[Run]) -> Option<Self> {
        let reports: Vec<Report> =
            repeats.iter().map(|run| Report::of(run, &Options::default())).collect();
        let judged: Vec<(&Run, &Report)> = repeats.iter().zip(&reports).collect();
        Self::of(&judged)
    }

    /// Of repeats; `None` where there are too few.
    pub fn of(repeats: &[(&Run, &Report)]) -> Option<Self> {
        let (first, of_first) = repeats.first()?;
        if repeats.len() < LEAST_REPEATS {
            return None;
        }
        let mut strays = Vec::new();
        for label in Item::all(first, of_first).into_iter().map(Item::label) {
            for &metric in metrics(first) {
                let values: Option<Vec<f64>> = repeats
                    .iter()
                    .map(|(run, report)| item(run, report, label)?.value(&metric))
                    .collect();
                let Some(values) = values else { continue };
                let (mean, std_dev) = mean_and_std_dev(&values);
                let noise = t(values.len() - 1) * std::f64::consts::SQRT_2 * std_dev;
                let least = values.iter().copied().fold(mean, f64::min);
                let most = values.iter().copied().fold(mean, f64::max);
                if noise.is_finite() {
                    strays.push(Stray { label: label.to_owned(), metric, least, most, noise });
                }
            }
        }
        let items = repeats.iter().flat_map(|(run, report)| Item::all(run, report));
        Some(Self { count: repeats.len(), late_limit: late_limit(items), strays })
    }

    /// The noise floor of a number of a configuration.
    pub fn noise(&self, label: &str, metric: Metric) -> Option<f64> {
        let found = self.strays.iter().find(|one| one.label == label && one.metric == metric);
        found.map(|stray| stray.noise)
    }
}

/// Whether a run was measured with the same settings, by the same method, on the same machine as another.
pub fn is_repeat(run: &Run, of: &Run) -> bool {
    let (a, b) = (&run.machine, &of.machine);
    run.plan().is_some()
        && run.plan() == of.plan()
        && run.method_version == of.method_version
        && run.health.debug_build == of.health.debug_build
        && run.ending == crate::run::Ending::Finished
        && a.cpu_model == b.cpu_model
        && a.cpus.len() == b.cpus.len()
        && a.kernel == b.kernel
        && a.os == b.os
        && a.virtualization == b.virtualization
        && a.power.governor_or_plan == b.power.governor_or_plan
}

impl Comparison {
    /// The comparison with the noise floor beside every difference: what is not larger than it is no clear
    /// difference, however sure its interval is. Late frames that were counted by another limit than those
    /// of the repeats have none.
    #[must_use]
    pub fn with_noise(mut self, floor: &NoiseFloor) -> Self {
        self.repeat_count = floor.count;
        for row in &mut self.rows {
            let is_one_limit = row.late_limit.is_some() && row.late_limit == floor.late_limit;
            for figure in &mut row.figures {
                figure.noise = floor
                    .noise(&row.label, figure.metric)
                    .filter(|_| figure.metric != Metric::LATE || is_one_limit);
                let Some(noise) = figure.noise else { continue };
                for delta in figure.deltas.iter_mut().flatten() {
                    let is_called = matches!(delta.judgement, Judgement::Better | Judgement::Worse);
                    if is_called && delta.change.abs() <= noise {
                        delta.judgement = Judgement::CannotTell;
                    }
                }
            }
            still_beyond(&mut row.figures);
            for (outcome, run) in row.outcomes.iter_mut().zip(0..) {
                if outcome.is_some_and(|outcome| outcome != Outcome::NotComparable) {
                    let deltas: Vec<Delta> =
                        row.figures.iter().filter_map(|figure| *figure.deltas.get(run)?).collect();
                    *outcome = Some(Outcome::of(&deltas));
                }
            }
        }
        self
    }
}

/// The share beyond the baseline's p99 has no noise floor of its own, as it is of two runs. It stays a clear
/// difference only where a percentile is one.
fn still_beyond(figures: &mut [Figure]) {
    let is_called = |delta: &Delta| matches!(delta.judgement, Judgement::Better | Judgement::Worse);
    let is_percentile =
        |figure: &&Figure| matches!(figure.metric.statistic, Statistic::Percentile(_));
    let told: Vec<&Figure> = figures.iter().filter(is_percentile).collect();
    if told.iter().all(|figure| figure.noise.is_none()) {
        return;
    }
    let runs = figures.iter().map(|figure| figure.deltas.len()).max().unwrap_or(0);
    let called: Vec<bool> = (0..runs)
        .map(|run| {
            told.iter().any(|figure| {
                figure.deltas.get(run).and_then(Option::as_ref).is_some_and(is_called)
            })
        })
        .collect();
    let is_above = |figure: &&mut Figure| figure.metric.statistic == Statistic::AboveBaselineP99;
    for figure in figures.iter_mut().filter(is_above) {
        for (delta, called) in figure.deltas.iter_mut().zip(&called) {
            if let Some(delta) = delta.as_mut().filter(|delta| !called && is_called(delta)) {
                delta.judgement = Judgement::CannotTell;
            }
        }
    }
}

/// A number of two settings that were measured in turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The configuration, as the first setting calls it.
    pub label: String,
    /// Which number.
    pub metric: Metric,
    /// Its mean over the runs of the first setting, and over those of the second.
    pub means: [f64; 2],
    /// The mean change from the first to the second.
    pub change: f64,
    /// The 95 % interval of the change; `None` where there is one pair.
    pub interval: Option<(f64, f64)>,
    /// What the second is against the first.
    pub judgement: Judgement,
}

/// Holds two settings against each other that were measured in turns: each pair is a difference of its
/// own, so that what drifts over minutes falls out. Configurations are matched by label; where each side
/// has one, whatever they are called.
pub fn paired(pairs: &[[(&Run, &Report); 2]]) -> Vec<Paired> {
    let Some([(first, one), (second, other)]) = pairs.first() else { return Vec::new() };
    let of_first = Item::all(first, one);
    let is_single = of_first.len() == 1 && Item::all(second, other).len() == 1;
    let mut found = Vec::new();
    for of_first in of_first {
        let label = of_first.label();
        for &metric in metrics(first) {
            let values: Option<Vec<[f64; 2]>> = pairs
                .iter()
                .map(|[(a, of_a), (b, of_b)]| {
                    let of = |run, report| {
                        let item = if is_single {
                            Item::all(run, report).first().copied()
                        } else {
                            item(run, report, label)
                        };
                        item?.value(&metric)
                    };
                    Some([of(a, of_a)?, of(b, of_b)?])
                })
                .collect();
            let Some(values) = values else { continue };
            let side = |at: fn(&[f64; 2]) -> f64| -> Vec<f64> { values.iter().map(at).collect() };
            let (a, b) = (side(|[a, _]| *a), side(|[_, b]| *b));
            let differences = side(|[a, b]| b - a);
            let (change, std_dev) = mean_and_std_dev(&differences);
            let interval = (1 < values.len()).then(|| {
                let half = t(values.len() - 1) * std_dev / float(values.len()).sqrt();
                (change - half, change + half)
            });
            let scale = Scale {
                period: of_first.period(),
                clock_step: first.clock.resolution.max(Nanos::ZERO),
                errors: 0.0,
            };
            let mean = mean_and_std_dev(&a).0;
            let judgement = called(&metric, mean, change, interval, &scale);
            found.push(Paired {
                label: label.to_owned(),
                metric,
                means: [mean, mean_and_std_dev(&b).0],
                change,
                interval,
                judgement,
            });
        }
    }
    found
}

fn called(
    metric: &Metric,
    baseline: f64,
    change: f64,
    interval: Option<(f64, f64)>,
    scale: &Scale,
) -> Judgement {
    let least = judge::least_change(metric, baseline, scale);
    match interval {
        _ if !metric.statistic.has_interval() => Judgement::NotJudged,
        Some((low, high)) if (0.0 < low || high < 0.0) && least < change.abs() => {
            if metric.is_better(change) { Judgement::Better } else { Judgement::Worse }
        }
        Some((low, high)) if -least <= low && high <= least => Judgement::Same,
        None | Some(_) => Judgement::CannotTell,
    }
}

fn item<'a>(run: &'a Run, report: &'a Report, label: &str) -> Option<Item<'a>> {
    Item::all(run, report).into_iter().find(|item| item.label() == label)
}

fn t(freedom: usize) -> f64 {
    freedom.checked_sub(1).and_then(|at| T.get(at)).copied().unwrap_or(T_OF_MANY)
}

#[cfg(test)]
mod tests;
