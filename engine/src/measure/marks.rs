//! Counters of the system, read when the measurement of a trial begins and compared with the counters at its end, and
//! the runs of own threads between both.

use std::sync::atomic::{AtomicI64, Ordering};

use super::Event;
use super::collector::Collector;
use super::cpu_use::{CpuTimes, CpuUseMark};
use super::own_runs::take_own_runs;
use crate::nanos::Nanos;
use crate::plan::Pace;
use crate::platform::{self, ActivityCounts, RequestOutcome, SmiCounter, activity, clock_nanos};
use crate::run::{Counters, counter, series_name};

/// The marks of a trial, which store counters of the system; `None` until they can be read.
#[derive(Debug, Default)]
pub(super) struct Marks {
    cpu_use: Option<CpuUseMark>,
    activity: Option<ActivityMark>,
}

impl Marks {
    /// Takes the marks of a trial that are still missing; call it while the trial is measured.
    pub(super) fn take(&mut self, collector: &Collector, trial: usize, times: &CpuTimes) {
        if self.cpu_use.is_none() {
            self.cpu_use = CpuUseMark::now(probed_cpu(collector, trial), times);
        }
        if self.activity.is_none() {
            self.activity = paced_cpu(collector, trial).map(ActivityMark::now);
        }
    }

    /// Adds the increases of the counters since the marks.
    pub(super) fn count_since(&self, times: &CpuTimes, counters: &mut Counters) {
        if let Some(mark) = self.cpu_use {
            mark.count_since(times, counters);
        }
        if let Some(mark) = &self.activity {
            mark.count_since(counters);
        }
    }
}

/// Adds the runs of own threads since the last call to the gap probes on their CPUs. `trials` are the running trials, each with the
/// value of `clock_nanos` from which its times count.
pub(super) fn add_own_runs<'a>(
    collector: &mut Collector,
    trials: &(impl Iterator<Item = (usize, &'a AtomicI64)> + Clone),
) {
    for run in take_own_runs() {
        let is_probe = |(trial, _): &(usize, _)| probed_cpu(collector, *trial) == Some(run.cpu);
        let Some((trial, start)) = trials.clone().find(is_probe) else { continue };
        let at = Nanos::new(run.began - start.load(Ordering::Acquire));
        let name = series_name::OWN_RUN.to_owned();
        collector.emit(Event::Value { trial, name, at, value: run.length });
    }
}

/// Returns the CPU to which a gap probe is pinned; `None` for other trials.
fn probed_cpu(collector: &Collector, trial: usize) -> Option<u32> {
    let trial = collector.run.trials.get(trial)?;
    let applied = trial.applied.as_ref().filter(|one| one.pin == RequestOutcome::Granted)?;
    applied.selected_cpu.filter(|_| matches!(trial.trial.pace, Pace::Gaps { .. }))
}

/// Returns the CPU of a paced loop: the CPU to which the loop is pinned, or the CPU of its last sample.
/// `None` for another kind of trial, or if neither CPU is known.
fn paced_cpu(collector: &Collector, trial: usize) -> Option<u32> {
    let trial = collector.run.trials.get(trial).filter(|one| one.trial.pace.is_grid())?;
    let pinned = trial.applied.as_ref().and_then(|applied| applied.selected_cpu);
    pinned.or_else(|| trial.samples.last()?.cpu)
}

/// The activity counters of one CPU (such as interrupts and idle states) at one time. The thread of the collector reads
/// them before and after a trial.
#[derive(Debug)]
pub(super) struct ActivityMark {
    at: i64,
    cpu: u32,
    counts: ActivityCounts,
    smi: Option<SmiCounter>,
}

impl ActivityMark {
    /// Reads the activity counters of a CPU.
    pub(super) fn now(cpu: u32) -> Self {
        let (smi, counts) = (SmiCounter::open(cpu), platform::cpu_activity(cpu));
        Self { at: clock_nanos(), cpu, counts, smi }
    }

    /// Adds the increase of each activity counter since this mark, and the time since then in nanoseconds.
    pub(super) fn count_since(&self, counters: &mut Counters) {
        let now = platform::cpu_activity(self.cpu);
        counters.insert(counter::ACTIVITY_CPU.to_owned(), self.cpu.into());
        counters.insert(counter::ACTIVITY_WINDOW_NANOS.to_owned(), clock_nanos() - self.at);
        counters.extend(activity::risen(&self.counts, &now));
        let smi = self.smi.as_ref().and_then(SmiCounter::count);
        let smi = smi.and_then(|count| i64::try_from(count).ok());
        counters.extend(smi.map(|count| (activity::SMI.to_owned(), count)));
    }
}
