//! Switches of a ring, from two sources: switch records and the tracepoint, which adds why a thread left and
//! how urgent the next one is.
//!
//! Some kernels write nothing on a CPU that is idle: neither tracepoints nor the record of leaving the idle
//! thread. The record of the thread that comes is always there.

use perf_event_open::sample::record::ctx::Switch;

use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// A switch, which a ring has in up to three records: the tracepoint, then out, then in.
#[derive(Debug, Default)]
pub(super) struct Switching {
    /// The tracepoint's records of the last switch: who left and who came.
    noted: [Option<TraceRecord>; 2],
    /// Who has the CPU, in a ring of a CPU.
    current: Option<u32>,
    /// Whether a CPU was left by its idle thread without a record.
    is_blind_when_idle: bool,
}

impl Switching {
    /// Remembers a tracepoint's record of a switch; returns whether it was one.
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

    fn noted(&self, thread: u32) -> impl Iterator<Item = &TraceRecord> {
        self.noted.iter().flatten().filter(move |noted| noted.thread == Some(thread))
    }

    /// Takes out what a switch record and the tracepoint before it contain.
    pub(super) fn take(
        &mut self,
        (at, cpu): (Nanos, u32),
        thread: u32,
        info: &Switch,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        let came = |thread: u32, noted: Option<&TraceRecord>| TraceRecord {
            at,
            event: TraceEvent::SwitchIn,
            cpu,
            thread: Some(thread),
            name: None,
            value: noted.and_then(|noted| noted.value),
        };
        match info {
            Switch::OutTo { task: next, preempt } => {
                let event = if *preempt { TraceEvent::Preempted } else { TraceEvent::Slept };
                let noted = self.noted(thread).find(|noted| noted.event.is_switch_out());
                if thread != 0 {
                    let event = noted.map_or(event, |noted| noted.event);
                    take(TraceRecord { event, ..came(thread, None) });
                }
                // A CPU changes its thread at one moment.
                if let Some(next) = next {
                    let noted = self.noted(next.tid).find(|noted| !noted.event.is_switch_out());
                    take(came(next.tid, noted));
                    self.current = Some(next.tid);
                }
                self.noted = [None, None];
            }
            Switch::InFrom(Some(_)) if self.current == Some(thread) => {}
            Switch::InFrom(before) => {
                self.is_blind_when_idle |=
                    self.current == Some(0) && before.as_ref().is_some_and(|task| task.tid == 0);
                self.current = before.is_some().then_some(thread);
                take(came(thread, None));
            }
        }
    }

    /// Records were lost: who has the CPU is not known.
    pub(super) const fn lose(&mut self) {
        self.noted = [None, None];
        self.current = None;
    }

    /// Whether this kernel writes nothing on a CPU that is idle.
    pub(super) const fn is_blind_when_idle(&self) -> bool {
        self.is_blind_when_idle
    }
}

#[cfg(test)]
mod tests {
    use perf_event_open::sample::record::Task;

    use super::*;

    /// An own thread, 7, sleeps and is switched in again by a CPU that was idle.
    fn switches(has_tracepoints: bool) -> Vec<(i64, TraceEvent, Option<u32>, Option<i64>)> {
        let mut taken = Vec::new();
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
        switching.take((Nanos::from_micros(100), 1), 7, &out, &mut take);
        switching.take((Nanos::from_micros(101), 1), 0, &Switch::InFrom(other(7)), &mut take);
        note(&mut switching, TraceEvent::SwitchIn, 7, Some(89));
        let out = Switch::OutTo { task: other(7), preempt: true };
        switching.take((Nanos::from_micros(300), 1), 0, &out, &mut take);
        switching.take((Nanos::from_micros(302), 1), 7, &Switch::InFrom(other(0)), &mut take);
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
        let mut switching = Switching::default();
        let out = Switch::OutTo { task: None, preempt: false };
        let mut take = |record: TraceRecord| taken.push(record.at.get());
        switching.take((Nanos::from_micros(100), 1), 7, &out, &mut take);
        switching.take((Nanos::from_micros(900), 1), 7, &Switch::InFrom(None), &mut take);
        assert_eq!(taken, [100_000, 900_000]);
    }

    #[test]
    fn a_thread_comes_even_where_the_idle_cpu_writes_nothing() {
        let mut taken = Vec::new();
        let mut switching = Switching::default();
        let mut take = |record: TraceRecord| {
            taken.push((record.at.get() / 1_000, record.event, record.thread));
        };
        let idle = || Some(Task { pid: 0, tid: 0 });
        let out = Switch::OutTo { task: idle(), preempt: false };
        switching.take((Nanos::from_micros(100), 1), 7, &out, &mut take);
        assert!(!switching.is_blind_when_idle());
        switching.take((Nanos::from_micros(900), 1), 7, &Switch::InFrom(idle()), &mut take);
        assert!(switching.is_blind_when_idle());
        let (slept, came) = (TraceEvent::Slept, TraceEvent::SwitchIn);
        assert_eq!(taken, [(100, slept, Some(7)), (100, came, Some(0)), (900, came, Some(7))]);
    }
}
