//! Defaults of Windows for threads that a test overrides: timer resolution, power throttling,
//! priority class.

use windows_sys::Win32::Media::{TIMERR_NOERROR, timeBeginPeriod, timeEndPeriod};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetPriorityClass, NORMAL_PRIORITY_CLASS,
    PROCESS_POWER_THROTTLING_CURRENT_VERSION, PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION,
    PROCESS_POWER_THROTTLING_STATE, ProcessPowerThrottling, REALTIME_PRIORITY_CLASS,
    SetPriorityClass, SetProcessInformation, SetThreadInformation,
    THREAD_POWER_THROTTLING_CURRENT_VERSION, THREAD_POWER_THROTTLING_EXECUTION_SPEED,
    THREAD_POWER_THROTTLING_STATE, ThreadPowerThrottling,
};

use super::super::applied::{FINEST_TIMER, Guard, Refusal};

/// The finest period that `timeBeginPeriod` accepts, in milliseconds.
const FINEST_MILLIS: u32 = 1;

/// Requests the finest timer resolution, which also applies while the window is hidden. Dropping the guard ends the
/// request. Returns `None` and adds an entry to `refusals` if the system does not grant the request.
#[expect(unsafe_code, reason = "only the system grants it")]
pub(super) fn fine_timer(refusals: &mut Vec<Refusal>) -> Option<Guard> {
    // SAFETY: timeBeginPeriod takes a number.
    if unsafe { timeBeginPeriod(FINEST_MILLIS) } != TIMERR_NOERROR {
        refusals.push(Refusal {
            error_name: "TIMERR_NOCANDO".to_owned(),
            ..Refusal::new(FINEST_TIMER, "timeBeginPeriod", "the system does not grant it")
        });
        return None;
    }
    set_process_throttling(PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION);
    Some(Guard::new(|| {
        // Lets the system decide again whether to ignore the timer resolution of a hidden window.
        set_process_throttling(0);
        // SAFETY: the call ends, once, the period that `timeBeginPeriod` began above.
        unsafe { timeEndPeriod(FINEST_MILLIS) };
    }))
}

/// Turns off the kinds of throttling in `decided`; the system decides on all other kinds. Windows 11
/// ignores the timer resolution that a program with a hidden window requests, unless the program
/// turns this off. An older system rejects the call and never ignores the resolution.
#[expect(unsafe_code, reason = "only the system grants it")]
fn set_process_throttling(decided: u32) {
    let state = PROCESS_POWER_THROTTLING_STATE {
        Version: PROCESS_POWER_THROTTLING_CURRENT_VERSION,
        ControlMask: decided,
        StateMask: 0,
    };
    let bytes = u32::try_from(size_of_val(&state)).unwrap_or(0);
    // SAFETY: GetCurrentProcess gives a pseudo-handle that is always valid.
    let process = unsafe { GetCurrentProcess() };
    let place = (&raw const state).cast();
    // SAFETY: `place` points to a state of `bytes` bytes for the length of the call.
    unsafe { SetProcessInformation(process, ProcessPowerThrottling, place, bytes) };
}

/// Excludes the calling thread from power throttling until the guard is dropped. Otherwise, Windows may
/// run the threads of a background program on slow cores at a low frequency. An older system rejects the
/// call, but has no such throttling.
pub(super) fn forbid_throttling() -> Guard {
    set_thread_throttling(THREAD_POWER_THROTTLING_EXECUTION_SPEED);
    Guard::new(|| set_thread_throttling(0))
}

#[expect(unsafe_code, reason = "only the system grants it")]
fn set_thread_throttling(decided: u32) {
    let state = THREAD_POWER_THROTTLING_STATE {
        Version: THREAD_POWER_THROTTLING_CURRENT_VERSION,
        ControlMask: decided,
        StateMask: 0,
    };
    let bytes = u32::try_from(size_of_val(&state)).unwrap_or(0);
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    let place = (&raw const state).cast();
    // SAFETY: `place` points to a state of `bytes` bytes for the length of the call.
    if unsafe { SetThreadInformation(thread, ThreadPowerThrottling, place, bytes) } == 0 {
        log::info!("power throttling is left to the system");
    }
}

/// Moves a process that was started in the real-time class to the normal class: in the real-time
/// class, even a load thread runs before threads of the system.
#[expect(unsafe_code, reason = "only the system reports it")]
pub(super) fn leave_realtime_class() {
    // SAFETY: GetCurrentProcess gives a pseudo-handle that is always valid.
    let process = unsafe { GetCurrentProcess() };
    // SAFETY: `process` is this process.
    if unsafe { GetPriorityClass(process) } != REALTIME_PRIORITY_CLASS {
        return;
    }
    // SAFETY: `process` is this process.
    if unsafe { SetPriorityClass(process, NORMAL_PRIORITY_CLASS) } == 0 {
        log::warn!("the process stays in the real-time class");
    }
}
