//! What delayed a frame whose end delayed the next one.
//!
//! A frame that starts late because the previous one was still running has not always too much work. Example: a frame
//! is due every 8 ms and works for 6 ms. `rustc` takes the CPU from the first frame for 5 ms, so its work ends at 11 ms
//! instead of 6 ms. The second frame starts 3 ms late, and its account reads "Previous frame overran". Less work per frame
//! would not have been needed: without `rustc`, the first frame would have ended in time. So the 3 ms are counted to
//! `rustc`, as its origin. Had the frame worked for 9 ms, 1 ms would be its own, and the rest that of `rustc`.
//!
//! The simpler way, to count all time of the previous frame as too much work, advises against the wrong thing under a CPU
//! quota or while a program stretches each frame.

use super::super::{Account, Origin, Segment};
use super::states::Piece;
use super::{Records, TraceParts};
use crate::nanos::Nanos;
use crate::report::Cause;
use crate::sample::Sample;

/// What delayed a frame until the next one was due, and the time that its own work took.
pub(super) struct FrameDelays {
    /// The lengths of the delays before and during the work; the origin is absent where the cause is too much work of an
    /// earlier frame. Delays after the next frame was due are segments of its account.
    delays: Vec<(Nanos, Option<Origin>)>,
    worked: Nanos,
}

impl Records {
    /// Returns what delayed the frame `before` until the next one was due, at `due`: the start of its work, according to
    /// `account`, and the work itself, according to the states of the thread. Without an account, what delayed the start
    /// is not observable.
    pub(super) fn delays_of(
        &self,
        (before, due): (&Sample, Nanos),
        pieces: &[Piece],
        account: Option<&Account>,
    ) -> FrameDelays {
        let mut stretched = TraceParts { due: before.due, cpu: None, segments: Vec::new() };
        for piece in pieces {
            stretched.cpu = Some(piece.cpu);
            let span = (piece.from.max(before.woke), piece.to.min(before.done));
            self.split_around_losses(piece, span, true, &mut stretched);
        }
        let is_work = |segment: &Segment| segment.cause == Cause::PreviousFrame;
        let worked = stretched.segments.iter().filter(|segment| is_work(segment));
        let worked = worked.fold(Nanos::ZERO, |sum, segment| sum + segment.length);
        let started = account.map_or(&[][..], |account| &account.segments);
        let stretched = stretched.segments.iter().filter(|segment| !is_work(segment));
        let mut delays: Vec<(Nanos, Option<Origin>)> = Vec::new();
        let until_due = due - before.due;
        if account.is_none() && Nanos::ZERO < before.late() {
            let origin = Origin { cause: Cause::NotObservable, culprit: None };
            delays.push((before.late().min(until_due), Some(origin)));
        }
        for segment in started.iter().chain(stretched) {
            let room = until_due - segment.start.unwrap_or_default();
            let length = segment.length.min(room);
            if length <= Nanos::ZERO {
                continue;
            }
            let origin = segment.origin.clone().or_else(|| {
                let Segment { cause, culprit, .. } = segment.clone();
                (!is_work(segment)).then_some(Origin { cause, culprit })
            });
            match delays.iter_mut().find(|(_, known)| *known == origin) {
                Some((sum, _)) => *sum += length,
                None => delays.push((length, origin)),
            }
        }
        delays.sort_by_key(|(length, _)| -*length);
        FrameDelays { delays, worked }
    }
}

/// Assigns the time of the previous frame to what delayed that frame, the longest delay first: all but the time by which
/// its work alone was longer than the time until the next frame, `period`. Segments that begin before `from` are those of
/// an earlier frame and have their origin.
pub(super) fn assign(segments: &mut Vec<Segment>, from: Nanos, frame: FrameDelays, period: Nanos) {
    let is_new = |segment: &Segment| {
        segment.cause == Cause::PreviousFrame && segment.start.is_some_and(|start| from <= start)
    };
    let overran = segments.iter().filter(|segment| is_new(segment));
    let overran = overran.fold(Nanos::ZERO, |sum, segment| sum + segment.length);
    let mut left = overran - (frame.worked - period).max(Nanos::ZERO);
    let mut delays = frame.delays.into_iter();
    let mut delay = delays.next();
    let mut assigned = Vec::with_capacity(segments.len());
    for mut segment in std::mem::take(segments) {
        while is_new(&segment)
            && Nanos::ZERO < left.min(segment.length)
            && let Some((length, origin)) = &mut delay
        {
            let taken = segment.length.min(left).min(*length);
            let start = segment.start;
            assigned.push(Segment { length: taken, origin: origin.clone(), ..segment.clone() });
            segment.start = start.map(|start| start + taken);
            segment.length = segment.length - taken;
            (left, *length) = (left - taken, *length - taken);
            if *length <= Nanos::ZERO {
                delay = delays.next();
            }
        }
        if Nanos::ZERO < segment.length {
            assigned.push(segment);
        }
    }
    *segments = assigned;
}
