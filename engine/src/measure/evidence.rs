//! Reads the system's counters around a late wake-up, without allocation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::nanos::Nanos;
use crate::platform::{CounterReader, ThreadCounters, clock_nanos};
use crate::sample::Evidence;

/// The counters of the measuring thread at the last two points of slack.
#[derive(Debug)]
pub struct EvidenceReader {
    reader: CounterReader,
    /// Whether switches and page faults are recorded, so that they need not be counted.
    is_traced: Arc<AtomicBool>,
    /// In the slack before the last one: the work of the last iteration comes after it.
    before_work: ThreadCounters,
    /// In the last slack: only the wait comes after it.
    in_slack: ThreadCounters,
}

impl EvidenceReader {
    /// Opens the counters; call it on the measuring thread.
    pub fn new() -> Self {
        Self::with_trace(Arc::default())
    }

    /// The same, reading only what a trace does not replace while there is one.
    pub fn with_trace(is_traced: Arc<AtomicBool>) -> Self {
        let reader = CounterReader::new();
        let now = reader.read();
        Self { reader, is_traced, before_work: now, in_slack: now }
    }

    fn read_untraced(&self) -> ThreadCounters {
        if self.is_traced.load(Ordering::Relaxed) {
            let run_delay_nanos = self.reader.run_delay_nanos();
            ThreadCounters { run_delay_nanos, ..ThreadCounters::default() }
        } else {
            self.reader.read()
        }
    }

    /// Remembers the counters; call it in the slack after the work.
    #[inline]
    pub fn in_slack(&mut self) {
        self.before_work = self.in_slack;
        self.in_slack = self.read_untraced();
    }

    /// The counters since the last slack, or since the one before if the loop was already behind,
    /// so that what delayed the work of the last iteration is included.
    #[inline]
    pub fn since_slack(&mut self, was_behind: bool) -> Evidence {
        let now = self.read_untraced();
        let then = if was_behind { &self.before_work } else { &self.in_slack };
        Evidence {
            index: 0,
            involuntary_switches: count(now.involuntary, then.involuntary),
            voluntary_switches: count(now.voluntary, then.voluntary),
            minor_faults: count(now.minor_faults, then.minor_faults),
            major_faults: count(now.major_faults, then.major_faults),
            run_delay: length(now.run_delay_nanos, then.run_delay_nanos),
            steal: None,
            cpu_before: None,
            cpu_after: None,
            work_started: None,
        }
    }

    /// The counters now.
    pub fn read(&self) -> ThreadCounters {
        self.reader.read()
    }

    /// Cost of one read: the median of 101.
    pub fn read_cost(&self) -> Nanos {
        let mut costs: Vec<i64> = (0..101)
            .map(|_| {
                let began = clock_nanos();
                std::hint::black_box(self.reader.read());
                clock_nanos() - began
            })
            .collect();
        costs.sort_unstable();
        Nanos::new(costs.get(50).copied().unwrap_or(0))
    }
}

impl Default for EvidenceReader {
    fn default() -> Self {
        Self::new()
    }
}

fn count(now: Option<u64>, then: Option<u64>) -> Option<u32> {
    Some(u32::try_from(now?.saturating_sub(then?)).unwrap_or(u32::MAX))
}

fn length(now: Option<i64>, then: Option<i64>) -> Option<Nanos> {
    Some(Nanos::new(now?.saturating_sub(then?)))
}
