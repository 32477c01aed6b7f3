//! Switches of a ring, from two sources: switch records, which are always there, and the tracepoint, which
//! adds why a thread left and how urgent the next one is. Tracepoints can be missing where a CPU was idle: then
//! the switch records alone still show who had it.

use perf_event_open::sample::record::ctx::Switch;

use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// A switch, which a ring tells in up to three records: the tracepoint, then out, then in.
#[derive(Debug, Default)]
pub(super) struct Switching {
    /// What the tracepoint said of the last switch: who left and who came.
    noted: [Option<TraceRecord>; 2],
    /// When the last thread of the CPU left it.
    left: Option<Nanos>,
}

impl Switching {
    /// Remembers what a tracepoint says of a switch; whether the record was one.
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

    /// Takes out what a switch record and the tracepoint before it say.
    pub(super) fn take(
        &mut self,
        (at, cpu): (Nanos, u32),
        thread: u32,
        info: &Switch,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        let event = TraceEvent::SwitchIn;
        let base = TraceRecord { at, event, cpu, thread: Some(thread), name: None, value: None };
        match info {
            // A CPU changes its thread at one moment.
            Switch::InFrom(Some(_)) => {
                let at = self.left.take().unwrap_or(at);
                let value = self.noted(thread).find(|noted| noted.event == event);
                take(TraceRecord { at, value: value.and_then(|noted| noted.value), ..base });
                self.noted = [None, None];
            }
            Switch::InFrom(None) => take(base),
            Switch::OutTo { task, preempt } => {
                self.left = task.is_some().then_some(at);
                let event = if *preempt { TraceEvent::Preempted } else { TraceEvent::Slept };
                let noted = self.noted(thread).find(|noted| noted.event.is_switch_out());
                if thread != 0 {
                    take(TraceRecord { event: noted.map_or(event, |noted| noted.event), ..base });
                }
            }
        }
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
}
