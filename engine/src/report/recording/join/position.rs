//! Finds when a log began by a thread that went to sleep at the rows of the log.
//!
//! A log that was saved at the end has no arrival times. But the thread that presents a frame goes to sleep soon after it,
//! and the time between the two hardly varies, while the frame times do. So where the log is moved to its true place, each
//! row is near such a sleep; moved by one frame more, each row is near the sleep of another frame, off by as much as frame
//! times vary, and off by much more at a stutter. Example: rows at 0, 16.1, 33.4 and 80.2 ms, sleeps at 500.1, 516.2,
//! 533.5 and 580.3 ms: a log that began at 500.1 ms is off by 0.0 ms on average, one that began at 516.2 ms by 8.4 ms.
//!
//! The place counts only if every other one, at least half a frame away, is off by twice as much.

use super::super::life::State;
use super::super::timeline::Timeline;
use crate::nanos::Nanos;
use crate::sample::ThreadOwner;
use crate::stats::float;

/// The steps in which a begin is searched.
const STEP: i64 = 500_000;
/// The resolution of the distances to the nearest sleep.
const CELL: i64 = 50_000;
/// A row is off by at most this much: it may have no sleep at all.
const MAX_OFF: i64 = 8_000_000;
/// Max number of rows that are compared while a begin is searched.
const MAX_ROWS: usize = 300;
/// Rows that have to be in a detail.
const MIN_ROWS: usize = 20;
/// Number of begins that are looked at closely.
const MAX_CLOSE: usize = 24;
/// The second best begin has to be off by more than this many times as much.
const MIN_RATIO: f64 = 2.0;
/// In another detail, rows may be off by this many times as much, and this many nanoseconds.
const MAX_OFF_GROWTH: f64 = 3.0;
const OFF_NOISE: f64 = 100_000.0;
/// A thread sleeps about once per frame: at most this many times.
const MAX_SLEEPS_PER_ROW: usize = 4;

/// The sleeps of a thread in a detail.
#[derive(Debug)]
pub(super) struct Sleeper {
    pub(super) thread: u32,
    pub(super) process: Option<u32>,
    /// When the thread went to sleep, in order.
    sleeps: Vec<i64>,
    /// Median time for which it ran before.
    ran: Nanos,
}

/// Where a log was found in a detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    /// When the log began.
    pub(super) begin: Nanos,
    /// By how much the begin may be wrong: how far most rows are off, and for how long the thread ran.
    pub(super) uncertainty: Nanos,
    /// By how much rows are off on average.
    off: f64,
    /// How many times as much the second best begin is off; 0 without one.
    pub(super) ratio: f64,
}

impl Position {
    /// Whether no other begin fits nearly as well.
    pub(super) fn is_clear(&self) -> bool {
        MIN_RATIO <= self.ratio
    }

    /// Whether the rows are about as near to sleeps as those of another detail.
    pub(super) fn fits_like(&self, other: &Self) -> bool {
        self.off <= MAX_OFF_GROWTH * other.off + OFF_NOISE
    }
}

/// Returns the threads that may present the frames of a log in a detail: those that sleep about once per frame of
/// `period`.
pub(super) fn sleepers(timeline: &Timeline, period: Nanos) -> Vec<Sleeper> {
    let length = (timeline.end - timeline.begin).get();
    let frames = usize::try_from(length / period.get().max(1)).unwrap_or_default();
    let lives = timeline.lives.iter();
    let lives = lives.filter(|life| {
        !matches!(life.owner, Some(ThreadOwner::Own | ThreadOwner::Kernel)) && !life.is_outside()
    });
    let sleepers = lives.filter_map(|life| {
        let mut sleeps = Vec::new();
        let mut ran = Vec::new();
        for pair in life.pieces.windows(2) {
            let [run, sleep] = pair else { continue };
            let is_asleep = matches!(sleep.state, State::Asleep | State::Blocked);
            if run.state == State::Running && is_asleep && timeline.begin <= run.from {
                sleeps.push(sleep.from.get());
                ran.push((run.to - run.from).get());
            }
        }
        let is_near = frames / 2 <= sleeps.len() && sleeps.len() <= frames * MAX_SLEEPS_PER_ROW;
        let ran = Nanos::new(median(&mut ran)?);
        let (thread, process) = (life.thread, life.process);
        is_near.then_some(Sleeper { thread, process, sleeps, ran })
    });
    sleepers.collect()
}

/// Returns how far two times are apart. A damaged log has any times.
const fn distance(one: i64, other: i64) -> i64 {
    one.saturating_sub(other).saturating_abs()
}

/// Returns the time of a row of a log that began at `begin`.
const fn moved(row: Nanos, begin: i64) -> i64 {
    row.get().saturating_add(begin)
}

fn median(values: &mut [i64]) -> Option<i64> {
    let middle = values.len().checked_sub(1)? / 2;
    Some(*values.select_nth_unstable(middle).1)
}

impl Sleeper {
    /// Finds the begin of a log between two times. `rows` are the times of its rows from its begin, in order. `None` if no
    /// begin puts enough rows into the detail.
    pub(super) fn find(
        &self,
        timeline: &Timeline,
        rows: &[Nanos],
        (from, to): (Nanos, Nanos),
        period: Nanos,
    ) -> Option<Position> {
        let distances = self.distances(timeline);
        let (first, last) = (from.get(), to.get().max(from.get()));
        let begins =
            (0..=last.saturating_sub(first) / STEP).map(|step| first.saturating_add(step * STEP));
        let mut found: Vec<(f64, i64)> = begins
            .filter_map(|begin| {
                let own = within(timeline, rows, begin);
                let stride = own.len() / MAX_ROWS + 1;
                let some = own.iter().step_by(stride);
                let count = float(own.len().div_ceil(stride));
                let sum: i64 = some
                    .map(|row| {
                        let cell = (*row + Nanos::new(begin) - timeline.begin).get() / CELL;
                        let cell = usize::try_from(cell).ok().and_then(|cell| distances.get(cell));
                        cell.copied().unwrap_or(MAX_OFF)
                    })
                    .sum();
                (MIN_ROWS <= own.len()).then(|| (Nanos::new(sum).as_f64() / count, begin))
            })
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut close: Vec<i64> = Vec::new();
        for (_, begin) in found {
            if close.len() == MAX_CLOSE {
                break;
            }
            if close.iter().all(|other| 2 * STEP < distance(begin, *other)) {
                close.push(begin);
            }
        }
        let mut close: Vec<(f64, i64)> =
            close.into_iter().filter_map(|begin| self.refine(timeline, rows, begin)).collect();
        close.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (off, begin) = *close.first()?;
        let is_other = |other: &&(f64, i64)| period.get() / 5 * 2 < distance(other.1, begin);
        let second = close.iter().find(is_other);
        let ratio = second.map_or(0.0, |second| second.0 / off.max(1.0));
        let spread = self.spread(timeline, rows, begin);
        let uncertainty = spread + self.ran;
        Some(Position { begin: Nanos::new(begin), uncertainty, off, ratio })
    }

    /// Returns how far each time of a detail is from the nearest sleep, in nanoseconds.
    fn distances(&self, timeline: &Timeline) -> Vec<i64> {
        let length = (timeline.end - timeline.begin).get().max(0) / CELL;
        let times = (0..=length).map(|cell| timeline.begin.get() + cell * CELL + CELL / 2);
        let mut next = 0;
        times
            .map(|at| {
                while self.sleeps.get(next).is_some_and(|sleep| *sleep < at) {
                    next += 1;
                }
                let after = self.sleeps.get(next).map_or(MAX_OFF, |sleep| sleep - at);
                let before = next.checked_sub(1).and_then(|last| self.sleeps.get(last));
                let before = before.map_or(MAX_OFF, |sleep| at - sleep);
                after.min(before).min(MAX_OFF)
            })
            .collect()
    }

    /// Returns how far a time is after the nearest sleep; negative if it is before it.
    fn off(&self, at: i64) -> i64 {
        let next = self.sleeps.partition_point(|sleep| *sleep < at);
        let after = self.sleeps.get(next).map(|sleep| at.saturating_sub(*sleep));
        let before = next.checked_sub(1).and_then(|last| self.sleeps.get(last));
        let before = before.map(|sleep| at.saturating_sub(*sleep));
        before.into_iter().chain(after).min_by_key(|off| off.saturating_abs()).unwrap_or(MAX_OFF)
    }

    /// Moves a begin so that as many rows are before their sleeps as after them. Returns by how much rows are then off on
    /// average, and the begin.
    fn refine(&self, timeline: &Timeline, rows: &[Nanos], mut begin: i64) -> Option<(f64, i64)> {
        for _ in 0..3 {
            let rows = within(timeline, rows, begin).iter();
            let mut offs: Vec<i64> = rows.map(|row| self.off(moved(*row, begin))).collect();
            begin = begin.saturating_sub(median(&mut offs)?);
        }
        let own = within(timeline, rows, begin);
        let offs = own.iter().map(|row| self.off(moved(*row, begin)).saturating_abs().min(MAX_OFF));
        let sum = Nanos::new(offs.sum());
        (MIN_ROWS <= own.len()).then(|| (sum.as_f64() / float(own.len()), begin))
    }

    /// Returns by how much nine of ten rows are off at most.
    fn spread(&self, timeline: &Timeline, rows: &[Nanos], begin: i64) -> Nanos {
        let rows = within(timeline, rows, begin).iter();
        let mut offs: Vec<i64> =
            rows.map(|row| self.off(moved(*row, begin)).saturating_abs()).collect();
        let place = offs.len().saturating_sub(1) * 9 / 10;
        if offs.is_empty() {
            return Nanos::ZERO;
        }
        Nanos::new(*offs.select_nth_unstable(place).1)
    }
}

/// Returns the rows that are in a detail if the log began at `begin`.
fn within<'a>(timeline: &Timeline, rows: &'a [Nanos], begin: i64) -> &'a [Nanos] {
    let from = timeline.begin.get().saturating_sub(begin);
    let to = timeline.end.get().saturating_sub(begin);
    let first = rows.partition_point(|row| row.get() < from);
    let last = rows.partition_point(|row| row.get() <= to);
    rows.get(first..last.max(first)).unwrap_or_default()
}
