//! Facts about this machine that the app shows on the page about it, in addition to the facts saved with a run.

use serde::{Deserialize, Serialize};

use crate::platform::{self, SystemDetail};

/// Memory use. A value that the system does not report is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// Total memory in bytes.
    pub total_bytes: Option<u64>,
    /// Memory that programs can still use without swapping, in bytes.
    pub available_bytes: Option<u64>,
    /// Swap space in bytes, or `None` without swap.
    pub swap_bytes: Option<u64>,
    /// Swap in use, in bytes, or `None` without swap.
    pub swap_used_bytes: Option<u64>,
}

/// Facts about this machine that are shown but not saved with a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    /// Memory use.
    pub memory: Memory,
    /// Facts that the operating system reports.
    pub system: SystemDetail,
}

impl Detail {
    /// Reads the facts; takes a few milliseconds.
    pub fn read() -> Self {
        Self { memory: memory(), system: platform::system_detail() }
    }
}

fn memory() -> Memory {
    let Ok(mut system) = sysinfo::System::new() else { return Memory::default() };
    system.refresh_memory();
    let known = |bytes: u64| (0 < bytes).then_some(bytes);
    let swap_bytes = known(system.total_swap());
    Memory {
        total_bytes: known(system.total_memory()),
        available_bytes: known(system.available_memory()),
        swap_bytes,
        swap_used_bytes: swap_bytes.map(|_| system.used_swap()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_read_and_nothing_is_zero() {
        let detail = Detail::read();
        assert_ne!(detail.memory.total_bytes, Some(0));
        assert!(detail.memory.available_bytes <= detail.memory.total_bytes);
        assert!(detail.system.caches.iter().all(|cache| 0 < cache.bytes));
        assert!(detail.system.caches.is_sorted());
    }
}
