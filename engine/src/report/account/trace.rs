//! The account of a late sample from records: who had the CPU, moment by moment.

mod cpu;
mod lanes;
mod states;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::cpu::Occupant;
pub use self::lanes::{Lanes, Occupancy};
use self::states::Piece;
pub use self::states::State;
use super::{Account, Culprit, CulpritKind, Segment, Source};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::report::Cause;
use crate::run::{TrialRun, counter};
use crate::sample::{Evidence, Sample, TraceEvent, TraceRecord, UNKNOWN_THREAD};

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
    /// The positions of the records of each CPU, and of the thread's own switches.
    of_cpu: BTreeMap<u32, Vec<usize>>,
    of_own: Vec<usize>,
    /// The positions of the thread's page faults.
    of_faults: Vec<usize>,
    /// Stretches of time from which records were lost.
    losses: Vec<(Nanos, Nanos)>,
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
        let losses = losses(&records);
        records.retain(|record| record.event != TraceEvent::Lost);
        let mut known: BTreeMap<CulpritKey, Arc<Culprit>> = BTreeMap::new();
        let mut all = Self {
            source,
            is_blind_when_idle: false,
            own,
            culprits: Vec::new(),
            of_cpu: BTreeMap::new(),
            of_own: Vec::new(),
            of_faults: Vec::new(),
            losses,
            records,
        };
        for (at, record) in all.records.iter().enumerate() {
            all.of_cpu.entry(record.cpu).or_default().push(at);
            let is_switch = record.event == TraceEvent::SwitchIn || record.event.is_switch_out();
            if record.thread == Some(own) && (is_switch || record.event == TraceEvent::Waking) {
                all.of_own.push(at);
            }
            if record.thread == Some(own) && record.event == TraceEvent::PageFault {
                all.of_faults.push(at);
            }
            let kind = match record.event {
                TraceEvent::SwitchIn => CulpritKind::Thread,
                TraceEvent::InterruptBegin => CulpritKind::Interrupt,
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
                    Arc::new(Culprit { name, kind, thread: record.thread, priority })
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
                let is_previous = to <= overran;
                let mut from = from;
                if piece.state == State::Running {
                    for (begin, end) in self.faults((from, to)) {
                        if from < begin {
                            self.split(piece, (from, begin), is_previous, &mut parts);
                        }
                        parts.add(Cause::PageFault, None, (begin, end));
                        from = end;
                    }
                }
                if from < to {
                    self.split(piece, (from, to), is_previous, &mut parts);
                }
            }
        }
        let explained = parts.segments.iter().fold(Nanos::ZERO, |sum, one| sum + one.length);
        let from = sample.began.min(sample.due);
        let is_lost = |&(begin, end): &(Nanos, Nanos)| begin <= sample.woke && from <= end;
        Some(Account {
            source: Source::Trace(self.source),
            segments: parts.segments,
            remainder: sample.late() - explained,
            is_complete: !self.losses.iter().any(is_lost),
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
        let time = |at: &usize| self.records.get(*at).map_or(Nanos::MAX, |record| record.at);
        let first = self.of_own.partition_point(|at| time(at) <= from).checked_sub(1)?;
        let end = self.of_own.partition_point(|at| time(at) <= to);
        let own = self.of_own.get(first..end)?.iter();
        Some(own.filter_map(|at| self.records.get(*at)))
    }

    /// The stretches of a stretch of time in which the thread served page faults, in order.
    fn faults(&self, (from, to): (Nanos, Nanos)) -> Vec<(Nanos, Nanos)> {
        let time = |at: &usize| self.records.get(*at).map_or(Nanos::MAX, |record| record.at);
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

    /// Splits a stretch in which the thread was in one state among those who had its CPU.
    fn split(&self, piece: &Piece, span: (Nanos, Nanos), is_previous: bool, parts: &mut Parts) {
        let is_kernel = self.source == TraceSource::Kernel;
        let otherwise = if is_kernel { Cause::NoEvent } else { Cause::NotObservable };
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
                Occupant::Thread(culprit) if piece.state == State::Ready => {
                    let cause = if culprit.is_some() { Cause::Thread } else { own_cause };
                    parts.add(cause, culprit, span);
                }
                // Ready to run on an idle CPU: it was not reported, or something else had it.
                Occupant::Idle if piece.state == State::Ready => {
                    let is_seen = !self.is_blind_when_idle;
                    parts.add(if is_seen { otherwise } else { Cause::NotObservable }, None, span);
                }
                Occupant::Own | Occupant::Thread(_) | Occupant::Idle => {
                    parts.add(own_cause, None, span);
                }
            }
        }
    }
}

/// The stretches of time from which records were lost: each has a record at its begin and, without a count,
/// one at its end.
fn losses(records: &[TraceRecord]) -> Vec<(Nanos, Nanos)> {
    let mut losses: Vec<(Nanos, Nanos)> = Vec::new();
    let mut open: BTreeMap<u32, usize> = BTreeMap::new();
    for record in records.iter().filter(|record| record.event == TraceEvent::Lost) {
        let begun = open.get(&record.cpu).filter(|_| record.value == Some(0));
        if let Some(loss) = begun.and_then(|at| losses.get_mut(*at)) {
            loss.1 = record.at;
        } else {
            open.insert(record.cpu, losses.len());
            losses.push((record.at, record.at));
        }
    }
    losses
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
mod simulated;
