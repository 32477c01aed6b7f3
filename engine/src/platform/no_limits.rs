//! For systems on which this program reads no limits of its CPU time, and sets none for its
//! real-time threads.

use crate::nanos::Nanos;

/// A guard against real-time threads that do not sleep. It does nothing: on Windows, the watchdog checks their
/// CPU time instead, and the kernel of macOS itself limits time-constraint threads.
#[derive(Debug)]
#[must_use = "held as long as threads are raised"]
pub struct RealtimeGuard(());

impl RealtimeGuard {
    /// Installs nothing.
    pub fn install() -> Self {
        Self(())
    }
}

/// Returns `None`: no limit of CPU time (quota) is read on this system.
pub const fn cpu_quota_percent() -> Option<u32> {
    None
}

/// Returns nothing: no throttled time is read on this system.
pub const fn throttled_times() -> Vec<Nanos> {
    Vec::new()
}

/// Returns `None`: no set of CPUs to which this process is limited is read on this system.
pub const fn cpu_set() -> Option<Vec<u32>> {
    None
}
