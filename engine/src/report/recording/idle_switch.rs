//! Adds the switches from an idle CPU that the kernel did not record.
//!
//! Some kernels record every switch to the idle thread of a CPU, and on some CPUs none of those from it: a guest kernel with
//! two CPUs delivered all of CPU 0 and none of 770 of CPU 1, in a fresh tracing instance as well, and reported no loss. Then
//! a thread leaves a CPU on which no record shows its begin, and whatever it woke in between has no known waker.
//!
//! An idle CPU runs a thread as soon as it was woken, so the missing switch is put at its wake-up; if an interrupt of that
//! CPU woke it, at the end of that interrupt. Example: CPU 1 is idle from 2.0 ms on, a thread is woken by CPU 0 at 5.0 ms, and
//! leaves CPU 1 at 9.0 ms: it ran there from 5.0 ms on, of which the CPU took some microseconds to leave its idle state. A
//! thread whose wake-up is not recorded either, or was before the CPU became idle, or that ran elsewhere since then, stays
//! unknown.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// An idle CPU.
struct IdleCpu {
    since: Nanos,
    /// The interrupts and softirqs since then: begin, and end if it is known.
    interrupts: Vec<(Nanos, Option<Nanos>)>,
    depth: usize,
}

/// Adds the switches from idle that are missing between records in order of time, and returns their number.
pub(super) fn add_missing(records: &mut Vec<TraceRecord>) -> usize {
    let mut idle: BTreeMap<u32, IdleCpu> = BTreeMap::new();
    let mut woken: BTreeMap<u32, Nanos> = BTreeMap::new();
    let mut missing = Vec::new();
    for record in records.iter() {
        let TraceRecord { at, event, cpu, .. } = *record;
        match event {
            TraceEvent::SwitchIn if record.thread == Some(0) => {
                idle.insert(cpu, IdleCpu { since: at, interrupts: Vec::new(), depth: 0 });
            }
            TraceEvent::SwitchIn => {
                idle.remove(&cpu);
                // What it does later on another CPU, it was not woken for.
                record.thread.and_then(|thread| woken.remove(&thread));
            }
            TraceEvent::Waking | TraceEvent::Started => {
                woken.extend(record.thread.map(|thread| (thread, at)));
            }
            TraceEvent::InterruptBegin | TraceEvent::SoftirqBegin => {
                if let Some(cpu) = idle.get_mut(&cpu) {
                    if cpu.depth == 0 {
                        cpu.interrupts.push((at, None));
                    }
                    cpu.depth += 1;
                }
            }
            TraceEvent::InterruptEnd | TraceEvent::SoftirqEnd => {
                if let Some(cpu) = idle.get_mut(&cpu) {
                    cpu.depth = cpu.depth.saturating_sub(1);
                    if let Some(last) = cpu.interrupts.last_mut().filter(|_| cpu.depth == 0) {
                        last.1 = Some(at);
                    }
                }
            }
            event if event.is_switch_out() || event == TraceEvent::Exited => {
                let Some(own) = idle.remove(&cpu) else { continue };
                let thread = record.thread.filter(|thread| *thread != 0);
                let Some(since) = thread.and_then(|thread| woken.remove(&thread)) else { continue };
                if since < own.since {
                    continue;
                }
                let within = own.interrupts.iter().rfind(|(begin, _)| *begin <= since);
                let begin = within.and_then(|(_, end)| *end).map_or(since, |end| end.max(since));
                let event = TraceEvent::SwitchIn;
                missing.push(TraceRecord { thread, ..TraceRecord::new(begin.min(at), event, cpu) });
            }
            _ => {}
        }
    }
    let count = missing.len();
    records.extend(missing);
    // Of records of the same time, those that were added come last, which is after the wake-up.
    records.sort_by_key(|record| record.at);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(millis: i64, event: TraceEvent, cpu: u32, thread: u32) -> TraceRecord {
        TraceRecord {
            thread: Some(thread),
            ..TraceRecord::new(Nanos::from_millis(millis), event, cpu)
        }
    }

    #[test]
    fn a_thread_runs_from_its_wake_up_unless_it_ran_elsewhere_since() {
        let idle = record(2, TraceEvent::SwitchIn, 1, 0);
        let (waking, slept) =
            (record(5, TraceEvent::Waking, 0, 7), record(9, TraceEvent::Slept, 1, 7));
        let mut records = vec![idle, waking, slept];
        assert_eq!(add_missing(&mut records), 1);
        assert_eq!(records, [idle, waking, record(5, TraceEvent::SwitchIn, 1, 7), slept]);
        // It waited for a CPU from 6 ms on, and no record shows until when.
        let elsewhere =
            [record(5, TraceEvent::SwitchIn, 0, 7), record(6, TraceEvent::Preempted, 0, 7)];
        let mut records = [vec![idle, waking], elsewhere.to_vec(), vec![slept]].concat();
        assert_eq!(add_missing(&mut records), 0);
        // Woken before the CPU was idle, or never.
        let mut records = vec![record(1, TraceEvent::Waking, 0, 7), idle, slept];
        assert_eq!(add_missing(&mut records), 0);
        assert_eq!(add_missing(&mut vec![idle, slept]), 0);
    }

    #[test]
    fn a_thread_that_an_interrupt_of_its_cpu_woke_runs_after_it() {
        let interrupt = |millis, event| TraceRecord { thread: None, ..record(millis, event, 1, 0) };
        let mut records = vec![
            record(2, TraceEvent::SwitchIn, 1, 0),
            interrupt(4, TraceEvent::InterruptBegin),
            record(5, TraceEvent::Waking, 1, 7),
            interrupt(6, TraceEvent::InterruptEnd),
            record(9, TraceEvent::Slept, 1, 7),
        ];
        assert_eq!(add_missing(&mut records), 1);
        assert_eq!(records[4], record(6, TraceEvent::SwitchIn, 1, 7));
    }
}
