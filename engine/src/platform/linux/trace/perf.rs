//! Rings of records that `perf_event_open` fills; the only module that names the library.

use std::ffi::CString;
use std::fmt;
use std::io;
use std::os::fd::AsRawFd as _;

use perf_event_open::config::{Clock, Cpu, Opts, Proc, SampleOn};
use perf_event_open::count::Counter;
use perf_event_open::event::sw::Software;
use perf_event_open::event::tp::Tracepoint;
use perf_event_open::sample::Sampler;
use perf_event_open::sample::record::ctx::Switch;
use perf_event_open::sample::record::{Record, RecordId};

use super::super::super::ThreadId;
use super::RING_EXPONENTS;
use super::names::Names;
use super::tracepoints::Layout;
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// `PERF_EVENT_IOC_SET_OUTPUT`: records of one event go to the ring of another.
const SET_OUTPUT: libc::c_ulong = 0x2405;

/// Page faults closer together than this are one record: memory that is touched page by page.
const FAULTS_TOGETHER: Nanos = Nanos::from_micros(50);

/// A ring and the events that write into it.
pub(super) struct Ring {
    sampler: Sampler,
    /// They record until they are dropped.
    counters: Vec<Counter>,
}

impl fmt::Debug for Ring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Ring").finish_non_exhaustive()
    }
}

impl Ring {
    fn new(counter: Counter) -> io::Result<Self> {
        let mut denied = io::Error::from(io::ErrorKind::OutOfMemory);
        for exponent in RING_EXPONENTS {
            match counter.sampler(exponent) {
                Ok(sampler) => return Ok(Self { sampler, counters: vec![counter] }),
                Err(error) => denied = error,
            }
        }
        Err(denied)
    }

    /// Lets another event write into this ring.
    #[expect(unsafe_code, reason = "the library gives each event a separate ring")]
    fn add(&mut self, counter: Counter) -> io::Result<()> {
        let Some(first) = self.counters.first() else { return Ok(()) };
        let (from, to) = (counter.file().as_raw_fd(), first.file().as_raw_fd());
        // SAFETY: both are open events of one CPU, and the call takes no pointer.
        if unsafe { libc::ioctl(from, SET_OUTPUT, to) } < 0 {
            return Err(io::Error::last_os_error());
        }
        self.counters.push(counter);
        Ok(())
    }

    /// Takes out every record.
    pub(super) fn drain(
        &mut self,
        layout: Option<&Layout>,
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        let Some(records) = self.sampler.iter() else { return };
        let mut faults: Option<TraceRecord> = None;
        for (_, record) in records {
            match record {
                Record::CtxSwitch(switch) => {
                    let Some(id) = &switch.record_id else { continue };
                    take_switch(id, &switch.info, take);
                }
                Record::Sample(sample) => {
                    let Some(place) = place(&sample.record_id) else { continue };
                    match (&sample.raw, layout) {
                        (Some(raw), Some(layout)) => layout.decode(raw, place, names, take),
                        (None, _) => {
                            let thread = sample.record_id.task.as_ref().map(|task| task.tid);
                            faults = Some(add_fault(faults, place, thread, take));
                        }
                        (Some(_), None) => {}
                    }
                }
                Record::LostRecords(lost) => {
                    let Some((at, cpu)) = lost.record_id.as_ref().and_then(place) else { continue };
                    let value = i64::try_from(lost.lost_records).ok();
                    let event = TraceEvent::Lost;
                    take(TraceRecord { at, event, cpu, thread: None, name: None, value });
                }
                Record::Comm(comm) => {
                    names.record_thread(comm.task.tid, &comm.comm.to_string_lossy());
                }
                _ => {}
            }
        }
        faults.into_iter().for_each(take);
    }
}

/// Adds a page fault to those before it, or begins new ones and hands those before on.
fn add_fault(
    faults: Option<TraceRecord>,
    (at, cpu): (Nanos, u32),
    thread: Option<u32>,
    take: &mut dyn FnMut(TraceRecord),
) -> TraceRecord {
    if let Some(before) = faults {
        let length = at - before.at;
        let last = before.at + Nanos::new(before.value.unwrap_or(0));
        if at - last <= FAULTS_TOGETHER {
            return TraceRecord { value: Some(length.get()), ..before };
        }
        take(before);
    }
    let event = TraceEvent::PageFault;
    TraceRecord { at, event, cpu, thread, name: None, value: Some(0) }
}

/// When and on which CPU a record was written.
fn place(id: &RecordId) -> Option<(Nanos, u32)> {
    Some((Nanos::new(i64::try_from(id.time?).ok()?), id.cpu?))
}

fn take_switch(id: &RecordId, info: &Switch, take: &mut dyn FnMut(TraceRecord)) {
    let (Some((at, cpu)), Some(task)) = (place(id), id.task.as_ref()) else { return };
    let base = TraceRecord {
        at,
        event: TraceEvent::SwitchIn,
        cpu,
        thread: Some(task.tid),
        name: None,
        value: None,
    };
    match info {
        Switch::InFrom(_) => take(base),
        Switch::OutTo { preempt, .. } if task.tid != 0 => {
            let event = if *preempt { TraceEvent::Preempted } else { TraceEvent::Slept };
            take(TraceRecord { event, ..base });
        }
        Switch::OutTo { .. } => {}
    }
}

/// What every event has in common: the clock of the samples, and time, CPU and thread in each record.
fn options() -> Opts {
    let mut options = Opts { enable: true, record_id_all: true, ..Opts::default() };
    options.timer = Some(Clock::Monotonic);
    options.record_id_format.cpu = true;
    options.record_id_format.task = true;
    options.record_id_format.time = true;
    options
}

/// Opens a ring per measuring thread with its own switches: permitted to everyone where
/// `perf_event_paranoid` is at most 2.
pub(super) fn open_own_switches(threads: &[ThreadId]) -> io::Result<Vec<Ring>> {
    let mut options = options();
    options.exclude.kernel = true;
    options.exclude.hv = true;
    options.extra_record.ctx_switch = true;
    let open = |thread: &ThreadId| {
        let thread = Proc(u32::try_from(thread.0).map_err(io::Error::other)?);
        Ring::new(Counter::new(Software::Dummy, (thread, Cpu::ALL), &options)?)
    };
    threads.iter().map(open).collect()
}

/// Opens a ring per measuring thread with its page faults in user code; permitted as its switches are.
pub(super) fn open_faults(threads: &[ThreadId]) -> io::Result<Vec<Ring>> {
    let mut options = options();
    options.exclude.kernel = true;
    options.exclude.hv = true;
    options.sample_on = SampleOn::Count(1);
    let open = |thread: &ThreadId| {
        let thread = Proc(u32::try_from(thread.0).map_err(io::Error::other)?);
        Ring::new(Counter::new(Software::PageFault, (thread, Cpu::ALL), &options)?)
    };
    threads.iter().map(open).collect()
}

/// Opens a ring per CPU with the switches and names of all threads: needs `CAP_PERFMON`.
pub(super) fn open_all_switches() -> io::Result<Vec<Ring>> {
    let mut options = options();
    options.extra_record.ctx_switch = true;
    options.extra_record.comm = true;
    let open = |cpu| Ring::new(Counter::new(Software::Dummy, (Proc::ALL, Cpu(cpu)), &options)?);
    online_cpus().into_iter().map(open).collect()
}

/// Opens a ring per CPU with the kernel's tracepoints: needs `CAP_PERFMON` and a readable tracefs.
pub(super) fn open_kernel(layout: &Layout, threads: &[ThreadId]) -> io::Result<Vec<Ring>> {
    let switch = layout.switch_id().ok_or(io::ErrorKind::Unsupported)?;
    let mut options = options();
    options.sample_on = SampleOn::Count(1);
    options.sample_format.raw = true;
    let event = |id: u16| Tracepoint { id: id.into() };
    let of_threads: Vec<String> =
        threads.iter().map(|thread| format!("pid=={}", thread.0)).collect();
    let of_threads = CString::new(of_threads.join("||"))?;
    let mut rings = Vec::new();
    for cpu in online_cpus() {
        let target = (Proc::ALL, Cpu(cpu));
        let mut ring = Ring::new(Counter::new(event(switch), target, &options)?)?;
        for (id, is_of_thread) in layout.other_ids() {
            // A kernel may deny one: what it would show is then missing.
            let Ok(counter) = Counter::new(event(id), target, &options) else { continue };
            if is_of_thread {
                counter.with_ftrace_filter(&of_threads)?;
            }
            ring.add(counter)?;
        }
        rings.push(ring);
    }
    Ok(rings)
}

/// The logical CPUs that run: those of the system, whatever this process may use.
fn online_cpus() -> Vec<u32> {
    let text = super::super::read("/sys/devices/system/cpu/online").unwrap_or_default();
    let cpus = super::super::super::parse::cpu_list(&text);
    if cpus.is_empty() { super::super::super::usable_cpus() } else { cpus }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_close_together_are_one_record() {
        let mut taken = Vec::new();
        let mut faults = None;
        for micros in [100, 110, 150, 900] {
            let place = (Nanos::from_micros(micros), 1);
            faults = Some(add_fault(faults, place, Some(7), &mut |record| taken.push(record)));
        }
        taken.extend(faults);
        let found: Vec<_> = taken.iter().map(|one| (one.at.get() / 1_000, one.value)).collect();
        assert_eq!(found, [(100, Some(50_000)), (900, Some(0))]);
    }
}
