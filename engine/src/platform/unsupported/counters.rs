//! Counters of threads and CPUs: none are read.

use std::collections::BTreeMap;

use super::super::{ActivityCounts, MachineCpuTime, ThreadCounters};

/// A reader of the calling thread's counters, which returns none.
#[derive(Debug)]
pub struct CounterReader {}

impl CounterReader {
    /// Creates a reader of no counters.
    pub fn new(_counts_switches: bool) -> Self {
        Self {}
    }

    /// Returns no counters. Allocates nothing.
    #[inline]
    pub fn read(&self) -> ThreadCounters {
        ThreadCounters::default()
    }

    /// Returns `None`: the run-queue delay is not reported.
    #[inline]
    pub fn run_delay_nanos(&self) -> Option<i64> {
        None
    }
}

/// Returns `None`: the CPU time of the calling thread is not read.
pub const fn thread_cpu_nanos() -> Option<i64> {
    None
}

/// Returns `None`: the CPU time of this process is not read.
pub const fn process_cpu_nanos() -> Option<i64> {
    None
}

/// Returns `None`: the CPU time of all CPUs is not read.
pub const fn machine_cpu_time() -> Option<MachineCpuTime> {
    None
}

/// Returns `None`: the CPU time of each CPU is not read.
pub const fn cpu_times() -> Option<BTreeMap<u32, MachineCpuTime>> {
    None
}

/// Returns no activity counters of a CPU.
pub const fn cpu_activity(_cpu: u32) -> ActivityCounts {
    ActivityCounts::new()
}

/// Returns `None`: the number of interrupts on all CPUs is not read.
pub const fn interrupt_count() -> Option<u64> {
    None
}

/// A counter of system management interrupts, which does not exist.
#[derive(Debug)]
pub enum SmiCounter {}

impl SmiCounter {
    /// Returns `None`: there is no such counter.
    pub const fn open(_cpu: u32) -> Option<Self> {
        None
    }

    /// Is never called: no value of this type exists.
    pub const fn count(&self) -> Option<u64> {
        None
    }
}
