//! The account of a late sample from records: who had the CPU, moment by moment.

mod cpu;
mod lanes;
mod sleep;
mod states;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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

/// How long a page fault takes that is not followed by another one.
const ONE_FAULT: Nanos = Nanos::from_micros(1);

/// What distinguishes culprits: kind, name, thread, priority.
type CulpritKey = (CulpritKind, Option<u32>, Option<u32>, Option<i64>);

/// The records of a trial, ready to be asked about its samples.
#[derive(Debug)]
pub(super) struct Records {
    source: TraceSource,
    /// Whether interrupts of an idle CPU are missing.
    is_blind_when_idle: bool,
    /// The number of the measuring thread.
    own: u32,
    /// In order of time.
    records: Vec<TraceRecord>,
    /// Who each record is about, where it has a name.
    culprits: Vec<Option<Arc<Culprit>>>,
    /// The positions of the records of each CPU, those that begin or end its idle states, and of the thread's own
    /// switches.
    of_cpu: BTreeMap<u32, Vec<usize>>,
    of_idle: BTreeMap<u32, Vec<usize>>,
    of_own: Vec<usize>,
    /// The positions of the thread's page faults, and of the timers that ended its sleeps.
    of_faults: Vec<usize>,
    of_timers: Vec<usize>,
    /// Stretches of time from which records were lost, each until the next switch or wake-up of the thread: what it
    /// did in between is not known.
    losses: Vec<(Nanos, Nanos)>,
    /// The CPUs on which everything that could explain a delay is recorded, of those that a file names.
    covered: BTreeSet<u32>,
    uncovered: BTreeSet<u32>,
}

impl Records {
    /// Reads the trace of a trial; `None` where it has none. Time: O(n log n).
    pub(super) fn of(trial: &TrialRun) -> Option<Self> {
        let trace = trial.trace.as_ref()?;
        let source = TraceSource::from_number(*trial.counters.get(counter::TRACE_SOURCE)?)?;
        let own = u32::try_from(*trial.counters.get(counter::TRACE_THREAD)?).ok()?;
        let mut records = trace.records();
        records.retain(|record| record.event != TraceEvent::Busy);
        let is_blind_when_idle = trial.counters.contains_key(counter::TRACE_BLIND_WHEN_IDLE);
        Some(Self { is_blind_when_idle, ..Self::new(source, own, records, trace.names()) })
    }

    fn new(source: TraceSource, own: u32, mut records: Vec<TraceRecord>, names: &[String]) -> Self {
        let is_owner = |record: &&TraceRecord| record.event == TraceEvent::Owner;
        let owner =
            |record: &TraceRecord| Some((record.thread?, ThreadOwner::from_number(record.value?)?));
        let owners: BTreeMap<u32, ThreadOwner> =
            records.iter().filter(is_owner).filter_map(owner).collect();
        let mut losses = losses(&records);
        let cpus_of = |event: TraceEvent| -> BTreeSet<u32> {
            records.iter().filter(|one| one.event == event).map(|one| one.cpu).collect()
        };
        let uncovered = cpus_of(TraceEvent::NotRecorded);
        let covered = &cpus_of(TraceEvent::Covered) - &uncovered;
        records.retain(|one| {
            !matches!(one.event, TraceEvent::Covered | TraceEvent::NotRecorded | TraceEvent::Owner)
        });
        for record in &mut records {
            // Who has the CPU is not known from a loss to the next switch.
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
            own,
            culprits: Vec::new(),
            of_cpu: BTreeMap::new(),
            of_idle: BTreeMap::new(),
            of_own: Vec::new(),
            of_faults: Vec::new(),
            of_timers: Vec::new(),
            losses,
            covered,
            uncovered,
            records,
        };
        for (at, record) in all.records.iter().enumerate() {
            all.of_cpu.entry(record.cpu).or_default().push(at);
            // An interrupt wakes an idle CPU before that is recorded.
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
                    // Earlier versions saved the number as the name.
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

    /// Splits the lateness of a sample; `None` where its records are missing. `chain` is the account of the
    /// sample before, where that one woke after this one was due.
    pub(super) fn account(
        &self,
        sample: &Sample,
        before: Option<&Sample>,
        evidence: Option<&Evidence>,
        chain: Option<&Account>,
    ) -> Option<Account> {
        let mut pieces = self.states(sample, before)?;
        // Even where wake-ups are recorded, those by an interrupt of an idle CPU can be missing.
        let run_delay = evidence.and_then(|evidence| evidence.run_delay);
        states::split_by_run_delay(&mut pieces, before, sample, run_delay);
        let overran = before.map_or(sample.due, |before| before.done);
        let mut parts = Parts { due: sample.due, cpu: None, segments: Vec::new() };
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
            // The previous frame ends within a piece.
            let middle = overran.clamp(from, to.max(from));
            for (from, to) in [(from, middle), (middle, to)] {
                self.split_around_losses(piece, (from, to), to <= overran, &mut parts);
            }
        }
        let explained = parts.segments.iter().fold(Nanos::ZERO, |sum, one| sum + one.length);
        let from = sample.began.min(sample.due);
        let is_late = |piece: &&Piece| begin < piece.to && piece.from < sample.woke;
        let mut late = pieces.iter().filter(is_late);
        let source = match self.source {
            TraceSource::Kernel if late.any(|piece| self.uncovered.contains(&piece.cpu)) => {
                TraceSource::AllSwitches
            }
            source => source,
        };
        Some(Account {
            source: Source::Trace(source),
            segments: parts.segments,
            remainder: sample.late() - explained,
            is_complete: self.losses_in((from, sample.woke)).is_empty(),
        })
    }

    /// The states of the thread from its previous wake-up to this one.
    fn states(&self, sample: &Sample, before: Option<&Sample>) -> Option<Vec<Piece>> {
        let from = before.map_or(sample.began, |before| before.woke).min(sample.began);
        if self.records.last().is_none_or(|last| last.at < from) {
            return None;
        }
        states::pieces(self.own_between(from, sample.woke)?, sample)
    }

    /// The thread's own switches of a stretch of time, and the one before; `None` without that.
    fn own_between(&self, from: Nanos, to: Nanos) -> Option<impl Iterator<Item = &TraceRecord>> {
        let time = |at: &usize| self.time_of(*at);
        // A wake-up is no state: a thread that runs can be woken, too.
        let is_state = |at: &usize| self.records.get(*at).is_some_and(|one| is_switch(one.event));
        let begun = self.of_own.partition_point(|at| time(at) <= from);
        let first = self.of_own.get(..begun)?.iter().rposition(is_state)?;
        let end = self.of_own.partition_point(|at| time(at) <= to);
        let own = self.of_own.get(first..end)?.iter();
        Some(own.filter_map(|at| self.records.get(*at)))
    }

    /// When a record was made, by its position.
    fn time_of(&self, at: usize) -> Nanos {
        self.records.get(at).map_or(Nanos::MAX, |record| record.at)
    }

    /// The stretches of a stretch of time in which the thread served page faults, in order.
    fn faults(&self, (from, to): (Nanos, Nanos)) -> Vec<(Nanos, Nanos)> {
        let time = |at: &usize| self.time_of(*at);
        // The one before may reach into it.
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

    /// The losses that reach into a stretch of time.
    fn losses_in(&self, (from, to): (Nanos, Nanos)) -> &[(Nanos, Nanos)] {
        let first = self.losses.partition_point(|loss| loss.1 < from);
        let end = self.losses.partition_point(|loss| loss.0 <= to);
        self.losses.get(first..end).unwrap_or_default()
    }

    /// Splits a stretch of one state, of which what was lost is not observable: only that the previous frame was not
    /// done is known without records.
    fn split_around_losses(
        &self,
        piece: &Piece,
        (mut from, to): (Nanos, Nanos),
        is_previous: bool,
        parts: &mut Parts,
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

    /// Splits a stretch of one state, of which the time of page faults is known.
    fn split_around_faults(
        &self,
        piece: &Piece,
        (mut from, to): (Nanos, Nanos),
        is_previous: bool,
        parts: &mut Parts,
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

    /// What a stretch was of which nothing is recorded.
    fn unrecorded(&self, cpu: u32) -> Cause {
        // Without a record of everything, a missing record proves nothing.
        if self.covered.contains(&cpu) { Cause::NoEvent } else { Cause::NotObservable }
    }

    /// Splits a stretch in which the thread was in one state among those who had its CPU.
    fn split(&self, piece: &Piece, span: (Nanos, Nanos), is_previous: bool, parts: &mut Parts) {
        let span = if piece.state == State::Asleep {
            self.split_until_expiry(piece, span, parts)
        } else {
            span
        };
        if span.1 <= span.0 {
            return;
        }
        let otherwise = self.unrecorded(piece.cpu);
        let own_cause = match piece.state {
            State::Running if is_previous => Cause::PreviousFrame,
            State::Running => otherwise,
            State::Ready => Cause::WaitedForCpu,
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
                // A CPU is left idle by a thread that is ready to run only where a quota or a limit of
                // real-time threads is used up.
                Occupant::Idle if piece.state == State::Ready && piece.is_preempted => {
                    parts.add(Cause::Blocked, None, span);
                }
                // Ready to run on an idle CPU: it was not reported, or something else had it.
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

/// A stretch of time from which records were lost.
struct Loss {
    begin: Nanos,
    end: Nanos,
    /// When the thread was recorded next.
    known_from: Option<Nanos>,
}

fn is_switch(event: TraceEvent) -> bool {
    event == TraceEvent::SwitchIn || event.is_switch_out()
}

/// The stretches of time from which records were lost, in order: each has a record at its begin and, without a count,
/// one at its end.
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

/// Losses with what follows from each, those that touch as one.
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

/// A lateness that is being split.
struct Parts {
    due: Nanos,
    /// The CPU of what is added next.
    cpu: Option<u32>,
    segments: Vec<Segment>,
}

impl Parts {
    /// Takes over the segments of another sample, which was due then, as far as they lie after the due
    /// time of this one and before an end.
    fn take_over(&mut self, segments: &[Segment], other_due: Nanos, end: Nanos) {
        for segment in segments {
            let Some(start) = segment.start else { continue };
            let from = (other_due + start).max(self.due);
            let to = (other_due + start + segment.length).min(end);
            if from < to {
                self.cpu = segment.cpu;
                self.add(segment.cause, segment.culprit.clone(), (from, to));
            }
        }
    }

    /// Adds a stretch of time, to the last segment where it is of the same cause.
    fn add(&mut self, cause: Cause, culprit: Option<Arc<Culprit>>, (from, to): (Nanos, Nanos)) {
        let (start, length) = (from - self.due, to - from);
        match self.segments.last_mut() {
            Some(last)
                if last.cause == cause
                    && last.culprit == culprit
                    && last.cpu == self.cpu
                    && last.start.is_some_and(|begin| begin + last.length == start) =>
            {
                last.length += length;
            }
            _ => {
                let start = Some(start);
                self.segments.push(Segment { start, length, cause, culprit, cpu: self.cpu });
            }
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod recorded;

#[cfg(test)]
mod simulated;
