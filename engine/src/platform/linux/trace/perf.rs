//! What `perf_event_open` records; with its submodules, the only module that names its library.

mod ring;
mod smi;
mod switching;

use std::collections::BTreeMap;
use std::ffi::CString;
use std::io;

use perf_event_open::config::{Clock, Cpu, Opts, Proc, SampleOn};
use perf_event_open::count::Counter;
use perf_event_open::event::sw::Software;
use perf_event_open::event::tp::Tracepoint;

pub(super) use self::ring::Ring;
pub use self::smi::SmiCounter;
use super::super::super::ThreadId;
use super::coverage::Opener;
use super::numbers::Numbers;
use super::tracepoints::{Filter, Group};

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

/// Opens events in a ring per CPU: the switches and names of all threads, which needs `CAP_PERFMON`, and the kernel's
/// tracepoints, which needs a readable tracefs too.
#[derive(Debug)]
pub(super) struct KernelEvents {
    filters: Filters,
    /// The rings by their CPU.
    rings: BTreeMap<u32, Ring>,
    /// The number of the tracepoint of page faults, where the kernel has one.
    fault: Option<u16>,
    has_faults: bool,
}

/// What the kernel filters tracepoints by; `None` where it cannot: too many threads, or numbers that are not its own.
#[derive(Debug, Default)]
struct Filters {
    switches: Option<CString>,
    threads: Option<CString>,
    current: Option<CString>,
}

impl Filters {
    fn new(threads: &[ThreadId], numbers: &Numbers) -> Self {
        if !numbers.is_initial() {
            return Self::default();
        }
        let filter = |text: String| CString::new(text).ok().filter(is_short);
        // Why a measuring thread left, and who came instead. Its return would make its wake-up later, and the
        // switch records have that.
        let (left, back) = (any_of("prev_pid==", threads), any_of("next_pid==", threads));
        Self {
            switches: filter(format!("{left}||(!({back})&&next_pid!=0)")),
            threads: filter(any_of("pid==", threads)),
            current: filter(any_of("common_pid==", threads)),
        }
    }
}

impl KernelEvents {
    /// For these threads; `fault` is the number of the tracepoint of page faults.
    pub(super) fn new(threads: &[ThreadId], numbers: &Numbers, fault: Option<u16>) -> Self {
        let filters = Filters::new(threads, numbers);
        Self { filters, rings: BTreeMap::new(), fault, has_faults: false }
    }

    /// Whether page faults of the threads are recorded.
    pub(super) const fn has_faults(&self) -> bool {
        self.has_faults
    }

    /// Adds the wake-ups of measuring threads by CPUs on which they do not run, as far as there is room: without
    /// them, a wake-up is known from the run-queue delay.
    pub(super) fn add_wakings(&mut self, id: u16, cpus: &[u32]) {
        let Some(filter) = self.filters.threads.clone() else { return };
        for cpu in cpus {
            if let Err(error) = self.add_waking(id, *cpu, &filter) {
                log::debug!("wake-ups by CPU {cpu} are not recorded: {error}");
                return;
            }
        }
    }

    fn add_waking(&mut self, id: u16, cpu: u32, filter: &CString) -> io::Result<()> {
        let target = (Proc::ALL, Cpu(cpu));
        let counter = Counter::new(Tracepoint { id: id.into() }, target, tracepoint_options())?;
        counter.with_ftrace_filter(filter)?;
        self.rings.insert(cpu, Ring::small(counter)?);
        Ok(())
    }

    /// The rings.
    pub(super) fn into_rings(self) -> Vec<Ring> {
        self.rings.into_values().collect()
    }

    /// On all CPUs or on none: otherwise a ring per thread would record the same faults again.
    fn add_faults_of_cpus(&mut self, id: u16, filter: &CString) -> io::Result<()> {
        let options = tracepoint_options();
        let open = |cpu: &u32| {
            let faults =
                Counter::new(Tracepoint { id: id.into() }, (Proc::ALL, Cpu(*cpu)), &options)?;
            faults.with_ftrace_filter(filter)?;
            Ok(faults)
        };
        let counters = self.rings.keys().map(open).collect::<io::Result<Vec<Counter>>>()?;
        add_all(self.rings.values_mut().collect(), counters)
    }
}

impl Opener for KernelEvents {
    fn switches(&mut self, cpu: u32) -> io::Result<()> {
        self.rings.insert(cpu, switches_of_cpu(cpu)?);
        Ok(())
    }

    /// In user code, in the rings so far, as events of a thread make each of its switches longer.
    fn faults(&mut self) {
        let both = self.fault.zip(self.filters.current.clone());
        self.has_faults =
            both.is_some_and(|(id, filter)| self.add_faults_of_cpus(id, &filter).is_ok());
    }

    fn group(&mut self, cpu: u32, group: &Group) -> io::Result<()> {
        let Self { filters, rings, .. } = self;
        let ring = rings.get_mut(&cpu).ok_or(io::ErrorKind::NotFound)?;
        let filter = match group.filter {
            Filter::None => None,
            Filter::Switches => filters.switches.as_ref(),
            Filter::Threads => filters.threads.as_ref(),
            Filter::Current => filters.current.as_ref(),
        };
        let mut add = |id: u16| {
            let target = (Proc::ALL, Cpu(cpu));
            let counter = Counter::new(Tracepoint { id: id.into() }, target, tracepoint_options())?;
            if let Some(filter) = filter {
                counter.with_ftrace_filter(filter)?;
            }
            ring.add(counter)
        };
        let mut added = 0;
        let outcome = group.ids.iter().try_for_each(|id| {
            add(*id)?;
            added += 1;
            Ok(())
        });
        if outcome.is_err() {
            (0..added).for_each(|_| ring.remove_last());
        }
        outcome
    }
}

/// Adds the page faults of measuring threads in user code in a ring per thread, which is permitted as their switches
/// are.
pub(super) fn add_own_faults(rings: &mut Vec<Ring>, threads: &[ThreadId]) -> io::Result<()> {
    rings.extend(open_faults(threads)?);
    Ok(())
}

/// Adds an event to each ring, or to none where one ring does not take it.
fn add_all(mut rings: Vec<&mut Ring>, counters: Vec<Counter>) -> io::Result<()> {
    for (place, counter) in counters.into_iter().enumerate() {
        let Some(ring) = rings.get_mut(place) else { break };
        if let Err(error) = ring.add(counter) {
            rings.iter_mut().take(place).for_each(|ring| ring.remove_last());
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

fn switches_of_cpu(cpu: u32) -> io::Result<Ring> {
    let mut options = options();
    options.extra_record.ctx_switch = true;
    options.extra_record.comm = true;
    // The library reads all records of a ring as those of its first event.
    options.sample_format.raw = true;
    Ring::new(Counter::new(Software::Dummy, (Proc::ALL, Cpu(cpu)), &options)?)
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
pub(super) fn online_cpus() -> Vec<u32> {
    let text = super::super::read("/sys/devices/system/cpu/online").unwrap_or_default();
    let cpus = super::super::super::parse::cpu_list(&text);
    if cpus.is_empty() { super::super::super::usable_cpus() } else { cpus }
}
