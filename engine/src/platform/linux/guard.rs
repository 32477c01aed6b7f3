//! The kernel's own limit on real-time threads, with a handler that demotes instead of killing.

use std::io;
use std::sync::Mutex;

use super::super::demote_all_registered;

/// CPU time a real-time thread may use without sleeping, in microseconds.
const LIMIT_MICROS: u64 = 200_000;

/// How many guards are held, and what was there before the first.
static HELD: Mutex<Option<Before>> = Mutex::new(None);

struct Before {
    count: usize,
    limit: Option<libc::rlimit>,
    action: libc::sigaction,
}

/// While this is held, a real-time thread that does not sleep for 200 ms is made an ordinary one by a
/// signal handler. Dropping the last one puts limit and handler back.
#[derive(Debug)]
#[must_use = "the limit holds only as long as this is held"]
pub struct RealtimeGuard(());

impl RealtimeGuard {
    /// Sets limit and handler.
    pub fn install() -> Self {
        let Ok(mut held) = HELD.lock() else { return Self(()) };
        match held.as_mut() {
            Some(before) => before.count += 1,
            None => *held = Some(Before { count: 1, action: handle_overrun(), limit: lower() }),
        }
        Self(())
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

/// Demotes every known real-time thread; runs as a signal handler.
extern "C" fn on_overrun(_signal: libc::c_int) {
    demote_all_registered();
}

/// Sets the handler and gives back the one before.
#[expect(unsafe_code, reason = "signal handlers are the C library's")]
fn handle_overrun() -> libc::sigaction {
    let handler: extern "C" fn(libc::c_int) = on_overrun;
    // SAFETY: all zeroes is a valid sigaction.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    let mut action = before;
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: both point to valid sigactions; the handler makes only calls that a handler may make.
    unsafe { libc::sigaction(libc::SIGXCPU, &raw const action, &raw mut before) };
    before
}

#[expect(unsafe_code, reason = "signal handlers are the C library's")]
fn restore(action: &libc::sigaction) {
    let action: *const libc::sigaction = action;
    // SAFETY: `action` is the one that stood there before.
    unsafe { libc::sigaction(libc::SIGXCPU, action, std::ptr::null_mut()) };
}

/// Lowers the soft limit and gives back what stood before; the hard one stays, since it could not be
/// put back.
fn lower() -> Option<libc::rlimit> {
    let before = get(libc::RLIMIT_RTTIME)?;
    let lowered = libc::rlimit { rlim_cur: LIMIT_MICROS.min(before.rlim_max), ..before };
    match set(libc::RLIMIT_RTTIME, &lowered) {
        Ok(()) => Some(before),
        Err(error) => {
            log::warn!("the kernel's limit of real-time CPU time could not be set: {error}");
            None
        }
    }
}

/// A limit: soft and hard.
pub(super) fn limit(resource: libc::__rlimit_resource_t) -> Option<(u64, u64)> {
    get(resource).map(|limit| (limit.rlim_cur, limit.rlim_max))
}

#[expect(unsafe_code, reason = "limits are the C library's")]
fn get(resource: libc::__rlimit_resource_t) -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for one rlimit.
    let code = unsafe { libc::getrlimit(resource, &raw mut limit) };
    (code == 0).then_some(limit)
}

#[expect(unsafe_code, reason = "limits are the C library's")]
fn set(resource: libc::__rlimit_resource_t, limit: &libc::rlimit) -> io::Result<()> {
    let limit: *const libc::rlimit = limit;
    // SAFETY: `limit` points to a valid rlimit.
    let code = unsafe { libc::setrlimit(resource, limit) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::plan::{Conditions, Priority};
    use crate::platform::{register_realtime, thread_id};

    #[test]
    fn a_real_time_thread_that_never_sleeps_is_made_an_ordinary_one() {
        let before = limit(libc::RLIMIT_RTTIME);
        let guard = RealtimeGuard::install();
        let outcome = std::thread::Builder::new()
            .name("runaway".to_owned())
            .spawn(|| {
                let conditions = Conditions { priority: Priority::Fifo(10), ..Conditions::NORMAL };
                let (applied, _held) = super::super::apply(&conditions);
                if !applied.effective.policy.is_realtime() {
                    return None;
                }
                let registration = register_realtime(thread_id());
                let began = Instant::now();
                while !registration.has_demoted() && began.elapsed() < Duration::from_secs(5) {
                    std::hint::spin_loop();
                }
                Some((registration.has_demoted(), super::super::thread::policy()))
            })
            .unwrap()
            .join()
            .unwrap();
        drop(guard);
        match outcome {
            Some((demoted, policy)) => {
                assert!(demoted, "the runaway was not caught");
                assert!(!policy.is_realtime(), "{policy}");
            }
            None => println!("skipped: real-time scheduling is not granted here"),
        }
        assert_eq!(limit(libc::RLIMIT_RTTIME), before, "the limit is put back");
    }
}
