//! The follow-up of a run of the test What helps: the plan that measures the helpful changes in
//! combination, and the function that joins the run and its follow-up.

use super::quick::joined;
use crate::plan::what_helps::Together;
use crate::plan::{Plan, SettingChange, WhatHelps};
use crate::report::Report;
use crate::report::what_helps::{ChangeEffect, is_little_to_gain};
use crate::run::{Ending, Run, TrialRun};
use crate::stats::Outcome;

/// Returns the plan that measures the helpful changes of a run in combination. Of several changes of
/// the priority, the plan includes only the most helpful one. `None` if fewer than two changes remain,
/// there is little to gain, the run did not finish, or a combination was already measured.
pub fn follow_up(run: &Run, report: &Report) -> Option<Plan> {
    let Plan::WhatHelps(plan) = run.plan()? else { return None };
    let effects = report.results::<ChangeEffect>();
    let is_open = plan.together.is_none() && !effects.iter().any(|one| one.is_together);
    if run.ending != Ending::Finished || !is_open || is_little_to_gain(effects) {
        return None;
    }
    let mut changes = Vec::new();
    let mut has_priority = false;
    for effect in effects.iter().filter(|one| one.result == Outcome::Better) {
        for change in &effect.changes {
            let is_priority = change.priority().is_some();
            if !(is_priority && has_priority) {
                changes.push(*change);
            }
            has_priority |= is_priority;
        }
    }
    // The spin tail comes from the block that measured the change `SpinTail`, as other blocks may use
    // a spin tail of a different length.
    let is_tail = |trial: &&TrialRun| trial.trial.label == SettingChange::SpinTail.name();
    let tail = run.trials.iter().filter(is_tail).find_map(TrialRun::tail);
    let together = Together { changes, tail };
    (1 < together.changes.len())
        .then(|| Plan::WhatHelps(WhatHelps { together: Some(together), ..plan.clone() }))
}

/// Returns a frame loop run that consists of the blocks of a change and of its baseline, so that their
/// frames can be inspected; `None` if the change was not measured.
pub fn frame_loop_of(run: &Run, report: &Report, effect: &ChangeEffect) -> Option<Run> {
    let Plan::WhatHelps(plan) = run.plan()? else { return None };
    let rows = [effect.baseline_row, effect.row].map(|row| report.rows.get(row));
    let blocks = rows.into_iter().flatten().flat_map(|row| &row.trials);
    let mut blocks: Vec<usize> = blocks.copied().collect();
    blocks.sort_unstable();
    let trials: Vec<TrialRun> =
        blocks.into_iter().filter_map(|block| run.trials.get(block).cloned()).collect();
    let is_measured = effect.p99.is_some() && !trials.is_empty();
    is_measured.then(|| Run {
        subject: Plan::FrameLoop(plan.baseline.clone()).into(),
        name: effect.full_name(),
        annotations: Vec::new(),
        trials,
        ..run.clone()
    })
}

/// Joins a run and its follow-up into one run that replaces the first: it has the ID, name, and
/// notes of the first run. A follow-up that did not finish is ignored.
pub fn with_follow_up(first: &Run, second: Run) -> Run {
    let both = joined(first, second);
    Run {
        id: first.id.clone(),
        started_at: first.started_at,
        name: first.name.clone(),
        note: first.note.clone(),
        tags: first.tags.clone(),
        group: first.group.clone(),
        ..both
    }
}
