//! The end of a sleep: the timer that was to end it, and the idle CPU that had to notice.

use super::states::{Piece, State};
use super::{Occupant, Parts, Records};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::report::Cause;
use crate::report::model::cause::DEEP_IDLE;
use crate::sample::{TraceEvent, TraceRecord};

/// How long it takes at most from the time of a timer to its expiry, where nothing delays it.
const PROMPT: Nanos = Nanos::from_micros(20);

impl Records {
    /// Splits the first part of a stretch of sleep, until its timer expired; returns the rest, which is all of it where
    /// that is not recorded.
    pub(super) fn split_until_expiry(
        &self,
        piece: &Piece,
        (from, to): (Nanos, Nanos),
        parts: &mut Parts,
    ) -> (Nanos, Nanos) {
        let Some(timer) = self.expiry(piece) else { return (from, to) };
        let set_for = timer.at - Nanos::new(timer.value.unwrap_or(0));
        let expired = timer.at.clamp(from, to);
        let set_for = set_for.clamp(from, expired);
        // It was set for a later time: the system's slack, or a time that is not the scheduled one.
        if from < set_for {
            parts.add(Cause::TimerLate, None, (from, set_for));
        }
        if expired - set_for <= PROMPT {
            return (set_for, to);
        }
        // An interrupt of the timer that came and did not end the sleep is the system's delay. One that did
        // not come is not.
        let mut has_come = false;
        for (occupant, span) in self.occupants(piece.cpu, (set_for, expired)) {
            match occupant {
                Occupant::Interrupt(culprit) => {
                    has_come |= culprit.as_ref().is_some_and(|one| one.name.contains("timer"));
                    parts.add(Cause::Interrupt, culprit, span);
                }
                Occupant::Unknown => parts.add(Cause::NotObservable, None, span),
                _ if has_come => parts.add(Cause::TimerLate, None, span),
                Occupant::Idle => self.split_idle(piece.cpu, span, parts),
                Occupant::Own | Occupant::Thread(_) => {
                    parts.add(self.unrecorded(piece.cpu), None, span);
                }
            }
        }
        (expired, to)
    }

    /// Splits a stretch in which an idle CPU was to do something: what its idle state takes to be left, and what nothing
    /// explains.
    pub(super) fn split_idle(&self, cpu: u32, (from, to): (Nanos, Nanos), parts: &mut Parts) {
        let latency = self.idle_latency(cpu, from).filter(|latency| DEEP_IDLE <= *latency);
        let left = latency.map_or(from, |latency| (from + latency).min(to));
        if from < left {
            parts.add(Cause::DeepIdle, None, (from, left));
        }
        if left < to {
            let is_seen = !self.is_blind_when_idle;
            let rest = if is_seen { self.unrecorded(cpu) } else { Cause::NotObservable };
            parts.add(rest, None, (left, to));
        }
    }

    /// Whether what ended a sleep is not recorded: its timer expired on an idle CPU of which this kernel writes nothing.
    pub(super) fn is_end_hidden(&self, piece: &Piece) -> bool {
        piece.state == State::Asleep
            && self.source == TraceSource::Kernel
            && self.is_blind_when_idle
            && self.expiry(piece).is_none()
    }

    /// The timer that ended a sleep; `None` where that is not recorded, or where something else ended it.
    fn expiry(&self, piece: &Piece) -> Option<&TraceRecord> {
        let end = self.of_timers.partition_point(|at| self.time_of(*at) <= piece.to);
        let timer = self.records.get(*self.of_timers.get(end.checked_sub(1)?)?)?;
        (piece.from < timer.at && timer.cpu == piece.cpu).then_some(timer)
    }

    /// How long the idle state of a CPU takes to be left; `None` where it was in none, or where that is not known.
    fn idle_latency(&self, cpu: u32, at: Nanos) -> Option<Nanos> {
        let all = self.of_idle.get(&cpu)?;
        let end = all.partition_point(|one| self.time_of(*one) <= at);
        let last = self.records.get(*all.get(end.checked_sub(1)?)?)?;
        last.value.filter(|_| last.event == TraceEvent::IdleBegin).map(Nanos::new)
    }
}
