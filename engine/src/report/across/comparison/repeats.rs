//! Repeats of a run, and the comparison of two settings that were measured interleaved.

use std::collections::BTreeMap;

use super::candidate::{Candidate, decided, mean_and_std_dev};
use super::item::Item;
use super::judge::{Delta, MinEffect, Reason, Scale};
use super::{Metric, Report, Run, metrics};
use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::platform::PowerSource;
use crate::report::model::metric::MetricKind;
use crate::run::counter;
use crate::stats::Estimated;

/// Whether a run is finished and was measured with the same settings, by the same method, on the same machine and
/// under the same conditions as the run `of`.
pub fn is_repeat(run: &Run, of: &Run) -> bool {
    run.ending == crate::run::Ending::Finished && is_same_setting(run, of)
}

/// Whether two runs have the same settings, method, machine, and conditions, even if they did not
/// finish. The randomized order of configurations is ignored.
pub(super) fn is_same_setting(run: &Run, of: &Run) -> bool {
    match (run.plan(), of.plan()) {
        (Some(_), Some(_)) => setting_key(run) == setting_key(of),
        // A capture has no settings: any two captures of the same kind are accepted, as the user
        // selects the runs.
        (None, None) => run.subject.key() == of.subject.key(),
        _ => false,
    }
}

/// Returns a key that is equal for runs that differ only by chance. The key covers settings, method, model of the
/// machine, and the conditions that affect numbers: power source, governor, trace, kernel, virtual machine. It omits the
/// host, which an export omits: lists distinguish PCs of the same model by their machine.
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

/// The values of metrics, in the metric's unit, by the label of the configuration and then by the key
/// of the metric.
pub type ValuesByLabel = BTreeMap<String, BTreeMap<String, f64>>;

/// Returns the values of a run for every metric that has an interval, such as a percentile, but not a
/// maximum.
pub fn values(run: &Run, report: &Report) -> ValuesByLabel {
    let of_item = |item: Item<'_>| {
        let with_interval = metrics(run).iter().filter(|metric| metric.statistic.has_interval());
        let found =
            with_interval.filter_map(|metric| Some((metric.key.to_owned(), item.value(metric)?)));
        (item.label().to_owned(), found.filter(|(_, value)| value.is_finite()).collect())
    };
    Item::all(run, report).into_iter().map(of_item).collect()
}

/// The difference of one metric between two settings that were measured interleaved.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedDifference {
    /// The label of the configuration in the first setting.
    pub label: String,
    /// The metric.
    pub metric: Metric,
    /// The mean of the metric over the runs of the first setting, and over the runs of the second: geometric, if all
    /// values are positive frame times or rates.
    pub means: [f64; 2],
    /// The mean difference of the second setting from the first setting, with its result.
    pub delta: Delta,
}

/// Compares two settings that were measured interleaved. Each pair of runs gives one difference, which
/// cancels drift over minutes. Configurations are matched by label; if each setting has only a single
/// configuration, labels are ignored.
pub fn paired_differences(pairs: &[[(&Run, &Report); 2]]) -> Vec<PairedDifference> {
    let Some([(first, one), (second, other)]) = pairs.first() else { return Vec::new() };
    let of_first = Item::all(first, one);
    let is_single = of_first.len() == 1 && Item::all(second, other).len() == 1;
    let (mut found, mut candidates) = (Vec::new(), Vec::new());
    for of_first in of_first {
        let label = of_first.label();
        let side = |side: usize| -> Option<Vec<Item<'_>>> {
            let runs = pairs.iter().filter_map(|pair| pair.get(side));
            runs.map(|(run, report)| item(run, report, label, is_single)).collect()
        };
        let (Some(a), Some(b)) = (side(0), side(1)) else { continue };
        let sides = [a, b];
        for &metric in metrics(first) {
            let values = sides.each_ref().map(|items| {
                items.iter().map(|item| item.value(&metric)).collect::<Option<Vec<f64>>>()
            });
            let [Some(a), Some(b)] = values else { continue };
            let scale = Scale {
                period: of_first.period(),
                clock_step: first.clock.resolution.max(Nanos::ZERO),
                is_variation_known: true,
                minimum: MinEffect::default(),
            };
            let values = [mean_and_std_dev(&a).0, mean_and_std_dev(&b).0];
            // A change of a setting adds to lateness whatever its level is, so drift of the level cancels in differences.
            let is_ratio =
                metric.kind() == MetricKind::Frames && a.iter().chain(&b).all(|&value| 0.0 < value);
            let both: Vec<[f64; 2]> = a.into_iter().zip(b).map(<[f64; 2]>::from).collect();
            let estimated = Estimated::of_pairs(&both, is_ratio).ok_or(Reason::TooFewRuns(1));
            let mut candidate = Candidate::of(&metric, values, &scale, estimated);
            candidate.count(sides.each_ref().map(Vec::as_slice));
            found.push((label.to_owned(), metric, candidate.values()));
            candidates.push(Some(candidate));
        }
    }
    let found = found.into_iter().zip(decided(candidates));
    found
        .filter_map(|((label, metric, means), delta)| {
            Some(PairedDifference { label, metric, means, delta: delta? })
        })
        .collect()
}

/// Returns the configuration of a run with this label, or the only one whatever its label if `is_single`; `None` if
/// there is no such configuration.
pub(super) fn item<'a>(
    run: &'a Run,
    report: &'a Report,
    label: &str,
    is_single: bool,
) -> Option<Item<'a>> {
    Item::all(run, report).into_iter().find(|item| is_single || item.label() == label)
}

#[cfg(test)]
pub(super) mod tests;
