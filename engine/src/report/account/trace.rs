//! The account of a late sample (its lateness, split by cause) from trace records, which show which thread or interrupt
//! used a CPU at which time.
//!
//! **The idea.** Two lists are laid over each other. The switches and wake-ups of the measuring thread give its *states*:
//! asleep, ready to run, running, blocked (module `states`). The records of the CPU on which it ran, or for which it waited, give
//! the *occupants* of that CPU: a thread, an interrupt, a softirq, or nobody (module `cpu`). Each state is cut where the occupant
//! changes, and each piece has one cause:
//!
//! | state | occupant | cause |
//! | --- | --- | --- |
//! | asleep, past the due time | any | the OS timer fired late |
//! | ready to run | another thread | that thread |
//! | ready to run, after a preemption | nobody | a CPU quota, if one throttled; else blocked |
//! | ready to run, after a sleep | nobody | the CPU left its idle state |
//! | any | an interrupt or a softirq | that interrupt |
//! | running | itself | a page fault, if recorded; else no event |
//!
//! **An example.** CPU 1, in microseconds from the due time: the thread sleeps since -8 000; a timer interrupt begins at 40
//! and wakes it at 42; the interrupt ends at 45; `rustc` is on the CPU; a softirq runs from 500 to 560; at 2 300 the thread is
//! switched in, and at 2 350 it reads the clock. States: asleep to 42, ready to 2 300, running to 2 350. Occupants:
//! `rustc` to 40, interrupt to 45, `rustc` to 500, softirq to 560, `rustc` to 2 300. So the timer gets 0 to 40, the interrupt
//! 40 to 45, `rustc` 45 to 500 and 560 to 2 300, the softirq 60 µs, and 50 µs are no event.
//!
//! **Records can be missing**, and a missing record looks like nothing happening. Three lists guard against that, and each
//! turns a cause into *not observable*: reported losses, which last until the next record of the thread, as its state is unknown
//! until then; intervals in which a CPU delivered fewer records than its counter of events (module `completeness`); and samples
//! whose records were not saved, which have no account from the trace at all. "No event" is concluded only where every kind of
//! event was recorded, and "the timer fired late" only where all records of the sleep are here.
//!
//! **Why not the simpler way.** A thread that was on the CPU while the sample was late need not have delayed it: the thread may
//! have been asleep, with nobody to wake it. And the wake-up alone does not end a delay: a thread that is woken waits for the
//! CPU on which it runs *next*, which can be another one than where it slept.
//!
//! Time: each lookup is a binary search, so an account takes O(log n) for n records and O(m) for the m records of its time.

mod completeness;
mod cpu;
mod lanes;
mod origin;
mod sleep;
mod states;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::completeness::Completeness;
pub use self::cpu::Occupant;
pub use self::lanes::{Lanes, Occupancy};
use self::states::Piece;
pub use self::states::State;
use super::{Account, Culprit, CulpritKind, Segment, Source, owner_by_name};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::report::Cause;
use crate::run::{TrialRun, counter};
use crate::sample::{
    Evidence, OUTSIDE, Sample, ThreadOwner, TraceEvent, TraceRecord, UNKNOWN_THREAD,
};

/// Assumed duration of a page fault, for a single fault and for the last fault of a series.
const ONE_FAULT: Nanos = Nanos::from_micros(1);

/// The key that identifies a culprit: kind, position in the list of names, thread ID, and priority.
type CulpritKey = (CulpritKind, Option<u32>, Option<u32>, Option<i64>);

/// The trace records of a trial, indexed for lookups by sample.
#[derive(Debug)]
pub(super) struct Records {
    source: TraceSource,
    /// Whether the kernel recorded no interrupts on idle CPUs.
    is_blind_when_idle: bool,
    /// Whether a CPU quota throttled this program during the trial.
    is_throttled: bool,
    /// The ID of the measuring thread, which is called the own thread here.
    own: u32,
    /// All records, in order of time.
    records: Vec<TraceRecord>,
    /// For each record, the thread, interrupt, or softirq that starts to use the CPU; `None` if the
    /// record starts none, or no name is recorded.
    culprits: Vec<Option<Arc<Culprit>>>,
    /// The positions of all records of each CPU.
    of_cpu: BTreeMap<u32, Vec<usize>>,
    /// The positions of the records that show whether each CPU is in an idle state.
    of_idle: BTreeMap<u32, Vec<usize>>,
    /// The positions of the switches and wake-ups of the measuring thread.
    of_own: Vec<usize>,
    /// The positions of the page faults of the measuring thread.
    of_faults: Vec<usize>,
    /// The positions of the timer expirations that ended sleeps of the measuring thread.
    of_timers: Vec<usize>,
    /// Intervals (begin, end) in which records were lost. Each extends to the next switch or wake-up
    /// of the measuring thread, as the state of the thread before that record is not known.
    losses: Vec<(Nanos, Nanos)>,
    /// What was recorded where, and of which times the records are complete.
    completeness: Completeness,
}

impl Records {
    /// Reads the trace of a trial; `None` if the trial has no trace. Time: O(n log n).
    pub(super) fn of(trial: &TrialRun) -> Option<Self> {
        let trace = trial.trace.as_ref()?;
        let source = TraceSource::from_number(*trial.counters.get(counter::TRACE_SOURCE)?)?;
        let own = u32::try_from(*trial.counters.get(counter::TRACE_THREAD)?).ok()?;
        let mut all = Self::new(source, own, trace.records(), trace.names());
        all.is_throttled =
            trial.counters.get(counter::THROTTLED_NANOS).is_some_and(|time| 0 < *time);
        all.is_blind_when_idle = trial.counters.contains_key(counter::TRACE_BLIND_WHEN_IDLE);
        let omitted = trial.counters.get(counter::TRACE_OMITTED).copied();
        if omitted.is_some_and(|count| 0 < count) {
            // A loss also has a row after the limit.
            let is_saved = |record: &&TraceRecord| record.thread != Some(UNKNOWN_THREAD);
            let last = all.records.iter().rfind(is_saved).map(|record| record.at);
            all.completeness.end_with(last);
        }
        Some(all)
    }

    fn new(source: TraceSource, own: u32, mut records: Vec<TraceRecord>, names: &[String]) -> Self {
        let is_owner = |record: &&TraceRecord| record.event == TraceEvent::Owner;
        let owner =
            |record: &TraceRecord| Some((record.thread?, ThreadOwner::from_number(record.value?)?));
        let owners: BTreeMap<u32, ThreadOwner> =
            records.iter().filter(is_owner).filter_map(owner).collect();
        let mut losses = losses(&records);
        let completeness = Completeness::of(&records);
        records.retain(|one| !one.event.is_about_records());
        for record in &mut records {
            // After a loss, the thread on the CPU is not known until the next switch.
            if record.event == TraceEvent::Lost {
                let (event, thread) = (TraceEvent::SwitchIn, Some(UNKNOWN_THREAD));
                *record = TraceRecord { event, thread, value: None, ..*record };
            }
            let is_own = record.thread == Some(own);
            if is_own && (is_switch(record.event) || record.event == TraceEvent::Waking) {
                for loss in losses.iter_mut().filter(|loss| loss.known_from.is_none()) {
                    loss.known_from = Some(record.at).filter(|at| loss.end <= *at);
                }
            }
        }
        let losses = merged(losses);
        let mut known: BTreeMap<CulpritKey, Arc<Culprit>> = BTreeMap::new();
        let mut all = Self {
            source,
            is_blind_when_idle: false,
            is_throttled: false,
            own,
            culprits: Vec::new(),
            of_cpu: BTreeMap::new(),
            of_idle: BTreeMap::new(),
            of_own: Vec::new(),
            of_faults: Vec::new(),
            of_timers: Vec::new(),
            losses,
            completeness,
            records,
        };
        for (at, record) in all.records.iter().enumerate() {
            all.of_cpu.entry(record.cpu).or_default().push(at);
            // An interrupt wakes an idle CPU before the end of the idle state is recorded.
            let is_awake = matches!(record.event, TraceEvent::IdleEnd | TraceEvent::InterruptBegin);
            if is_awake || record.event == TraceEvent::IdleBegin {
                all.of_idle.entry(record.cpu).or_default().push(at);
            }
            let is_state = is_switch(record.event) || record.event == TraceEvent::Waking;
            if record.thread == Some(own) && is_state {
                all.of_own.push(at);
            }
            if record.thread == Some(own) && record.event == TraceEvent::PageFault {
                all.of_faults.push(at);
            }
            if record.thread == Some(own) && record.event == TraceEvent::TimerExpired {
                all.of_timers.push(at);
            }
            let kind = match record.event {
                TraceEvent::SwitchIn => CulpritKind::Thread,
                TraceEvent::InterruptBegin | TraceEvent::Interrupted => CulpritKind::Interrupt,
                TraceEvent::SoftirqBegin => CulpritKind::Softirq,
                _ => {
                    all.culprits.push(None);
                    continue;
                }
            };
            let name = record.name.and_then(|at| names.get(usize::try_from(at).ok()?));
            let priority = record.value.filter(|_| kind == CulpritKind::Thread);
            let culprit = name.map(|name| {
                let key = (kind, record.name, record.thread, priority);
                let make = || {
                    // Earlier versions saved the ID of an unknown thread as its name.
                    let is_unknown = record.thread == Some(UNKNOWN_THREAD);
                    let name = if is_unknown { "unknown thread".to_owned() } else { name.clone() };
                    let owner = if owners.is_empty() {
                        owner_by_name(&name).filter(|_| kind == CulpritKind::Thread)
                    } else {
                        record.thread.and_then(|thread| owners.get(&thread).copied())
                    };
                    let thread = record.thread.filter(|thread| *thread < OUTSIDE);
                    Arc::new(Culprit { name, kind, thread, priority, owner })
                };
                Arc::clone(known.entry(key).or_insert_with(make))
            });
            all.culprits.push(culprit);
        }
        all
    }

    /// Splits the lateness of a sample by cause; `None` if the records around the sample are missing.
    /// `before` is the previous sample, and `last` its account, if it was late.
    pub(super) fn account(
        &self,
        sample: &Sample,
        before: Option<&Sample>,
        evidence: Option<&Evidence>,
        last: Option<&Account>,
    ) -> Option<Account> {
        if !self.completeness.is_saved(sample) {
            return None;
        }
        let mut pieces = self.states(sample, before)?;
        // Even if wake-ups are recorded, a wake-up by an interrupt of an idle CPU can be missing.
        let run_delay = evidence.and_then(|evidence| evidence.run_delay);
        states::split_by_run_delay(&mut pieces, before, sample, run_delay);
        let overran = before.map_or(sample.due, |before| before.done);
        let mut parts = TraceParts { due: sample.due, cpu: None, segments: Vec::new() };
        // If this sample was due before the previous one woke, the causes of the previous sample also
        // delayed this one.
        let chain = last.filter(|_| before.is_some_and(|before| sample.due < before.woke));
        let begin = match (before, chain) {
            (Some(before), Some(chain)) => {
                parts.take_over(&chain.segments, before.due, before.woke);
                before.woke
            }
            _ => sample.due,
        };
        for piece in &pieces {
            parts.cpu = Some(piece.cpu);
            let (from, to) = (piece.from.max(begin), piece.to.min(sample.woke));
            // If the previous frame ended within this piece, split the piece at that time.
            let middle = overran.clamp(from, to.max(from));
            for (from, to) in [(from, middle), (middle, to)] {
                self.split_around_losses(piece, (from, to), to <= overran, &mut parts);
            }
        }
        if let Some(before) = before {
            let taken_over = begin - sample.due;
            let delays = self.delays_of((before, sample.due), &pieces, last);
            origin::assign(&mut parts.segments, taken_over, delays, sample.due - before.due);
        }
        let explained = parts.segments.iter().fold(Nanos::ZERO, |sum, one| sum + one.length);
        let from = sample.began.min(sample.due);
        let is_late = |piece: &&Piece| begin < piece.to && piece.from < sample.woke;
        let late: Vec<&Piece> = pieces.iter().filter(is_late).collect();
        let source = match self.source {
            TraceSource::Kernel
                if late.iter().any(|piece| self.completeness.is_uncovered(piece.cpu)) =>
            {
                TraceSource::AllSwitches
            }
            source => source,
        };
        let are_all_here = late.iter().all(|piece| {
            let time = (piece.from.max(begin), piece.to.min(sample.woke));
            self.completeness.has_all(piece.cpu, time)
        });
        Some(Account {
            source: Source::Trace(source),
            segments: parts.segments,
            remainder: sample.late() - explained,
            is_complete: are_all_here && self.losses_in((from, sample.woke)).is_empty(),
        })
    }

    /// Returns the states of the measuring thread from the wake-up of the previous sample to the
    /// wake-up of this sample; `None` if the records of that time are missing.
    fn states(&self, sample: &Sample, before: Option<&Sample>) -> Option<Vec<Piece>> {
        let from = before.map_or(sample.began, |before| before.woke).min(sample.began);
        if self.records.last().is_none_or(|last| last.at < from) {
            return None;
        }
        states::pieces(self.own_between(from, sample.woke)?, sample)
    }

    /// Returns the switches and wake-ups of the measuring thread in an interval, preceded by its
    /// last switch before the interval; `None` if there is no earlier switch.
    fn own_between(&self, from: Nanos, to: Nanos) -> Option<impl Iterator<Item = &TraceRecord>> {
        let time = |at: &usize| self.time_of(*at);
        // A wake-up does not determine the state: a running thread can also be woken.
        let is_state = |at: &usize| self.records.get(*at).is_some_and(|one| is_switch(one.event));
        let begun = self.of_own.partition_point(|at| time(at) <= from);
        let first = self.of_own.get(..begun)?.iter().rposition(is_state)?;
        let end = self.of_own.partition_point(|at| time(at) <= to);
        let own = self.of_own.get(first..end)?.iter();
        Some(own.filter_map(|at| self.records.get(*at)))
    }

    /// Returns the time of the record at a position.
    fn time_of(&self, at: usize) -> Nanos {
        self.records.get(at).map_or(Nanos::MAX, |record| record.at)
    }

    /// Returns the parts of an interval in which the measuring thread handled page faults, in
    /// order.
    fn faults(&self, (from, to): (Nanos, Nanos)) -> Vec<(Nanos, Nanos)> {
        let time = |at: &usize| self.time_of(*at);
        // The last fault before the interval may extend into the interval.
        let first = self.of_faults.partition_point(|at| time(at) < from).saturating_sub(1);
        let mut stretches = Vec::new();
        let mut done = from;
        for at in self.of_faults.get(first..).unwrap_or_default() {
            let Some(fault) = self.records.get(*at).filter(|fault| fault.at < to) else { break };
            let end = fault.at + Nanos::new(fault.value.unwrap_or(0)) + ONE_FAULT;
            let (begin, end) = (fault.at.max(done), end.min(to));
            if begin < end {
                stretches.push((begin, end));
                done = end;
            }
        }
        stretches
    }

    /// Returns the intervals with lost records that overlap with an interval.
    fn losses_in(&self, (from, to): (Nanos, Nanos)) -> &[(Nanos, Nanos)] {
        let first = self.losses.partition_point(|loss| loss.1 < from);
        let end = self.losses.partition_point(|loss| loss.0 <= to);
        self.losses.get(first..end).unwrap_or_default()
    }

    /// Splits an interval of one state around losses of records: the time of a loss gets the cause
    /// [`Cause::NotObservable`]. If the previous frame ran (`is_previous`), losses are ignored, as the
    /// end of that frame is known without records.
    fn split_around_losses(
        &self,
        piece: &Piece,
        (mut from, to): (Nanos, Nanos),
        is_previous: bool,
        parts: &mut TraceParts,
    ) {
        if to <= from {
            return;
        }
        let losses = if is_previous { &[] } else { self.losses_in((from, to)) };
        for &(begin, end) in losses {
            let (begin, end) = (begin.clamp(from, to), end.min(to));
            if begin < end {
                self.split_around_faults(piece, (from, begin), is_previous, parts);
                parts.add(Cause::NotObservable, None, (begin, end));
                from = end;
            }
        }
        self.split_around_faults(piece, (from, to), is_previous, parts);
    }

    /// Splits an interval of one state around page faults, whose times are recorded.
    fn split_around_faults(
        &self,
        piece: &Piece,
        (mut from, to): (Nanos, Nanos),
        is_previous: bool,
        parts: &mut TraceParts,
    ) {
        if piece.state == State::Running {
            for (begin, end) in self.faults((from, to)) {
                if from < begin {
                    self.split(piece, (from, begin), is_previous, parts);
                }
                parts.add(Cause::PageFault, None, (begin, end));
                from = end;
            }
        }
        if from < to {
            self.split(piece, (from, to), is_previous, parts);
        }
    }

    /// Returns the cause of an interval in which no event is recorded on a CPU.
    fn unrecorded(&self, cpu: u32, interval: (Nanos, Nanos)) -> Cause {
        // Unless every event is recorded, a missing record does not show that nothing happened.
        let is_seen = self.completeness.is_covered(cpu) && self.completeness.has_all(cpu, interval);
        if is_seen { Cause::NoEvent } else { Cause::NotObservable }
    }

    /// Splits an interval in which the thread was in one state by the occupants of its CPU.
    fn split(
        &self,
        piece: &Piece,
        span: (Nanos, Nanos),
        is_previous: bool,
        parts: &mut TraceParts,
    ) {
        let span = if piece.state == State::Asleep {
            self.split_until_expiry(piece, span, parts)
        } else {
            span
        };
        if span.1 <= span.0 {
            return;
        }
        let own_cause = match piece.state {
            State::Running if is_previous => Cause::PreviousFrame,
            State::Running => self.unrecorded(piece.cpu, span),
            State::Ready => Cause::WaitedForCpu,
            // A timer is late only if it is certain that nothing else happened.
            State::Asleep if !self.completeness.has_all(piece.cpu, span) => Cause::NotObservable,
            State::Asleep => Cause::TimerLate,
            State::AsleepOrReady => Cause::NotObservable,
            State::Blocked => Cause::Blocked,
        };
        if piece.state == State::Blocked || self.source == TraceSource::OwnSwitches {
            parts.add(own_cause, None, span);
            return;
        }
        for (occupant, span) in self.occupants(piece.cpu, span) {
            match occupant {
                Occupant::Interrupt(culprit) => parts.add(Cause::Interrupt, culprit, span),
                Occupant::Unknown => parts.add(Cause::NotObservable, None, span),
                Occupant::Thread(culprit) if piece.state == State::Ready => {
                    let cause = if culprit.is_some() { Cause::Thread } else { own_cause };
                    parts.add(cause, culprit, span);
                }
                // If a CPU is idle although a preempted thread is ready to run, a CPU quota or the
                // limit of real-time threads is used up.
                Occupant::Idle if piece.state == State::Ready && piece.is_preempted => {
                    let cause = if self.is_throttled { Cause::Quota } else { Cause::Blocked };
                    parts.add(cause, None, span);
                }
                // The thread is ready to run, but its CPU is recorded as idle. First, the CPU
                // leaves its idle state; the cause of the remaining time was not recorded.
                Occupant::Idle if piece.state == State::Ready => {
                    self.split_idle(piece.cpu, span, parts);
                }
                _ if self.is_end_hidden(piece) => parts.add(Cause::NotObservable, None, span),
                Occupant::Own | Occupant::Thread(_) | Occupant::Idle => {
                    parts.add(own_cause, None, span);
                }
            }
        }
    }
}

/// An interval in which records were lost.
struct Loss {
    begin: Nanos,
    end: Nanos,
    /// The time of the next record of the measuring thread after the loss; `None` if there is no such
    /// record.
    known_from: Option<Nanos>,
}

fn is_switch(event: TraceEvent) -> bool {
    event == TraceEvent::SwitchIn || event.is_switch_out()
}

/// Returns the intervals in which records were lost, in order. A record with a count begins an
/// interval; a record with a count of 0 on the same CPU ends it.
fn losses(records: &[TraceRecord]) -> Vec<Loss> {
    let mut losses: Vec<Loss> = Vec::new();
    let mut open: BTreeMap<u32, usize> = BTreeMap::new();
    for record in records.iter().filter(|record| record.event == TraceEvent::Lost) {
        let begun = open.get(&record.cpu).filter(|_| record.value == Some(0));
        if let Some(loss) = begun.and_then(|at| losses.get_mut(*at)) {
            loss.end = record.at;
        } else {
            open.insert(record.cpu, losses.len());
            losses.push(Loss { begin: record.at, end: record.at, known_from: None });
        }
    }
    losses
}

/// Extends each loss to the next record of the measuring thread, and merges losses that overlap or
/// touch.
fn merged(losses: Vec<Loss>) -> Vec<(Nanos, Nanos)> {
    let mut merged: Vec<(Nanos, Nanos)> = Vec::new();
    for loss in losses {
        let end = loss.known_from.unwrap_or(Nanos::MAX);
        match merged.last_mut().filter(|last| loss.begin <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => merged.push((loss.begin, end)),
        }
    }
    merged
}

/// The lateness of a sample while it is being split into segments.
struct TraceParts {
    due: Nanos,
    /// The CPU of the segments that are added next; `None` if it is not known.
    cpu: Option<u32>,
    segments: Vec<Segment>,
}

impl TraceParts {
    /// Copies the segments of the previous sample, which was due at `other_due`, as far as they are
    /// between the due time of this sample and `end`.
    fn take_over(&mut self, segments: &[Segment], other_due: Nanos, end: Nanos) {
        for segment in segments {
            let Some(start) = segment.start else { continue };
            let from = (other_due + start).max(self.due);
            let to = (other_due + start + segment.length).min(end);
            if from < to {
                let start = Some(from - self.due);
                self.segments.push(Segment { start, length: to - from, ..segment.clone() });
            }
        }
    }

    /// Adds an interval as a segment. If the last segment ends where the interval begins, and has the
    /// same cause, culprit, and CPU, extends that segment instead.
    fn add(&mut self, cause: Cause, culprit: Option<Arc<Culprit>>, (from, to): (Nanos, Nanos)) {
        let (start, length) = (from - self.due, to - from);
        match self.segments.last_mut() {
            Some(last)
                if last.cause == cause
                    && last.origin.is_none()
                    && last.culprit == culprit
                    && last.cpu == self.cpu
                    && last.start.is_some_and(|begin| begin + last.length == start) =>
            {
                last.length += length;
            }
            _ => {
                let start = Some(start);
                let cpu = self.cpu;
                self.segments.push(Segment { start, length, cause, culprit, cpu, origin: None });
            }
        }
    }
}

#[cfg(test)]
mod tests;
