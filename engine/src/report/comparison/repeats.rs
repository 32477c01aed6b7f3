//! Runs that repeat another, and what two settings come to that were measured interleaved.

use super::item::Item;
use super::judge::{self, DeltaResult, Scale};
use super::{Metric, Report, Run, metrics};
use crate::nanos::Nanos;
use crate::stats::float;
use crate::stats::student::{student_chance, student_t};

/// The chance at which equal runs may be called different in any of their numbers.
pub(super) const CHANCE: f64 = 0.05;
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

/// A number of two settings that were measured interleaved.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedDifference {
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
    pub result: DeltaResult,
}

/// Compares two settings that were measured interleaved: each pair is a separate difference, so that what
/// drifts over minutes falls out. Configurations are matched by label; where each side has one, whatever
/// they are called.
pub fn paired_differences(pairs: &[[(&Run, &Report); 2]]) -> Vec<PairedDifference> {
    let Some([(first, one), (second, other)]) = pairs.first() else { return Vec::new() };
    let of_first = Item::all(first, one);
    let is_single = of_first.len() == 1 && Item::all(second, other).len() == 1;
    let (mut found, mut chances) = (Vec::new(), Vec::new());
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
            let error = std_dev / float(values.len()).sqrt();
            let interval = (1 < values.len()).then(|| {
                let half = t(values.len() - 1) * error;
                (change - half, change + half)
            });
            // Nothing changed by 0, even where no pair differs.
            let of_change =
                || student_chance(values.len() - 1, change / error.max(f64::MIN_POSITIVE));
            chances.push(metric.statistic.has_interval().then(of_change));
            let scale = Scale {
                period: of_first.period(),
                clock_step: first.clock.resolution.max(Nanos::ZERO),
                errors: 0.0,
            };
            let mean = mean_and_std_dev(&a).0;
            let difference = PairedDifference {
                label: label.to_owned(),
                metric,
                means: [mean, mean_and_std_dev(&b).0],
                change,
                interval,
                result: DeltaResult::NoClearDifference,
            };
            found.push((difference, scale));
        }
    }
    let most = max_chance(&chances);
    let classified = found.into_iter().zip(chances).map(|((difference, scale), chance)| {
        let result = classify(&difference, chance.is_some_and(|chance| chance <= most), &scale);
        PairedDifference { result, ..difference }
    });
    classified.collect()
}

/// The largest chance of a number of which its difference is certain, next to those of all others: where all
/// are equal, one is called different in 5 of 100 cases (Simes 1986), and else 5% of what is called different
/// is equal (Benjamini and Hochberg 1995). Sharing the 5% evenly would need 13 standard errors of three
/// pairs, although a delay changes several numbers at once.
fn max_chance(chances: &[Option<f64>]) -> f64 {
    let mut rising: Vec<f64> = chances.iter().copied().flatten().collect();
    rising.sort_unstable_by(f64::total_cmp);
    let count = float(rising.len());
    let fits = |(chance, rank): &(f64, usize)| *chance <= CHANCE * float(*rank) / count;
    rising.into_iter().zip(1..).filter(fits).map(|(chance, _)| chance).fold(0.0, f64::max)
}

/// What a difference is called: one that is certain, and large enough to matter.
fn classify(of: &PairedDifference, is_certain: bool, scale: &Scale) -> DeltaResult {
    let lowest = judge::min_relevant_change(&of.metric, of.means[0], scale);
    match of.interval {
        _ if !of.metric.statistic.has_interval() => DeltaResult::NotEvaluated,
        Some(_) if is_certain && lowest < of.change.abs() => {
            if of.metric.is_better(of.change) {
                DeltaResult::Better
            } else {
                DeltaResult::Worse
            }
        }
        Some((low, high)) if -lowest <= low && high <= lowest => DeltaResult::Same,
        None | Some(_) => DeltaResult::NoClearDifference,
    }
}

pub(super) fn item<'a>(run: &'a Run, report: &'a Report, label: &str) -> Option<Item<'a>> {
    Item::all(run, report).into_iter().find(|item| item.label() == label)
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

#[cfg(test)]
pub(super) mod tests;
