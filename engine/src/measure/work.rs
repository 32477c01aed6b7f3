//! The work that a loop does after each wake-up: a calibrated number of arithmetic iterations, or clock reads for
//! a given time.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::nanos::Nanos;
use crate::plan::Work;
use crate::platform::clock_nanos;

/// The longest work between two checks of the stop flag, in nanoseconds.
const SLICE_NANOS: i64 = 10_000_000;

/// Runs this many iterations of integer arithmetic, without clock reads, memory accesses, or calls.
#[inline(never)]
pub(super) fn arithmetic(iterations: u64) -> u64 {
    let mut value: u64 = black_box(0x9e37_79b9_7f4a_7c15);
    for turn in 0..iterations {
        value = value.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(turn);
        value ^= value >> 29;
    }
    black_box(value)
}

/// Returns how many iterations of `arithmetic` this CPU runs per second. Uses the fastest of 25 probes of about
/// 1 ms, since a disturbance can only make a probe slower.
///
/// Takes about 30 ms. Call it before any load starts, on the kind of CPU on which the work will run.
pub fn turns_a_second() -> f64 {
    let mut probe_turns = 100_000_u64;
    let mut best = 0.0_f64;
    for _ in 0..25 {
        let began = clock_nanos();
        black_box(arithmetic(probe_turns));
        let took = Nanos::new(clock_nanos() - began).as_secs();
        if took > 0.0 {
            let rate = float(probe_turns) / took;
            best = best.max(rate);
            probe_turns = whole((rate / 1e3).clamp(1e3, 1e8));
        }
    }
    best
}

#[expect(clippy::cast_precision_loss, reason = "turn counts are far below 2^53")]
fn float(iterations: u64) -> f64 {
    iterations as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates; a negative or absent rate is 0 turns"
)]
fn whole(iterations: f64) -> u64 {
    iterations.round() as u64
}

/// Work that is ready to run: the time of arithmetic is converted into iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// No work.
    Nothing,
    /// Arithmetic, in slices that end with a check of the stop flag.
    Arithmetic {
        /// Total number of iterations.
        iterations: u64,
        /// Number of iterations between two checks of the stop flag.
        slice: u64,
    },
    /// Reads the clock in a loop for this long.
    Timed(Nanos),
}

impl Prepared {
    /// Prepares work for a CPU that runs this many iterations of arithmetic per second.
    pub fn new(work: Work, turns_a_second: f64) -> Self {
        match work {
            // Game cycles are run by a separate loop, `run_ticks`.
            Work::Nothing | Work::GameCycle(_) => Self::Nothing,
            Work::Timed(length) => Self::Timed(length),
            Work::Arithmetic(length) => Self::Arithmetic {
                iterations: whole(length.as_secs() * turns_a_second).max(1),
                slice: whole(Nanos::new(SLICE_NANOS).as_secs() * turns_a_second).max(1),
            },
        }
    }

    /// Does the work once. After a stop request, returns within about 10 ms, and returns `false` if it omitted a part
    /// of the work.
    #[inline]
    pub fn run(self, stop: &AtomicBool) -> bool {
        match self {
            Self::Nothing => {}
            Self::Arithmetic { iterations, slice } => {
                let mut left = iterations;
                while left > 0 {
                    let now = left.min(slice);
                    black_box(arithmetic(now));
                    left -= now;
                    if left > 0 && stop.load(Ordering::Relaxed) {
                        return false;
                    }
                }
            }
            Self::Timed(length) => {
                let end = clock_nanos() + length.get();
                while clock_nanos() < end {
                    std::hint::spin_loop();
                    if length.get() > SLICE_NANOS && stop.load(Ordering::Relaxed) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_grows_with_its_length() {
        let iterations =
            |millis| match Prepared::new(Work::Arithmetic(Nanos::from_millis(millis)), 1e9) {
                Prepared::Arithmetic { iterations, .. } => iterations,
                other => panic!("{other:?}"),
            };
        assert_eq!(iterations(1), 1_000_000);
        assert_eq!(iterations(2), 2_000_000);
    }

    #[test]
    fn arithmetic_depends_on_every_turn() {
        assert_ne!(arithmetic(10), arithmetic(11));
    }

    #[test]
    fn calibration_finds_a_rate() {
        assert!(turns_a_second() > 1e6);
    }
}
