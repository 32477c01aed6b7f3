//! Context switches of a ring, from two sources: switch records, and the tracepoint of the
//! scheduler, which adds why a thread left its CPU and the priority of the next thread.
//!
//! Some kernels write nothing on an idle CPU: neither tracepoint records nor the switch record when
//! the idle thread leaves. The switch record of the next thread always exists.

use perf_event_open::sample::record::ctx::Switch;

use super::super::names::Names;
use crate::nanos::Nanos;
use crate::sample::{OUTSIDE, TraceEvent, TraceRecord, UNKNOWN_THREAD};

/// Combines the records of a switch, up to three in this order: tracepoint, switch out, switch in.
#[derive(Debug, Default)]
pub(super) struct Switching {
    /// The tracepoint's records of the last switch: of the thread that left, and of the next
    /// thread. Thread IDs are those of the kernel.
    noted: [Option<TraceRecord>; 2],
    /// The thread that runs on the CPU of this ring; `None` if not known, or if the ring is of a thread.
    current: Option<u32>,
    /// The switch-in record that is expected next, if one is: the ID of its thread and of the previous
    /// thread.
    awaited: Option<(u32, u32)>,
    /// Time and CPU of the switch to a thread that has no ID in this namespace. Its ID in the
    /// kernel becomes known when the thread leaves the CPU: the tracepoint then reports it.
    unknown_since: Option<(Nanos, u32)>,
    /// Whether this kernel records no interrupts and no end of the idle time while a CPU is idle.
    is_blind_when_idle: bool,
}

impl Switching {
    /// Saves a record of the scheduler's tracepoint; returns `false` for a record that is not about a switch.
    pub(super) fn note(&mut self, record: &TraceRecord) -> bool {
        if record.event.is_switch_out() {
            self.noted = [Some(*record), None];
        } else if record.event == TraceEvent::SwitchIn {
            self.noted[1] = Some(*record);
        } else {
            return false;
        }
        true
    }

    /// Combines a switch record with the tracepoint's records before it, and passes the results to `take`.
    pub(super) fn take(
        &mut self,
        place: (Nanos, u32),
        thread: u32,
        info: &Switch,
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        let record = |thread: u32, noted: Option<&TraceRecord>| TraceRecord {
            thread: Some(thread),
            value: noted.and_then(|noted| noted.value),
            ..TraceRecord::new(place.0, TraceEvent::SwitchIn, place.1)
        };
        match info {
            Switch::OutTo { task: next, preempt } => {
                let [left, came] = std::mem::take(&mut self.noted);
                // The tracepoint gives no record when the idle thread, whose ID is 0, leaves the CPU.
                let idle = came.as_ref().map(|_| 0);
                let (thread_now, noted) = number(thread, left, idle, names);
                if let Some((at, cpu)) = self.unknown_since.take()
                    && (OUTSIDE..UNKNOWN_THREAD).contains(&thread_now)
                {
                    take(TraceRecord { at, cpu, ..record(thread_now, None) });
                }
                let event = if *preempt { TraceEvent::Preempted } else { TraceEvent::Slept };
                if thread_now != 0 {
                    let event = noted.map_or(event, |noted| noted.event);
                    take(TraceRecord { event, ..record(thread_now, None) });
                }
                // The next thread starts at the time at which this one leaves.
                if let Some(next) = next {
                    let (next_now, noted) = number(next.tid, came, None, names);
                    take(record(next_now, noted.as_ref()));
                    self.current = Some(next_now);
                    self.awaited = Some((next.tid, thread));
                }
            }
            Switch::InFrom(before) => {
                let before = before.as_ref().map(|task| task.tid);
                let is_same_switch =
                    before.is_some_and(|before| self.awaited.take() == Some((thread, before)));
                if is_same_switch {
                    return;
                }
                self.is_blind_when_idle |= self.current == Some(0) && before == Some(0);
                let thread = names.numbers.of_switch(thread, None);
                self.unknown_since = (thread == UNKNOWN_THREAD).then_some(place);
                self.current = before.is_some().then_some(thread);
                take(record(thread, None));
            }
        }
    }

    /// Resets the state after lost records: the thread on the CPU is not known.
    pub(super) const fn lose(&mut self) {
        self.noted = [None, None];
        self.current = None;
        self.awaited = None;
        self.unknown_since = None;
    }

    /// Whether this kernel writes nothing on an idle CPU.
    pub(super) const fn is_blind_when_idle(&self) -> bool {
        self.is_blind_when_idle
    }
}

/// Returns the ID of the thread of a switch record, and the tracepoint's record of the same thread.
/// In the initial namespace, both records have the same ID; in another namespace, adjacent records
/// belong together. `otherwise` is the kernel's ID of the thread if there is no tracepoint record.
fn number(
    thread: u32,
    noted: Option<TraceRecord>,
    otherwise: Option<u32>,
    names: &mut Names,
) -> (u32, Option<TraceRecord>) {
    let noted = noted.filter(|noted| !names.numbers.is_initial || noted.thread == Some(thread));
    let in_kernel = noted.as_ref().map_or(otherwise, |noted| noted.thread);
    let number = names.numbers.of_switch(thread, in_kernel);
    names.numbers.learn(number, in_kernel);
    if let Some(in_kernel) = in_kernel.filter(|_| !names.numbers.is_initial) {
        names.record_number(in_kernel, number);
    }
    (number, noted)
}

#[cfg(test)]
mod tests {
    use perf_event_open::sample::record::Task;

    use super::super::super::numbers::Numbers;
    use super::*;

    fn initial() -> Names {
        Names::new(Numbers::new(true, [7]))
    }

    /// Returns the records of a measuring thread, 7, that sleeps and is switched in again after its CPU was idle.
    fn switches(has_tracepoints: bool) -> Vec<(i64, TraceEvent, Option<u32>, Option<i64>)> {
        let mut taken = Vec::new();
        let mut names = initial();
        let mut switching = Switching::default();
        let other = |tid: u32| Some(Task { pid: tid, tid });
        let note = |switching: &mut Switching, event, thread, value| {
            let at = Nanos::ZERO;
            let record = TraceRecord { at, event, cpu: 1, thread: Some(thread), name: None, value };
            assert!(!has_tracepoints || switching.note(&record));
        };
        let mut take = |record: TraceRecord| {
            taken.push((record.at.get() / 1_000, record.event, record.thread, record.value));
        };
        note(&mut switching, TraceEvent::Blocked, 7, None);
        note(&mut switching, TraceEvent::SwitchIn, 0, Some(120));
        let out = Switch::OutTo { task: other(0), preempt: false };
        switching.take((Nanos::from_micros(100), 1), 7, &out, &mut names, &mut take);
        switching.take(
            (Nanos::from_micros(101), 1),
            0,
            &Switch::InFrom(other(7)),
            &mut names,
            &mut take,
        );
        note(&mut switching, TraceEvent::SwitchIn, 7, Some(89));
        let out = Switch::OutTo { task: other(7), preempt: true };
        switching.take((Nanos::from_micros(300), 1), 0, &out, &mut names, &mut take);
        switching.take(
            (Nanos::from_micros(302), 1),
            7,
            &Switch::InFrom(other(0)),
            &mut names,
            &mut take,
        );
        taken
    }

    #[test]
    fn switch_records_alone_show_who_had_the_cpu_and_tracepoints_add_to_them() {
        use TraceEvent::{Blocked, Slept, SwitchIn};
        let with = [
            (100, Blocked, Some(7), None),
            (100, SwitchIn, Some(0), Some(120)),
            (300, SwitchIn, Some(7), Some(89)),
        ];
        assert_eq!(switches(true), with);
        let without = [
            (100, Slept, Some(7), None),
            (100, SwitchIn, Some(0), None),
            (300, SwitchIn, Some(7), None),
        ];
        assert_eq!(switches(false), without);
    }

    #[test]
    fn a_thread_followed_by_itself_comes_back_when_it_does() {
        let mut taken = Vec::new();
        let mut names = initial();
        let mut switching = Switching::default();
        let out = Switch::OutTo { task: None, preempt: false };
        let mut take = |record: TraceRecord| taken.push(record.at.get());
        switching.take((Nanos::from_micros(100), 1), 7, &out, &mut names, &mut take);
        switching.take(
            (Nanos::from_micros(900), 1),
            7,
            &Switch::InFrom(None),
            &mut names,
            &mut take,
        );
        assert_eq!(taken, [100_000, 900_000]);
    }

    #[test]
    fn a_thread_comes_even_where_the_idle_cpu_writes_nothing() {
        let mut taken = Vec::new();
        let mut names = initial();
        let mut switching = Switching::default();
        let mut take = |record: TraceRecord| {
            taken.push((record.at.get() / 1_000, record.event, record.thread));
        };
        let idle = || Some(Task { pid: 0, tid: 0 });
        let out = Switch::OutTo { task: idle(), preempt: false };
        switching.take((Nanos::from_micros(100), 1), 7, &out, &mut names, &mut take);
        assert!(!switching.is_blind_when_idle());
        switching.take(
            (Nanos::from_micros(900), 1),
            7,
            &Switch::InFrom(idle()),
            &mut names,
            &mut take,
        );
        assert!(switching.is_blind_when_idle());
        let (slept, came) = (TraceEvent::Slept, TraceEvent::SwitchIn);
        assert_eq!(taken, [(100, slept, Some(7)), (100, came, Some(0)), (900, came, Some(7))]);
    }

    /// Returns the records in a namespace in which thread 7 sleeps, a thread outside of the namespace runs, and the CPU
    /// becomes idle before thread 7 runs again. In switch records, all threads except 7 have the ID 0.
    fn nested(has_tracepoints: bool) -> (Vec<(TraceEvent, Option<u32>)>, Names) {
        let mut taken = Vec::new();
        let mut names = Names::new(Numbers::new(false, [7]));
        let mut switching = Switching::default();
        let task = |tid: u32| Some(Task { pid: tid, tid });
        let mut take = |record: TraceRecord| taken.push((record.event, record.thread));
        // Each switch: the thread that leaves and the next thread, each as (ID in the kernel, ID in switch records).
        let switches = [((4_007, 7), (4_040, 0)), ((4_040, 0), (0, 0)), ((0, 0), (4_007, 7))];
        for (left, came) in switches {
            let noted = |event, thread: u32| TraceRecord {
                thread: Some(thread),
                ..TraceRecord::new(Nanos::ZERO, event, 1)
            };
            if has_tracepoints {
                if left.0 != 0 {
                    assert!(switching.note(&noted(TraceEvent::Slept, left.0)));
                }
                if came.0 != 0 {
                    names.record_thread(names.numbers.of_tracepoint(came.0), "stress");
                }
                assert!(switching.note(&noted(TraceEvent::SwitchIn, came.0)));
            }
            let place = (Nanos::ZERO, 1);
            let out = Switch::OutTo { task: task(came.1), preempt: false };
            switching.take(place, left.1, &out, &mut names, &mut take);
            switching.take(place, came.1, &Switch::InFrom(task(left.1)), &mut names, &mut take);
        }
        (taken, names)
    }

    #[test]
    fn in_a_namespace_a_thread_outside_has_the_kernels_number_and_name() {
        use TraceEvent::{Slept, SwitchIn};
        let (taken, mut names) = nested(true);
        let outside = OUTSIDE + 4_040;
        let expected = [
            (Slept, Some(7)),
            (SwitchIn, Some(outside)),
            (Slept, Some(outside)),
            (SwitchIn, Some(0)),
            (SwitchIn, Some(7)),
        ];
        assert_eq!(taken, expected);
        assert_eq!(names.numbers.own(4_007), Some(7), "learned from its own switch");
        let at = Nanos::ZERO;
        let event = SwitchIn;
        let record =
            TraceRecord { at, event, cpu: 1, thread: Some(outside), name: None, value: None };
        assert_eq!(names.of(&record).as_deref(), Some("stress (outside this container)"));
    }

    /// On a CPU that writes nothing while idle, a thread outside of the namespace runs after the idle thread. The
    /// tracepoint records only that this thread leaves.
    #[test]
    fn a_thread_outside_that_ended_an_idle_time_is_named_when_it_leaves() {
        let mut taken = Vec::new();
        let mut names = Names::new(Numbers::new(false, [7]));
        let mut switching = Switching::default();
        let task = |tid: u32| Some(Task { pid: tid, tid });
        let mut take = |record: TraceRecord| {
            taken.push((record.at.get() / 1_000, record.event, record.thread));
        };
        let place = |micros| (Nanos::from_micros(micros), 1);
        switching.take(place(100), 0, &Switch::InFrom(task(0)), &mut names, &mut take);
        for (event, thread) in [(TraceEvent::Slept, 4_040), (TraceEvent::SwitchIn, 4_007)] {
            let (at, cpu, name, value) = (Nanos::from_micros(900), 1, None, None);
            let thread = Some(thread);
            assert!(switching.note(&TraceRecord { at, event, cpu, thread, name, value }));
        }
        let out = Switch::OutTo { task: task(7), preempt: false };
        switching.take(place(900), 0, &out, &mut names, &mut take);
        let (outside, came) = (Some(OUTSIDE + 4_040), TraceEvent::SwitchIn);
        let expected = [
            (100, came, Some(UNKNOWN_THREAD)),
            (100, came, outside),
            (900, TraceEvent::Slept, outside),
            (900, came, Some(7)),
        ];
        assert_eq!(taken, expected);
    }

    #[test]
    fn in_a_namespace_without_tracepoints_nobody_is_idle() {
        use TraceEvent::{Slept, SwitchIn};
        let (taken, _) = nested(false);
        let unknown = Some(UNKNOWN_THREAD);
        let expected = [
            (Slept, Some(7)),
            (SwitchIn, unknown),
            (Slept, unknown),
            (SwitchIn, unknown),
            (Slept, unknown),
            (SwitchIn, Some(7)),
        ];
        assert_eq!(taken, expected);
    }
}
