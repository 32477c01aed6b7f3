//! The monotonic clock, the system's functions to sleep by this clock, and timer slack.

use super::super::unix_clock::Sleeper;
use super::read;
use crate::nanos::Nanos;

const NANOS_A_SEC: i64 = 1_000_000_000;

/// Returns the time of `CLOCK_MONOTONIC` in nanoseconds.
#[inline]
pub fn clock_nanos() -> i64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Returns the time of `CLOCK_MONOTONIC_RAW` in nanoseconds, whose rate is never adjusted.
pub fn raw_clock_nanos() -> i64 {
    read_clock(libc::CLOCK_MONOTONIC_RAW)
}

/// Returns how long the machine has been suspended since boot, in nanoseconds: the boot-time clock
/// minus the monotonic one.
#[expect(clippy::unnecessary_wraps, reason = "other systems may not report it")]
pub fn suspended_nanos() -> Option<i64> {
    Some(read_clock(libc::CLOCK_BOOTTIME) - read_clock(libc::CLOCK_MONOTONIC))
}

#[inline]
#[expect(unsafe_code, reason = "the standard library's clock gives no number to sleep until")]
fn read_clock(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for one timespec for the length of the call.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec * NANOS_A_SEC + time.tv_nsec
}

/// Whether the kernel's timers expire when they are due, instead of at the next tick.
#[expect(unsafe_code, reason = "the standard library does not report the resolution")]
pub(super) fn timers_are_exact() -> bool {
    let mut step = libc::timespec { tv_sec: 1, tv_nsec: 0 };
    // SAFETY: `step` is a valid place for one timespec for the length of the call.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &raw mut step) };
    step.tv_sec == 0 && step.tv_nsec < 1_000
}

/// Returns the name of the clock with the hardware behind it.
pub fn clock_name() -> String {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match read(path) {
        Some(source) => format!("CLOCK_MONOTONIC, {source}"),
        None => "CLOCK_MONOTONIC".to_owned(),
    }
}

impl Sleeper {
    /// Sleeps until the clock shows `due_nanos`. Allocates nothing.
    #[inline]
    #[expect(unsafe_code, reason = "the standard library has no sleep until an instant")]
    pub fn sleep_until(&self, due_nanos: i64) {
        let due = libc::timespec {
            tv_sec: due_nanos.div_euclid(NANOS_A_SEC),
            tv_nsec: due_nanos.rem_euclid(NANOS_A_SEC),
        };
        loop {
            // SAFETY: `due` is a valid timespec; an absolute sleep writes no remainder.
            let code = unsafe {
                libc::clock_nanosleep(
                    libc::CLOCK_MONOTONIC,
                    libc::TIMER_ABSTIME,
                    &raw const due,
                    std::ptr::null_mut(),
                )
            };
            if code != libc::EINTR {
                return;
            }
        }
    }

    /// Returns the name of the system call in `sleep_until`.
    pub fn call(&self) -> &'static str {
        "clock_nanosleep, absolute"
    }

    /// Returns the name of the system call in `sleep_for`.
    pub fn relative_call(&self) -> &'static str {
        "clock_nanosleep, relative"
    }
}

/// Returns the timer slack of the calling thread: how much later than due the kernel may end a sleep.
#[expect(unsafe_code, reason = "only prctl reports it")]
pub(super) fn timer_slack() -> Option<Nanos> {
    // SAFETY: PR_GET_TIMERSLACK takes no pointer.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
    (0 <= slack).then(|| Nanos::new(i64::from(slack)))
}

/// Sets the timer slack of the calling thread. A failure is ignored: the caller reads the slack back.
#[expect(unsafe_code, reason = "only prctl sets it")]
pub(super) fn set_timer_slack(slack: Nanos) {
    let nanos = libc::c_ulong::try_from(slack.get()).unwrap_or(1).max(1);
    // SAFETY: PR_SET_TIMERSLACK takes a number.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, nanos) };
}
