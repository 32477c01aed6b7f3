//! A ring buffer of the kernel's records, and the conversion of these records into trace records.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::os::fd::AsRawFd as _;

use perf_event_open::count::Counter;
use perf_event_open::sample::Sampler;
use perf_event_open::sample::record::{Record, RecordId};

use super::super::names::Names;
use super::super::tracepoints::Layout;
use super::switching::Switching;
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// Sizes of a ring in pages, as exponents of 2, in the order in which they are tried: memory for rings is limited.
const EXPONENTS: [u8; 3] = [7, 5, 3];
/// Sizes of a ring for few records in pages, as exponents of 2, in the order in which they are tried.
const SMALL: [u8; 2] = [1, 0];

/// `PERF_EVENT_IOC_SET_OUTPUT`: records of one event go to the ring of another.
const SET_OUTPUT: libc::Ioctl = 0x2405;

/// Page faults of a thread that are at most this far apart become one record: threads often touch memory page by page.
const FAULTS_TOGETHER: Nanos = Nanos::from_micros(50);

/// A ring and the events that write into it.
pub(in super::super) struct Ring {
    sampler: Sampler,
    /// The events, which record until they are dropped.
    counters: Vec<Counter>,
    switching: Switching,
    /// The time of the newest record that was passed on; `None` before the first one.
    newest: Option<Nanos>,
}

impl fmt::Debug for Ring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Ring").finish_non_exhaustive()
    }
}

impl Ring {
    pub(super) fn new(counter: Counter) -> io::Result<Self> {
        Self::of_size(counter, &EXPONENTS)
    }

    /// Creates a ring for few records.
    pub(super) fn small(counter: Counter) -> io::Result<Self> {
        Self::of_size(counter, &SMALL)
    }

    fn of_size(counter: Counter, exponents: &[u8]) -> io::Result<Self> {
        let mut denied = io::Error::from(io::ErrorKind::OutOfMemory);
        for &exponent in exponents {
            match counter.sampler(exponent) {
                Ok(sampler) => {
                    let counters = vec![counter];
                    let switching = Switching::default();
                    return Ok(Self { sampler, counters, switching, newest: None });
                }
                Err(error) => denied = error,
            }
        }
        Err(denied)
    }

    /// Lets another event write into this ring.
    #[expect(unsafe_code, reason = "the library gives each event a separate ring")]
    pub(super) fn add(&mut self, counter: Counter) -> io::Result<()> {
        let Some(first) = self.counters.first() else { return Ok(()) };
        let (from, to) = (counter.file().as_raw_fd(), first.file().as_raw_fd());
        // SAFETY: both are open events of one CPU, and the call takes no pointer.
        if unsafe { libc::ioctl(from, SET_OUTPUT, to) } < 0 {
            return Err(io::Error::last_os_error());
        }
        self.counters.push(counter);
        Ok(())
    }

    /// Removes the event that was added last.
    pub(super) fn remove_last(&mut self) {
        self.counters.pop();
    }

    /// Whether the kernel writes nothing into this ring while the CPU is idle.
    pub(in super::super) const fn is_blind_when_idle(&self) -> bool {
        self.switching.is_blind_when_idle()
    }

    /// Converts every record in the ring and passes it to `take`.
    pub(in super::super) fn drain(
        &mut self,
        layout: Option<&Layout>,
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        let Self { sampler, switching, .. } = self;
        let newest = Cell::new(self.newest);
        let Some(records) = sampler.iter() else { return };
        let mut faults: Option<TraceRecord> = None;
        let mut take = |record: TraceRecord| {
            newest.set(newest.get().max(Some(record.at)));
            take(record);
        };
        for (_, record) in records {
            match record {
                Record::CtxSwitch(switch) => {
                    let Some(id) = &switch.record_id else { continue };
                    let (Some(place), Some(task)) = (place(id), &id.task) else { continue };
                    switching.take(place, task.tid, &switch.info, names, &mut take);
                }
                Record::Sample(sample) => {
                    let Some(place) = place(&sample.record_id) else { continue };
                    match (&sample.raw, layout) {
                        (Some(raw), Some(layout)) => {
                            layout.decode(raw, place, names, &mut |record| {
                                if record.event == TraceEvent::PageFault {
                                    faults = Some(add_fault(faults, record, &mut take));
                                } else if !switching.note(&record) {
                                    take(record);
                                }
                            });
                        }
                        (None, _) => {
                            let thread = sample.record_id.task.as_ref().map(|task| task.tid);
                            let fault = TraceRecord::new(place.0, TraceEvent::PageFault, place.1);
                            let fault = TraceRecord { thread, ..fault };
                            faults = Some(add_fault(faults, fault, &mut take));
                        }
                        (Some(_), None) => {}
                    }
                }
                Record::LostRecords(lost) => {
                    let Some((end, cpu)) = lost.record_id.as_ref().and_then(place) else {
                        continue;
                    };
                    switching.lose();
                    let count = i64::try_from(lost.lost_records).ok();
                    let begin = newest.get().unwrap_or(end);
                    // Marks begin and end of the loss, as samples between these times lack records, too.
                    take(TraceRecord::lost(begin, cpu, count.unwrap_or(1)));
                    take(TraceRecord::lost(end, cpu, 0));
                }
                // In a PID namespace, all threads outside of the namespace have the ID 0, so 0 names no thread.
                Record::Comm(comm) if comm.task.tid != 0 => {
                    names.record_thread(comm.task.tid, &comm.comm.to_string_lossy());
                }
                _ => {}
            }
        }
        faults.into_iter().for_each(take);
        self.newest = newest.get();
    }
}

/// Merges a page fault into `faults`, the record of previous page faults, if the same thread caused
/// them shortly before; otherwise passes `faults` to `take` and starts a new record.
fn add_fault(
    faults: Option<TraceRecord>,
    fault: TraceRecord,
    take: &mut dyn FnMut(TraceRecord),
) -> TraceRecord {
    if let Some(before) = faults {
        let length = fault.at - before.at;
        let last = before.at + Nanos::new(before.value.unwrap_or(0));
        if fault.thread == before.thread && fault.at - last <= FAULTS_TOGETHER {
            return TraceRecord { value: Some(length.get()), ..before };
        }
        take(before);
    }
    TraceRecord { value: Some(0), ..fault }
}

/// Returns the time and the CPU of a record.
fn place(id: &RecordId) -> Option<(Nanos, u32)> {
    Some((Nanos::new(i64::try_from(id.time?).ok()?), id.cpu?))
}

#[cfg(test)]
mod tests {
    use perf_event_open::config::{Cpu, Proc};
    use perf_event_open::event::sw::Software;

    use super::*;

    #[test]
    fn events_are_added_to_every_ring_or_to_none() {
        let own = super::super::super::super::thread_id();
        let rings = super::super::open_own_switches(&[own, own]);
        let Ok(mut rings) = rings else { return };
        let thread = Proc(u32::try_from(own.0).unwrap());
        let mut options = super::super::options();
        options.exclude.kernel = true;
        options.exclude.hv = true;
        let event = || Counter::new(Software::Dummy, (thread, Cpu::ALL), &options).unwrap();
        let of_cpu = Counter::new(Software::Dummy, (thread, Cpu(0)), &options).unwrap();
        let counts = |rings: &[Ring]| [rings[0].counters.len(), rings[1].counters.len()];
        super::super::add_all(rings.iter_mut().collect(), vec![event(), event()]).unwrap();
        assert_eq!(counts(&rings), [2, 2]);
        // An event on one CPU cannot write into a ring of events on all CPUs.
        super::super::add_all(rings.iter_mut().collect(), vec![event(), of_cpu]).unwrap_err();
        assert_eq!(counts(&rings), [2, 2]);
    }

    #[test]
    fn faults_close_together_are_one_record() {
        let mut taken = Vec::new();
        let mut faults = None;
        for (micros, thread) in [(100, 7), (110, 7), (150, 7), (900, 7), (910, 8)] {
            let (at, event) = (Nanos::from_micros(micros), TraceEvent::PageFault);
            let thread = Some(thread);
            let fault = TraceRecord { at, event, cpu: 1, thread, name: None, value: None };
            faults = Some(add_fault(faults, fault, &mut |record| taken.push(record)));
        }
        taken.extend(faults);
        let found: Vec<_> = taken.iter().map(|one| (one.at.get() / 1_000, one.value)).collect();
        assert_eq!(found, [(100, Some(50_000)), (900, Some(0)), (910, Some(0))]);
    }
}
