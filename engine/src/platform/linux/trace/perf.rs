//! What `perf_event_open` records; with its submodules, the only module that names its library.

mod ring;
mod switching;

use std::ffi::CString;
use std::io;

use perf_event_open::config::{Clock, Cpu, Opts, Proc, SampleOn};
use perf_event_open::count::Counter;
use perf_event_open::event::sw::Software;
use perf_event_open::event::tp::Tracepoint;

pub(super) use self::ring::Ring;
use super::super::super::ThreadId;
use super::tracepoints::Layout;

/// The longest filter that the kernel takes: a page.
const MAX_FILTER: usize = 4_096;

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

/// Adds the page faults of measuring threads in user code: to rings of CPUs that have tracepoints already, as events
/// of a thread make each of its switches longer, otherwise in a ring per thread, which is permitted as its
/// switches are.
pub(super) fn add_faults(
    rings: &mut Vec<Ring>,
    layout: Option<&Layout>,
    threads: &[ThreadId],
) -> io::Result<()> {
    let of_threads = CString::new(any_of("common_pid==", threads))?;
    if let Some(id) = layout.and_then(Layout::page_fault_id).filter(|_| is_short(&of_threads)) {
        // On all CPUs or on none: otherwise a ring per thread would record the same faults again.
        if let Ok(counters) = faults_of_cpus(id, &of_threads)
            && add_all(rings, counters).is_ok()
        {
            return Ok(());
        }
    }
    rings.extend(open_faults(threads)?);
    Ok(())
}

/// Opens the page faults of some threads on each CPU.
fn faults_of_cpus(id: u16, of_threads: &CString) -> io::Result<Vec<Counter>> {
    let options = tracepoint_options();
    let open = |cpu: u32| {
        let faults = Counter::new(Tracepoint { id: id.into() }, (Proc::ALL, Cpu(cpu)), &options)?;
        faults.with_ftrace_filter(of_threads)?;
        Ok(faults)
    };
    online_cpus().into_iter().map(open).collect()
}

/// Adds an event to each ring, or to none where one ring does not take it.
fn add_all(rings: &mut [Ring], counters: Vec<Counter>) -> io::Result<()> {
    for (place, counter) in counters.into_iter().enumerate() {
        let Some(ring) = rings.get_mut(place) else { break };
        if let Err(error) = ring.add(counter) {
            rings.iter_mut().take(place).for_each(Ring::remove_last);
            return Err(error);
        }
    }
    Ok(())
}

fn open_faults(threads: &[ThreadId]) -> io::Result<Vec<Ring>> {
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
    online_cpus().into_iter().map(switches_of_cpu).collect()
}

fn switches_of_cpu(cpu: u32) -> io::Result<Ring> {
    let mut options = options();
    options.extra_record.ctx_switch = true;
    options.extra_record.comm = true;
    // The library reads all records of a ring as those of its first event.
    options.sample_format.raw = true;
    Ring::new(Counter::new(Software::Dummy, (Proc::ALL, Cpu(cpu)), &options)?)
}

/// Opens a ring per CPU with the switches and names of all threads and with the kernel's tracepoints: needs
/// `CAP_PERFMON` and a readable tracefs.
pub(super) fn open_kernel(layout: &Layout, threads: &[ThreadId]) -> io::Result<Vec<Ring>> {
    let switch = layout.switch_id().ok_or(io::ErrorKind::Unsupported)?;
    let options = tracepoint_options();
    let event = |id: u16| Tracepoint { id: id.into() };
    let of_threads = CString::new(any_of("pid==", threads))?;
    // Why a measuring thread left, and who came instead. Its return would make its wake-up later, and the
    // switch records have that.
    let (left, back) = (any_of("prev_pid==", threads), any_of("next_pid==", threads));
    let of_switches = CString::new(format!("{left}||(!({back})&&next_pid!=0)"))?;
    let mut rings = Vec::new();
    for cpu in online_cpus() {
        let target = (Proc::ALL, Cpu(cpu));
        let mut ring = switches_of_cpu(cpu)?;
        let switches = Counter::new(event(switch), target, &options)?;
        if is_short(&of_switches) {
            switches.with_ftrace_filter(&of_switches)?;
        }
        ring.add(switches)?;
        for (id, is_of_thread) in layout.other_ids() {
            // A kernel may deny one: what it would show is then missing.
            let Ok(counter) = Counter::new(event(id), target, &options) else { continue };
            if is_of_thread && is_short(&of_threads) {
                counter.with_ftrace_filter(&of_threads)?;
            }
            ring.add(counter)?;
        }
        rings.push(ring);
    }
    Ok(rings)
}

fn tracepoint_options() -> Opts {
    let mut options = options();
    options.sample_on = SampleOn::Count(1);
    options.sample_format.raw = true;
    options
}

/// A filter for any of some threads.
fn any_of(test: &str, threads: &[ThreadId]) -> String {
    let tests: Vec<String> = threads.iter().map(|thread| format!("{test}{}", thread.0)).collect();
    tests.join("||")
}

fn is_short(filter: &CString) -> bool {
    filter.as_bytes().len() < MAX_FILTER
}

/// The logical CPUs that run: those of the system, whatever this process may use.
fn online_cpus() -> Vec<u32> {
    let text = super::super::read("/sys/devices/system/cpu/online").unwrap_or_default();
    let cpus = super::super::super::parse::cpu_list(&text);
    if cpus.is_empty() { super::super::super::usable_cpus() } else { cpus }
}
