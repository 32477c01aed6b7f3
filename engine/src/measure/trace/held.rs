//! The held records in order of time, with the places of the switches of each thread and of the states of each CPU.
//!
//! A late sample needs the last switch of its thread, and the last change of each state of its CPUs, before a time. On a
//! busy CPU the last idle state may be a hundred thousand records ago: a search through the records took a whole CPU
//! there. The places of each kind are in order, so that half of them is excluded with each look.

use std::collections::{BTreeMap, VecDeque};

use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// A record that a late sample may need, and whether it is already saved.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldRecord {
    pub(super) record: TraceRecord,
    pub(super) is_saved: bool,
}

/// A property of a CPU whose value lasts until a record changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CpuState {
    /// The thread that has the CPU.
    Thread,
    /// The idle state of the CPU.
    Idle,
}

impl CpuState {
    pub(super) const ALL: [Self; 2] = [Self::Thread, Self::Idle];

    /// Returns the state that an event changes; `None` if it changes no state.
    pub(super) const fn of(event: TraceEvent) -> Option<Self> {
        match event {
            TraceEvent::SwitchIn => Some(Self::Thread),
            TraceEvent::IdleBegin | TraceEvent::IdleEnd => Some(Self::Idle),
            _ => None,
        }
    }
}

/// What is looked for among the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sought {
    /// A change of a state of a CPU.
    State(u32, CpuState),
    /// A thread that got or lost a CPU.
    SwitchOf(u32),
}

impl Sought {
    /// Returns what a record is found as.
    fn of(record: &TraceRecord) -> impl Iterator<Item = Self> + use<> {
        let state = CpuState::of(record.event).map(|state| Self::State(record.cpu, state));
        let switch = record.thread.filter(|thread| is_switch_of(record, *thread));
        state.into_iter().chain(switch.map(Self::SwitchOf))
    }
}

/// Returns whether this thread got or lost a CPU in a record. Page faults and wake-ups are not switches.
pub(super) fn is_switch_of(record: &TraceRecord, thread: u32) -> bool {
    let is_switch = record.event == TraceEvent::SwitchIn || record.event.is_switch_out();
    is_switch && record.thread == Some(thread)
}

/// Records in order of time.
#[derive(Debug, Default)]
pub(super) struct Held {
    records: VecDeque<HeldRecord>,
    /// How many records were removed from the front since the start: the place of the first one.
    removed_count: usize,
    /// The places of what is looked for, in order. None is empty.
    places: BTreeMap<Sought, VecDeque<usize>>,
}

impl Held {
    /// Adds records in any order. Takes time in proportion to the new records, and to the held ones that are newer than
    /// the oldest of them: the records of each ring arrive in order, so that these are few.
    pub(super) fn add(&mut self, records: impl IntoIterator<Item = HeldRecord>) {
        let count = self.records.len();
        self.records.extend(records);
        let (held, new) = self.records.make_contiguous().split_at(count);
        let Some(oldest) = new.iter().map(|one| one.record.at).min() else { return };
        let from = held.partition_point(|one| one.record.at <= oldest);
        let place = self.removed_count + from;
        for sought in held.iter().skip(from).flat_map(|one| Sought::of(&one.record)) {
            if let Some(places) = self.places.get_mut(&sought) {
                places.truncate(places.partition_point(|other| *other < place));
            }
        }
        let tail = self.records.make_contiguous().get_mut(from..).unwrap_or_default();
        tail.sort_by_key(|one| one.record.at);
        for (one, place) in tail.iter().zip(place..) {
            for sought in Sought::of(&one.record) {
                self.places.entry(sought).or_default().push_back(place);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn first(&self) -> Option<&TraceRecord> {
        self.records.front().map(|one| &one.record)
    }

    pub(super) fn newest(&self) -> Option<&TraceRecord> {
        self.records.back().map(|one| &one.record)
    }

    pub(super) fn remove_first(&mut self) -> Option<HeldRecord> {
        let first = self.records.pop_front()?;
        for sought in Sought::of(&first.record) {
            let Some(places) = self.places.get_mut(&sought) else { continue };
            places.pop_front_if(|place| *place == self.removed_count);
            if places.is_empty() {
                self.places.remove(&sought);
            }
        }
        self.removed_count += 1;
        Some(first)
    }

    /// Returns the records with the times from `from` to `to`.
    pub(super) fn between(
        &mut self,
        from: Nanos,
        to: Nanos,
    ) -> impl Iterator<Item = &mut HeldRecord> {
        let first = self.records.partition_point(|one| one.record.at < from);
        let end = self.records.partition_point(|one| one.record.at <= to).max(first);
        self.records.range_mut(first..end)
    }

    /// Returns the last record of what is looked for; `None` if none is held.
    pub(super) fn last(&self, sought: Sought) -> Option<&TraceRecord> {
        let place = self.places.get(&sought)?.back()?;
        self.records.get(place.checked_sub(self.removed_count)?).map(|one| &one.record)
    }

    /// Returns the last record of what is looked for that is before a time; `None` if none is held.
    pub(super) fn last_before(&mut self, sought: Sought, at: Nanos) -> Option<&mut HeldRecord> {
        let count = self.records.partition_point(|one| one.record.at < at);
        let end = self.removed_count + count;
        let places = self.places.get(&sought)?;
        let last = places.partition_point(|place| *place < end).checked_sub(1)?;
        let place = places.get(last)?.checked_sub(self.removed_count)?;
        self.records.get_mut(place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(at: i64, kind: usize, cpu: u32, thread: u32) -> TraceRecord {
        use TraceEvent::{IdleBegin, IdleEnd, PageFault, Slept, SwitchIn};
        let event = [SwitchIn, Slept, IdleBegin, IdleEnd, PageFault][kind];
        let at = Nanos::new(at);
        TraceRecord { at, event, cpu, thread: Some(thread), name: None, value: None }
    }

    fn records() -> impl Strategy<Value = Vec<TraceRecord>> {
        let one = (0..60_i64, 0..5_usize, 0..2_u32, 0..3_u32);
        let one = one.prop_map(|(at, kind, cpu, thread)| record(at, kind, cpu, thread));
        prop::collection::vec(one, 0..20)
    }

    proptest! {
        #[test]
        fn what_is_looked_for_is_what_a_search_from_the_end_finds(
            batches in prop::collection::vec((records(), 0..12_usize), 1..6),
            at in 0..60_i64,
        ) {
            let (mut held, mut plain) = (Held::default(), Vec::new());
            for (batch, removed_count) in batches {
                let waiting = |record| HeldRecord { record, is_saved: false };
                held.add(batch.iter().copied().map(waiting));
                plain.extend(batch);
                plain.sort_by_key(|one: &TraceRecord| one.at);
                for _ in 0..removed_count.min(plain.len()) {
                    prop_assert_eq!(held.remove_first().unwrap().record, plain.remove(0));
                }
            }
            prop_assert_eq!(held.len(), plain.len());
            prop_assert_eq!(held.first(), plain.first());
            prop_assert_eq!(held.newest(), plain.last());
            let states = (0..2).flat_map(|cpu| CpuState::ALL.map(|state| Sought::State(cpu, state)));
            let at = Nanos::new(at);
            for sought in states.chain((0..3).map(Sought::SwitchOf)) {
                let is_it = |one: &&TraceRecord| Sought::of(one).any(|other| other == sought);
                prop_assert_eq!(held.last(sought), plain.iter().rfind(is_it));
                let before = plain.iter().rfind(|one| one.at < at && is_it(one));
                prop_assert_eq!(held.last_before(sought, at).map(|one| one.record), before.copied());
            }
            let found: Vec<_> = held.between(at, Nanos::new(40)).map(|one| one.record).collect();
            let is_in = |one: &&TraceRecord| at <= one.at && one.at <= Nanos::new(40);
            prop_assert_eq!(found, plain.iter().filter(is_in).copied().collect::<Vec<_>>());
        }
    }
}
