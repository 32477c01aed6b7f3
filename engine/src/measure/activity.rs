//! Counts the activity of the measured CPU during a trial, such as interrupts and idle states. The collector's thread
//! reads the counters of the system before and after the trial.

use crate::platform::{self, ActivityCounts, SmiCounter, activity, clock_nanos};
use crate::run::{Counters, counter};

/// The activity counters of one CPU (such as interrupts and idle states) at one time.
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
