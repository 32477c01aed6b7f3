//! What ends a sleep: the timer that was set for it, and the idle state that its CPU has to leave.

use std::collections::BTreeMap;

use super::super::{read, timers_are_exact};
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// The timers that measuring threads set.
#[derive(Debug)]
#[cfg_attr(test, derive(Default))]
pub(super) struct Timers {
    /// Whether timers expire in an interrupt that comes for them, and not at the next tick.
    are_exact: bool,
    /// The thread of each and the latest time that it was set for, by its CPU and its address.
    set: BTreeMap<(u32, u64), (u32, Nanos)>,
    /// What the timer that expired last on each CPU makes, if it wakes the thread that set it.
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

    /// A measuring thread set a timer on a CPU.
    pub(super) fn set(&mut self, (cpu, timer): (u32, u64), thread: u32, expires: Nanos) {
        if self.are_exact {
            self.set.insert((cpu, timer), (thread, expires));
        }
    }

    /// A timer of a CPU expired.
    pub(super) fn expired(&mut self, (cpu, timer): (u32, u64), at: Nanos) {
        let record = self.set.remove(&(cpu, timer)).map(|(thread, expires)| TraceRecord {
            at,
            event: TraceEvent::TimerExpired,
            cpu,
            thread: Some(thread),
            name: None,
            value: Some((at - expires).get()),
        });
        self.expired.insert(cpu, record);
    }

    /// A measuring thread was woken on a CPU: the timer that did it, if it was one. A thread sets other timers, too.
    pub(super) fn woke(&mut self, thread: u32, cpu: u32) -> Option<TraceRecord> {
        self.expired.remove(&cpu).flatten().filter(|record| record.thread == Some(thread))
    }
}

/// How long CPUs take to leave their idle states.
#[derive(Debug, Default)]
pub(super) struct IdleStates {
    /// In nanoseconds by CPU and state, once they were looked up.
    latencies: BTreeMap<(u32, u32), Option<i64>>,
}

impl IdleStates {
    /// How long a CPU takes to leave a state, in nanoseconds; `None` where the system does not report it.
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
