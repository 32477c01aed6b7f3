//! Windows: scheduling, sleeping, counting and topology.

mod apply;
mod clock;
mod counters;
mod detail;
mod thread;
mod topology;

use windows_sys::Win32::System::Diagnostics::Debug::MessageBeep;
use windows_sys::Win32::System::Power::{GetSystemPowerStatus, SYSTEM_POWER_STATUS};
use windows_sys::Win32::UI::WindowsAndMessaging::MB_OK;

use super::{CpuQuota, Power, PowerSource};

pub use super::no_trace::{Tracer, trace_state};
pub use apply::{Held, RealtimeGuard, apply, is_realtime};
pub use clock::{Sleeper, clock_name, clock_nanos, suspended_nanos};
pub use counters::{CounterReader, machine_cpu_time, process_cpu_nanos, thread_cpu_nanos};
pub use detail::system_detail;
pub use thread::{
    avoid_cpu, current_cpu, give_way, lower_own_priority, own_policy, pin_self, raise_supervisor,
    set_load_priority, thread_id,
};
pub(crate) use thread::{demote, runaway_cpu_nanos};
pub use topology::{cpus, last_cache_bytes};

/// Whether threads can be pinned to CPUs on this system.
pub fn can_pin() -> bool {
    true
}

/// The hypervisor of this virtual machine, if the CPU does not report it.
pub(crate) fn virtual_machine() -> Option<String> {
    None
}

/// Mechanism of the completion sound, if it needs a mention.
pub const CHIME_NOTE: &str = "";

/// Plays the system's completion sound; silent if the user turned it off.
#[expect(unsafe_code, reason = "the standard library plays no sounds")]
pub fn chime(_sentence: &str) {
    // SAFETY: MessageBeep takes a plain value and plays on a thread of the system.
    if unsafe { MessageBeep(MB_OK) } == 0 {
        log::info!("no sound was played");
    }
}

/// Scheduler limits: the current timer resolution.
pub fn scheduler_facts() -> Vec<(String, String)> {
    clock::timer_resolution()
        .map(|resolution| ("timer_resolution_ns".to_owned(), resolution.get().to_string()))
        .into_iter()
        .collect()
}

/// Power source.
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn power() -> Power {
    let mut status = SYSTEM_POWER_STATUS::default();
    // SAFETY: `status` is a valid place for one SYSTEM_POWER_STATUS.
    let is_told = unsafe { GetSystemPowerStatus(&raw mut status) } != 0;
    let percent = Some(status.BatteryLifePercent).filter(|&percent| percent <= 100);
    let source = match status.ACLineStatus {
        1 => Some(PowerSource::Mains),
        0 => Some(PowerSource::Battery { percent }),
        _ => None,
    };
    Power { source: source.filter(|_| is_told), governor_or_plan: None }
}

/// No quota is read on this system.
pub const fn cpu_quota() -> Option<CpuQuota> {
    None
}

/// No set of CPUs is read on this system.
pub const fn cpu_set() -> Option<Vec<u32>> {
    None
}
