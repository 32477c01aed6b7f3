//! What Windows decides for threads by default, and what a test requests instead: timer resolution,
//! power throttling, priority class.

use windows_sys::Win32::Media::{TIMERR_NOERROR, timeBeginPeriod, timeEndPeriod};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetPriorityClass, NORMAL_PRIORITY_CLASS,
    PROCESS_POWER_THROTTLING_CURRENT_VERSION, PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION,
    PROCESS_POWER_THROTTLING_STATE, ProcessPowerThrottling, REALTIME_PRIORITY_CLASS,
    SetPriorityClass, SetProcessInformation, SetThreadInformation,
    THREAD_POWER_THROTTLING_CURRENT_VERSION, THREAD_POWER_THROTTLING_EXECUTION_SPEED,
    THREAD_POWER_THROTTLING_STATE, ThreadPowerThrottling,
};

use super::super::applied::{Guard, Refusal};

/// The finest period that `timeBeginPeriod` accepts, in milliseconds.
const FINEST_MILLIS: u32 = 1;

/// Holds the finest timer resolution, also for a hidden window; restores it when dropped.
#[expect(unsafe_code, reason = "only the system grants it")]
pub(super) fn fine_timer(refusals: &mut Vec<Refusal>) -> Option<Guard> {
    // SAFETY: timeBeginPeriod takes a number.
    if unsafe { timeBeginPeriod(FINEST_MILLIS) } != TIMERR_NOERROR {
        refusals.push(Refusal {
            requested: "the finest timer resolution".to_owned(),
            call: "timeBeginPeriod".to_owned(),
            errno: None,
            error_name: "TIMERR_NOCANDO".to_owned(),
            reason: "the system does not grant it".to_owned(),
            remedy: String::new(),
        });
        return None;
    }
    set_process_throttling(PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION);
    Some(Guard::new(|| {
        // The system decides again.
        set_process_throttling(0);
        // SAFETY: ends the period that was begun above, once.
        unsafe { timeEndPeriod(FINEST_MILLIS) };
    }))
}

/// Takes these decisions from the system, and switches what they are about off; those omitted are the
/// system's. Windows 11 ignores the timer resolution requested by hidden windows unless configured
/// otherwise; an older system rejects the call and does not need it.
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

/// Excludes the thread from power throttling until the guard is dropped: Windows may otherwise run the
/// threads of a program in the background on slow cores at a low frequency. An older system rejects the
/// call and does not throttle.
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

/// Returns a process that was started in the real-time class to the normal one: in that class even a
/// thread of load runs before those of the system.
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
