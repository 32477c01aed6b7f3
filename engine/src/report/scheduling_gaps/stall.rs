//! Stalls: gaps on several CPUs at once that no thread or interrupt on these CPUs explains.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::report::account::late_samples;
use crate::report::{Cause, LateSample, Source};
use crate::run::{Run, TrialRun};

/// Gaps of unknown cause are one stall if their starts and their ends differ by up to this many nanoseconds. A common
/// start alone proves nothing, because time slices end at ticks, which CPUs share.
const TOGETHER: i64 = 100_000;
/// Minimum length of a gap in a stall, in nanoseconds. Shorter gaps occur on every CPU, independently of other CPUs.
const MIN: i64 = 100_000;
/// Start of the name of the kernel threads that stop all CPUs at once.
const STOPPERS: &str = "[migration/";

/// A gap on several CPUs at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Start of the first gap, counted from the start of the stage.
    pub at: Nanos,
    /// Length of the longest gap.
    pub length: Nanos,
    /// Positions in the run of the trials whose gaps form the stall.
    pub trials: Vec<usize>,
    /// Whether the stall includes a gap on every probed CPU.
    pub is_everywhere: bool,
}

/// Where the cause of a gap is, according to the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// A thread or an interrupt had the CPU of the gap. Gaps on other CPUs have other causes.
    OwnCpu,
    /// Nothing on the CPU of the gap explains the gap: the CPU was stopped, or no event was recorded.
    Elsewhere,
    Unknown,
}

impl Origin {
    fn of(late: &LateSample) -> Self {
        let Source::Trace(_) = late.account.source else { return Self::Unknown };
        if !late.account.is_complete {
            return Self::Unknown;
        }
        match late.cause {
            Cause::Thread | Cause::Interrupt => {
                let culprit = late.account.largest().and_then(|(_, culprit, _)| culprit);
                let is_stopper = culprit.is_some_and(|one| one.name.starts_with(STOPPERS));
                if is_stopper { Self::Elsewhere } else { Self::OwnCpu }
            }
            Cause::WaitedForCpu | Cause::PageFault | Cause::PreviousFrame => Self::OwnCpu,
            Cause::NoEvent | Cause::Hypervisor | Cause::Quota | Cause::Blocked => Self::Elsewhere,
            Cause::TimerLate | Cause::DeepIdle | Cause::NotObservable => Self::Unknown,
        }
    }
}

/// A gap on one CPU, in nanoseconds from the start of the stage.
#[derive(Clone, Copy, Debug)]
struct Gap {
    from: i64,
    to: i64,
    /// Position of the trial in the run.
    trial: usize,
    origin: Origin,
}

impl Gap {
    const fn length(&self) -> i64 {
        self.to.saturating_sub(self.from)
    }

    /// Whether this gap and the other gap are parts of one stall.
    fn belongs_to(&self, other: &Self) -> bool {
        let overlap = self.to.min(other.to).saturating_sub(self.from.max(other.from));
        let is_half = self.length().max(other.length()) <= overlap.saturating_mul(2);
        let is_close =
            |one: i64, other: i64| one.saturating_sub(other).saturating_abs() <= TOGETHER;
        let is_together = is_close(self.from, other.from) && is_close(self.to, other.to);
        let is_explained = self.origin == Origin::Elsewhere && other.origin == Origin::Elsewhere;
        self.trial != other.trial && is_half && (is_explained || is_together)
    }
}

/// Returns the gaps of a trial of at least [`MIN`] that no thread or interrupt on the same CPU explains.
fn gaps(trial: &TrialRun, position: usize) -> Vec<Gap> {
    // The trace covers only gaps longer than `above`: the origin of shorter gaps stays unknown.
    let traced = trial.trial.trace_above().filter(|_| trial.trace.is_some());
    let origins: BTreeMap<usize, Origin> = traced
        .map(|above| late_samples(trial, above.max(Nanos::new(MIN - 1))))
        .unwrap_or_default()
        .iter()
        .map(|late| (late.index, Origin::of(late)))
        .collect();
    let samples = trial.samples.due_nanos().zip(trial.samples.woke_nanos()).enumerate();
    let gaps = samples.map(|(index, (from, to))| {
        let origin = origins.get(&index).copied().unwrap_or(Origin::Unknown);
        Gap { from, to, trial: position, origin }
    });
    gaps.filter(|gap| MIN <= gap.length() && gap.origin != Origin::OwnCpu).collect()
}

/// Returns the stalls of a run of gap probes, in order of time. Takes O(n × CPUs) time for n long gaps.
pub(in crate::report) fn stalls(run: &Run) -> Vec<Stall> {
    let trials = run.trials.iter().zip(0..);
    let mut all: Vec<Gap> = trials.flat_map(|(trial, position)| gaps(trial, position)).collect();
    all.sort_unstable_by_key(|gap| (gap.from, gap.trial, gap.to));
    let probed = run.trials.iter().filter(|trial| trial.applied.is_some()).count();
    let mut stalls: Vec<Stall> = Vec::new();
    // Groups of gaps that a later gap may still overlap. There is at most one group per CPU.
    let mut open: Vec<Vec<Gap>> = Vec::new();
    for gap in all {
        let is_over = |group: &mut Vec<Gap>| group.iter().all(|one| one.to < gap.from);
        stalls.extend(open.extract_if(.., is_over).filter_map(|group| stall(&group, probed)));
        match open.iter_mut().find(|group| group.iter().all(|one| gap.belongs_to(one))) {
            Some(group) => group.push(gap),
            None => open.push(vec![gap]),
        }
    }
    stalls.extend(open.iter().filter_map(|group| stall(group, probed)));
    stalls.sort_by_key(|stall| stall.at);
    stalls
}

fn stall(group: &[Gap], probed: usize) -> Option<Stall> {
    let mut trials: Vec<usize> = group.iter().map(|gap| gap.trial).collect();
    trials.sort_unstable();
    let length = group.iter().map(Gap::length).max()?;
    (1 < trials.len()).then(|| Stall {
        at: Nanos::new(group.first().map_or(0, |gap| gap.from)),
        length: Nanos::new(length),
        is_everywhere: trials.len() == probed,
        trials,
    })
}
