//! What the kernel's records cost the threads that they are about.
//!
//! Two threads on one CPU wake each other again and again, first without records and then with them. Each series of turns is
//! repeated, and the shortest one counts: other programs can only make a series longer, and add records to it. Example: the
//! shortest series takes 1.24 ms without records, and 1.61 ms with 1 214 of them: 0.30 µs per record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;

use super::start_thread;
use crate::nanos::Nanos;
use crate::platform::{self, clock_nanos};

/// Number of turns of a series, and of turns before them that are not measured.
const TURNS: u32 = 300;
const WARM_UP: u32 = 20;
/// Number of series.
const SERIES: usize = 8;
/// A longer series was interrupted by other programs.
const MAX_SERIES: Nanos = Nanos::from_millis(20);
/// A series with more records has those of other CPUs: two switches and two wake-ups are four per turn.
const MAX_RECORDS: u64 = 6 * 320;

/// The shortest series of turns so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchCost {
    time: Nanos,
    records: u64,
}

impl SwitchCost {
    /// Measures series of turns on a CPU, and how many records each of them has by `count_records`; `None` if the system
    /// started no thread, or if other programs were busy. Takes about 10 ms, and longer while other programs are busy.
    pub fn measure(cpu: u32, count_records: impl Fn() -> u64) -> Option<Self> {
        let series = (0..SERIES).filter_map(|_| {
            let before = count_records();
            let time = turns(cpu).filter(|time| *time <= MAX_SERIES)?;
            let records = count_records().saturating_sub(before);
            (records <= MAX_RECORDS).then_some(Self { time, records })
        });
        series.reduce(|one, other| Self {
            time: one.time.min(other.time),
            records: one.records.min(other.records),
        })
    }

    /// Returns the time that writing one record takes, compared with turns `without` records; `None` if there are no records
    /// or the times do not differ.
    pub fn per_record(&self, without: &Self) -> Option<Nanos> {
        let records = i64::try_from(self.records).ok().filter(|records| 0 < *records)?;
        let more = self.time - without.time;
        (Nanos::ZERO < more).then(|| Nanos::new(more.get() / records))
    }
}

/// Wakes the other thread whenever it is this one's turn.
fn take_turns(turn: &AtomicBool, own: bool, count: u32, other: &Thread) {
    for _ in 0..count {
        while turn.load(Ordering::Acquire) != own {
            std::thread::park();
        }
        turn.store(!own, Ordering::Release);
        other.unpark();
    }
}

/// Returns how long two threads take for a series of turns.
fn turns(cpu: u32) -> Option<Nanos> {
    let turn = Arc::new(AtomicBool::new(false));
    let of_first = Arc::clone(&turn);
    let (sender, first) = std::sync::mpsc::sync_channel::<Thread>(1);
    let second = start_thread("turns", move || {
        platform::pin_self(cpu).ok();
        let Ok(first) = first.recv() else { return };
        take_turns(&turn, true, WARM_UP + TURNS, &first);
    });
    let second = second.ok()?;
    let other = second.thread().clone();
    let (result, time) = std::sync::mpsc::sync_channel(1);
    let first = start_thread("turns", move || {
        platform::pin_self(cpu).ok();
        sender.send(std::thread::current()).ok();
        take_turns(&of_first, false, WARM_UP, &other);
        let begin = clock_nanos();
        take_turns(&of_first, false, TURNS, &other);
        result.send(Nanos::new(clock_nanos() - begin)).ok();
    });
    first.ok()?.join().ok()?;
    second.join().ok()?;
    time.recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_take_turns_and_the_difference_is_divided_by_the_records() {
        let cpu = platform::one_cpu_a_core().first().copied().unwrap_or_default();
        let time = turns(cpu).unwrap();
        assert!(Nanos::ZERO < time, "{time:?}");
        let cost = |micros, records| SwitchCost { time: Nanos::from_micros(micros), records };
        let per_record = cost(1_610, 1_000).per_record(&cost(1_240, 0));
        assert_eq!(per_record, Some(Nanos::new(370)));
        assert_eq!(cost(1_200, 1_000).per_record(&cost(1_240, 0)), None);
        // Records of other CPUs would make each one seem to cost less.
        let count = std::cell::Cell::new(0);
        let busy = || count.replace(count.get() + 2 * MAX_RECORDS);
        assert_eq!(SwitchCost::measure(cpu, busy), None);
    }
}
