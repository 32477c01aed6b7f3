//! Ends the process with an exit status and a message instead of a signal.

use std::io;

/// The message for an abort, such as after a failed allocation.
#[cfg(unix)]
const ABORTED: &str = "error: not enough memory, or an internal error; the samples of a running test are \
                       recovered at the next start\n";

/// A system call that is refused, without which the standard library panics.
#[derive(Debug, thiserror::Error)]
#[error(
    "this system refuses the call {name} ({error}): allow it in the filter of system calls (seccomp) of the container or service"
)]
pub struct RefusedCall {
    name: &'static str,
    error: io::Error,
}

/// Makes the calls for which the standard library has no other way.
///
/// # Errors
///
/// Returns the first call that is refused.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library panics where these calls fail")]
pub fn check_needed_calls() -> Result<(), RefusedCall> {
    let time = libc::timespec { tv_sec: 0, tv_nsec: 1 };
    let nowhere = std::ptr::null_mut();
    // SAFETY: `time` is valid for the length of the call, and the remaining time is not asked for.
    let code = unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &raw const time, nowhere) };
    if code != 0 && code != libc::EINTR {
        let error = io::Error::from_raw_os_error(code);
        return Err(RefusedCall { name: "clock_nanosleep", error });
    }
    let mut bytes = [0_u8; 8];
    // SAFETY: `bytes` is valid for its length.
    let count = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    let error = io::Error::last_os_error();
    // Where the call does not exist or is not permitted, the standard library reads a file.
    let has_other_way = [libc::ENOSYS, libc::EPERM, libc::EINTR].map(Some);
    if count < 0 && !has_other_way.contains(&error.raw_os_error()) {
        return Err(RefusedCall { name: "getrandom", error });
    }
    Ok(())
}

/// Does nothing: only Linux has filters that refuse such calls.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the signature is that of Linux")]
pub fn check_needed_calls() -> Result<(), RefusedCall> {
    Ok(())
}

/// Lets a write beyond the limit on file sizes (`RLIMIT_FSIZE`) fail with an error; by default the
/// system kills the process.
#[cfg(unix)]
#[expect(unsafe_code, reason = "signals are the C library's")]
pub fn survive_size_limit() {
    // SAFETY: ignoring a signal installs no handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Calls `install`, which sets handlers for the signals that end a process. Signals that were
/// ignored before are then ignored again: `nohup` and background jobs of a shell start a program
/// with ignored signals.
#[cfg(unix)]
#[expect(unsafe_code, reason = "signals are the C library's")]
pub fn keep_ignored_signals<R>(install: impl FnOnce() -> R) -> R {
    let mut ignored = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM].to_vec();
    ignored.retain(|signal| is_ignored(*signal));
    let installed = install();
    for signal in ignored {
        // SAFETY: ignoring a signal installs no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    installed
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "signals are the C library's")]
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: all zeros are a valid value of this type.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action, the call only writes the current one.
    let code = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    code == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// Makes a failed allocation end the process with a message and status 1; by default, SIGABRT kills it.
#[cfg(unix)]
#[expect(unsafe_code, reason = "signals are the C library's")]
pub fn exit_on_abort() {
    let handler: extern "C" fn(libc::c_int) = on_abort;
    // SAFETY: the handler makes only calls that are async-signal-safe.
    unsafe { libc::signal(libc::SIGABRT, handler as libc::sighandler_t) };
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "a handler may not use the standard library's output")]
extern "C" fn on_abort(_signal: libc::c_int) {
    // SAFETY: the text is valid for its length; `write` is async-signal-safe.
    unsafe { libc::write(libc::STDERR_FILENO, ABORTED.as_ptr().cast(), ABORTED.len()) };
    exit_at_once(1);
}

/// Ends the process at once, without waiting for threads or running exit handlers.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the standard library's exit runs handlers, which can block")]
pub fn exit_at_once(status: i32) -> ! {
    // SAFETY: _exit takes a number and does not return.
    unsafe { libc::_exit(status) }
}

/// Calls `install`: on this system, a process inherits no ignored signals.
#[cfg(not(unix))]
pub fn keep_ignored_signals<R>(install: impl FnOnce() -> R) -> R {
    install()
}

/// Does nothing: this system has no limit on file sizes.
#[cfg(not(unix))]
pub fn survive_size_limit() {}

/// Does nothing: on this system, an abort already ends the process with a status.
#[cfg(not(unix))]
pub fn exit_on_abort() {}

/// Ends the process at once, without waiting for threads.
#[cfg(not(unix))]
#[expect(clippy::exit, reason = "the second interrupt ends the program wherever it is")]
pub fn exit_at_once(status: i32) -> ! {
    #[cfg(windows)]
    super::windows::stop_traces();
    std::process::exit(status)
}
