//! After the changes, those that help together: what to measure, and both runs as one.

use super::quick::joined;
use crate::plan::what_helps::Together;
use crate::plan::{Plan, SettingChange, WhatHelps};
use crate::report::Report;
use crate::report::what_helps::{ChangeEffect, ChangeResult, is_little_to_gain};
use crate::run::{Ending, Run, TrialRun};

/// What to measure after a run: the changes that help, together. Of several priorities only the best is among them.
/// `None` where fewer than two help, there is little to gain, or they were measured already.
pub fn follow_up(run: &Run, report: &Report) -> Option<Plan> {
    let Plan::WhatHelps(plan) = run.plan()? else { return None };
    let effects = report.results::<ChangeEffect>();
    let is_open = plan.together.is_none() && !effects.iter().any(|one| one.is_together);
    if run.ending != Ending::Finished || !is_open || is_little_to_gain(effects) {
        return None;
    }
    let mut changes = Vec::new();
    let mut has_priority = false;
    for effect in effects.iter().filter(|one| one.result == ChangeResult::Helps) {
        for change in &effect.changes {
            let is_priority = change.priority().is_some();
            if !(is_priority && has_priority) {
                changes.push(*change);
            }
            has_priority |= is_priority;
        }
    }
    // Other blocks may have a tail of their own.
    let is_tail = |trial: &&TrialRun| trial.trial.label == SettingChange::SpinTail.name();
    let tail = run.trials.iter().filter(is_tail).find_map(TrialRun::tail);
    let together = Together { changes, tail };
    (1 < together.changes.len())
        .then(|| Plan::WhatHelps(WhatHelps { together: Some(together), ..plan.clone() }))
}

/// The blocks of a change and of its baseline as a run of a frame loop, to look at their frames; `None` where it was
/// not measured.
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

/// One run of a first one and of what was measured after it, in place of the first. What was not measured to its end
/// is not part of it.
pub fn with_follow_up(first: &Run, second: Run) -> Run {
    if second.ending != Ending::Finished {
        return first.clone();
    }
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
