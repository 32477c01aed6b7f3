//! macOS: scheduling, sleeping, counting and topology.

mod apply;
mod clock;
mod counters;
mod desktop;
mod detail;
mod topology;

use super::applied::{Policy, Refusal};
use super::tool::{Launcher, SystemTool};
use super::{Power, ThreadId};
#[cfg(feature = "shortcuts")]
use super::{Shortcut, ShortcutEvent, ShortcutRefusal, ShortcutStop};

pub use super::no_elevation::{ELEVATION, elevatable_program, starter};
pub use super::no_limits::{RealtimeGuard, cpu_quota_percent, cpu_set, throttled_times};
pub use super::no_root::{is_root, take_callers_rights};
pub use super::no_sensors::{SmiCounter, cpu_activity, cpu_khz, cpu_millicelsius, interrupt_count};
pub use super::no_trace::{Tracer, file_capabilities, thread_owner, trace_state};
pub use super::unix_accounts::accounts;
pub use super::unix_clock::{Sleeper, thread_cpu_nanos};
pub use apply::{Held, apply, is_realtime};
pub use clock::{clock_name, clock_nanos, suspended_nanos};
pub use counters::{CounterReader, cpu_times, machine_cpu_time, process_cpu_nanos};
pub use desktop::desktop_preferences;
pub use detail::system_detail;
pub use topology::{cpus, last_cache_bytes};

/// Returns `false`: Apple silicon cannot pin a thread to a CPU, and on other Macs an affinity tag is
/// only a hint.
pub fn can_pin() -> bool {
    false
}

/// Returns a refusal: pinning a thread to a CPU is not supported on this system.
pub fn pin_self(cpu: u32) -> Result<(), Refusal> {
    let reason = "thread affinity (pinning) is not supported on this system";
    Err(Refusal::new(format!("CPU {cpu}"), "thread_policy_set", reason))
}

/// Does nothing: the system selects the CPUs of threads.
pub fn avoid_cpu(_cpu: u32) {}

/// Returns the CPU on which the calling thread runs.
#[inline]
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn current_cpu() -> Option<u32> {
    let mut cpu = 0_usize;
    // SAFETY: `cpu` is a valid place for one number.
    let code = unsafe { libc::pthread_cpu_number_np(&raw mut cpu) };
    if code == 0 { u32::try_from(cpu).ok() } else { None }
}

/// Returns the ID of the calling thread.
pub fn thread_id() -> ThreadId {
    ThreadId(apply::own_number())
}

/// Demotes a thread to ordinary scheduling; returns whether the kernel then reports ordinary scheduling.
pub(crate) fn demote(thread: ThreadId) -> bool {
    apply::demote(thread.0)
}

/// Returns `None`, so that the watchdog checks nothing: the kernel itself limits time-constraint threads.
pub(crate) const fn runaway_cpu_nanos(_thread: ThreadId) -> Option<i64> {
    None
}

/// Returns the scheduling policy of the calling thread, read back from the system.
pub fn own_policy() -> Policy {
    apply::read_back()
}

/// Lowers the priority of the calling thread below that of measuring threads.
pub fn lower_own_priority() {
    apply::lower();
}

/// Does nothing: the system itself prioritizes the threads that draw, and a lower class would
/// starve them under load.
pub fn lower_ui_priority() {}

/// Lowers the priority of the calling load thread if `below_normal` is set; otherwise does nothing.
pub fn set_load_priority(below_normal: bool) {
    if below_normal {
        apply::lower();
    }
}

/// Does nothing: the kernel itself limits time-constraint threads, so the watchdog needs no priority.
pub fn raise_supervisor() {}

/// A note on which programs the completion sound needs; empty, as it needs none on this system.
pub const COMPLETION_SOUND_NOTE: &str = "";

/// Plays the system's completion sound; silent if the user turned it off.
pub fn play_completion_sound(_sentence: &str) {
    objc2_app_kit::NSBeep();
}

/// Returns a refusal: global shortcuts are not supported on this system.
#[cfg(feature = "shortcuts")]
pub fn wait_for_shortcut(
    _: Shortcut,
    _: &ShortcutStop,
    _: &dyn Fn(ShortcutEvent),
) -> Result<(), ShortcutRefusal> {
    Err(ShortcutRefusal::Unavailable("not supported on macOS".to_owned()))
}

/// Returns no values: only frameworks of the system report the power source, and they are not used.
pub fn power() -> Power {
    Power::default()
}

/// Returns "a hypervisor" in a virtual machine, as the system does not report which one; otherwise `None`.
pub(crate) fn virtual_machine() -> Option<String> {
    (topology::number("kern.hv_vmm_present") == Some(1)).then(|| "a hypervisor".to_owned())
}

/// Returns an empty list: this system reports no settings that affect scheduling.
pub fn scheduler_facts() -> Vec<(String, String)> {
    Vec::new()
}

/// The programs that can start another program in a terminal: none, as Terminal only opens files.
pub(super) const TERMINALS: &[Launcher] = &[];

/// Returns the programs, with their arguments, that can show a window of the desktop.
pub(super) const fn tools(tool: SystemTool) -> &'static [Launcher] {
    match tool {
        SystemTool::Power => {
            &[("open", &["x-apple.systempreferences:com.apple.Battery-Settings.extension"])]
        }
        SystemTool::Programs => &[("open", &["-a", "Activity Monitor"])],
    }
}
