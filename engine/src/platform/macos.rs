//! macOS: scheduling, sleeping, counting and topology.

mod apply;
mod clock;
mod counters;
mod desktop;
mod topology;

use super::ThreadId;
use super::applied::{Policy, Refusal};
use super::tool::{Launcher, SystemTool};
#[cfg(feature = "shortcuts")]
use super::{Shortcut, ShortcutEvent, ShortcutRefusal, ShortcutStop};
use crate::plan::LoadLevel;

pub use super::unix_accounts::accounts;
pub use super::unix_clock::{Sleeper, thread_cpu_nanos};
pub use super::unix_control::{CommandPipe, runtime_folder, send_command};
// Threads cannot be pinned: on Apple silicon not at all, and on other Macs an affinity tag is only a hint. So a gap
// belongs to no single CPU, and no CPU has to be avoided. The system itself prioritizes the threads that draw, which a
// lower class would starve under load, and its kernel limits time-constraint threads: nothing has to guard or to watch
// them. Counters are of whole processes only, and only frameworks that are not used report the power source.
pub(super) use super::unsupported::TERMINALS;
pub use super::unsupported::{
    COMPLETION_SOUND_NOTE, CounterReader, ELEVATION, ProcessClocks, RealtimeGuard, SmiCounter,
    SystemTracer, Tracer, avoid_cpus, can_pin, cpu_activity, cpu_khz, cpu_millicelsius,
    cpu_quota_percent, cpu_set, cpu_times, elevatable_program, file_capabilities, find_process,
    find_threads, interrupt_count, is_root, lower_ui_priority, power, prepare_window, program_name,
    raise_supervisor, raw_clock_nanos, record_with_callers_rights, scheduler_facts, starter,
    take_callers_rights, thread_facts, thread_owner, thread_waits, throttled_times, trace_state,
};
pub(crate) use super::unsupported::{runaway_cpu_nanos, start_tied};
pub use apply::{Held, apply, is_realtime};
pub use clock::{clock_name, clock_nanos, suspended_nanos};
pub use counters::{machine_cpu_time, process_cpu_nanos};
pub use desktop::desktop_preferences;
pub use topology::{cpus, last_cache_bytes, system_detail};

/// Returns a refusal: pinning a thread to a CPU is not supported on this system.
pub fn pin_self(cpu: u32) -> Result<(), Refusal> {
    let reason = "thread affinity (pinning) is not supported on this system";
    Err(Refusal::new(format!("CPU {cpu}"), "thread_policy_set", reason))
}

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

/// Returns the scheduling policy of the calling thread, read back from the system.
pub fn own_policy() -> Policy {
    apply::read_back()
}

/// Lowers the priority of the calling thread below that of measuring threads.
pub fn lower_own_priority() {
    apply::lower();
}

/// Lowers the priority of the calling load thread at a level below normal; otherwise does nothing.
pub fn set_load_priority(level: LoadLevel) {
    if level != LoadLevel::Normal {
        apply::lower();
    }
}

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

/// Returns "a hypervisor" in a virtual machine, as the system does not report which one; otherwise `None`.
pub(crate) fn virtual_machine() -> Option<String> {
    (topology::number("kern.hv_vmm_present") == Some(1)).then(|| "a hypervisor".to_owned())
}

/// Returns the programs, with their arguments, that can show a window of the desktop.
pub(super) const fn tools(tool: SystemTool) -> &'static [Launcher] {
    match tool {
        SystemTool::Power => {
            &[("open", &["x-apple.systempreferences:com.apple.Battery-Settings.extension"])]
        }
        SystemTool::Programs => &[("open", &["-a", "Activity Monitor"])],
    }
}
