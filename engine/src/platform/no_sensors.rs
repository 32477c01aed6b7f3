//! For systems that report no interrupts, frequencies, or temperatures to ordinary programs.

#[cfg(not(windows))]
use super::ActivityCounts;

/// Returns no activity counters of a CPU: none are read on this system.
#[cfg(not(windows))]
pub const fn cpu_activity(_cpu: u32) -> ActivityCounts {
    ActivityCounts::new()
}

/// A counter of system management interrupts, which does not exist on this system.
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

/// Returns `None`: the number of interrupts on all CPUs is not read on this system.
#[cfg(not(windows))]
pub const fn interrupt_count() -> Option<u64> {
    None
}

/// Returns `None`: the frequency of a CPU is not read.
pub const fn cpu_khz(_cpu: u32) -> Option<u64> {
    None
}

/// Returns `None`: the temperature of the processor is not read.
pub const fn cpu_millicelsius() -> Option<i64> {
    None
}
