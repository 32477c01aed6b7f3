//! Runs that repeat another, and what two settings come to that were measured interleaved.

use std::collections::BTreeMap;

use super::candidate::{Candidate, max_chance, mean_and_std_dev};
use super::item::Item;
use super::judge::{Delta, Scale};
use super::{Metric, Report, Run, metrics};
use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::platform::PowerSource;
use crate::run::counter;
use crate::stats::{Deviation, float};

/// Whether a run was measured to its end with the same settings, by the same method, on the same machine and
/// under the same conditions as another.
pub fn is_repeat(run: &Run, of: &Run) -> bool {
    run.ending == crate::run::Ending::Finished && is_same_setting(run, of)
}

/// The same, however the run ended. The order of configurations, which is drawn, does not count.
pub(super) fn is_same_setting(run: &Run, of: &Run) -> bool {
    match (run.plan(), of.plan()) {
        (Some(_), Some(_)) => setting_key(run) == setting_key(of),
        // A capture has no settings: the runs are what the user says they are.
        (None, None) => run.subject.key() == of.subject.key(),
        _ => false,
    }
}

/// Identifies runs that may differ by chance only: settings, method, machine, and the conditions that change
/// numbers: power source, governor, trace, kernel, virtual machine.
pub fn setting_key(run: &Run) -> String {
    let machine = &run.machine;
    let trace =
        run.trials.iter().filter_map(|trial| trial.counters.get(counter::TRACE_SOURCE)).max();
    format!(
        "{:?}",
        (
            run.plan().map(Plan::fingerprint),
            (run.method_version, run.health.debug_build, trace),
            (&machine.cpu_model, machine.cpus.len(), &machine.virtualization),
            (&machine.os, &machine.kernel),
            (
                matches!(machine.power.source, Some(PowerSource::Battery { .. })),
                &machine.power.governor_or_plan
            ),
        )
    )
}

/// Values by configuration and by the key of their metric, in the metric's unit.
pub type ValuesByLabel = BTreeMap<String, BTreeMap<String, f64>>;

/// The values of every metric that has an interval.
pub fn values(run: &Run, report: &Report) -> ValuesByLabel {
    let of_item = |item: Item<'_>| {
        let with_interval = metrics(run).iter().filter(|metric| metric.statistic.has_interval());
        let found =
            with_interval.filter_map(|metric| Some((metric.key.to_owned(), item.value(metric)?)));
        (item.label().to_owned(), found.filter(|(_, value)| value.is_finite()).collect())
    };
    Item::all(run, report).into_iter().map(of_item).collect()
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
    /// How the second differs from the first on average.
    pub delta: Delta,
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
            let (change, std_dev) = mean_and_std_dev(&side(|[a, b]| b - a));
            let deviation = Deviation { std_dev, freedom: values.len() - 1 };
            let scale = Scale {
                period: of_first.period(),
                clock_step: first.clock.resolution.max(Nanos::ZERO),
                errors: 0.0,
            };
            let means = [mean_and_std_dev(&a).0, mean_and_std_dev(&b).0];
            let share = 1.0 / float(values.len());
            let candidate = Candidate::of(&metric, means[0], change, deviation, share, &scale);
            chances.push(candidate.chance);
            found.push((label.to_owned(), metric, means, candidate));
        }
    }
    let most = max_chance(&chances);
    let called = found.into_iter().map(|(label, metric, means, candidate)| PairedDifference {
        label,
        metric,
        means,
        delta: candidate.called(&metric, most, false),
    });
    called.collect()
}

pub(super) fn item<'a>(run: &'a Run, report: &'a Report, label: &str) -> Option<Item<'a>> {
    Item::all(run, report).into_iter().find(|item| item.label() == label)
}

#[cfg(test)]
pub(super) mod tests;
