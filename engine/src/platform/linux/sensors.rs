//! The number of interrupts and the frequencies of the CPUs, if the kernel reports them.

use std::fs;

use super::super::parse;
use super::read;

/// Returns the number of interrupts on all CPUs since boot; `None` if the kernel does not report it.
pub fn interrupt_count() -> Option<u64> {
    parse::interrupt_count(&fs::read_to_string("/proc/stat").ok()?)
}

/// Returns the current frequency of a CPU in kHz; `None` if the kernel does not report it.
pub fn cpu_khz(cpu: u32) -> Option<u64> {
    read(&format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq"))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reported_is_plausible() {
        let first = interrupt_count().unwrap();
        assert!(0 < first && first <= interrupt_count().unwrap());
        assert!(cpu_khz(0).is_none_or(|khz| (10_000..10_000_000).contains(&khz)));
    }
}
