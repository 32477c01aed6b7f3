//! When threads of this program that do not measure had a CPU.
//!
//! A gap of a probe that the collector itself caused is no property of the PC. A trace with names shows whose gap it is,
//! but an ordinary user often has none. These threads therefore note their own runs: [`mark_own_run`] reads the
//! clock, the CPU, and the CPU time of the thread at the begin and at the end of a piece of work. If the thread had the
//! same CPU all the time, a gap of the probe of that CPU in this time is a gap by this program. Example: the collector
//! works from 10.0 to 14.0 ms on CPU 1 and uses 3.9 ms of CPU time. At least 3.4 ms of a gap of CPU 1 from 10.1 to
//! 13.9 ms are then its own, as the 0.1 ms without CPU time may be part of the gap, and a tenth of a run at most.
//!
//! What this cannot show: a thread without such marks, and a run in which the thread lost its CPU for more than a tenth
//! of the time. Gaps in these are attributed to the PC, as before.

use std::sync::Mutex;

use crate::platform::{clock_nanos, current_cpu, thread_cpu_nanos};
use crate::run::max_idle;

/// Shorter runs are not noted: the cause of a gap is examined from 1 ms on, and a cause is more than half of a gap.
const MIN_LENGTH: i64 = 250_000;
/// Maximum number of runs that wait for the collector, which takes them every 50 ms while it measures.
const MAX_WAITING: usize = 1_024;

static WAITING: Mutex<Vec<OwnRun>> = Mutex::new(Vec::new());

/// A time in which a thread of this program had a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnRun {
    /// Value of `clock_nanos` at the begin.
    pub(super) began: i64,
    /// Length in nanoseconds.
    pub(super) length: i64,
    /// The CPU.
    pub(super) cpu: u32,
}

/// A piece of work of a thread that does not measure. Dropping the mark ends the work.
#[derive(Debug)]
#[must_use = "the work ends when the mark is dropped"]
pub struct OwnRunMark(Reading);

/// Where a thread is, and how much CPU time it has used, at one time.
#[derive(Clone, Copy, Debug)]
struct Reading {
    at: i64,
    cpu: Option<u32>,
    used: Option<i64>,
}

impl Reading {
    fn now() -> Self {
        Self { at: clock_nanos(), cpu: current_cpu(), used: thread_cpu_nanos() }
    }

    /// Returns the run from this reading to `now`; `None` if it is short, or if the thread may have been elsewhere.
    fn run_until(&self, now: &Self) -> Option<OwnRun> {
        let (length, used) = (now.at - self.at, now.used? - self.used?);
        let cpu = self.cpu.filter(|cpu| Some(*cpu) == now.cpu)?;
        let has_stayed = MIN_LENGTH <= length && length - used <= max_idle(length);
        has_stayed.then_some(OwnRun { began: self.at, length, cpu })
    }
}

/// Marks the begin of a piece of work of the calling thread, which is no measuring thread. Takes about 1 µs.
pub fn mark_own_run() -> OwnRunMark {
    OwnRunMark(Reading::now())
}

impl OwnRunMark {
    /// Ends a piece of work and begins the next one: a short piece is less likely to lose its CPU.
    pub(super) fn split(&mut self) {
        *self = mark_own_run();
    }
}

impl Drop for OwnRunMark {
    fn drop(&mut self) {
        let run = self.0.run_until(&Reading::now());
        if let Some(run) = run
            && let Ok(mut waiting) = WAITING.lock()
            && waiting.len() < MAX_WAITING
        {
            waiting.push(run);
        }
    }
}

/// Returns the runs since the last call.
pub(super) fn take_own_runs() -> Vec<OwnRun> {
    WAITING.lock().map_or_else(|_| Vec::new(), |mut waiting| std::mem::take(&mut *waiting))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_only_where_the_thread_stayed_on_its_cpu() {
        let reading = |at, cpu, used| Reading { at, cpu, used };
        let before = reading(5_000_000, Some(1), Some(70));
        let run = |length: i64, cpu, used: i64| {
            before.run_until(&reading(5_000_000 + length, cpu, Some(70 + used)))
        };
        let whole = OwnRun { began: 5_000_000, length: 4_000_000, cpu: 1 };
        assert_eq!(run(4_000_000, Some(1), 3_900_000), Some(whole));
        assert_eq!(run(4_000_000, Some(1), 3_600_000), Some(whole), "a tenth is missing");
        assert_eq!(run(4_000_000, Some(1), 3_599_999), None);
        assert_eq!(run(4_000_000, Some(0), 4_000_000), None, "it moved");
        assert_eq!(run(4_000_000, None, 4_000_000), None);
        assert_eq!(run(249_999, Some(1), 249_999), None, "short");
        assert_eq!(before.run_until(&reading(9_000_000, Some(1), None)), None);
    }

    #[test]
    fn a_mark_notes_the_run_of_its_thread() {
        let first = clock_nanos();
        // Another program may take the CPU of the thread: only one of many runs has to be noted.
        for _ in 0..200 {
            let mark = mark_own_run();
            let end = clock_nanos() + 2 * MIN_LENGTH;
            while clock_nanos() < end {}
            drop(mark);
        }
        let runs = take_own_runs();
        assert!(runs.iter().any(|run| first <= run.began && MIN_LENGTH <= run.length), "{runs:?}");
    }
}
