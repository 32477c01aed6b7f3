//! Where a system reports no interrupts, frequencies, or temperatures to ordinary programs.

#[cfg(not(windows))]
use super::ActivityCounts;

/// What is counted around a CPU: not read.
#[cfg(not(windows))]
pub const fn cpu_activity(_cpu: u32) -> ActivityCounts {
    ActivityCounts::new()
}

/// Counts how often the firmware stopped a CPU: not read.
#[derive(Debug)]
pub enum SmiCounter {}

impl SmiCounter {
    /// There is none.
    pub const fn open(_cpu: u32) -> Option<Self> {
        None
    }

    /// Unreachable: there is no counter.
    pub const fn count(&self) -> Option<u64> {
        None
    }
}

/// Interrupts of all CPUs since boot: not read.
#[cfg(not(windows))]
pub const fn interrupt_count() -> Option<u64> {
    None
}

/// The frequency of a CPU in kHz: not read.
pub const fn cpu_khz(_cpu: u32) -> Option<u64> {
    None
}

/// The temperature of the processor in thousandths of a degree Celsius: not read.
pub const fn cpu_millicelsius() -> Option<i64> {
    None
}
