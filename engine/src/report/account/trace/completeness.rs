//! What the records of a trial cover: which kinds of events were recorded on which CPU, at which times records may be
//! missing, and of which late samples the records were saved.

use std::collections::{BTreeMap, BTreeSet};

use crate::nanos::Nanos;
use crate::sample::{Sample, TraceEvent, TraceRecord};

/// The begin and end of an interval.
type CoveredInterval = (Nanos, Nanos);

/// What the records of a trial cover.
#[derive(Debug, Default)]
pub(super) struct Completeness {
    /// The CPUs on which every event that could explain a delay was recorded.
    covered: BTreeSet<u32>,
    /// The CPUs on which at least one kind of event that could explain a delay was not recorded.
    uncovered: BTreeSet<u32>,
    /// For each CPU, the intervals in which records may be missing without a reported loss, in order and apart.
    missing: BTreeMap<u32, Vec<CoveredInterval>>,
    /// The intervals whose records were saved, in order of their begin; empty in files of earlier versions, which do
    /// not list them.
    saved: Vec<CoveredInterval>,
    /// In files of earlier versions: the time after which no more records were saved; `None` if there is no such time.
    end: Option<Nanos>,
}

impl Completeness {
    /// Reads what all records of a trial, in order of time, say about what is recorded.
    pub(super) fn of(records: &[TraceRecord]) -> Self {
        let mut completeness = Self::default();
        for record in records {
            let interval = (record.at, record.at + Nanos::new(record.value.unwrap_or(0)));
            match record.event {
                TraceEvent::Covered => {
                    completeness.covered.insert(record.cpu);
                }
                TraceEvent::NotRecorded => {
                    completeness.uncovered.insert(record.cpu);
                }
                TraceEvent::Incomplete => {
                    let missing = completeness.missing.entry(record.cpu).or_default();
                    match missing.last_mut().filter(|last| interval.0 <= last.1) {
                        Some(last) => last.1 = last.1.max(interval.1),
                        None => missing.push(interval),
                    }
                }
                TraceEvent::Saved => completeness.saved.push(interval),
                _ => {}
            }
        }
        completeness
    }

    /// Notes that records were omitted at the limit of a trial. Earlier versions saved records up to this limit, so
    /// that none exist after `last`, the time of the last record.
    pub(super) fn end_with(&mut self, last: Option<Nanos>) {
        if self.saved.is_empty() {
            self.end = Some(last.unwrap_or(-Nanos::MAX));
        }
    }

    /// Whether every event that could explain a delay was recorded on a CPU.
    pub(super) fn is_covered(&self, cpu: u32) -> bool {
        self.covered.contains(&cpu) && !self.is_uncovered(cpu)
    }

    /// Whether at least one kind of event that could explain a delay was not recorded on a CPU.
    pub(super) fn is_uncovered(&self, cpu: u32) -> bool {
        self.uncovered.contains(&cpu)
    }

    /// Whether no record of the recorded events is missing on a CPU in an interval, except for reported losses.
    pub(super) fn has_all(&self, cpu: u32, (from, to): CoveredInterval) -> bool {
        let missing = self.missing.get(&cpu).map_or(&[][..], Vec::as_slice);
        let next = missing.partition_point(|(_, end)| *end < from);
        missing.get(next).is_none_or(|(begin, _)| to < *begin)
    }

    /// Whether the records that explain a late sample were saved.
    pub(super) fn is_saved(&self, sample: &Sample) -> bool {
        if self.saved.is_empty() {
            return self.end.is_none_or(|end| sample.due <= end);
        }
        // Intervals that begin later also end later: of those that began before the sample, the last one counts.
        let begun = self.saved.partition_point(|(from, _)| *from <= sample.due);
        let last = begun.checked_sub(1).and_then(|at| self.saved.get(at));
        last.is_some_and(|(_, to)| sample.woke <= *to)
    }
}
