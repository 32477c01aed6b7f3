//! Windows: scheduling, sleeping, counting and topology.

mod accounts;
mod affinity;
mod apply;
mod clock;
mod counters;
mod desktop;
mod elevation;
mod facts;
mod living;
mod permissions;
mod pipes;
mod profiling;
#[cfg(feature = "shortcuts")]
mod shortcut;
mod thread;
mod throttling;
mod tied;
mod topology;
mod trace;

use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::Diagnostics::Debug::MessageBeep;
use windows_sys::Win32::UI::WindowsAndMessaging::MB_OK;
use windows_sys::core::BOOL;

use super::tool::{Launcher, SystemTool};

// The watchdog checks the CPU time of real-time threads in place of a guard.
pub(crate) use super::unsupported::virtual_machine;
pub use super::unsupported::{
    COMPLETION_SOUND_NOTE, CommandPipe, ProcessClocks, RealtimeGuard, SmiCounter, SystemTracer,
    cpu_khz, cpu_millicelsius, cpu_quota_percent, cpu_set, file_capabilities, find_process,
    find_threads, is_root, prepare_window, program_name, raw_clock_nanos,
    record_with_callers_rights, runtime_folder, send_command, take_callers_rights, thread_facts,
    thread_waits, throttled_times,
};
pub use accounts::accounts;
pub(crate) use affinity::cpus_of_all_groups;
pub use affinity::{avoid_cpus, current_cpu, pin_self};
pub use apply::{Held, apply, is_realtime};
pub use clock::{Sleeper, clock_name, clock_nanos, suspended_nanos};
pub use counters::{
    CounterReader, cpu_activity, cpu_times, interrupt_count, machine_cpu_time, process_cpu_nanos,
    thread_cpu_nanos,
};
pub use desktop::desktop_preferences;
pub use elevation::{ELEVATION, elevatable_program, starter};
pub use facts::{power, scheduler_facts};
#[cfg(feature = "shortcuts")]
pub use shortcut::wait_for_shortcut;
pub(crate) use thread::{demote, runaway_cpu_nanos};
pub use thread::{
    lower_own_priority, lower_ui_priority, own_policy, raise_supervisor, set_load_priority,
    thread_id,
};
pub(crate) use tied::start_tied;
pub use topology::{cpus, last_cache_bytes, system_detail};
pub(super) use trace::stop_all as stop_traces;
pub use trace::{Tracer, thread_owner, trace_state};

/// Converts a duration from the system, in units of 100 ns, to nanoseconds.
fn nanos(time: FILETIME) -> i64 {
    let ticks = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    i64::try_from(ticks).unwrap_or(i64::MAX).saturating_mul(100)
}

/// A function that returns when a thread or process was created and ended, and its kernel and user time.
type SystemTimes = unsafe extern "system" fn(
    HANDLE,
    *mut FILETIME,
    *mut FILETIME,
    *mut FILETIME,
    *mut FILETIME,
) -> BOOL;

/// Returns the CPU time of a thread or process, in nanoseconds; `None` if the system does not report it.
///
/// # Safety
///
/// `times` must be `GetThreadTimes` for the handle of a thread, and `GetProcessTimes` for that of a process.
#[expect(unsafe_code, reason = "only the system reports it")]
unsafe fn cpu_nanos(of: HANDLE, times: SystemTimes) -> Option<i64> {
    let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the caller guarantees that the handle fits; the four pointers are valid places for one FILETIME each.
    let is_reported =
        unsafe { times(of, &raw mut created, &raw mut ended, &raw mut kernel, &raw mut user) };
    (is_reported != 0).then(|| nanos(kernel) + nanos(user))
}

/// Whether threads can be pinned to CPUs on this system.
pub fn can_pin() -> bool {
    true
}

/// Plays the system's completion sound; silent if the user turned it off.
#[expect(unsafe_code, reason = "the standard library plays no sounds")]
pub fn play_completion_sound(_sentence: &str) {
    // SAFETY: MessageBeep takes a plain value and plays on a thread of the system.
    if unsafe { MessageBeep(MB_OK) } == 0 {
        log::info!("no sound was played");
    }
}

/// The terminal program that can start another program.
pub(super) const TERMINALS: &[Launcher] = &[("conhost", &[])];

/// Returns the programs, with their arguments, that can show a window of the desktop.
pub(super) const fn tools(tool: SystemTool) -> &'static [Launcher] {
    match tool {
        SystemTool::Power => &[("explorer", &["ms-settings:powersleep"])],
        // Task Manager requests the highest rights of its user: only the shell can start it for an administrator.
        SystemTool::Programs => &[("rundll32", &["shell32.dll,ShellExec_RunDLL", "taskmgr.exe"])],
    }
}
