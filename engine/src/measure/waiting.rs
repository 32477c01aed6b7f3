//! Waits of a measuring loop until an instant: one function per kind of wait.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::nanos::Nanos;
use crate::plan::SpinStrategy;
use crate::platform::{Sleeper, clock_nanos};

/// The longest spin between two checks of the stop flag, in nanoseconds.
const SLICE_NANOS: i64 = 50_000_000;

/// The longest sleep between two checks of the stop flag, in nanoseconds. The settings allow sleeps of up to 1 s, so
/// each requested sleep is a single system call.
const SLEEP_SLICE_NANOS: i64 = 1_100_000_000;

/// A way to wait, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiter {
    /// The system's sleep until an instant.
    OsSleep,
    /// The system's sleep for a length.
    Relative,
    /// The system's sleep for whole milliseconds.
    WholeMillis,
    /// The system's sleep, then a spin tail of this length.
    Hybrid(Nanos),
    /// A spin without sleep.
    Spin(SpinStrategy),
}

/// A measuring loop, compiled once for each way to wait.
pub(super) trait WaitingLoop {
    /// What the loop returns.
    type Result;

    /// Runs the loop. `wait(due, now)` waits until the instant `due`; both are raw clock readings.
    fn run(self, wait: impl Fn(i64, i64) -> WaitResult) -> Self::Result;
}

impl Waiter {
    /// Runs a loop that waits in this way until `stop` is set. The way is selected here, outside the
    /// loop, to keep branches out of the loop.
    pub(super) fn run<L: WaitingLoop>(
        self,
        sleeper: &Sleeper,
        stop: &AtomicBool,
        waiting_loop: L,
    ) -> L::Result {
        match self {
            Self::OsSleep => waiting_loop.run(|due, now| os_sleep(sleeper, due, now, stop)),
            Self::Relative => waiting_loop.run(|due, now| relative(sleeper, due, now, stop)),
            Self::WholeMillis => waiting_loop.run(|due, now| whole_millis(sleeper, due, now, stop)),
            Self::Hybrid(tail) => {
                waiting_loop.run(|due, now| hybrid(sleeper, tail, due, now, stop))
            }
            Self::Spin(SpinStrategy::None) => {
                waiting_loop.run(|due, now| spin(due, now, stop, || {}))
            }
            Self::Spin(SpinStrategy::SpinLoopHint) => {
                waiting_loop.run(|due, now| spin(due, now, stop, std::hint::spin_loop))
            }
            Self::Spin(SpinStrategy::YieldThread) => {
                waiting_loop.run(|due, now| spin(due, now, stop, std::thread::yield_now))
            }
        }
    }
}

/// The result of one wait; instants are raw clock reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitResult {
    /// When the system's sleep returned; `None` if the wait contained no sleep, or was stopped during a sleep.
    pub slept: Option<i64>,
    /// The last clock read of the wait. It is before the instant only if the wait was stopped or the system ended
    /// a relative sleep early.
    pub woke: i64,
    /// Number of iterations of the spin part; 0 without a spin part.
    pub spins: u32,
    /// Whether the wait ended early because of a stop.
    pub stopped: bool,
}

/// Sleeps until `due` with one call of the system's absolute sleep, or several calls for more than 1.1 s.
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

/// Sleeps for the time left until `due` with one call of a relative sleep, as most programs do. If the system ends
/// the sleep early, the wait ends early too.
#[inline]
fn relative(sleeper: &Sleeper, due: i64, now: i64, stop: &AtomicBool) -> WaitResult {
    in_slices(due, now, stop, |left| sleeper.sleep_for(Nanos::new(left).to_duration()))
}

/// Sleeps for the time left until `due`, rounded up to whole milliseconds.
#[inline]
fn whole_millis(sleeper: &Sleeper, due: i64, now: i64, stop: &AtomicBool) -> WaitResult {
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

/// Sleeps until the time `tail` before `due`, then spins until `due` with the CPU's spin-loop hint.
#[inline]
pub fn hybrid(sleeper: &Sleeper, tail: Nanos, due: i64, now: i64, stop: &AtomicBool) -> WaitResult {
    let first = os_sleep(sleeper, due - tail.get(), now, stop);
    if first.stopped {
        return first;
    }
    let spun = spin(due, first.woke, stop, std::hint::spin_loop);
    WaitResult { slept: first.slept, ..spun }
}

/// Spins until `due`: each iteration calls `between` and reads the clock once.
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
                // This sleep returns immediately. If the wait were split into slices, it would call the
                // sleep in an endless loop, which this assertion ends.
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
