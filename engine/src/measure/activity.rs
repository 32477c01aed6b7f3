//! What the system counted around the measured CPU while a trial was measured; read before and after it, on the
//! collector's thread.

use crate::platform::{self, ActivityCounts, SmiCounter, activity, clock_nanos};
use crate::run::{Counters, counter};

/// The counts around one CPU at one moment.
#[derive(Debug)]
pub(super) struct ActivityMark {
    at: i64,
    cpu: u32,
    counts: ActivityCounts,
    smi: Option<SmiCounter>,
}

impl ActivityMark {
    /// The counts now.
    pub(super) fn now(cpu: u32) -> Self {
        let (smi, counts) = (SmiCounter::open(cpu), platform::cpu_activity(cpu));
        Self { at: clock_nanos(), cpu, counts, smi }
    }

    /// Adds what was counted since this mark.
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
