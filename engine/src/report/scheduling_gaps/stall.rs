//! Stalls: gaps on several CPUs at once.

use crate::nanos::Nanos;
use crate::run::Run;

/// Gaps that begin within this of each other are one stall.
const TOGETHER: i64 = 100_000;
/// Shorter gaps are not compared: every CPU has its own.
const MIN: i64 = 100_000;
/// Gaps at least this long are one stall, too, where they overlap by at least half.
const LONG: i64 = 1_000_000;

/// A gap on several CPUs at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    /// When it began, counted from the start of the stage.
    pub at: Nanos,
    /// The longest of its gaps.
    pub length: Nanos,
    /// Positions of the trials that had it, in the run.
    pub trials: Vec<usize>,
    /// Whether every CPU that was probed had it.
    pub is_everywhere: bool,
}

/// The stalls of a run of gap probes, in order of time. Time: O(n log n) in the number of long gaps.
pub(in crate::report) fn stalls(run: &Run) -> Vec<Stall> {
    let mut gaps: Vec<(i64, i64, usize)> = Vec::new();
    for (trial, position) in run.trials.iter().zip(0..) {
        let samples = &trial.samples;
        for (from, to) in samples.due_nanos().zip(samples.woke_nanos()) {
            if MIN <= to.saturating_sub(from) {
                gaps.push((from, to, position));
            }
        }
    }
    gaps.sort_unstable();
    let probed = run.trials.iter().filter(|trial| trial.applied.is_some()).count();
    let mut stalls: Vec<Stall> = Vec::new();
    let mut group: Vec<(i64, i64, usize)> = Vec::new();
    for gap in gaps {
        let belongs = group.first().is_some_and(|first| {
            let overlap = first.1.min(gap.1).saturating_sub(gap.0);
            let (one, other) = (first.1.saturating_sub(first.0), gap.1.saturating_sub(gap.0));
            gap.0.saturating_sub(first.0) <= TOGETHER
                || (LONG <= one && LONG <= other && one.min(other) / 2 <= overlap)
        });
        if !belongs {
            stalls.extend(stall(&group, probed));
            group.clear();
        }
        group.push(gap);
    }
    stalls.extend(stall(&group, probed));
    stalls
}

fn stall(group: &[(i64, i64, usize)], probed: usize) -> Option<Stall> {
    let mut trials: Vec<usize> = group.iter().map(|gap| gap.2).collect();
    trials.sort_unstable();
    trials.dedup();
    let length = group.iter().map(|gap| gap.1.saturating_sub(gap.0)).max()?;
    (1 < trials.len()).then(|| Stall {
        at: Nanos::new(group.first().map_or(0, |gap| gap.0)),
        length: Nanos::new(length),
        is_everywhere: trials.len() == probed,
        trials,
    })
}
