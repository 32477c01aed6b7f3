//! The states of a thread over time, and what ended its sleeps.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::nanos::Nanos;
use crate::sample::{OUTSIDE, ThreadOwner, TraceRecord};

/// A waker on another CPU can be recorded this long before the switch that begins the sleep: the kernel takes the thread
/// from its queue before it records the switch.
const EARLY: Nanos = Nanos::from_micros(10);
/// Before all records.
pub(super) const LONG_AGO: Nanos = Nanos::new(i64::MIN / 4);
/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not known: before the first record, or while records were lost.
    Unknown,
    Running,
    /// Ready to run, after a wake-up or a preemption.
    Ready,
    Asleep,
    /// Asleep, and not to be interrupted.
    Blocked,
    Stopped,
    /// The thread had ended.
    Gone,
}

/// What woke a thread.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Waker {
    /// A thread, by its position.
    Thread(usize),
    /// A timer of the woken thread.
    Timer,
    /// An interrupt, or a softirq that an interrupt requested, with its name.
    Interrupt(Option<Arc<str>>),
    /// Not recorded.
    Unknown,
}

/// The end of a sleep.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wake {
    pub by: Waker,
    /// The storage device whose request the kernel completed at that time; `None` if it completed none.
    pub completed: Option<Arc<str>>,
}

/// An interval in which a thread was in one state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub from: Nanos,
    pub to: Nanos,
    pub state: State,
    /// The CPU on which the thread ran or waited; not known of sleeps.
    pub cpu: Option<u32>,
    /// What ended the sleep; `None` for other states, and if no wake-up is recorded.
    pub wake: Option<Wake>,
}

/// A thread with a number, from its start to its end.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub thread: u32,
    pub name: Arc<str>,
    pub process: Option<u32>,
    /// The name of the process, or of the thread where the process is not known.
    pub program: Arc<str>,
    pub owner: Option<ThreadOwner>,
    /// The states, in order and without gaps between them.
    pub pieces: Vec<Piece>,
    /// Ends of the page faults, in order.
    pub faults: Vec<Nanos>,
    /// Intervals in which the thread freed memory.
    pub reclaims: Vec<(Nanos, Nanos)>,
    /// A wake-up that was recorded while the thread ran.
    pub early: Option<(Nanos, Wake)>,
}

/// Intervals in which records were lost.
#[derive(Default)]
pub(super) struct Losses {
    spans: Vec<(Nanos, Nanos)>,
    open: BTreeMap<u32, usize>,
}

impl Life {
    /// Whether the thread is outside of the namespace of the recorder, so that nothing but its number is known.
    pub(super) const fn is_outside(&self) -> bool {
        OUTSIDE <= self.thread
    }

    /// Begins a state. `before` is the state that the record shows for the time before it, if the records do not.
    pub(super) fn change(
        &mut self,
        at: Nanos,
        state: State,
        cpu: Option<u32>,
        before: Option<State>,
    ) {
        if let Some(last) = self.pieces.last_mut() {
            last.to = at;
            if let Some(before) = before.filter(|before| *before != last.state) {
                // The record that began this state is missing.
                last.state = State::Unknown;
                last.cpu = cpu.filter(|_| before == State::Running);
            }
        } else {
            let state = before.unwrap_or(State::Unknown);
            self.pieces.push(Piece { from: LONG_AGO, to: at, state, cpu, wake: None });
        }
        self.pieces.push(Piece { from: at, to: at, state, cpu, wake: None });
        let is_asleep = matches!(state, State::Asleep | State::Blocked);
        if let Some((woken, wake)) = self.early.take().filter(|_| is_asleep)
            && at - woken <= EARLY
        {
            self.wake(at, wake);
        }
    }

    /// Ends a sleep. A wake-up of a thread that does not sleep yet ends a sleep that begins a moment later.
    pub(super) fn wake(&mut self, at: Nanos, wake: Wake) {
        match self.pieces.last_mut() {
            None => {
                let (from, state) = (LONG_AGO, State::Asleep);
                self.pieces.push(Piece { from, to: at, state, cpu: None, wake: Some(wake) });
            }
            Some(last) if matches!(last.state, State::Asleep | State::Blocked | State::Stopped) => {
                last.to = at;
                last.wake = Some(wake);
            }
            Some(_) => {
                self.early = Some((at, wake));
                return;
            }
        }
        self.pieces.push(Piece { from: at, to: at, state: State::Ready, cpu: None, wake: None });
    }

    /// Returns the pieces that overlap with an interval, with their positions.
    pub(super) fn between(&self, (from, to): (Nanos, Nanos)) -> std::ops::Range<usize> {
        let first = self.pieces.partition_point(|piece| piece.to <= from);
        let end = self.pieces.partition_point(|piece| piece.from < to);
        first..end.max(first)
    }

    /// Returns for how long the thread ran in an interval.
    pub(super) fn ran(&self, (from, to): (Nanos, Nanos)) -> Nanos {
        let pieces = self.pieces.get(self.between((from, to))).unwrap_or_default();
        let ran = pieces.iter().filter(|piece| piece.state == State::Running);
        ran.fold(Nanos::ZERO, |sum, piece| sum + (piece.to.min(to) - piece.from.max(from)))
    }

    /// Returns the state at a time; `Unknown` outside of the records.
    pub(super) fn state_at(&self, at: Nanos) -> State {
        let next = self.pieces.partition_point(|piece| piece.from <= at);
        let piece = next.checked_sub(1).and_then(|at| self.pieces.get(at));
        piece.map_or(State::Unknown, |piece| piece.state)
    }
}

impl Losses {
    pub(super) fn add(&mut self, record: &TraceRecord) {
        let begun = self.open.get(&record.cpu).filter(|_| record.value == Some(0));
        if let Some(span) = begun.and_then(|at| self.spans.get_mut(*at)) {
            span.1 = record.at;
        } else {
            self.open.insert(record.cpu, self.spans.len());
            self.spans.push((record.at, record.at));
        }
    }

    /// Makes unknown what the pieces of a thread show from the start of a loss to the next record of the thread after
    /// its end.
    pub(super) fn hide(&self, pieces: &mut Vec<Piece>) {
        for &(begin, end) in &self.spans {
            let first = pieces.partition_point(|piece| piece.to <= begin);
            let count = pieces.get(first..).unwrap_or_default().iter();
            let count = count.take_while(|piece| piece.from <= end).count();
            let Some(last) = (first + count).checked_sub(1).and_then(|at| pieces.get(at)) else {
                continue;
            };
            let to = last.to;
            if count == 0 || to <= begin {
                continue;
            }
            let mut rest = Vec::new();
            if let Some(piece) = pieces.get(first).filter(|piece| piece.from < begin) {
                rest.push(Piece { to: begin, wake: None, ..piece.clone() });
            }
            rest.push(Piece { from: begin, to, state: State::Unknown, cpu: None, wake: None });
            pieces.splice(first..first + count, rest);
        }
    }
}

/// Ends the last piece, and gives waiting threads the CPU on which they then ran.
pub(super) fn finish(pieces: &mut [Piece], end: Nanos) {
    if let Some(last) = pieces.last_mut() {
        last.to = end.max(last.from);
    }
    let mut next_cpu = None;
    for piece in pieces.iter_mut().rev() {
        match piece.state {
            State::Running => next_cpu = piece.cpu,
            // After a preemption the CPU is known, and the thread waited there.
            State::Ready => piece.cpu = piece.cpu.or(next_cpu),
            _ => {}
        }
    }
}
