//! The verdict of a What helps run: the recommended change, its effect, and its CPU cost.

use super::effect::ChangeEffect;
use crate::nanos::Nanos;
use crate::plan::{LoadCount, SettingChange, WhatHelps};
use crate::report::Report;
use crate::report::model::disturbance::Disturbance;
use crate::report::model::grading::INCONCLUSIVE;
use crate::report::model::table::NOT_REPORTED;
use crate::report::model::verdict::{Finding, Verdict};
use crate::stats::Outcome;
use crate::units::{capitalized, format_share, format_time, join_names};

/// If p99 lateness of the baseline is below this value, changes have little to gain.
const LITTLE_TO_GAIN: Nanos = Nanos::from_micros(100);
/// A single change is recommended alone if it has at least this share of the best measured effect.
const ENOUGH: f64 = 0.8;

/// Returns whether p99 lateness of the baseline is so low that no change matters.
pub fn is_little_to_gain(effects: &[ChangeEffect]) -> bool {
    let baseline = effects.iter().find_map(|effect| Some(effect.p99?.0));
    baseline.is_some_and(|p99| p99 < LITTLE_TO_GAIN.as_f64())
}

/// Returns the best single change if it has at least 80% of the best measured effect, else all changes that help,
/// together. Of two equal effects, the one with the lower CPU cost is better. `None` if no change helps.
pub fn recommended(effects: &[ChangeEffect]) -> Option<&ChangeEffect> {
    let cost = |effect: &ChangeEffect| effect.cpu_cost.unwrap_or(f64::INFINITY);
    let better = |a: &&ChangeEffect, b: &&ChangeEffect| {
        a.reduction().total_cmp(&b.reduction()).then(cost(b).total_cmp(&cost(a)))
    };
    let helping = || effects.iter().filter(|effect| effect.result == Outcome::Better);
    let best = helping().max_by(better)?;
    let single = helping().filter(|effect| !effect.is_together).max_by(better)?;
    Some(if ENOUGH * best.reduction() <= single.reduction() { single } else { best })
}

/// Returns the verdict on a complete run.
pub(super) fn of(plan: &WhatHelps, report: &Report) -> Verdict {
    let effects = report.results::<ChangeEffect>();
    if let Some(denied) = denied_baseline(report) {
        return Verdict::without_grade(denied);
    }
    if effects
        .iter()
        .all(|effect| effect.effect.is_none() && effect.result != Outcome::NotEvaluated)
    {
        return Verdict::too_few(report.sample_count());
    }
    let disturbance = report.rows.iter().filter_map(|row| row.disturbance);
    let disturbance = disturbance.reduce(Disturbance::or_worse);
    let finding = match (little_to_gain(plan, effects), recommended(effects)) {
        (Some(finding), _) => finding,
        (None, Some(best)) => helps(plan, effects, best),
        (None, None) => nothing(effects),
    };
    Verdict::without_grade(match disturbance {
        None => finding,
        Some(disturbance) => Finding::new(
            format!("Not decided: {disturbance}."),
            format!("Measured anyway: {} {}", finding.sentence, finding.evidence),
        )
        .with_word(INCONCLUSIVE),
    })
}

fn little_to_gain(plan: &WhatHelps, effects: &[ChangeEffect]) -> Option<Finding> {
    let p99 = effects.iter().find_map(|effect| Some(effect.p99?.0))?;
    let p99 = format_time(Nanos::from_nanos_f64(p99));
    let is_full = plan.baseline.load.count == LoadCount::PerLogicalCpu;
    let next = if is_full { "" } else { "Test again with all CPUs busy." };
    is_little_to_gain(effects).then(|| {
        let sentence =
            format!("There is little to gain: p99 lateness is {p99} without any change.");
        Finding::new(sentence, next).with_word("Little to gain")
    })
}

fn helps(plan: &WhatHelps, effects: &[ChangeEffect], best: &ChangeEffect) -> Finding {
    let (name, is_plural) = subject(best);
    let verb = if is_plural { "remove" } else { "removes" };
    let share = format_share(best.reduction());
    let load = if plan.baseline.load.is_none() { "" } else { " under load" };
    let sentence = format!("{name} {verb} {share} of p99 lateness{load}.");
    let (before, after) = best.p99.unwrap_or_default();
    let [before, after] = [before, after].map(|nanos| format_time(Nanos::from_nanos_f64(nanos)));
    let mut evidence = format!("{before} becomes {after}");
    evidence.push_str(&match best.cpu_cost {
        Some(cost) if 0.001 <= cost => format!(", for {} of one CPU.", format_share(cost)),
        Some(_) => ", at no measurable CPU cost.".to_owned(),
        None => format!("; its CPU cost is {NOT_REPORTED}."),
    });
    let together = effects.iter().find(|effect| effect.is_together && 0.0 < effect.reduction());
    if let Some(all) = together.filter(|all| *all != best) {
        let share = format_share(all.reduction());
        evidence.push_str(&format!(" All changes that help, together, remove {share}."));
    }
    Finding::new(sentence, evidence).with_word("Helps").with_key(Some(format!("{share} less late")))
}

/// Returns the changes of a row as the subject of a sentence, and whether the subject is plural.
fn subject(effect: &ChangeEffect) -> (String, bool) {
    let name_of = |change: &SettingChange| match change {
        SettingChange::SpinTail => "a spin tail",
        SettingChange::AboveNormal => "priority above normal",
        SettingChange::Highest => "priority highest",
        SettingChange::TimeCritical => "priority time-critical",
        SettingChange::Pinned => "pinning to a performance core",
        SettingChange::FineTimer => "the finest timer",
        SettingChange::LoadBelowNormal => "load threads below normal",
        SettingChange::NoDeepIdle => "no deep idle",
    };
    let names: Vec<String> = effect.changes.iter().map(name_of).map(str::to_owned).collect();
    let is_plural = names.len() != 1 || effect.changes == [SettingChange::LoadBelowNormal];
    let mut text = join_names(&names);
    if let [SettingChange::SpinTail] = effect.changes.as_slice()
        && let Some(length) = effect.detail.split(',').next()
    {
        text = format!("a spin tail of {length}");
    }
    if effect.is_together {
        text.push_str(", together,");
    }
    (capitalized(&text), is_plural)
}

/// Returns a finding if the system denied a request of the baseline, so no change can be compared with it.
fn denied_baseline(report: &Report) -> Option<Finding> {
    let row = report.rows.get(report.results::<ChangeEffect>().first()?.baseline_row)?;
    let refusal = row.granted.as_ref()?.refusals.first().filter(|_| !row.is_as_requested())?;
    let sentence =
        format!("Nothing was compared: {} was denied to the baseline.", refusal.requested);
    Some(Finding::new(sentence, refusal.remedy.clone()).with_word("Denied"))
}

fn nothing(effects: &[ChangeEffect]) -> Finding {
    let named = |result: Outcome| -> Vec<String> {
        let of_result = effects.iter().filter(|effect| effect.result == result);
        of_result.map(|effect| effect.name().to_lowercase()).collect()
    };
    let [denied, worse, same] =
        [Outcome::NotEvaluated, Outcome::Worse, Outcome::NoClearDifference].map(named);
    let smallest = effects.iter().find_map(|effect| effect.smallest);
    let smallest = smallest.map_or_else(String::new, |share| {
        format!("The smallest effect that this test could show is {}.", format_share(share))
    });
    let verb = if worse.len() == 1 { "makes" } else { "make" };
    let worse = (!worse.is_empty()).then(|| format!("{} {verb} it worse", join_names(&worse)));
    if denied.is_empty() {
        return match worse {
            None => Finding::new("No change makes a clear difference on this PC.", smallest),
            Some(worse) => Finding::new(format!("No change helps on this PC; {worse}."), smallest),
        }
        .with_word("No clear difference");
    }
    let were = if denied.len() == 1 { "was" } else { "were" };
    let rest = match worse {
        Some(worse) => format!("no other change helps, and {worse}."),
        None if same.is_empty() => "no other change was measured.".to_owned(),
        None => "the other changes make no clear difference.".to_owned(),
    };
    let denied = capitalized(&join_names(&denied));
    Finding::new(format!("{denied} {were} denied; {rest}"), smallest).with_word("Denied")
}
