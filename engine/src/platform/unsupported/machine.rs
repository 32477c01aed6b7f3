//! Facts about the machine: none are read.

use super::super::{Cpu, Power, SystemDetail};

/// Returns no CPUs: neither their cores nor their kinds are known.
pub const fn cpus() -> Vec<Cpu> {
    Vec::new()
}

/// Returns `None`: the size of the last-level cache is not read.
pub const fn last_cache_bytes() -> Option<u64> {
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

/// Returns no power source and no power plan.
pub fn power() -> Power {
    Power::default()
}

/// Returns an empty list: no settings that affect scheduling are read.
pub const fn scheduler_facts() -> Vec<(String, String)> {
    Vec::new()
}

/// Returns no details.
pub fn system_detail() -> SystemDetail {
    SystemDetail::default()
}

/// Returns `None`: the system reports no hypervisor; only the CPU does.
pub(crate) const fn virtual_machine() -> Option<String> {
    None
}
