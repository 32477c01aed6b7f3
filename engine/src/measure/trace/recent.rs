//! Holds recent trace records until it is known whether a late sample needs them.

use std::collections::{BTreeMap, BTreeSet};

use super::held::{CpuState, Held, HeldRecord, Sought, is_switch_of};
use super::window::Window;
use crate::nanos::Nanos;
use crate::sample::TraceRecord;

/// Maximum number of records that are held: about 40 MB, and more than the rings of all CPUs hold.
const MAX_RECENT: usize = 1 << 19;

/// Recent records. A dropped record that began a state of a CPU is still held until that state changes.
#[derive(Debug, Default)]
pub(super) struct Recent {
    records: Held,
    /// For each state of each CPU, the last record that was dropped from `records`.
    last_on_cpu: BTreeMap<(u32, CpuState), HeldRecord>,
    /// For each measuring thread, the last switch that was dropped from `records`.
    last_of_thread: BTreeMap<u32, HeldRecord>,
    /// For each CPU, the time of the last record that a sample may need but that was dropped to limit memory.
    dropped: BTreeMap<u32, Nanos>,
}

/// The records that future samples can need.
#[derive(Debug)]
pub(super) struct Needed {
    /// Time from which every record is needed.
    pub(super) from: Nanos,
    /// The IDs of the measuring threads.
    pub(super) threads: BTreeSet<u32>,
    /// The CPUs on which the measuring threads last woke.
    pub(super) cpus: BTreeSet<u32>,
}

impl Recent {
    /// Adds records in any order.
    pub(super) fn add(&mut self, records: impl IntoIterator<Item = TraceRecord>) {
        let held = |record| HeldRecord { record, is_saved: false };
        self.records.add(records.into_iter().map(held));
    }

    /// Returns the time of the newest record; `None` if no record is held.
    pub(super) fn newest(&self) -> Option<Nanos> {
        self.records.newest().map(|record| record.at)
    }

    /// Returns when a thread lost its CPU; `None` if the thread has a CPU or if no switch of it is recorded.
    pub(super) fn left_at(&self, thread: u32) -> Option<Nanos> {
        let forgotten = || self.last_of_thread.get(&thread).map(|one| &one.record);
        let last = self.records.last(Sought::SwitchOf(thread)).or_else(forgotten);
        last.filter(|record| record.event.is_switch_out()).map(|record| record.at)
    }

    /// Drops records that no future sample can need. If more than [`MAX_RECENT`] remain, also drops the records
    /// of CPUs on which no measuring thread woke, and if this is not enough, the oldest records.
    pub(super) fn forget(&mut self, needed: &Needed) {
        while self.records.first().is_some_and(|record| record.at < needed.from) {
            self.drop_first(needed);
        }
        self.dropped.retain(|_, until| needed.from <= *until);
        if self.records.len() <= MAX_RECENT {
            return;
        }
        let mut all = std::mem::take(&mut self.records);
        let mut retained = Vec::with_capacity(all.len());
        while let Some(one) = all.remove_first() {
            let TraceRecord { cpu, thread, .. } = one.record;
            let is_own = thread.is_some_and(|thread| needed.threads.contains(&thread));
            if is_own || needed.cpus.contains(&cpu) {
                retained.push(one);
            } else {
                self.outlive(one, needed);
                self.dropped.insert(cpu, one.record.at);
            }
        }
        self.records.add(retained);
        while MAX_RECENT < self.records.len() {
            if let Some(one) = self.drop_first(needed) {
                self.dropped.insert(one.record.cpu, one.record.at);
            }
        }
    }

    fn drop_first(&mut self, needed: &Needed) -> Option<HeldRecord> {
        let first = self.records.remove_first()?;
        self.outlive(first, needed);
        Some(first)
    }

    /// Stores a dropped record if it began a state of its CPU or is a switch of a measuring thread.
    fn outlive(&mut self, one: HeldRecord, needed: &Needed) {
        let TraceRecord { event, cpu, thread, .. } = one.record;
        if let Some(state) = CpuState::of(event) {
            self.last_on_cpu.insert((cpu, state), one);
        }
        let own = thread.filter(|thread| needed.threads.contains(thread));
        if let Some(thread) = own.filter(|thread| is_switch_of(&one.record, *thread)) {
            self.last_of_thread.insert(thread, one);
        }
    }

    /// Appends the records of a window to `records`, except those that an earlier call already appended.
    pub(super) fn take(&mut self, mut window: Window, records: &mut Vec<TraceRecord>) {
        let Self { records: recent, last_on_cpu, last_of_thread, dropped } = self;
        let first = window.own_from.min(window.from);
        for one in recent.between(first, window.to) {
            if one.record.thread == Some(window.thread) && !window.cpus.contains(&one.record.cpu) {
                window.cpus.push(one.record.cpu);
            }
        }
        let mut save = |one: &mut HeldRecord| {
            if !one.is_saved {
                one.is_saved = true;
                records.push(one.record);
            }
        };
        // Also save the states at the start of the window: the last switch of the thread before the
        // window, and the last record of each state of each CPU.
        let own_switch = Sought::SwitchOf(window.thread);
        match recent.last_before(own_switch, window.own_from) {
            Some(one) => save(one),
            None => last_of_thread.get_mut(&window.thread).into_iter().for_each(&mut save),
        }
        let states = window.cpus.iter().flat_map(|&cpu| CpuState::ALL.map(|state| (cpu, state)));
        for (cpu, state) in states {
            if let Some(one) = recent.last_before(Sought::State(cpu, state), window.from) {
                save(one);
            } else {
                // Skip a record that is also the thread's last switch: that one is already saved.
                let own = last_of_thread.get(&window.thread).filter(|own| own.is_saved);
                let own = own.map(|own| own.record);
                let other =
                    last_on_cpu.get_mut(&(cpu, state)).filter(|one| Some(one.record) != own);
                other.into_iter().for_each(&mut save);
            }
        }
        for one in recent.between(first, window.to) {
            let TraceRecord { at, cpu, thread, .. } = one.record;
            let is_own = thread == Some(window.thread) && window.own_from <= at;
            if is_own || (window.from <= at && window.cpus.contains(&cpu)) {
                save(one);
            }
        }
        // Report dropped records as lost, as if the kernel had lost them.
        for cpu in &window.cpus {
            let Some(until) = dropped.get(cpu).filter(|until| window.from <= **until) else {
                continue;
            };
            for (at, count) in [(window.from, 1), (*until, 0)] {
                records.push(TraceRecord::lost(at, *cpu, count));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, TraceEvent};

    const OWN: u32 = 7;

    fn record(at: i64, event: TraceEvent, cpu: u32, thread: u32) -> TraceRecord {
        let at = Nanos::from_micros(at);
        TraceRecord { at, event, cpu, thread: Some(thread), name: None, value: None }
    }

    fn needed(from: i64) -> Needed {
        let from = Nanos::from_micros(from);
        Needed { from, threads: BTreeSet::from([OWN]), cpus: BTreeSet::from([1]) }
    }

    fn sample(began: i64, due: i64, woke: i64) -> Sample {
        let [began, due, woke] = [began, due, woke].map(Nanos::from_micros);
        Sample { began, due, slept: Some(woke), woke, done: woke, spins: 0, cpu: Some(1) }
    }

    /// Returns the records that a sample takes: the time in µs, the event, and the thread of each record.
    fn taken(
        recent: &mut Recent,
        before: Option<&Sample>,
        late: &Sample,
    ) -> Vec<(i64, TraceEvent, Option<u32>)> {
        let mut records = Vec::new();
        recent.take(Window::of(before, late, Nanos::ZERO, OWN), &mut records);
        records.sort_by_key(|one| one.at);
        records.iter().map(|one| (one.at.get() / 1_000, one.event, one.thread)).collect()
    }

    #[test]
    fn only_what_a_late_sample_needs_is_saved_and_once() {
        use TraceEvent::{Slept, SwitchIn};
        let mut recent = Recent::default();
        recent.add([
            record(1_000, SwitchIn, 1, 40),
            record(1_000, SwitchIn, 0, 41),
            record(2_000, SwitchIn, 1, OWN),
            record(2_100, Slept, 1, OWN),
            record(2_100, SwitchIn, 1, 42),
            record(3_000, SwitchIn, 1, 43),
            record(9_800, SwitchIn, 1, 44),
            record(11_000, SwitchIn, 1, OWN),
            record(12_000, SwitchIn, 1, 45),
        ]);
        let before = sample(0, 1_900, 2_050);
        let late = sample(2_060, 10_000, 11_002);
        let expected = [
            (2_000, SwitchIn, Some(OWN)),
            (2_100, Slept, Some(OWN)),
            (3_000, SwitchIn, Some(43)),
            (9_800, SwitchIn, Some(44)),
            (11_000, SwitchIn, Some(OWN)),
        ];
        assert_eq!(taken(&mut recent, Some(&before), &late), expected);
        assert_eq!(taken(&mut recent, Some(&before), &late), [], "each record is saved once");
    }

    #[test]
    fn a_page_fault_is_no_state_of_a_thread() {
        use TraceEvent::{PageFault, Slept, SwitchIn, Waking};
        let late = sample(2_060, 10_000, 11_002);
        let before = sample(0, 1_900, 2_050);
        let all = [
            record(1_000, SwitchIn, 1, OWN),
            record(1_500, PageFault, 1, OWN),
            record(2_100, Slept, 1, OWN),
            record(11_000, SwitchIn, 1, OWN),
        ];
        let expected = [
            (1_000, SwitchIn, Some(OWN)),
            (2_100, Slept, Some(OWN)),
            (11_000, SwitchIn, Some(OWN)),
        ];
        let mut waiting = Recent::default();
        waiting.add(all);
        assert_eq!(taken(&mut waiting, Some(&before), &late), expected);
        // The result is the same if the records before the window were already dropped.
        let mut forgotten = Recent::default();
        forgotten.add(all);
        forgotten.forget(&needed(2_000));
        assert_eq!(forgotten.last_of_thread[&OWN].record.event, SwitchIn);
        assert_eq!(taken(&mut forgotten, Some(&before), &late), expected);
        let mut woken = Recent::default();
        woken.add([
            record(0, Slept, 1, OWN),
            record(1, Waking, 1, OWN),
            record(9, PageFault, 1, OWN),
        ]);
        assert_eq!(woken.left_at(OWN), Some(Nanos::ZERO));
        woken.add([record(20, SwitchIn, 1, OWN)]);
        assert_eq!(woken.left_at(OWN), None);
    }

    #[test]
    fn states_outlive_their_records() {
        let mut recent = Recent::default();
        recent.add([
            record(0, TraceEvent::SwitchIn, 1, 40),
            record(1, TraceEvent::Slept, 1, OWN),
            record(900_000, TraceEvent::SwitchIn, 0, 41),
        ]);
        recent.forget(&needed(600_000));
        assert_eq!(recent.records.len(), 1);
        assert_eq!(recent.last_on_cpu[&(1, CpuState::Thread)].record.thread, Some(40));
        assert_eq!(recent.last_of_thread[&OWN].record.event, TraceEvent::Slept);
        assert_eq!(recent.left_at(OWN), Some(Nanos::from_micros(1)));
    }

    #[test]
    fn the_idle_state_that_a_cpu_was_in_when_the_records_begin_is_saved() {
        use TraceEvent::{IdleBegin, IdleEnd, Slept, SwitchIn};
        let (before, late) = (sample(0, 1_900, 2_050), sample(2_060, 10_000, 11_002));
        let idle = |at, event| TraceRecord { thread: None, ..record(at, event, 1, 0) };
        let all = [
            record(1_000, SwitchIn, 1, OWN),
            record(2_100, Slept, 1, OWN),
            record(2_101, SwitchIn, 1, 0),
            idle(2_110, IdleBegin),
            idle(3_000, IdleEnd),
            idle(3_010, IdleBegin),
            idle(10_900, IdleEnd),
            record(11_000, SwitchIn, 1, OWN),
        ];
        let expected = [
            (1_000, SwitchIn, Some(OWN)),
            (2_100, Slept, Some(OWN)),
            (2_101, SwitchIn, Some(0)),
            (3_010, IdleBegin, None),
            (10_900, IdleEnd, None),
            (11_000, SwitchIn, Some(OWN)),
        ];
        let mut waiting = Recent::default();
        waiting.add(all);
        assert_eq!(taken(&mut waiting, Some(&before), &late), expected);
        // If the records before 5 ms were already dropped, only the first switch is missing.
        let mut forgotten = Recent::default();
        forgotten.add(all);
        forgotten.forget(&needed(5_000));
        assert_eq!(taken(&mut forgotten, Some(&before), &late), expected[1..]);
    }

    #[test]
    fn too_many_records_are_dropped_where_no_thread_was_and_that_is_a_loss() {
        let count = i64::try_from(MAX_RECENT).unwrap();
        let mut recent = Recent::default();
        recent.add([
            record(1_000, TraceEvent::SwitchIn, 1, 40),
            record(2_100, TraceEvent::Slept, 1, OWN),
        ]);
        recent.add((0..count).map(|at| record(3_000 + at, TraceEvent::SwitchIn, 3, 50)));
        recent.forget(&needed(0));
        assert_eq!(recent.records.len(), 2, "the CPU of the thread has priority");
        let late = sample(2_060, 10_000, 11_002);
        let mut elsewhere = Window::of(None, &late, Nanos::ZERO, OWN);
        elsewhere.cpus = vec![3];
        let mut records = Vec::new();
        recent.take(elsewhere, &mut records);
        let losses: Vec<_> = records.iter().filter(|one| one.event == TraceEvent::Lost).collect();
        assert_eq!(losses.len(), 2, "{records:?}");
        assert_eq!(losses[0].at, Nanos::from_micros(6_000));
        assert_eq!(losses[1].at, Nanos::from_micros(3_000 + count - 1));
        let here = taken(&mut recent, None, &late);
        assert!(here.iter().all(|one| one.1 != TraceEvent::Lost), "{here:?}");
    }
}
