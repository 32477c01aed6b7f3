//! Where a system reports no interrupts, frequencies, or temperatures to ordinary programs.

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
