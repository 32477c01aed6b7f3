//! Reads the system's counters of the measuring thread around a late wake-up, without allocation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::nanos::Nanos;
use crate::platform::{CounterReader, ThreadCounters, clock_nanos};
use crate::sample::{Evidence, WaitReasons};

/// The counters of the measuring thread in its last two slacks. A slack is the time between work and the next wait.
#[derive(Debug)]
pub struct EvidenceReader {
    reader: CounterReader,
    /// Whether a trace records context switches and page faults, so that the counters need not be read.
    is_traced: Arc<AtomicBool>,
    /// The counters in the slack before the last one, which was before the work of the last iteration.
    before_work: ThreadCounters,
    /// The counters in the last slack, which was after the work of the last iteration.
    in_slack: ThreadCounters,
    /// Wait reasons read since the last slack; `None` if none were read. A reading only has the reasons since
    /// the previous reading.
    reasons_since: Option<WaitReasons>,
}

impl EvidenceReader {
    /// Opens the counters; call it on the measuring thread. While `is_traced` is true, only the run-queue delay is
    /// read: the trace has the rest.
    pub fn new(is_traced: Arc<AtomicBool>) -> Self {
        Self::of(CounterReader::new(true), is_traced)
    }

    /// Opens the counters on a thread that has a reader. On Windows, this second reader counts no context switches.
    pub fn second() -> Self {
        Self::of(CounterReader::new(false), Arc::default())
    }

    fn of(reader: CounterReader, is_traced: Arc<AtomicBool>) -> Self {
        let now = reader.read();
        Self { reader, is_traced, before_work: now, in_slack: now, reasons_since: None }
    }

    fn read_untraced(&self) -> ThreadCounters {
        if self.is_traced.load(Ordering::Relaxed) {
            let run_delay_nanos = self.reader.run_delay_nanos();
            ThreadCounters { run_delay_nanos, ..ThreadCounters::default() }
        } else {
            self.reader.read()
        }
    }

    /// Reads and stores the counters; call it in the slack after the work.
    #[inline]
    pub fn in_slack(&mut self) {
        self.before_work = self.in_slack;
        self.in_slack = self.read_untraced();
        let since = self.reasons_since.take().unwrap_or_default();
        self.in_slack.wait_reasons = self.in_slack.wait_reasons.map(|reasons| reasons.and(since));
    }

    /// Returns the increase of the counters since the last slack. If the loop was already behind,
    /// returns the increase since the slack before it, to include delays of the last iteration's work.
    #[inline]
    pub fn since_slack(&mut self, was_behind: bool) -> Evidence {
        let now = self.read_untraced();
        let then = if was_behind { &self.before_work } else { &self.in_slack };
        self.reasons_since = now.wait_reasons;
        let earlier = self.in_slack.wait_reasons.filter(|_| was_behind).unwrap_or_default();
        let wait_reasons = now.wait_reasons.map(|reasons| reasons.and(earlier));
        let never = wait_reasons.filter(|reasons| !reasons.has_preemption()).map(|_| 0);
        Evidence {
            involuntary_switches: count(now.involuntary, then.involuntary).or(never),
            voluntary_switches: count(now.voluntary, then.voluntary),
            minor_faults: count(now.minor_faults, then.minor_faults),
            major_faults: count(now.major_faults, then.major_faults),
            run_delay: length(now.run_delay_nanos, then.run_delay_nanos),
            switches: count(now.switches, then.switches),
            wait_reasons,
            interrupt_time: interrupt_time(&now, then),
            ..Evidence::default()
        }
    }

    /// Reads the counters and returns them.
    pub fn read(&self) -> ThreadCounters {
        self.reader.read()
    }

    /// Measures the cost of one read: the median of 101 reads.
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

fn count(now: Option<u64>, then: Option<u64>) -> Option<u32> {
    Some(u32::try_from(now?.saturating_sub(then?)).unwrap_or(u32::MAX))
}

/// Returns the interrupt time since `then`; `None` if unknown or if the thread moved, as each CPU has its own counter.
fn interrupt_time(now: &ThreadCounters, then: &ThreadCounters) -> Option<Nanos> {
    let (now, then) = (now.interrupts?, then.interrupts?);
    (now.cpu == then.cpu).then(|| Nanos::new(now.nanos.saturating_sub(then.nanos)))
}

fn length(now: Option<i64>, then: Option<i64>) -> Option<Nanos> {
    Some(Nanos::new(now?.saturating_sub(then?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::CpuInterrupts;

    #[test]
    fn interrupts_of_two_cpus_are_no_time() {
        let of = |cpu, nanos| ThreadCounters {
            interrupts: Some(CpuInterrupts { cpu, nanos }),
            ..ThreadCounters::default()
        };
        assert_eq!(interrupt_time(&of(1, 900), &of(1, 400)), Some(Nanos::new(500)));
        assert_eq!(interrupt_time(&of(2, 900), &of(1, 400)), None, "moved");
        assert_eq!(interrupt_time(&of(2, 900), &ThreadCounters::default()), None, "not reported");
    }
}
