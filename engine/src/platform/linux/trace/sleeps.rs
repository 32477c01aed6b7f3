//! The end of a sleep: its timer expires, and its CPU exits an idle state.

use std::collections::BTreeMap;

use super::super::{read, timers_are_exact};
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord, WakeContext};

/// The timers that measuring threads set.
#[derive(Debug)]
#[cfg_attr(test, derive(Default))]
pub(super) struct Timers {
    /// Whether a timer expires in an interrupt when it is due, instead of at the next tick.
    are_exact: bool,
    /// The thread and the last expiry time of each timer, by the CPU and the address of the timer.
    set: BTreeMap<(u32, u64), (u32, Nanos)>,
    /// The record of the timer that expired last on each CPU, for use if the timer wakes the thread that set it.
    expired: BTreeMap<u32, Option<TraceRecord>>,
}

impl Timers {
    pub(super) fn new() -> Self {
        let (set, expired) = Default::default();
        Self { are_exact: timers_are_exact(), set, expired }
    }

    #[cfg(test)]
    pub(super) fn exact() -> Self {
        Self { are_exact: true, ..Self::default() }
    }

    /// Saves that a measuring thread set a timer on a CPU, which is to expire at the time `expires`.
    pub(super) fn set(&mut self, (cpu, timer): (u32, u64), thread: u32, expires: Nanos) {
        if self.are_exact {
            self.set.insert((cpu, timer), (thread, expires));
        }
    }

    /// Saves that a timer on a CPU expired.
    pub(super) fn expired(&mut self, (cpu, timer): (u32, u64), at: Nanos) {
        let record = self.set.remove(&(cpu, timer)).map(|(thread, expires)| TraceRecord {
            thread: Some(thread),
            value: Some((at - expires).get()),
            ..TraceRecord::new(at, TraceEvent::TimerExpired, cpu)
        });
        self.expired.insert(cpu, record);
    }

    /// Returns the record of the timer that woke a measuring thread on a CPU; `None` if something else woke the thread.
    pub(super) fn woke(&mut self, thread: u32, cpu: u32) -> Option<TraceRecord> {
        self.expired.remove(&cpu).flatten().filter(|record| record.thread == Some(thread))
    }
}

/// The CPUs that complete requests of storage devices. The kernel records the begin of a completion; it ends at the latest
/// with the interrupt or the softirq in which it began, or in a thread with the next switch.
#[derive(Debug, Default)]
pub(super) struct Completions(BTreeMap<u32, WakeContext>);

impl Completions {
    /// Saves that a CPU completes a request in this context.
    pub(super) fn begin(&mut self, cpu: u32, context: WakeContext) {
        self.0.insert(cpu, context);
    }

    /// Passes the end of a completion to `take` where one ends with this context; with `None`, at a switch, each ends.
    pub(super) fn end(
        &mut self,
        base: TraceRecord,
        context: Option<WakeContext>,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        if self.0.is_empty() {
            return;
        }
        let own = self.0.get(&base.cpu).copied();
        if own.is_some_and(|own| context.is_none_or(|context| context == own)) {
            self.0.remove(&base.cpu);
            take(TraceRecord::new(base.at, TraceEvent::BlockCompleteEnd, base.cpu));
        }
    }
}

/// Exit latencies of the idle states of CPUs.
#[derive(Debug, Default)]
pub(super) struct IdleStates {
    /// Exit latencies that were looked up before, in nanoseconds, by CPU and idle state; `None` if not reported.
    latencies: BTreeMap<(u32, u32), Option<i64>>,
}

impl IdleStates {
    /// Returns the exit latency of an idle state, in nanoseconds; `None` if the system does not report it.
    pub(super) fn latency(&mut self, cpu: u32, state: u32) -> Option<i64> {
        *self.latencies.entry((cpu, state)).or_insert_with(|| {
            let file = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{state}/latency");
            read(&file)?.parse::<i64>().ok()?.checked_mul(1_000)
        })
    }

    #[cfg(test)]
    pub(super) fn made(cpu: u32, state: u32, latency: i64) -> Self {
        Self { latencies: BTreeMap::from([((cpu, state), Some(latency))]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_timer_that_wakes_its_thread_ended_its_sleep() {
        let mut timers = Timers::exact();
        let at = Nanos::from_micros;
        timers.set((1, 0xa0), 7, at(16_000));
        timers.set((1, 0xb0), 7, at(20_000));
        timers.expired((1, 0xa0), at(16_900));
        assert_eq!(timers.woke(8, 1), None, "another thread");
        timers.set((1, 0xa0), 7, at(16_000));
        timers.expired((1, 0xa0), at(16_900));
        assert_eq!(timers.woke(7, 0), None, "another CPU");
        let record = timers.woke(7, 1).unwrap();
        assert_eq!((record.at, record.cpu, record.value), (at(16_900), 1, Some(900_000)));
        assert_eq!(timers.woke(7, 1), None, "a signal");
        timers.set((1, 0xa0), 7, at(17_000));
        timers.expired((1, 0xa0), at(17_001));
        timers.expired((1, 0xc0), at(17_002));
        assert_eq!(timers.woke(7, 1), None, "the timer of somebody else came last");
        let mut coarse = Timers::default();
        coarse.set((1, 0xa0), 7, at(16_000));
        coarse.expired((1, 0xa0), at(18_000));
        assert_eq!(coarse.woke(7, 1), None, "it expired at a tick");
    }
}
