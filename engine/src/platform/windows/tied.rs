//! Programs that the system ends together with this one.

use std::io;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};
use std::process::{Child, Command};
use std::sync::OnceLock;

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject,
};

use super::living::opened;

/// The job of the programs that end with this one: the system closes it, and ends them, when this process ends.
static JOB: OnceLock<Option<OwnedHandle>> = OnceLock::new();

/// Starts a program that the system ends when this process ends, also when it is killed.
#[expect(unsafe_code, reason = "the standard library has no jobs")]
pub(crate) fn start_tied(mut command: Command) -> io::Result<Child> {
    let child = command.spawn()?;
    if let Some(job) = JOB.get_or_init(create_job) {
        // SAFETY: both handles are open for the length of the call.
        let is_assigned =
            unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) };
        if is_assigned == 0 {
            log::warn!("a program outlives this one: {}", io::Error::last_os_error());
        }
    }
    Ok(child)
}

#[expect(unsafe_code, reason = "the standard library has no jobs")]
fn create_job() -> Option<OwnedHandle> {
    // SAFETY: the call takes no security attributes and no name.
    let job = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
    // SAFETY: the handle was just opened, and has no other owner.
    let job = unsafe { opened(job) }?;
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let size = u32::try_from(size_of_val(&limits)).ok()?;
    // SAFETY: the handle is open, and `limits` is a valid value of this size for the length of the call.
    let is_set = unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size,
        )
    };
    (is_set != 0).then_some(job)
}
