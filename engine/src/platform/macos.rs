//! macOS: scheduling, sleeping, counting and topology.

mod apply;
mod clock;
mod counters;
mod desktop;
mod detail;
mod topology;

use super::applied::{Policy, Refusal};
use super::tool::{Launcher, SystemTool};
use super::{CpuQuota, Power, ThreadId};
#[cfg(feature = "shortcuts")]
use super::{Shortcut, ShortcutEvent, ShortcutRefusal, ShortcutStop};

pub use super::no_elevation::{ELEVATION, elevatable_program, starter};
pub use super::no_root::{is_root, take_callers_rights};
pub use super::no_sensors::{SmiCounter, cpu_activity, cpu_khz, cpu_millicelsius, interrupt_count};
pub use super::no_trace::{Tracer, file_capabilities, thread_owner, trace_state};
pub use super::unix_accounts::accounts;
pub use apply::{Held, RealtimeGuard, apply, is_realtime};
pub use clock::{Sleeper, clock_name, clock_nanos, suspended_nanos};
pub use counters::{
    CounterReader, cpu_times, machine_cpu_time, process_cpu_nanos, thread_cpu_nanos,
};
pub use desktop::desktop_preferences;
pub use detail::system_detail;
pub use topology::{cpus, last_cache_bytes};

/// Whether threads can be pinned to CPUs: not on Apple silicon, and elsewhere a tag is only a hint.
pub fn can_pin() -> bool {
    false
}

/// Pinning is never supported on this system.
pub fn pin_self(cpu: u32) -> Result<(), Refusal> {
    Err(Refusal {
        requested: format!("CPU {cpu}"),
        call: "thread_policy_set".to_owned(),
        errno: None,
        error_name: String::new(),
        reason: "thread affinity (pinning) is not supported on this system".to_owned(),
        remedy: String::new(),
    })
}

/// The system places the threads.
pub fn avoid_cpu(_cpu: u32) {}

/// The CPU on which the calling thread runs.
#[inline]
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn current_cpu() -> Option<u32> {
    let mut cpu = 0_usize;
    // SAFETY: `cpu` is a valid place for one number.
    let code = unsafe { libc::pthread_cpu_number_np(&raw mut cpu) };
    if code == 0 { u32::try_from(cpu).ok() } else { None }
}

/// The calling thread's number.
pub fn thread_id() -> ThreadId {
    ThreadId(apply::own_number())
}

/// Returns a thread to ordinary scheduling; returns whether the kernel then reports it as ordinary.
pub(crate) fn demote(thread: ThreadId) -> bool {
    apply::demote(thread.0)
}

/// The kernel itself limits time-constraint threads: nothing to watch.
pub(crate) const fn runaway_cpu_nanos(_thread: ThreadId) -> Option<i64> {
    None
}

/// The scheduling policy of the calling thread, read back from the system.
pub fn own_policy() -> Policy {
    apply::read_back()
}

/// Lowers the calling thread below those that measure.
pub fn lower_own_priority() {
    apply::lower();
}

/// The system itself ranks the threads that draw; a lower class would starve them under load.
pub fn lower_ui_priority() {}

/// Sets the calling load thread to its priority.
pub fn set_load_priority(below_normal: bool) {
    if below_normal {
        apply::lower();
    }
}

/// The kernel itself watches time-constraint threads; the watchdog needs no priority.
pub fn raise_supervisor() {}

/// Mechanism of the completion sound, if it needs a mention.
pub const COMPLETION_SOUND_NOTE: &str = "";

/// Plays the system's completion sound; silent if the user turned it off.
pub fn play_completion_sound(_sentence: &str) {
    objc2_app_kit::NSBeep();
}

/// Not supported on this system.
#[cfg(feature = "shortcuts")]
pub fn wait_for_shortcut(
    _: Shortcut,
    _: &ShortcutStop,
    _: &dyn Fn(ShortcutEvent),
) -> Result<(), ShortcutRefusal> {
    Err(ShortcutRefusal::Unavailable("not supported on macOS".to_owned()))
}

/// Reported only by the system's frameworks.
pub fn power() -> Power {
    Power::default()
}

/// The hypervisor of this virtual machine.
pub(crate) fn virtual_machine() -> Option<String> {
    (topology::number("kern.hv_vmm_present") == Some(1)).then(|| "a hypervisor".to_owned())
}

/// Scheduler limits: none are reported.
pub fn scheduler_facts() -> Vec<(String, String)> {
    Vec::new()
}

/// No quota is read on this system.
pub const fn cpu_quota() -> Option<CpuQuota> {
    None
}

/// No set of CPUs is read on this system.
pub const fn cpu_set() -> Option<Vec<u32>> {
    None
}

/// None starts another program in a terminal: Terminal opens files alone.
pub(super) const TERMINALS: &[Launcher] = &[];

/// The programs that show a window of the desktop.
pub(super) const fn tools(tool: SystemTool) -> &'static [Launcher] {
    match tool {
        SystemTool::Power => {
            &[("open", &["x-apple.systempreferences:com.apple.Battery-Settings.extension"])]
        }
        SystemTool::Programs => &[("open", &["-a", "Activity Monitor"])],
    }
}
