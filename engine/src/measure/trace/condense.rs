//! Limits the number of records of one late sample: a stall of half a second in a storm of interrupts has 20 000 of
//! them, as many as 500 other samples.
//!
//! What explains a stall is what had the CPU for long. Records that are close together are therefore replaced: each run
//! of short times by one record that leaves open who had the CPU ([`TraceEvent::Interrupted`] without a name), and
//! each long time after it by records that restore the state (thread, idle state, open interrupts). The account of the sample then has the
//! long times with their names, and what was between them as not observable. The records of the measuring thread
//! remain.

use std::collections::{BTreeMap, BTreeSet};

use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// Number of records that restore a state, at most in general: thread, idle state, interrupt, and softirq.
const STATE: usize = 4;

/// What occupies a CPU, as the records that began it.
#[derive(Clone, Default)]
struct Occupied {
    thread: Option<TraceRecord>,
    /// The record of the idle state, if the CPU is in one.
    idle: Option<TraceRecord>,
    /// The interrupts and softirqs that have not ended, the innermost last.
    open: Vec<TraceRecord>,
    /// Whether the records so far leave open what occupies the CPU.
    is_unknown: bool,
}

impl Occupied {
    fn apply(&mut self, record: &TraceRecord) {
        match record.event {
            TraceEvent::SwitchIn => {
                self.thread = Some(*record);
                self.open.clear();
            }
            TraceEvent::IdleBegin => self.idle = Some(*record),
            TraceEvent::IdleEnd => self.idle = None,
            TraceEvent::InterruptBegin | TraceEvent::SoftirqBegin => {
                self.idle = None;
                self.open.push(*record);
            }
            TraceEvent::InterruptEnd | TraceEvent::SoftirqEnd => {
                let is_soft = record.event == TraceEvent::SoftirqEnd;
                let is_begin =
                    |open: &TraceRecord| (open.event == TraceEvent::SoftirqBegin) == is_soft;
                if let Some(at) = self.open.iter().rposition(is_begin) {
                    self.open.truncate(at);
                }
            }
            _ => {}
        }
    }

    /// Returns records with which this state begins at the time and on the CPU of `first`.
    fn restored(&self, first: &TraceRecord) -> impl Iterator<Item = TraceRecord> + '_ {
        let (at, cpu) = (first.at, first.cpu);
        let idle = self.idle.unwrap_or(TraceRecord::new(at, TraceEvent::IdleEnd, cpu));
        let begun = self.thread.into_iter().chain([idle]).chain(self.open.iter().copied());
        begun.map(move |record| TraceRecord { at, ..record })
    }
}

/// Reduces the records of a late sample to about `max` if there are more. `own` is the measuring thread, whose records
/// remain. Time: O(n log n).
pub(super) fn condense(records: &mut Vec<TraceRecord>, own: u32, max: usize) {
    if records.len() <= max {
        return;
    }
    records.sort_by_key(|record| record.at);
    let long = longest(records, max / STATE);
    let mut states: BTreeMap<u32, Occupied> = BTreeMap::new();
    let mut condensed = Vec::new();
    for (at, record) in records.iter().enumerate() {
        let state = states.entry(record.cpu).or_default();
        state.apply(record);
        if record.thread == Some(own) || !changes(record) {
            condensed.push(*record);
            state.is_unknown &= !changes(record);
        } else if long.contains(&at) && record.event != TraceEvent::Interrupted {
            condensed.extend(state.restored(record));
            state.is_unknown = false;
        } else if !state.is_unknown {
            condensed.push(TraceRecord::new(record.at, TraceEvent::Interrupted, record.cpu));
            state.is_unknown = true;
        }
    }
    *records = condensed;
}

/// Returns the positions of the records that began the longest times on their CPU; the last record of a CPU counts as
/// the longest.
fn longest(records: &[TraceRecord], count: usize) -> BTreeSet<usize> {
    let mut lengths: Vec<(Nanos, usize)> = Vec::new();
    let mut last: BTreeMap<u32, (Nanos, usize)> = BTreeMap::new();
    for (at, record) in records.iter().enumerate().filter(|(_, record)| changes(record)) {
        if let Some((from, begun)) = last.insert(record.cpu, (record.at, at)) {
            lengths.push((record.at - from, begun));
        }
    }
    lengths.extend(last.into_values().map(|(_, begun)| (Nanos::MAX, begun)));
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    lengths.truncate(count);
    lengths.into_iter().map(|(_, at)| at).collect()
}

/// Whether a record changes what occupies its CPU.
const fn changes(record: &TraceRecord) -> bool {
    matches!(
        record.event,
        TraceEvent::SwitchIn
            | TraceEvent::IdleBegin
            | TraceEvent::IdleEnd
            | TraceEvent::InterruptBegin
            | TraceEvent::InterruptEnd
            | TraceEvent::SoftirqBegin
            | TraceEvent::SoftirqEnd
            | TraceEvent::Interrupted
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: u32 = 7;
    const RUSTC: u32 = 40;

    fn record(micros: i64, event: TraceEvent, thread: Option<u32>) -> TraceRecord {
        TraceRecord { thread, ..TraceRecord::new(Nanos::from_micros(micros), event, 1) }
    }

    /// The records of a stall of 500 ms: 10 000 short interrupts, in the middle 100 ms of rustc, and then a softirq of
    /// 50 ms.
    fn storm() -> Vec<TraceRecord> {
        use TraceEvent::{
            InterruptBegin, InterruptEnd, Preempted, SoftirqBegin, SoftirqEnd, SwitchIn,
        };
        let mut records = vec![record(0, Preempted, Some(OWN)), record(0, SwitchIn, Some(41))];
        let interrupts = |from: i64| {
            (0..5_000).flat_map(move |at| {
                let at = from + at * 35;
                [record(at, InterruptBegin, None), record(at + 20, InterruptEnd, None)]
            })
        };
        records.extend(interrupts(10));
        records.push(record(175_000, SwitchIn, Some(RUSTC)));
        records.push(record(275_000, SoftirqBegin, None));
        records.push(record(325_000, SoftirqEnd, None));
        records.extend(interrupts(325_010));
        records.push(record(500_010, SwitchIn, Some(OWN)));
        records
    }

    #[test]
    fn a_storm_keeps_what_had_the_cpu_for_long() {
        use TraceEvent::{Interrupted, Preempted, SoftirqBegin, SwitchIn};
        let mut records = storm();
        assert!(20_000 < records.len());
        condense(&mut records, OWN, 8);
        let found: Vec<_> = records
            .iter()
            .filter(|record| record.event != TraceEvent::IdleEnd)
            .map(|record| (record.at.get() / 1_000, record.event, record.thread))
            .collect();
        let expected = [
            (0, Preempted, Some(OWN)),
            (0, Interrupted, None),
            (175_000, SwitchIn, Some(RUSTC)),
            (275_000, Interrupted, None),
            (500_010, SwitchIn, Some(OWN)),
        ];
        assert_eq!(found, expected, "the last record counts as long");
        let mut records = storm();
        condense(&mut records, OWN, 12);
        let softirq = records.iter().filter(|record| record.event == SoftirqBegin);
        assert_eq!(softirq.map(|record| record.at.get()).collect::<Vec<_>>(), [275_000_000]);
        let at =
            |micros: i64| records.iter().filter(move |one| one.at == Nanos::from_micros(micros));
        assert_eq!(at(275_000).filter(|one| one.event == SwitchIn).count(), 1, "state restored");
        assert_eq!(at(325_000).map(|one| one.event).collect::<Vec<_>>(), [Interrupted]);
    }

    #[test]
    fn few_records_stay_as_they_are() {
        let mut records = storm();
        let before = records.clone();
        let count = records.len();
        condense(&mut records, OWN, count);
        assert_eq!(records, before);
    }
}
