//! What happened before each mark of the user: a mark comes up to some seconds after what it is about.

use crate::nanos::Nanos;
use crate::run::recording::{EventKind, Follow, Recording};
use crate::stats::stutter::{self, PAUSE};

/// A mark is about this time before it.
pub(super) const BEFORE_MARK: Nanos = Nanos::from_secs(3);

/// The longest frame in the seconds before a mark; without a game, the longest stall.
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    /// When the user marked.
    pub at: Nanos,
    /// The longest frame or stall; `None` without any.
    pub longest: Option<Nanos>,
    /// What it was.
    pub answer: MarkAnswer,
}

/// What the longest frame before a mark was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkAnswer {
    /// The event at this position in the list of events.
    Event(usize),
    /// A pause, which is too long for a stutter.
    Pause,
    /// No event: the longest frame is not above this limit.
    NothingAbove(Nanos),
    /// The log has no frame of this time.
    NoFrames,
}

/// Returns what happened before the marks of the user. `events` are the ends and lengths of the stutters, the late cycles
/// of a thread, or the stalls of a recording without frames.
pub(super) fn marks(recording: &Recording, events: &[(Nanos, Nanos)]) -> Vec<Marked> {
    let marks = recording.events.iter().filter(|event| event.kind == EventKind::Mark);
    let mut marks = marks.map(|mark| mark.at).peekable();
    if marks.peek().is_none() {
        return Vec::new();
    }
    let limit = match recording.follow {
        Follow::Thread { period, .. } => Nanos::new(period.get() / 10),
        Follow::Log | Follow::ThisPc => recording.limits.stall,
    };
    let factor = f64::from(recording.limits.stutter_permille) / 1e3;
    let limits: Vec<Nanos> = stutter::moving_median(recording.frames.frame_times().values())
        .map(|median| Nanos::from_nanos_f64(factor * median))
        .collect();
    let frames: Vec<(Nanos, Nanos)> = recording.frames.iter().collect();
    let marked = marks.map(|at| {
        let from = at - BEFORE_MARK;
        let longest_event = || {
            let own =
                events.iter().enumerate().filter(|(_, event)| from < event.0 && event.0 <= at);
            own.max_by_key(|(_, event)| event.1)
        };
        if frames.is_empty() || recording.is_of_thread() {
            let event = longest_event();
            let first = frames.partition_point(|(ran, _)| *ran <= from);
            let has_cycles = frames.get(first).is_some_and(|(ran, _)| *ran <= at);
            let none = if recording.is_of_thread() && !has_cycles {
                MarkAnswer::NoFrames
            } else {
                MarkAnswer::NothingAbove(limit)
            };
            return Marked {
                at,
                longest: event.map(|(_, event)| event.1),
                answer: event.map_or(none, |(at, _)| MarkAnswer::Event(at)),
            };
        }
        let first = frames.partition_point(|(presented, _)| *presented <= from);
        let end = frames.partition_point(|(presented, _)| *presented <= at);
        let own = frames.iter().zip(&limits).skip(first).take(end.saturating_sub(first));
        let longest = own.max_by_key(|((_, length), _)| *length);
        let answer = match (longest, longest_event()) {
            (None, _) => MarkAnswer::NoFrames,
            (Some(((_, length), _)), _) if PAUSE < *length => MarkAnswer::Pause,
            (Some(_), Some((event, _))) => MarkAnswer::Event(event),
            (Some((_, limit)), None) => MarkAnswer::NothingAbove(*limit),
        };
        Marked { at, longest: longest.map(|((_, length), _)| *length), answer }
    });
    marked.collect()
}
