//! The kernel's limit on the CPU time of real-time threads (`RLIMIT_RTTIME`), with a signal handler
//! that demotes the threads: without the handler, the signal would kill the process.

use std::io;
use std::sync::Mutex;

use super::super::demote_all_registered;

/// CPU time a real-time thread may use without sleeping, in microseconds.
const LIMIT_MICROS: u64 = 200_000;
/// Min hard limit in microseconds. The kernel counts in ticks of up to 10 ms: with a lower hard
/// limit, it may kill the process before it notices that the soft limit, which is half the hard
/// limit, is reached.
const MIN_HARD_MICROS: u64 = 50_000;

/// Number of active guards, and the limit and signal handler before the first guard; `None` without a guard.
static HELD: Mutex<Option<Before>> = Mutex::new(None);

struct Before {
    count: usize,
    limit: Option<libc::rlimit>,
    action: libc::sigaction,
}

/// While a guard exists, a signal handler revokes the priority of all registered real-time threads
/// as soon as one of them uses 200 ms of CPU time without sleeping. An inherited hard limit can
/// require an earlier time, since it kills the process. Dropping the last guard restores the
/// previous limit and handler.
#[derive(Debug)]
#[must_use = "the limit holds only as long as this is held"]
pub struct RealtimeGuard(());

impl RealtimeGuard {
    /// Sets the limit and the signal handler, or only counts the guard if there is already another one.
    pub fn install() -> Self {
        let Ok(mut held) = HELD.lock() else { return Self(()) };
        match held.as_mut() {
            Some(before) => before.count += 1,
            None => *held = Some(Before { count: 1, action: handle_overrun(), limit: lower() }),
        }
        Self(())
    }
}

impl RealtimeGuard {
    /// Checks that the handler can revoke real-time priority before the kernel kills the process.
    ///
    /// # Errors
    ///
    /// The reason why the handler cannot, in one sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        let Ok(held) = HELD.lock() else {
            return Err("an earlier attempt to set the guard failed".to_owned());
        };
        match held.as_ref().and_then(|before| before.limit.as_ref()) {
            None => Err("the limit RLIMIT_RTTIME, which guards against a runaway thread, cannot \
                         be set"
                .to_owned()),
            Some(before) if before.rlim_max < MIN_HARD_MICROS => Err(format!(
                "the hard limit RLIMIT_RTTIME of {} µs would kill the process before the priority \
                 could be revoked",
                before.rlim_max
            )),
            Some(_) => Ok(()),
        }
    }
}

impl Drop for RealtimeGuard {
    fn drop(&mut self) {
        let Ok(mut held) = HELD.lock() else { return };
        let Some(before) = held.as_mut() else { return };
        before.count -= 1;
        if before.count == 0 {
            if let Some(limit) = &before.limit
                && let Err(error) = set(libc::RLIMIT_RTTIME, limit)
            {
                log::warn!("the limit of real-time CPU time stays lowered: {error}");
            }
            restore(&before.action);
            *held = None;
        }
    }
}

/// Demotes every registered real-time thread. This is a signal handler, so it restores the `errno`
/// of the interrupted thread.
#[expect(unsafe_code, reason = "the error number is the C library's")]
extern "C" fn on_overrun(_signal: libc::c_int) {
    // SAFETY: the call takes nothing and returns the address of this thread's `errno`.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: `errno` is valid for as long as the thread runs.
    let before = unsafe { errno.read() };
    demote_all_registered();
    // SAFETY: `errno` is still valid, since the same thread runs.
    unsafe { errno.write(before) };
}

/// Installs `on_overrun` as the handler of the signal SIGXCPU, and returns the previous handler.
#[expect(unsafe_code, reason = "signal handlers are the C library's")]
fn handle_overrun() -> libc::sigaction {
    let handler: extern "C" fn(libc::c_int) = on_overrun;
    // SAFETY: all zeroes is a valid sigaction.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    let mut action = before;
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: both point to valid sigactions; the handler makes only calls that are
    // async-signal-safe.
    unsafe { libc::sigaction(libc::SIGXCPU, &raw const action, &raw mut before) };
    before
}

#[expect(unsafe_code, reason = "signal handlers are the C library's")]
fn restore(action: &libc::sigaction) {
    let action: *const libc::sigaction = action;
    // SAFETY: `action` is the one that was installed before.
    unsafe { libc::sigaction(libc::SIGXCPU, action, std::ptr::null_mut()) };
}

/// Returns the soft limit to set, in microseconds, given the inherited limits. It is at most half
/// the hard limit, since the kernel kills the process at the hard limit.
fn soft_micros(soft: u64, hard: u64) -> u64 {
    LIMIT_MICROS.min(hard / 2).min(soft)
}

/// Lowers the soft limit and returns the previous limits; `None` on failure. The hard limit stays
/// unchanged, since an ordinary user could not raise it again.
fn lower() -> Option<libc::rlimit> {
    let before = get(libc::RLIMIT_RTTIME)?;
    let rlim_cur = soft_micros(before.rlim_cur, before.rlim_max);
    let lowered = libc::rlimit { rlim_cur, ..before };
    match set(libc::RLIMIT_RTTIME, &lowered) {
        Ok(()) => Some(before),
        Err(error) => {
            log::warn!("could not set the kernel's limit of real-time CPU time: {error}");
            None
        }
    }
}

/// The type in which the C library numbers resource limits.
#[cfg(target_env = "musl")]
pub(super) type Resource = libc::c_int;
#[cfg(not(target_env = "musl"))]
pub(super) type Resource = libc::__rlimit_resource_t;

/// Returns the soft and the hard limit of a resource.
pub(super) fn limit(resource: Resource) -> Option<(u64, u64)> {
    get(resource).map(|limit| (limit.rlim_cur, limit.rlim_max))
}

#[expect(unsafe_code, reason = "limits are the C library's")]
pub(super) fn get(resource: Resource) -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for one rlimit.
    let code = unsafe { libc::getrlimit(resource, &raw mut limit) };
    (code == 0).then_some(limit)
}

#[expect(unsafe_code, reason = "limits are the C library's")]
pub(super) fn set(resource: Resource, limit: &libc::rlimit) -> io::Result<()> {
    let limit: *const libc::rlimit = limit;
    // SAFETY: `limit` points to a valid rlimit.
    let code = unsafe { libc::setrlimit(resource, limit) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests;
