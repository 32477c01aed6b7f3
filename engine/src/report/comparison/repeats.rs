//! Runs of one setting on one machine, held against each other: how far every number strays by itself,
//! and what two settings come to that were measured in turns.
//!
//! The noise floor of a number is what two single runs of the same setting differ by at most in 95 of 100
//! cases: Student's t times √2 times the standard deviation of the repeats. It is computed from the
//! repeats that are kept as runs, and not kept itself.

use super::figures::{is_paced, late_limit};
use super::judge::{self, Delta, Judgement, Outcome, Scale};
use super::metric::{Figure, Metric};
use super::{Comparison, Options, Report, Row, Run};
use crate::nanos::Nanos;
use crate::stats::float;

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
        let (_, first) = repeats.first()?;
        if repeats.len() < LEAST_REPEATS {
            return None;
        }
        let is_paced = repeats.iter().all(|(run, _)| is_paced(run));
        let mut strays = Vec::new();
        for label in first.rows.iter().map(|row| &row.label) {
            for metric in Metric::ALL {
                let values: Option<Vec<f64>> = repeats
                    .iter()
                    .map(|(_, report)| metric.of(row(report, label)?, is_paced))
                    .collect();
                let Some(values) = values else { continue };
                let (mean, std_dev) = mean_and_std_dev(&values);
                let noise = t(values.len() - 1) * std::f64::consts::SQRT_2 * std_dev;
                let least = values.iter().copied().fold(mean, f64::min);
                let most = values.iter().copied().fold(mean, f64::max);
                if noise.is_finite() {
                    strays.push(Stray { label: label.clone(), metric, least, most, noise });
                }
            }
        }
        let rows = repeats.iter().flat_map(|(_, report)| &report.rows);
        Some(Self { count: repeats.len(), late_limit: late_limit(rows), strays })
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
                    .filter(|_| figure.metric != Metric::Late || is_one_limit);
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
    let percentiles = || [Metric::P50, Metric::P95, Metric::P99, Metric::P99_9];
    let told: Vec<&Figure> =
        figures.iter().filter(|figure| percentiles().contains(&figure.metric)).collect();
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
    for figure in figures.iter_mut().filter(|figure| figure.metric == Metric::Beyond) {
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
    let Some([(first, one), (_, other)]) = pairs.first() else { return Vec::new() };
    let is_single = one.rows.len() == 1 && other.rows.len() == 1;
    let paced = pairs.iter().flatten().all(|(run, _)| is_paced(run));
    let mut found = Vec::new();
    for first_row in &one.rows {
        let label = first_row.label.as_str();
        for metric in Metric::ALL {
            let values: Option<Vec<[f64; 2]>> = pairs
                .iter()
                .map(|[(_, a), (_, b)]| {
                    let of = |report: &Report| {
                        let row = if is_single { report.rows.first() } else { row(report, label) }?;
                        metric.of(row, paced)
                    };
                    Some([of(a)?, of(b)?])
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
                period: first_row.period,
                clock_step: first.clock.resolution.max(Nanos::ZERO),
                errors: 0.0,
            };
            let mean = mean_and_std_dev(&a).0;
            let judgement = called(metric, mean, change, interval, &scale);
            found.push(Paired {
                label: first_row.label.clone(),
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
    metric: Metric,
    baseline: f64,
    change: f64,
    interval: Option<(f64, f64)>,
    scale: &Scale,
) -> Judgement {
    let least = judge::least_change(metric, baseline, scale);
    match interval {
        _ if !metric.is_judged() => Judgement::NotJudged,
        Some((low, high)) if (0.0 < low || high < 0.0) && least < change.abs() => {
            if (change < 0.0) == metric.is_lower_better() {
                Judgement::Better
            } else {
                Judgement::Worse
            }
        }
        Some((low, high)) if -least <= low && high <= least => Judgement::Same,
        None | Some(_) => Judgement::CannotTell,
    }
}

fn row<'a>(report: &'a Report, label: &str) -> Option<&'a Row> {
    report.rows.iter().find(|row| row.label == label)
}

fn t(freedom: usize) -> f64 {
    freedom.checked_sub(1).and_then(|at| T.get(at)).copied().unwrap_or(T_OF_MANY)
}

/// The mean, and the standard deviation with n − 1, which is 0 for a single value.
fn mean_and_std_dev(values: &[f64]) -> (f64, f64) {
    let count = float(values.len().max(1));
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

#[cfg(test)]
mod tests;
