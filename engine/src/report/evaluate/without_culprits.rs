//! The verdict on a run that other programs disturbed, where the trace names them.
//!
//! A disturbance usually ends a verdict: a bad result may be the other programs' fault. With names, the question can be
//! answered: without the samples that the named sources delayed most, would the grade be better? If so, they are the
//! cause, and both grades are the result. Example: of 1 800 frames, 129 are late because of `discordapp`, and p99 lateness
//! is 12 ms: Poor. The other 1 671 frames have a p99 of 0.3 ms: Good. The verdict is "Poor while discordapp runs: it
//! delayed 129 of 140 late frames, up to 42 ms. Without it: Good."
//!
//! Removing a frame leaves a hole in the schedule, which would count as a missed frame. Therefore all later frames move
//! forward by the time from the removed frame to the next one, with all slots that the removed frame caused to be missed.
//! Frames that are late for another reason stay, but for those that were late because a removed frame came before them.
//!
//! Where nearly all samples are late because of one source, those without it are too few for a grade. If it caused at least
//! half of all lateness, it is to blame all the same, and the verdict states that the grade without it is not known.
//!
//! Only for grades of lateness: the grade of a test that compares conditions, such as real-time, is about the difference of
//! its sides, from which nothing may be removed.

use std::collections::HashSet;

use super::super::account::culprits::threshold;
use super::super::account::{LateSample, late_samples};
use super::super::model::cause::Cause;
use super::super::model::delays::Delay;
use super::super::model::disturbance::Disturbance;
use super::super::model::grading::Standing;
use super::super::model::verdict::{Finding, Verdict};
use super::super::{Options, Report};
use crate::nanos::Nanos;
use crate::run::{Run, TrialRun};
use crate::sample::{Sample, Samples};
use crate::stats::GradeRange;
use crate::units::{format_count, format_time, join_names};

/// The maximum number of sources that a verdict blames.
const MAX_NAMED: usize = 3;

/// Returns the verdict with the grade of all samples, and the grade without those that named sources delayed, with the names
/// of these sources; `None` if
/// the verdict is not inconclusive, or if the run would have no better grade without them. Without enough samples for a
/// grade, a source of at least half of the lateness is blamed all the same. Time: O(n log n), once per source.
pub(super) fn blame(
    run: &Run,
    report: &Report,
    verdict: &Verdict,
) -> Option<(Verdict, Vec<String>)> {
    let Standing::Inconclusive { measured, disturbance } = verdict.standing else { return None };
    let grade = measured.grade().filter(|_| !matches!(disturbance, Disturbance::Slept(_)))?;
    let ranked = report.delays.ranked.iter();
    let named: Vec<&Delay> = ranked.filter(|delay| delay.is_named()).take(MAX_NAMED).collect();
    let mut undecided = None;
    let better = (1..=named.len()).find_map(|count| {
        let sources = named.get(..count)?;
        let rest = without(run, sources, &report.options);
        let better = measured_grade(&Report::of(&rest, &report.options).verdict);
        let share = sources.iter().map(|one| one.share).sum::<f64>();
        if better.is_none() && 0.5 <= share {
            undecided = undecided.or(Some(sources));
        }
        let better = better.filter(|better| better.worst() < grade.worst())?;
        Some((sources, better.word()))
    });
    let samples = run.subject.samples_name();
    let unknown = format!("not enough {samples}");
    let (sources, without) =
        better.or_else(|| undecided.map(|sources| (sources, unknown.as_str())))?;
    let blamed: Vec<String> = sources.iter().map(|delay| delay.name.clone()).collect();
    let names = join_names(&blamed);
    let is_one = sources.len() == 1;
    let while_running = if sources.iter().all(|delay| delay.program.is_some()) {
        format!("while {names} {}", if is_one { "runs" } else { "run" })
    } else {
        format!("because of {names}")
    };
    let (they, them) = if is_one { ("it", "it") } else { ("they", "them") };
    let delayed: u64 = sources.iter().map(|delay| delay.sample_count).sum();
    let worst = sources.iter().map(|delay| delay.worst).max().unwrap_or_default();
    let late = if samples == "gaps" { "" } else { "late " };
    let finding = Finding {
        word: None,
        sentence: format!(
            "{} {while_running}: {they} delayed {} of {} {late}{samples}, up to {}. Without {them}: {}.",
            grade.word(),
            format_count(delayed),
            format_count(report.delays.recorded_count),
            format_time(worst),
            without,
        ),
        advice: sources.first().map_or_else(String::new, |delay| delay.advice()),
        ..verdict.finding.clone()
    };
    Some((Verdict { grade: Some(grade), standing: Standing::Noted(disturbance), finding }, blamed))
}

/// Returns the grade that was measured, even if it was disturbed; `None` with too little data.
fn measured_grade(verdict: &Verdict) -> Option<GradeRange> {
    match verdict.standing {
        Standing::Inconclusive { measured, .. } => measured.grade(),
        Standing::Clear | Standing::Noted(_) | Standing::NotEnoughData(_) => verdict.grade,
    }
}

/// Returns the run without its trace, without the samples that these sources delayed most, and without those that were late
/// because such a sample came before them.
fn without(run: &Run, sources: &[&Delay], options: &Options) -> Run {
    let trials = run.trials.iter().map(|trial| {
        let above = threshold(run, trial, options);
        let late = above.map_or_else(Vec::new, |above| late_samples(trial, above));
        let is_of_source = |cause, name: &str| {
            sources.iter().any(|delay| delay.cause == cause && delay.name == name)
        };
        let removed = late.iter().filter(|sample| {
            let (cause, name) = sample.main_delay();
            is_of_source(cause, &name)
        });
        let mut removed: HashSet<usize> = removed.map(|sample| sample.index).collect();
        let is_chained = |sample: &&LateSample| sample.cause == Cause::PreviousFrame;
        let mut chained: Vec<usize> =
            late.iter().filter(is_chained).map(|sample| sample.index).collect();
        chained.sort_unstable();
        for index in chained {
            if index.checked_sub(1).is_some_and(|before| removed.contains(&before)) {
                removed.insert(index);
            }
        }
        let samples = remove(trial, &removed);
        TrialRun { samples, evidence: Vec::new(), trace: None, ..trial.clone() }
    });
    Run { trials: trials.collect(), ..run.clone() }
}

/// Returns the samples of a trial without those at these positions. On a fixed schedule, later samples move forward.
fn remove(trial: &TrialRun, removed: &HashSet<usize>) -> Samples {
    let mut samples = trial.samples.iter().enumerate().peekable();
    let mut kept = Vec::with_capacity(trial.samples.len().saturating_sub(removed.len()));
    let mut moved = Nanos::ZERO;
    while let Some((index, sample)) = samples.next() {
        if !removed.contains(&index) {
            kept.push(Sample {
                began: sample.began - moved,
                due: sample.due - moved,
                slept: sample.slept.map(|slept| slept - moved),
                woke: sample.woke - moved,
                done: sample.done - moved,
                ..sample
            });
        } else if trial.trial.pace.is_grid()
            && let Some((_, next)) = samples.peek()
        {
            moved += next.due - sample.due;
        }
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests;
