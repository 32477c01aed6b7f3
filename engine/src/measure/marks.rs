//! What is read of the system when a trial begins to be measured, to be compared with its end.

use super::activity::ActivityMark;
use super::collector::Collector;
use super::cpu_use::{CpuTimes, CpuUseMark};
use crate::plan::Pace;
use crate::platform::RequestOutcome;
use crate::run::Counters;

/// The marks of a trial, each absent until it can be taken.
#[derive(Debug, Default)]
pub(super) struct Marks {
    cpu_use: Option<CpuUseMark>,
    activity: Option<ActivityMark>,
}

impl Marks {
    /// Takes those of a trial that are missing; call it while the trial is measured.
    pub(super) fn take(&mut self, collector: &Collector, trial: usize, times: &CpuTimes) {
        if self.cpu_use.is_none() {
            self.cpu_use = CpuUseMark::now(probed_cpu(collector, trial), times);
        }
        if self.activity.is_none() {
            self.activity = paced_cpu(collector, trial).map(ActivityMark::now);
        }
    }

    /// Adds what was counted since.
    pub(super) fn count_since(&self, times: &CpuTimes, counters: &mut Counters) {
        if let Some(mark) = self.cpu_use {
            mark.count_since(times, counters);
        }
        if let Some(mark) = &self.activity {
            mark.count_since(counters);
        }
    }
}

/// The CPU to which a gap probe is pinned.
fn probed_cpu(collector: &Collector, trial: usize) -> Option<u32> {
    let trial = collector.run.trials.get(trial)?;
    let applied = trial.applied.as_ref().filter(|one| one.pin == RequestOutcome::Granted)?;
    applied.selected_cpu.filter(|_| matches!(trial.trial.pace, Pace::Gaps { .. }))
}

/// The CPU of a paced loop: the one it is pinned to, or where it woke first.
fn paced_cpu(collector: &Collector, trial: usize) -> Option<u32> {
    let trial = collector.run.trials.get(trial).filter(|one| one.trial.pace.is_grid())?;
    let pinned = trial.applied.as_ref().and_then(|applied| applied.selected_cpu);
    pinned.or_else(|| trial.samples.last()?.cpu)
}
