//! Limits of CPU time: none are read, and none are set for real-time threads.

use crate::nanos::Nanos;

/// A guard against real-time threads that do not sleep, which does nothing.
#[derive(Debug)]
#[must_use = "held as long as threads are raised"]
pub struct RealtimeGuard(());

impl RealtimeGuard {
    /// Installs nothing.
    pub fn install() -> Self {
        Self(())
    }
}

/// Returns `None`: no limit of CPU time (quota) is read.
pub const fn cpu_quota_percent() -> Option<u32> {
    None
}

/// Returns nothing: no throttled time is read.
pub const fn throttled_times() -> Vec<Nanos> {
    Vec::new()
}

/// Returns `None`: no set of CPUs to which this process is limited is read.
pub const fn cpu_set() -> Option<Vec<u32>> {
    None
}
