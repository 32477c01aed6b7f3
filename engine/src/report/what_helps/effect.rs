//! What each change did to p99 lateness: pairs of blocks, pooled and corrected.

use crate::nanos::Nanos;
use crate::plan::what_helps::{
    BASELINE, BASELINE_OF_TOGETHER, LoopSettings, SettingChange, TOGETHER,
};
use crate::plan::{CpuChoice, WhatHelps};
use crate::platform::Refusal;
use crate::report::model::configuration::Configuration;
use crate::report::model::disturbance::Disturbance;
use crate::run::{Run, TrialRun};
use crate::stats::{PairedEffects, PercentileRule, Quantile, Sorted, float};
use crate::units::format_time;

/// A smaller reduction does not help, however sure it is.
const MIN_EFFECT: f64 = 0.10;

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeResult {
    /// The interval is below 0 and the effect is large enough.
    Helps,
    /// The interval includes 0, or the effect is small.
    NoClearDifference,
    /// The interval is above 0.
    MakesItWorse,
    /// The system denied it.
    Denied,
    /// It was not measured to its end.
    NotMeasured,
}

impl ChangeResult {
    /// The words on screen.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Helps => "Helps",
            Self::NoClearDifference => "No clear difference",
            Self::MakesItWorse => "Makes it worse",
            Self::Denied => "Denied",
            Self::NotMeasured => "Not measured",
        }
    }
}

/// What a change, or all that help together, did to p99 lateness.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeEffect {
    /// The change, or the changes that were measured together.
    pub changes: Vec<SettingChange>,
    /// Whether it is the row of all that help.
    pub is_together: bool,
    /// Position of its configuration in the report.
    pub row: usize,
    /// Position of the configuration of its baseline.
    pub baseline_row: usize,
    /// Its value, or what is to be known of it, in a few words; may be empty.
    pub detail: String,
    /// The place among the changes that help, from 1.
    pub rank: Option<usize>,
    /// Geometric means over rounds of p99 lateness of the baseline and with the change, in nanoseconds.
    pub p99: Option<(f64, f64)>,
    /// The change of p99 lateness as a share of the baseline, with its simultaneous 95% interval; absent while the
    /// run is in progress, and where it was not measured to its end.
    pub effect: Option<(f64, (f64, f64))>,
    /// CPU time of the measuring thread beyond that of the baseline, as a share of one CPU.
    pub cpu_cost: Option<f64>,
    /// What became of it.
    pub result: ChangeResult,
    /// What the system denied, and how to allow it.
    pub refusal: Option<Refusal>,
    /// What disturbed its blocks or those of its baseline.
    pub disturbance: Option<Disturbance>,
    /// The smallest reduction that these rounds can find, as a share.
    pub smallest: Option<f64>,
}

impl ChangeEffect {
    /// The name on screen.
    pub fn name(&self) -> &'static str {
        match self.changes.as_slice() {
            [one] if !self.is_together => one.name(),
            _ => TOGETHER,
        }
    }

    /// Name and value: "Spin tail, 500 µs".
    pub fn full_name(&self) -> String {
        let name = self.name();
        if self.detail.is_empty() { name.to_owned() } else { format!("{name}, {}", self.detail) }
    }

    /// The share by which it reduces p99 lateness; 0 where it does not help.
    pub fn reduction(&self) -> f64 {
        let helps = self.result == ChangeResult::Helps;
        self.effect.filter(|_| helps).map_or(0.0, |(share, _)| -share)
    }
}

/// The place of a configuration in the list.
pub(super) fn place(label: &str) -> usize {
    let others = [BASELINE_OF_TOGETHER, TOGETHER];
    let changes = SettingChange::ALL.into_iter().map(SettingChange::name);
    let mut all = std::iter::once(BASELINE).chain(changes).chain(others);
    all.position(|one| one == label).unwrap_or(usize::MAX)
}

/// What every change did: those that help by effect, then the others by result, and last all that help together.
pub(super) fn of(
    plan: &WhatHelps,
    run: &Run,
    rows: &[Configuration],
    has_intervals: bool,
) -> Vec<ChangeEffect> {
    let position = |label: &str| rows.iter().position(|row| row.label == label);
    let mut singles = Vec::new();
    let mut differences = Vec::new();
    for change in plan.measured_changes() {
        let pair = position(BASELINE).zip(position(change.name()));
        let Some((mut effect, logs)) = pair.and_then(|pair| measured(run, rows, pair)) else {
            continue;
        };
        effect.changes = vec![change];
        effect.detail = detail(change, run, rows, &effect);
        singles.push(effect);
        differences.push(logs);
    }
    let rounds = usize::try_from(plan.baseline.rounds).unwrap_or(usize::MAX);
    conclude(&mut singles, &differences, rounds, has_intervals);
    if has_intervals && singles.iter().all(|one| one.result != ChangeResult::NotMeasured) {
        rank(&mut singles);
    }
    let pair = position(BASELINE_OF_TOGETHER).zip(position(TOGETHER));
    if let Some((mut effect, logs)) = pair.and_then(|pair| measured(run, rows, pair)) {
        effect.is_together = true;
        effect.changes = members(plan, run, rows, effect.row);
        let numbers: Vec<String> = singles
            .iter()
            .filter(|one| effect.changes.iter().any(|change| one.changes == [*change]))
            .filter_map(|one| one.rank.map(|rank| rank.to_string()))
            .collect();
        effect.detail = format!("changes {}", list(&numbers));
        let mut alone = [effect];
        conclude(&mut alone, &[logs], rounds, has_intervals);
        singles.extend(alone);
    }
    singles
}

/// Names in a sentence: "1, 2, and 4".
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [rest @ .., last] => format!("{}, and {last}", rest.join(", ")),
    }
}

/// The blocks of a configuration that count.
fn blocks<'a>(run: &'a Run, row: &'a Configuration) -> impl Iterator<Item = &'a TrialRun> {
    let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
    trials.filter(|trial| trial.complete && trial.skipped.is_none() && !trial.is_denied())
}

/// p99 lateness of a block in nanoseconds, at least 1.
pub(super) fn p99_of(trial: &TrialRun) -> Option<f64> {
    let sorted = Sorted::of(trial.values())?;
    Some(sorted.percentile(Quantile::P99, PercentileRule::R7).max(1.0))
}

/// A change without its conclusion, and the logarithm of what it did in each round.
fn measured(
    run: &Run,
    rows: &[Configuration],
    (baseline_row, row): (usize, usize),
) -> Option<(ChangeEffect, Vec<f64>)> {
    let (baseline, changed) = (rows.get(baseline_row)?, rows.get(row)?);
    let mut pairs = Vec::new();
    for trial in blocks(run, changed) {
        let same_round = blocks(run, baseline).find(|other| other.trial.round == trial.trial.round);
        if let Some((without, with)) = same_round.and_then(p99_of).zip(p99_of(trial)) {
            pairs.push((without.ln(), with.ln()));
        }
    }
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| {
        (pairs.iter().map(of).sum::<f64>() / float(pairs.len())).exp()
    };
    let all = || changed.trials.iter().filter_map(|&trial| run.trials.get(trial));
    let denied = all().find(|trial| trial.is_denied());
    let refusals = denied.and_then(|trial| trial.applied.as_ref()).map(|applied| &applied.refusals);
    let cost = changed.usage.cpu_share.zip(baseline.usage.cpu_share);
    let effect = ChangeEffect {
        changes: Vec::new(),
        is_together: false,
        row,
        baseline_row,
        detail: String::new(),
        rank: None,
        p99: (!pairs.is_empty()).then(|| (mean(&|pair| pair.0), mean(&|pair| pair.1))),
        effect: None,
        cpu_cost: cost.filter(|_| denied.is_none()).map(|(with, without)| with - without),
        result: match denied {
            Some(_) => ChangeResult::Denied,
            None => ChangeResult::NotMeasured,
        },
        refusal: refusals.and_then(|all| all.first()).cloned(),
        disturbance: changed.disturbance.or(baseline.disturbance).filter(|_| denied.is_none()),
        smallest: None,
    };
    let logs = pairs.iter().map(|(without, with)| with - without).collect();
    Some((effect, logs))
}

/// Adds effects, intervals and results to changes of one family, once every round was measured.
fn conclude(
    effects: &mut [ChangeEffect],
    differences: &[Vec<f64>],
    rounds: usize,
    has_intervals: bool,
) {
    let is_open = |one: &ChangeEffect| one.result == ChangeResult::NotMeasured;
    let counted: Vec<Vec<f64>> = effects
        .iter()
        .zip(differences)
        .map(|(one, all)| if is_open(one) { all.clone() } else { Vec::new() })
        .collect();
    let is_complete =
        effects.iter().zip(&counted).all(|(one, all)| !is_open(one) || all.len() == rounds);
    if !has_intervals || !is_complete {
        return;
    }
    let Some(found) = PairedEffects::of(&counted) else { return };
    let share = |log: f64| log.exp() - 1.0;
    for (one, effect) in effects.iter_mut().zip(found.effects) {
        one.smallest = Some((-share(-found.smallest)).max(MIN_EFFECT));
        let Some(effect) = effect else { continue };
        let (low, high) = effect.interval;
        let of = share(effect.mean);
        one.effect = Some((of, (share(low), share(high))));
        one.result = if high < 0.0 && of <= -MIN_EFFECT {
            ChangeResult::Helps
        } else if 0.0 < low {
            ChangeResult::MakesItWorse
        } else {
            ChangeResult::NoClearDifference
        };
    }
}

/// Sorts changes and numbers those that help.
fn rank(effects: &mut [ChangeEffect]) {
    let share = |one: &ChangeEffect| one.effect.map_or(0.0, |(share, _)| share);
    effects.sort_by(|a, b| a.result.cmp(&b.result).then(share(a).total_cmp(&share(b))));
    let helping = effects.iter_mut().filter(|one| one.result == ChangeResult::Helps);
    for (one, rank) in helping.zip(1..) {
        one.rank = Some(rank);
    }
}

/// The first block of a configuration, and what its loop did.
fn settings_of(run: &Run, row: &Configuration) -> Option<LoopSettings> {
    let trial = row.trials.first().and_then(|&trial| run.trials.get(trial))?;
    Some(LoopSettings {
        wait: trial.trial.wait,
        conditions: trial.trial.conditions,
        load: trial.load,
    })
}

/// The changes that were measured together, as their blocks show.
fn members(plan: &WhatHelps, run: &Run, rows: &[Configuration], row: usize) -> Vec<SettingChange> {
    let Some(settings) = rows.get(row).and_then(|row| settings_of(run, row)) else {
        return Vec::new();
    };
    let unchanged = plan.unchanged();
    plan.measured_changes().filter(|change| change.is_in(&unchanged, &settings)).collect()
}

/// The value of a change as it was applied.
fn detail(
    change: SettingChange,
    run: &Run,
    rows: &[Configuration],
    effect: &ChangeEffect,
) -> String {
    let Some(row) = rows.get(effect.row) else { return String::new() };
    let granted = row.granted.as_ref().filter(|_| effect.result != ChangeResult::Denied);
    match change {
        SettingChange::SpinTail => match row.usage.spin_tail {
            Some(Nanos::ZERO) => "none by trial".to_owned(),
            Some(tail) => format!("{}, by trial", format_time(tail)),
            None => "selected by trial".to_owned(),
        },
        SettingChange::AboveNormal | SettingChange::Highest | SettingChange::TimeCritical => {
            granted.map_or_else(String::new, |granted| granted.policy.to_string())
        }
        SettingChange::Pinned => blocks(run, row)
            .find_map(|trial| trial.applied.as_ref()?.selected_cpu)
            .map_or_else(String::new, |cpu| CpuChoice::Cpu(cpu).name()),
        SettingChange::FineTimer => {
            let slack = granted.and_then(|granted| granted.timer_slack);
            let resolution = granted.and_then(|granted| granted.timer_resolution);
            match (slack, resolution) {
                (Some(slack), _) => format!("slack {}", format_time(slack)),
                (None, Some(length)) => format!("resolution {}", format_time(length)),
                (None, None) => String::new(),
            }
        }
        SettingChange::LoadBelowNormal => String::new(),
        SettingChange::NoDeepIdle => "affects the whole PC".to_owned(),
    }
}
