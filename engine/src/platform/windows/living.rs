//! Facts about running threads and processes.

use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt as _;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::PathBuf;

use windows_sys::Win32::Foundation::{ERROR_INVALID_PARAMETER, GetLastError, HANDLE, STILL_ACTIVE};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, GetProcessIdOfThread, OpenProcess, OpenThread, PROCESS_NAME_WIN32,
    PROCESS_QUERY_LIMITED_INFORMATION, QueryFullProcessImageNameW,
    THREAD_QUERY_LIMITED_INFORMATION,
};

/// Max length of a path, in UTF-16 units.
const MAX_PATH_UNITS: usize = 0x7fff;

/// Takes ownership of a handle; `None` if the system has opened none (a null handle).
///
/// # Safety
///
/// The system must have opened the handle for this program, and nothing else may own the handle.
#[expect(unsafe_code, reason = "only the system opens handles")]
pub(super) unsafe fn opened(handle: HANDLE) -> Option<OwnedHandle> {
    // SAFETY: guaranteed by the caller of this function.
    (!handle.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// Opens a process to read its facts; `None` where the system denies access, or if there is no such process.
#[expect(unsafe_code, reason = "only the system opens processes")]
pub(super) fn open_process(process: u32) -> Option<OwnedHandle> {
    // SAFETY: OpenProcess takes plain values.
    let process = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) };
    // SAFETY: the handle was just opened, and has no other owner.
    unsafe { opened(process) }
}

/// Returns the ID of the process of a running thread; `None` where the system denies access to the thread.
#[expect(unsafe_code, reason = "only the system knows threads of other processes")]
pub(super) fn process_of(thread: u32) -> Option<u32> {
    // SAFETY: OpenThread takes plain values.
    let thread = unsafe { OpenThread(THREAD_QUERY_LIMITED_INFORMATION, 0, thread) };
    // SAFETY: the handle was just opened, and has no other owner.
    let thread = unsafe { opened(thread) }?;
    // SAFETY: the handle is open.
    Some(unsafe { GetProcessIdOfThread(thread.as_raw_handle()) }).filter(|process| *process != 0)
}

/// Returns the file name of the program to which a running thread belongs; `None` where the system denies access.
pub(super) fn program_name_of(thread: u32) -> Option<String> {
    let program = program_of(process_of(thread)?)?;
    program.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// Returns the path of the program of a running process; `None` where the system denies access to the process.
#[expect(unsafe_code, reason = "only the system knows the programs of other processes")]
pub(super) fn program_of(process: u32) -> Option<PathBuf> {
    let process = open_process(process)?;
    let mut path = vec![0_u16; MAX_PATH_UNITS];
    let mut length = u32::try_from(path.len()).ok()?;
    // SAFETY: the handle is open, and `length` is the number of units of `path`.
    let done = unsafe {
        QueryFullProcessImageNameW(
            process.as_raw_handle(),
            PROCESS_NAME_WIN32,
            path.as_mut_ptr(),
            &raw mut length,
        )
    };
    let path = path.get(..usize::try_from(length).ok()?).filter(|_| done != 0)?;
    Some(OsString::from_wide(path).into())
}

/// Whether a process is running; also `true` if the system does not report that.
#[expect(unsafe_code, reason = "only the system knows other processes")]
pub(super) fn is_running(process: u32) -> bool {
    let Some(process) = open_process(process) else {
        // SAFETY: GetLastError takes nothing and cannot fail.
        return unsafe { GetLastError() } != ERROR_INVALID_PARAMETER;
    };
    let mut code = 0_u32;
    // SAFETY: the handle is open, and `code` is a valid place.
    let done = unsafe { GetExitCodeProcess(process.as_raw_handle(), &raw mut code) };
    done == 0 || i32::try_from(code) == Ok(STILL_ACTIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_ended_does_not_run() {
        assert!(is_running(std::process::id()));
        let mut child = std::process::Command::new("cmd").args(["/c", "exit"]).spawn().unwrap();
        let process = child.id();
        child.wait().unwrap();
        // While `child` holds the handle of the process, no other process gets the same ID.
        assert!(!is_running(process));
        drop(child);
    }
}
