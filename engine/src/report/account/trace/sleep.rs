//! The end of a sleep: the timer that should end the sleep, and the idle CPU that has to wake up when
//! the timer expires.

use super::states::{Piece, State};
use super::{Occupant, Records, TraceParts};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::report::Cause;
use crate::report::model::cause::DEEP_IDLE;
use crate::sample::{TraceEvent, TraceRecord};

/// A timer expires at most this long after the time for which it was set, if nothing delays the expiry.
const PROMPT: Nanos = Nanos::from_micros(20);

impl Records {
    /// Splits the first part of a sleep interval by cause, up to the expiry of the timer that ends the
    /// sleep, or up to the time for which the timer was set if it then expired within [`PROMPT`].
    /// Returns the rest of the interval: the whole interval if the expiry is not recorded.
    pub(super) fn split_until_expiry(
        &self,
        piece: &Piece,
        (from, to): (Nanos, Nanos),
        parts: &mut TraceParts,
    ) -> (Nanos, Nanos) {
        let Some(timer) = self.expiry(piece) else { return (from, to) };
        let set_for = timer.at - Nanos::new(timer.value.unwrap_or(0));
        let expired = timer.at.clamp(from, to);
        let set_for = set_for.clamp(from, expired);
        // The timer was set for a time after the due time: because of timer slack, or because the
        // sleep did not target the due time.
        if from < set_for {
            parts.add(Cause::TimerLate, None, (from, set_for));
        }
        if expired - set_for <= PROMPT {
            return (set_for, to);
        }
        // After a timer interrupt that did not end the sleep, the OS delays the expiry: the timer
        // is late. Before such an interrupt, other causes delay the interrupt itself.
        let mut has_come = false;
        for (occupant, span) in self.occupants(piece.cpu, (set_for, expired)) {
            match occupant {
                Occupant::Interrupt(culprit) => {
                    has_come |= culprit.as_ref().is_some_and(|one| one.name.contains("timer"));
                    parts.add(Cause::Interrupt, culprit, span);
                }
                Occupant::Unknown => parts.add(Cause::NotObservable, None, span),
                _ if has_come => {
                    let is_known = self.completeness.has_all(piece.cpu, span);
                    let cause = if is_known { Cause::TimerLate } else { Cause::NotObservable };
                    parts.add(cause, None, span);
                }
                Occupant::Idle => self.split_idle(piece.cpu, span, parts),
                Occupant::Own | Occupant::Thread(_) => {
                    parts.add(self.unrecorded(piece.cpu, span), None, span);
                }
            }
        }
        (expired, to)
    }

    /// Splits an interval in which an idle CPU should have run something: first the exit latency of its idle state,
    /// then the unexplained rest.
    pub(super) fn split_idle(&self, cpu: u32, (from, to): (Nanos, Nanos), parts: &mut TraceParts) {
        let latency = self
            .idle_latency(cpu, from)
            .filter(|latency| DEEP_IDLE <= *latency && self.completeness.has_all(cpu, (from, to)));
        let left = latency.map_or(from, |latency| (from + latency).min(to));
        if from < left {
            parts.add(Cause::DeepIdle, None, (from, left));
        }
        if left < to {
            let is_seen = !self.is_blind_when_idle;
            let rest =
                if is_seen { self.unrecorded(cpu, (left, to)) } else { Cause::NotObservable };
            parts.add(rest, None, (left, to));
        }
    }

    /// Whether the event that ended a sleep is not recorded: the timer expired on an idle CPU, and this
    /// kernel records no interrupts on idle CPUs.
    pub(super) fn is_end_hidden(&self, piece: &Piece) -> bool {
        piece.state == State::Asleep
            && self.source == TraceSource::Kernel
            && self.is_blind_when_idle
            && self.expiry(piece).is_none()
    }

    /// Returns the record of the timer that ended a sleep; `None` if there is no such record, or if
    /// something else ended the sleep.
    fn expiry(&self, piece: &Piece) -> Option<&TraceRecord> {
        let end = self.of_timers.partition_point(|at| self.time_of(*at) <= piece.to);
        let timer = self.records.get(*self.of_timers.get(end.checked_sub(1)?)?)?;
        (piece.from < timer.at && timer.cpu == piece.cpu).then_some(timer)
    }

    /// Returns the exit latency of the idle state of a CPU at the time `at`; `None` if the CPU is not
    /// idle then, or if the latency is not known.
    fn idle_latency(&self, cpu: u32, at: Nanos) -> Option<Nanos> {
        let all = self.of_idle.get(&cpu)?;
        let end = all.partition_point(|one| self.time_of(*one) <= at);
        let last = self.records.get(*all.get(end.checked_sub(1)?)?)?;
        last.value.filter(|_| last.event == TraceEvent::IdleBegin).map(Nanos::new)
    }
}
