//! The effect of each change on p99 lateness: paired blocks, pooled deviation, corrected for multiple comparisons.

use crate::nanos::Nanos;
use crate::plan::what_helps::{
    BASELINE, BASELINE_OF_TOGETHER, LoopSettings, SettingChange, TOGETHER,
};
use crate::plan::{CpuChoice, WhatHelps};
use crate::platform::Refusal;
use crate::report::model::configuration::Configuration;
use crate::report::model::disturbance::Disturbance;
use crate::report::model::metric::MetricKind;
use crate::run::{Run, TrialRun};
use crate::stats::effect::Method;
use crate::stats::{Effect, Outcome, PairedEffects, PercentileRule, Quantile, Sorted, float};
use crate::units::{format_time, join_names};

/// The effect on p99 lateness of one change, or of the helpful changes that were measured together.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeEffect {
    /// The change, or the changes that were measured together.
    pub changes: Vec<SettingChange>,
    /// Whether this is the row of the helpful changes that were measured together.
    pub is_together: bool,
    /// Position of the configuration with the change in the report.
    pub row: usize,
    /// Position of the configuration of its baseline in the report.
    pub baseline_row: usize,
    /// The applied value of the change, such as `slack 1 ns`, or a short note; empty if there is neither.
    pub detail: String,
    /// The rank among the changes that help, from 1; `None` for other changes.
    pub rank: Option<usize>,
    /// Geometric means of p99 lateness over the rounds, in nanoseconds: of the baseline, and with the change; `None` if
    /// no round is complete.
    pub p99: Option<(f64, f64)>,
    /// The change of p99 lateness as a share of the baseline, with its simultaneous 95% interval; `None` for a denied
    /// change and until every round was measured.
    pub effect: Option<(f64, (f64, f64))>,
    /// CPU time of the measuring thread with the change, minus that in the baseline, as a share of one CPU;
    /// `None` for a denied change, and if the system does not report CPU time.
    pub cpu_cost: Option<f64>,
    /// The result: not evaluated if the system denied the change, and not enough data until every round was measured.
    pub result: Outcome,
    /// The request that the system denied, and how to allow it; `None` if no request was denied.
    pub refusal: Option<Refusal>,
    /// What disturbed the blocks of the change or of its baseline; `None` if nothing did.
    pub disturbance: Option<Disturbance>,
    /// The smallest reduction of p99 lateness, as a share, that these rounds can show; `None` until every round was
    /// measured.
    pub smallest: Option<f64>,
}

impl ChangeEffect {
    /// Returns the name on screen.
    pub fn name(&self) -> &'static str {
        match self.changes.as_slice() {
            [one] if !self.is_together => one.name(),
            _ => TOGETHER,
        }
    }

    /// Returns the name with the value: "Spin tail, 500 µs".
    pub fn full_name(&self) -> String {
        let name = self.name();
        if self.detail.is_empty() { name.to_owned() } else { format!("{name}, {}", self.detail) }
    }

    /// Returns the share by which the change reduces p99 lateness; 0 if the change does not help.
    pub fn reduction(&self) -> f64 {
        let helps = self.result == Outcome::Better;
        self.effect.filter(|_| helps).map_or(0.0, |(share, _)| -share)
    }
}

/// Returns the position of a configuration, given by its label, in the order of the report.
pub(super) fn place(label: &str) -> usize {
    let others = [BASELINE_OF_TOGETHER, TOGETHER];
    let changes = SettingChange::ALL.into_iter().map(SettingChange::name);
    let mut all = std::iter::once(BASELINE).chain(changes).chain(others);
    all.position(|name| name == label).unwrap_or(usize::MAX)
}

/// Returns the effect of every change: first the changes that help, by effect, then the others by result, and last the
/// row of all helpful changes together.
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
    if has_intervals && singles.iter().all(|single| single.result != Outcome::NotEnoughData) {
        rank(&mut singles);
    }
    let pair = position(BASELINE_OF_TOGETHER).zip(position(TOGETHER));
    if let Some((mut effect, logs)) = pair.and_then(|pair| measured(run, rows, pair)) {
        effect.is_together = true;
        effect.changes = members(plan, run, rows, effect.row);
        let numbers: Vec<String> = singles
            .iter()
            .filter(|single| effect.changes.iter().any(|change| single.changes == [*change]))
            .filter_map(|single| single.rank.map(|rank| rank.to_string()))
            .collect();
        effect.detail = format!("changes {}", join_names(&numbers));
        let mut alone = [effect];
        conclude(&mut alone, &[logs], rounds, has_intervals);
        singles.extend(alone);
    }
    singles
}

/// Returns the blocks (trials) of a configuration that are complete, not skipped, and not denied.
fn blocks<'a>(run: &'a Run, row: &'a Configuration) -> impl Iterator<Item = &'a TrialRun> {
    let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
    trials.filter(|trial| trial.complete && trial.skipped.is_none() && !trial.is_denied())
}

/// Returns p99 lateness of a block in nanoseconds, at least 1 because its logarithm is used; `None` without samples.
pub(super) fn p99_of(trial: &TrialRun) -> Option<f64> {
    let sorted = Sorted::of(trial.values())?;
    Some(sorted.percentile(Quantile::P99, PercentileRule::R7).max(1.0))
}

/// Returns the effect of a change before its result is known, and for each round the logarithm of p99
/// lateness with the change, divided by p99 lateness without it. `baseline_row` and `row` are positions in
/// `rows`.
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
            Some(_) => Outcome::NotEvaluated,
            None => Outcome::NotEnoughData,
        },
        refusal: refusals.and_then(|all| all.first()).cloned(),
        disturbance: changed.disturbance.or(baseline.disturbance).filter(|_| denied.is_none()),
        smallest: None,
    };
    let logs = pairs.iter().map(|(without, with)| with - without).collect();
    Some((effect, logs))
}

/// Sets the effect, interval, and result of changes that share one correction for multiple tests, if every
/// round of each change was measured. Denied changes keep their result.
fn conclude(
    effects: &mut [ChangeEffect],
    differences: &[Vec<f64>],
    rounds: usize,
    has_intervals: bool,
) {
    let is_open = |effect: &ChangeEffect| effect.result == Outcome::NotEnoughData;
    let counted: Vec<Vec<f64>> = effects
        .iter()
        .zip(differences)
        .map(|(effect, all)| if is_open(effect) { all.clone() } else { Vec::new() })
        .collect();
    let is_complete =
        effects.iter().zip(&counted).all(|(effect, all)| !is_open(effect) || all.len() == rounds);
    if !has_intervals || !is_complete {
        return;
    }
    let Some(found) = PairedEffects::of(&counted) else { return };
    let share = |log: f64| log.exp() - 1.0;
    let minimum = MetricKind::Scheduling.min_effect();
    for (effect, paired) in effects.iter_mut().zip(found.effects) {
        effect.smallest = Some((-share(-found.smallest)).max(minimum));
        let Some(paired) = paired else { continue };
        let (low, high) = paired.interval;
        let found = Effect {
            difference: share(paired.mean),
            interval: Some((share(low), share(high))),
            probability: None,
            minimum,
            method: Method::Pairs(rounds),
        };
        effect.effect = found.interval.map(|interval| (found.difference, interval));
        effect.result = found.outcome(found.difference < 0.0);
    }
}

/// Sorts changes by result, then by effect, and numbers the changes that help.
fn rank(effects: &mut [ChangeEffect]) {
    let share = |effect: &ChangeEffect| effect.effect.map_or(0.0, |(share, _)| share);
    effects.sort_by(|a, b| a.result.cmp(&b.result).then(share(a).total_cmp(&share(b))));
    let helping = effects.iter_mut().filter(|effect| effect.result == Outcome::Better);
    for (effect, rank) in helping.zip(1..) {
        effect.rank = Some(rank);
    }
}

/// Returns the settings of the first block of a configuration; `None` if it has no block.
fn settings_of(run: &Run, row: &Configuration) -> Option<LoopSettings> {
    let trial = row.trials.first().and_then(|&trial| run.trials.get(trial))?;
    Some(LoopSettings {
        wait: trial.trial.wait,
        conditions: trial.trial.conditions,
        load: trial.load,
    })
}

/// Returns the changes that were measured together, found by comparing the settings of their blocks with the baseline.
fn members(plan: &WhatHelps, run: &Run, rows: &[Configuration], row: usize) -> Vec<SettingChange> {
    let Some(settings) = rows.get(row).and_then(|row| settings_of(run, row)) else {
        return Vec::new();
    };
    let unchanged = plan.unchanged();
    plan.measured_changes().filter(|change| change.is_in(&unchanged, &settings)).collect()
}

/// Returns the value of a change as the system applied it, or a short note; empty if there is neither.
fn detail(
    change: SettingChange,
    run: &Run,
    rows: &[Configuration],
    effect: &ChangeEffect,
) -> String {
    let Some(row) = rows.get(effect.row) else { return String::new() };
    let granted = row.granted.as_ref().filter(|_| effect.result != Outcome::NotEvaluated);
    match change {
        SettingChange::SpinTail => match row.usage.spin_tail {
            Some(Nanos::ZERO) => "none by trial".to_owned(),
            Some(tail) => format!("{}, by trial", format_time(tail)),
            None => "selected by trial".to_owned(),
        },
        SettingChange::AboveNormal | SettingChange::Highest | SettingChange::TimeCritical => {
            granted.map_or_else(String::new, |granted| granted.effective.policy.to_string())
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
