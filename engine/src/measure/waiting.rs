//! How a measuring loop waits for an instant: one function per wait, selected before the loop.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::nanos::Nanos;
use crate::platform::{Sleeper, clock_nanos};

/// The longest spin between two checks of the stop flag.
const SLICE_NANOS: i64 = 50_000_000;

/// The longest sleep between two checks of the stop flag: longer than any that can be requested, so that each of them
/// is one call, and what is measured is that call.
const SLEEP_SLICE_NANOS: i64 = 1_100_000_000;

/// The result of one wait; instants are raw clock reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitResult {
    /// When the system's sleep returned; absent without a sleep.
    pub slept: Option<i64>,
    /// The first clock read at or after the instant, or the last one if the wait was stopped.
    pub woke: i64,
    /// Iterations of the spin part.
    pub spins: u32,
    /// Whether the wait ended early because of a stop.
    pub stopped: bool,
}

/// Sleeps until `due`, by one call of the system's sleep.
#[inline]
pub fn os_sleep(sleeper: &Sleeper, due: i64, now: i64, stop: &AtomicBool) -> WaitResult {
    let mut now = now;
    let mut slept = None;
    while now < due {
        if due - now > SLEEP_SLICE_NANOS {
            sleeper.sleep_until(now + SLEEP_SLICE_NANOS.min(due - now - SLEEP_SLICE_NANOS / 2));
            now = clock_nanos();
            if stop.load(Ordering::Relaxed) {
                return WaitResult { slept, woke: now, spins: 0, stopped: true };
            }
            continue;
        }
        sleeper.sleep_until(due);
        now = clock_nanos();
        slept = slept.or(Some(now));
    }
    WaitResult { slept, woke: now, spins: 0, stopped: false }
}

/// Sleeps for the time left until `due`, as most programs do, by one call. A sleep that the system ends early is recorded as it is.
#[inline]
pub(super) fn relative(sleeper: &Sleeper, due: i64, now: i64, stop: &AtomicBool) -> WaitResult {
    in_slices(due, now, stop, |left| sleeper.sleep_for(Nanos::new(left).to_duration()))
}

/// The same in whole milliseconds, rounded up.
#[inline]
pub(super) fn whole_millis(sleeper: &Sleeper, due: i64, now: i64, stop: &AtomicBool) -> WaitResult {
    in_slices(due, now, stop, |left| sleeper.sleep_millis(millis_of(left)))
}

fn millis_of(nanos: i64) -> u32 {
    u32::try_from(nanos.max(0).unsigned_abs().div_ceil(1_000_000)).unwrap_or(u32::MAX)
}

#[inline]
fn in_slices(due: i64, now: i64, stop: &AtomicBool, sleep: impl Fn(i64)) -> WaitResult {
    let mut now = now;
    while due - now > SLEEP_SLICE_NANOS {
        sleep(SLEEP_SLICE_NANOS.min(due - now - SLEEP_SLICE_NANOS / 2));
        now = clock_nanos();
        if stop.load(Ordering::Relaxed) {
            return WaitResult { slept: None, woke: now, spins: 0, stopped: true };
        }
    }
    sleep(due - now);
    let woke = clock_nanos();
    WaitResult { slept: Some(woke), woke, spins: 0, stopped: false }
}

/// Sleeps until `tail` before `due`, then spins with the CPU's hint.
#[inline]
pub fn hybrid(sleeper: &Sleeper, tail: Nanos, due: i64, now: i64, stop: &AtomicBool) -> WaitResult {
    let first = os_sleep(sleeper, due - tail.get(), now, stop);
    if first.stopped {
        return first;
    }
    let spun = spin(due, first.woke, stop, std::hint::spin_loop);
    WaitResult { slept: first.slept, ..spun }
}

/// Reads the clock until `due`, with `between` between two reads; an iteration is one clock read.
#[inline]
pub fn spin(due: i64, now: i64, stop: &AtomicBool, between: impl Fn()) -> WaitResult {
    let mut now = now;
    let mut spins = 0_u32;
    while now < due {
        let slice_end = due.min(now + SLICE_NANOS);
        while now < slice_end {
            between();
            now = clock_nanos();
            spins = spins.wrapping_add(1);
        }
        if now < due && stop.load(Ordering::Relaxed) {
            return WaitResult { slept: None, woke: now, spins, stopped: true };
        }
    }
    WaitResult { slept: None, woke: now, spins, stopped: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wait: impl Fn(i64, i64, &AtomicBool) -> WaitResult) {
        let go = AtomicBool::new(false);
        let now = clock_nanos();
        for ahead in [0, -5_000_000, 300_000, 3_000_000, 120_000_000] {
            let due = now + ahead;
            let woken = wait(due, clock_nanos(), &go);
            assert!(due <= woken.woke, "woke before it was due");
            assert!(!woken.stopped);
            assert!(woken.slept.is_none_or(|slept| slept <= woken.woke));
        }
        let stop = AtomicBool::new(true);
        let began = clock_nanos();
        let woken = wait(began + 3_600_000_000_000, began, &stop);
        assert!(woken.stopped);
    }

    #[test]
    fn a_sleep_of_up_to_a_second_is_one_call() {
        use std::cell::RefCell;
        for millis in [1, 60, 100, 1_000] {
            let (length, calls) = (millis * 1_000_000, RefCell::new(Vec::new()));
            let now = clock_nanos();
            let woken = in_slices(now + length, now, &AtomicBool::new(false), |left| {
                calls.borrow_mut().push(left);
                // A call that does not return cut short by a slice would otherwise be asked again.
                assert!(calls.borrow().len() < 1_000, "{millis} ms");
            });
            assert!(!woken.stopped);
            assert_eq!(*calls.borrow(), [length], "{millis} ms");
        }
    }

    #[test]
    fn milliseconds_are_rounded_up() {
        let lengths = [-5, 0, 1, 1_000_000, 1_000_001, 50_000_000];
        assert_eq!(lengths.map(millis_of), [0, 0, 1, 1, 2, 50]);
    }

    #[test]
    fn no_wait_ends_early_and_every_long_one_can_be_stopped() {
        let sleeper = Sleeper::new();
        check(|due, now, stop| os_sleep(&sleeper, due, now, stop));
        check(|due, now, stop| hybrid(&sleeper, Nanos::from_micros(500), due, now, stop));
        check(|due, now, stop| spin(due, now, stop, || {}));
        check(|due, now, stop| spin(due, now, stop, std::hint::spin_loop));
        check(|due, now, stop| spin(due, now, stop, std::thread::yield_now));
    }
}
