//! Ends the process with an exit status and a message instead of a signal.

/// The message for an abort, such as after a failed allocation.
#[cfg(unix)]
const ABORTED: &str = "error: not enough memory, or an internal error; the samples of a running test are \
                       recovered at the next start\n";

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
