//! The scheduling states of the measuring thread over time: running, ready to run, asleep, or
//! blocked.

use crate::nanos::Nanos;
use crate::sample::{Sample, TraceEvent, TraceRecord};

/// A wait that is longer than this can consist of several sleeps. Every sleep that begins more than
/// half this time before the due time counts as a part of such a wait, not as a stop.
const SLICE: Nanos = Nanos::from_millis(50);

/// The scheduling state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Running on a CPU.
    Running,
    /// Ready to run, without a CPU.
    Ready,
    /// Asleep, waiting for the due time.
    Asleep,
    /// Asleep or ready to run: the system does not report which of the two.
    AsleepOrReady,
    /// Stopped, or waiting for something other than the due time.
    Blocked,
}

/// An interval in which the thread was in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) from: Nanos,
    pub(super) to: Nanos,
    pub(super) state: State,
    /// The CPU on which the thread ran, or for which it waited.
    pub(super) cpu: u32,
    /// Whether the interval began with a preemption: the thread lost its CPU, but could have run on.
    pub(super) is_preempted: bool,
}

/// Returns the states of a thread from its first switch in `own` until a sample woke; `None` if the
/// thread was not running at the end, according to the records.
pub(super) fn pieces<'a>(
    own: impl Iterator<Item = &'a TraceRecord>,
    sample: &Sample,
) -> Option<Vec<Piece>> {
    let pieces = pieces_until(own, sample, sample.woke);
    let is_running = pieces.last().is_some_and(|last| last.state == State::Running);
    is_running.then_some(pieces)
}

/// Returns the states of a thread from its first switch in `own`. The last state ends at `end`.
pub(super) fn pieces_until<'a>(
    own: impl Iterator<Item = &'a TraceRecord>,
    sample: &Sample,
    end: Nanos,
) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let is_sliced = SLICE < sample.due - sample.began;
    let mut has_slept = false;
    for record in own {
        let state = match record.event {
            TraceEvent::SwitchIn => State::Running,
            TraceEvent::Preempted => State::Ready,
            TraceEvent::Waking => match pieces.last() {
                Some(last) if last.state == State::Running => continue,
                _ => State::Ready,
            },
            TraceEvent::Slept => {
                let is_of_wait = sample.began <= record.at && record.at < sample.due;
                let is_slice = is_sliced && record.at < sample.due - Nanos::new(SLICE.get() / 2);
                let is_first = is_of_wait && (!has_slept || is_slice);
                has_slept |= is_of_wait;
                if is_first { State::Asleep } else { State::Blocked }
            }
            _ => State::Blocked,
        };
        if let Some(last) = pieces.last_mut() {
            last.to = record.at;
        }
        // A thread that is ready to run waits for the CPU on which it runs next.
        if state == State::Running
            && let Some(last) = pieces.last_mut()
            && last.state == State::Ready
        {
            last.cpu = record.cpu;
        }
        let is_preempted = record.event == TraceEvent::Preempted;
        pieces.push(Piece { from: record.at, to: end, state, cpu: record.cpu, is_preempted });
    }
    pieces
}

/// If the wake-up from the last sleep or stop is not recorded, cuts the end off this state: there, the
/// thread counts as ready to run. The end is as long as the part of the run-queue delay that no
/// recorded state explains. If the run-queue delay is not known, a sleep becomes
/// [`State::AsleepOrReady`].
pub(super) fn split_by_run_delay(
    pieces: &mut Vec<Piece>,
    before: Option<&Sample>,
    sample: &Sample,
    run_delay: Option<Nanos>,
) {
    let Some(at) =
        pieces.iter().rposition(|piece| matches!(piece.state, State::Asleep | State::Blocked))
    else {
        return;
    };
    if pieces.get(at + 1).is_some_and(|next| next.state == State::Ready) {
        return;
    }
    let cpu = pieces.get(at + 1).map_or(0, |next| next.cpu);
    let Some(asleep) = pieces.get(at).copied() else { return };
    let Some(run_delay) = run_delay else {
        if let Some(piece) = pieces.get_mut(at).filter(|piece| piece.state == State::Asleep) {
            piece.state = State::AsleepOrReady;
        }
        return;
    };
    // The run-queue delay is counted from the end of the previous frame's work, or from the wake-up
    // of that frame if the loop was behind.
    let counted_from = before.map_or(sample.began, |before| {
        if sample.due < before.done { before.woke } else { before.done }
    });
    let known = pieces
        .iter()
        .filter(|piece| piece.state == State::Ready)
        .map(|piece| (piece.to - piece.from.max(counted_from)).max(Nanos::ZERO))
        .fold(Nanos::ZERO, |sum, length| sum + length);
    let waited = (run_delay - known).clamp(Nanos::ZERO, asleep.to - asleep.from);
    if waited == Nanos::ZERO {
        return;
    }
    let ready_from = asleep.to - waited;
    if let Some(piece) = pieces.get_mut(at) {
        piece.to = ready_from;
    }
    let (from, to, state) = (ready_from, asleep.to, State::Ready);
    pieces.insert(at + 1, Piece { from, to, state, cpu, is_preempted: false });
}
