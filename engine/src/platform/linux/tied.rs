//! Programs that the system ends together with this one.

use std::io;
use std::os::unix::process::{CommandExt as _, parent_id};
use std::process::{Child, Command};

/// Starts a program that gets SIGTERM when the calling thread ends, also when this process is killed. A program with the
/// rights of another user gets no such signal.
#[expect(unsafe_code, reason = "the standard library does not tie programs to this one")]
pub(crate) fn start_tied(mut command: Command) -> io::Result<Child> {
    let parent = std::process::id();
    let request = move || {
        // SAFETY: this request of prctl takes a number, and is async-signal-safe.
        let code = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) };
        match code {
            // The parent may have ended before the request.
            0 if parent_id() == parent => Ok(()),
            0 => Err(io::ErrorKind::BrokenPipe.into()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: `request` makes only calls that are async-signal-safe, and allocates nothing.
    unsafe { command.pre_exec(request) };
    command.spawn()
}
