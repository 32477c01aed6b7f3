//! A ring buffer of the kernel's records, and the conversion of these records into trace records.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::os::fd::AsRawFd as _;

use perf_event_open::count::Counter;
use perf_event_open::sample::Sampler;
use perf_event_open::sample::record::{Record, RecordId};

use super::super::super::clock::clock_nanos;
use super::super::names::Names;
use super::super::tracepoints::Layout;
use super::ledger::{Count, Ledger};
use super::switching::Switching;
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// Sizes of a ring in pages, as exponents of 2, in the order in which they are tried: memory for rings is limited. The
/// first one is the largest that every user may have on each CPU (`perf_event_mlock_kb` is 516).
const EXPONENTS: [u8; 3] = [7, 5, 3];
/// The largest size of a ring in pages, as an exponent of 2, without a limit of memory: 16 MB hold the records of 2 s,
/// at 100 000 records per second of one CPU.
const LARGE: u8 = 12;
/// Memory of all large rings together, in pages as an exponent of 2: 64 MB.
const ALL_LARGE: u32 = 14;
/// Sizes of a ring for few records in pages, as exponents of 2, in the order in which they are tried.
const SMALL: [u8; 2] = [1, 0];

/// Sizes of a ring of a thread among very many, in pages, as exponents of 2: 8 pages hold the switches of 50 ms at 13 000 per
/// second.
const MANY: [u8; 3] = [3, 1, 0];

/// `PERF_EVENT_IOC_SET_OUTPUT`: records of one event go to the ring of another.
const SET_OUTPUT: libc::Ioctl = 0x2405;

/// Page faults of a thread that are at most this far apart become one record: threads often touch memory page by page.
const FAULTS_TOGETHER: Nanos = Nanos::from_micros(50);

/// An event that writes records into a ring until it is dropped.
pub(super) struct RingEvent {
    pub(super) counter: Counter,
    /// The ID of its tracepoint; `None` if it is not one.
    pub(super) tracepoint: Option<u16>,
}

impl From<Counter> for RingEvent {
    fn from(counter: Counter) -> Self {
        Self { counter, tracepoint: None }
    }
}

/// A ring and the events that write into it.
pub(in super::super) struct Ring {
    sampler: Sampler,
    events: Vec<RingEvent>,
    /// The CPU of the events; `None` for the events of a thread.
    cpu: Option<u32>,
    /// How often the tracepoints occurred, compared with the records that arrived.
    ledger: Ledger,
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
    /// Creates a ring for the events of a CPU, or of a thread if `cpu` is `None`.
    pub(super) fn new(event: impl Into<RingEvent>, cpu: Option<u32>) -> io::Result<Self> {
        Self::of_size(event.into(), cpu, &EXPONENTS)
    }

    /// Creates the ring of one of `count` CPUs, as large as the collector needs while other programs keep it from the
    /// CPU. Only for processes whose memory for rings is not limited: a large ring would take the memory of others.
    pub(super) fn large(event: impl Into<RingEvent>, cpu: u32, count: usize) -> io::Result<Self> {
        let [usual, small, least] = EXPONENTS;
        let large = large_exponent(count).max(usual);
        Self::of_size(event.into(), Some(cpu), &[large, usual, small, least])
    }

    /// Creates a ring for few records.
    pub(super) fn small(event: impl Into<RingEvent>, cpu: Option<u32>) -> io::Result<Self> {
        Self::of_size(event.into(), cpu, &SMALL)
    }

    /// Creates the ring of one of very many threads, which is emptied every 50 ms.
    pub(super) fn of_many(event: impl Into<RingEvent>) -> io::Result<Self> {
        Self::of_size(event.into(), None, &MANY)
    }

    fn of_size(event: RingEvent, cpu: Option<u32>, exponents: &[u8]) -> io::Result<Self> {
        let mut denied = io::Error::from(io::ErrorKind::OutOfMemory);
        for &exponent in exponents {
            match event.counter.sampler(exponent) {
                Ok(sampler) => {
                    let (events, ledger) = (Vec::new(), Ledger::default());
                    let switching = Switching::default();
                    let mut ring = Self { sampler, events, cpu, ledger, switching, newest: None };
                    ring.begin(event)?;
                    return Ok(ring);
                }
                Err(error) => denied = error,
            }
        }
        Err(denied)
    }

    /// Lets another event write into this ring.
    #[expect(unsafe_code, reason = "the library gives each event a separate ring")]
    pub(super) fn add(&mut self, event: impl Into<RingEvent>) -> io::Result<()> {
        let event = event.into();
        let Some(first) = self.events.first() else { return Ok(()) };
        let files = [&event.counter, &first.counter].map(|counter| counter.file().as_raw_fd());
        let [from, to] = files;
        // SAFETY: both are open events of one CPU, and the call takes no pointer.
        if unsafe { libc::ioctl(from, SET_OUTPUT, to) } < 0 {
            return Err(io::Error::last_os_error());
        }
        self.begin(event)
    }

    /// Starts an event that now has a ring. A tracepoint is off until then: an event that occurs before it has a ring
    /// is counted, but its record arrives nowhere.
    fn begin(&mut self, event: RingEvent) -> io::Result<()> {
        if let Some(tracepoint) = event.tracepoint {
            self.ledger.open(tracepoint, Nanos::new(clock_nanos()));
            if let Err(error) = event.counter.enable() {
                self.ledger.remove(tracepoint);
                return Err(error);
            }
        }
        self.events.push(event);
        Ok(())
    }

    /// Removes the event that was added last.
    pub(super) fn remove_last(&mut self) {
        let removed = self.events.pop().and_then(|event| event.tracepoint);
        if let Some(tracepoint) = removed {
            self.ledger.remove(tracepoint);
        }
    }

    /// Reads the counters of all tracepoints, by ID. This interrupts the CPU of the ring.
    pub(in super::super) fn read_counts(&self) -> RingCounts {
        let count = |event: &RingEvent| {
            let stat = event.counter.stat().ok()?;
            Some((event.tracepoint?, Count { occurred: stat.count, lost: stat.lost_records }))
        };
        let counts = self.events.iter().filter(|event| event.tracepoint.is_some());
        RingCounts { at: Nanos::new(clock_nanos()), counts: counts.filter_map(count).collect() }
    }

    /// Passes to `take`, after the last call of `drain`, how often each tracepoint occurred, how many of its records
    /// arrived, and the times in which records are missing after the last one.
    pub(in super::super) fn close(
        &mut self,
        read: RingCounts,
        layout: &Layout,
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        let Some(cpu) = self.cpu else { return };
        for (tracepoint, count) in read.counts {
            let Some((totals, missing)) = self.ledger.close(tracepoint, read.at, count) else {
                continue;
            };
            if let Some(missing) = missing {
                take(incomplete(cpu, missing));
            }
            let name = layout.label(tracepoint).and_then(|label| names.position(&label));
            for (event, count) in [
                (TraceEvent::Counted, totals.occurred),
                (TraceEvent::Received, totals.received),
                (TraceEvent::ReportedLost, totals.lost),
            ] {
                let value = i64::try_from(count).ok();
                take(TraceRecord { name, value, ..TraceRecord::new(read.at, event, cpu) });
            }
        }
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
        let Self { sampler, switching, ledger, .. } = self;
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
                            let count = sample.stat.as_ref().map(|stat| Count {
                                occurred: stat.count,
                                lost: stat.lost_records,
                            });
                            let missing = Layout::tracepoint(raw)
                                .zip(count)
                                .and_then(|(id, count)| ledger.note(id, place.0, count));
                            if let Some(time) = missing {
                                take(incomplete(place.1, time));
                            }
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

/// Returns the size of a large ring in pages, as an exponent of 2, if there are `count` rings.
fn large_exponent(count: usize) -> u8 {
    let share = ALL_LARGE.saturating_sub(count.max(1).next_power_of_two().ilog2());
    u8::try_from(share).unwrap_or(LARGE).min(LARGE)
}

/// The counters of the tracepoints of a ring.
pub(in super::super) struct RingCounts {
    /// When the last counter was read.
    at: Nanos,
    /// The counts by the ID of the tracepoint.
    counts: Vec<(u16, Count)>,
}

fn incomplete(cpu: u32, (from, to): (Nanos, Nanos)) -> TraceRecord {
    let value = Some((to - from).get());
    TraceRecord { value, ..TraceRecord::new(from, TraceEvent::Incomplete, cpu) }
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
        let counts = |rings: &[Ring]| [rings[0].events.len(), rings[1].events.len()];
        super::super::add_all(rings.iter_mut().collect(), vec![event().into(), event().into()])
            .unwrap();
        assert_eq!(counts(&rings), [2, 2]);
        // An event on one CPU cannot write into a ring of events on all CPUs.
        super::super::add_all(rings.iter_mut().collect(), vec![event().into(), of_cpu.into()])
            .unwrap_err();
        assert_eq!(counts(&rings), [2, 2]);
    }

    #[test]
    fn large_rings_share_their_memory() {
        let exponents = [1, 2, 4, 8, 64, 256, 100_000].map(large_exponent);
        assert_eq!(exponents, [12, 12, 12, 11, 8, 6, 0]);
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
