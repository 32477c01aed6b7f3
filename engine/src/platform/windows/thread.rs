//! Reads and sets the scheduling of a thread.

use std::io;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};

use windows_sys::Win32::Foundation::GetLastError;
use windows_sys::Win32::System::Threading::{
    GetCurrentThread, GetCurrentThreadId, GetThreadPriority, GetThreadTimes, OpenThread,
    SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL, THREAD_PRIORITY_NORMAL,
    THREAD_PRIORITY_TIME_CRITICAL, THREAD_QUERY_INFORMATION, THREAD_SET_INFORMATION,
};

use super::super::ThreadId;
use super::super::applied::{Policy, Refusal};
use super::cpu_nanos;
use super::living::opened;
use crate::plan::LoadLevel;

/// The result of `GetThreadPriority` if it fails.
const PRIORITY_ERROR: i32 = 0x7fff_ffff;

/// Returns the ID of the calling thread.
#[expect(unsafe_code, reason = "the standard library's thread id is not the kernel's")]
pub fn thread_id() -> ThreadId {
    // SAFETY: GetCurrentThreadId takes nothing and cannot fail.
    ThreadId(u64::from(unsafe { GetCurrentThreadId() }))
}

/// Opens a thread of this process.
#[expect(unsafe_code, reason = "only the system opens threads")]
fn open(thread: ThreadId) -> Option<OwnedHandle> {
    let id = u32::try_from(thread.0).ok()?;
    let rights = THREAD_SET_INFORMATION | THREAD_QUERY_INFORMATION;
    // SAFETY: OpenThread takes plain values.
    let thread = unsafe { OpenThread(rights, 0, id) };
    // SAFETY: the handle was just opened, and has no other owner.
    unsafe { opened(thread) }
}

/// Demotes a thread to normal priority; returns whether the priority that the system reports
/// afterward is below time-critical. A thread of the multimedia service stays in its class, but the
/// service leaves 20% of the CPU time to other threads.
#[expect(unsafe_code, reason = "the crate for priorities supports only the calling thread")]
pub(crate) fn demote(thread: ThreadId) -> bool {
    let Some(thread) = open(thread) else { return false };
    // SAFETY: the handle is open and may be set.
    unsafe { SetThreadPriority(thread.as_raw_handle(), THREAD_PRIORITY_NORMAL) };
    // SAFETY: the handle is open and may be read.
    let level = unsafe { GetThreadPriority(thread.as_raw_handle()) };
    level != PRIORITY_ERROR && !Policy::WindowsLevel(level).is_realtime()
}

/// Returns the CPU time of another thread of this process, in nanoseconds; `None` if the system does not report it.
/// The watchdog needs this time: Windows itself does not limit real-time threads.
#[expect(unsafe_code, reason = "only the system reports it")]
pub(crate) fn runaway_cpu_nanos(thread: ThreadId) -> Option<i64> {
    let thread = open(thread)?;
    // SAFETY: the handle is that of a thread, and open.
    unsafe { cpu_nanos(thread.as_raw_handle(), GetThreadTimes) }
}

/// Returns the priority of the calling thread, read back from the system.
pub fn own_policy() -> Policy {
    priority().map_or(Policy::Unknown, Policy::WindowsLevel)
}

/// Requests a priority for the calling thread, −15 to 15.
#[expect(unsafe_code, reason = "the crate for priorities rounds to its own levels")]
pub(super) fn set_priority(level: i32) -> io::Result<()> {
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: `thread` is the calling thread.
    if unsafe { SetThreadPriority(thread, level) } == 0 { Err(last_error()) } else { Ok(()) }
}

/// Returns the calling thread's priority, or `None` if the system does not report it.
#[expect(unsafe_code, reason = "read back from the system, not from the request")]
pub(super) fn priority() -> Option<i32> {
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: `thread` is the calling thread.
    let level = unsafe { GetThreadPriority(thread) };
    (level != PRIORITY_ERROR).then_some(level)
}

#[expect(unsafe_code, reason = "only the system reports it")]
pub(super) fn last_error() -> io::Error {
    // SAFETY: GetLastError takes nothing.
    let code = unsafe { GetLastError() };
    io::Error::from_raw_os_error(i32::try_from(code).unwrap_or(i32::MAX))
}

/// Describes a failed call: what was `requested`, and why the system did not do it.
pub(super) fn refusal(requested: &str, call: &str, error: &io::Error) -> Refusal {
    let errno = error.raw_os_error();
    let (name, reason) = match errno {
        Some(5) => ("ERROR_ACCESS_DENIED", "access denied".to_owned()),
        Some(87) => ("ERROR_INVALID_PARAMETER", "invalid value".to_owned()),
        Some(120) => ("ERROR_CALL_NOT_IMPLEMENTED", "not supported by this system".to_owned()),
        _ => ("", error.to_string()),
    };
    Refusal { errno, error_name: name.to_owned(), ..Refusal::new(requested, call, reason) }
}

/// Does nothing: with as many busy normal threads as CPUs, threads of lower priority would never
/// run, and the window would freeze under load.
pub fn lower_ui_priority() {}

/// Lowers the priority of the calling thread below that of measuring threads.
pub fn lower_own_priority() {
    if let Err(error) = set_priority(THREAD_PRIORITY_BELOW_NORMAL) {
        log::info!("stays at normal priority: {error}");
    }
}

/// Lowers the priority of the calling load thread at a level below normal; otherwise does nothing.
pub fn set_load_priority(level: LoadLevel) {
    if level != LoadLevel::Normal {
        lower_own_priority();
    }
}

/// Raises the calling thread, which is the watchdog, to the priority of the time-critical threads that it limits.
pub fn raise_supervisor() {
    if let Err(error) = set_priority(THREAD_PRIORITY_TIME_CRITICAL) {
        log::info!("the watchdog stays at normal priority: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_supervisor_is_as_urgent_as_the_threads_it_watches() {
        let raised = std::thread::Builder::new()
            .name("supervisor".to_owned())
            .spawn(|| {
                raise_supervisor();
                priority()
            })
            .unwrap();
        assert_eq!(raised.join().unwrap(), Some(THREAD_PRIORITY_TIME_CRITICAL));
    }
}
