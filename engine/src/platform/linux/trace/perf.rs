//! Events of `perf_event_open`. Only this module and its submodules use the library of that name.

mod ledger;
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

use self::ring::RingEvent;
pub(super) use self::ring::{Ring, RingCounts};
pub use self::smi::SmiCounter;
use super::super::super::ThreadId;
use super::super::super::parse::detail::has_capability;
use super::super::read;
use super::coverage::Opener;
use super::numbers::Numbers;
use super::tracepoints::{Filter, Group};

/// Max length of a filter that the kernel accepts, in bytes: one page.
const MAX_FILTER: usize = 4_096;

/// Number of the capability with which the memory for rings is not limited.
const CAP_IPC_LOCK: u32 = 14;

/// Returns the options of every event: the clock of the samples, and time, CPU, and thread in each record.
fn options() -> Opts {
    let mut options = Opts { enable: true, record_id_all: true, ..Opts::default() };
    options.timer = Some(Clock::Monotonic);
    options.record_id_format.cpu = true;
    options.record_id_format.task = true;
    options.record_id_format.time = true;
    options
}

/// Opens a ring per measuring thread, which records only the switches of that thread: permitted to
/// every user where `perf_event_paranoid` is at most 2.
pub(super) fn open_own_switches(threads: &[ThreadId]) -> io::Result<Vec<Ring>> {
    let mut options = options();
    options.extra_record.ctx_switch = true;
    open_of_threads(threads, Software::Dummy, options)
}

/// Opens a small ring that records only the switches of a thread, which may be one of another process of the same user.
pub(super) fn open_switches_of(thread: ThreadId) -> io::Result<Ring> {
    let mut options = options();
    options.extra_record.ctx_switch = true;
    options.exclude.kernel = true;
    options.exclude.hv = true;
    let thread = Proc(u32::try_from(thread.0).map_err(io::Error::other)?);
    Ring::of_many(Counter::new(Software::Dummy, (thread, Cpu::ALL), &options)?)
}

/// Opens a ring per measuring thread for an event of the thread in user code.
fn open_of_threads(
    threads: &[ThreadId],
    event: Software,
    mut options: Opts,
) -> io::Result<Vec<Ring>> {
    options.exclude.kernel = true;
    options.exclude.hv = true;
    let open = |thread: &ThreadId| {
        let thread = Proc(u32::try_from(thread.0).map_err(io::Error::other)?);
        Ring::new(Counter::new(event, (thread, Cpu::ALL), &options)?, None)
    };
    threads.iter().map(open).collect()
}

/// Events in a ring per CPU: the switches and names of all threads, which need `CAP_PERFMON`, and
/// the kernel's tracepoints, which also need a readable tracefs.
#[derive(Debug)]
pub(super) struct KernelEvents {
    filters: Filters,
    /// The rings by their CPU.
    pub(super) rings: BTreeMap<u32, Ring>,
    /// The ID of the page fault tracepoint, if the kernel has one.
    fault: Option<u16>,
    /// Whether page faults of the measuring threads are recorded.
    pub(super) has_faults: bool,
    /// Whether the kernel reports how many records of each event were lost: from Linux 6.0 on.
    reports_losses: bool,
    /// The number of rings, if their memory is not limited.
    large_ring_count: Option<usize>,
}

/// Filters that the kernel applies to tracepoints. A filter is `None` if the kernel cannot apply it:
/// there are too many threads, or the known thread IDs are not those of the kernel.
#[derive(Debug, Default)]
struct Filters {
    switches: Option<CString>,
    threads: Option<CString>,
    current: Option<CString>,
}

impl Filters {
    fn new(threads: &[ThreadId], numbers: &Numbers) -> Self {
        if !numbers.is_initial {
            return Self::default();
        }
        let filter = |text: String| CString::new(text).ok().filter(is_short);
        // Records why a measuring thread left its CPU, and which thread runs instead. Switches back to
        // a measuring thread are filtered out: recording them would delay the wake-up of the thread,
        // and the switch records contain them.
        let (left, back) = (any_of("prev_pid==", threads), any_of("next_pid==", threads));
        Self {
            switches: filter(format!("{left}||(!({back})&&next_pid!=0)")),
            threads: filter(any_of("pid==", threads)),
            current: filter(any_of("common_pid==", threads)),
        }
    }
}

impl KernelEvents {
    /// Prepares events of `cpu_count` CPUs for these threads; `fault` is the ID of the page fault tracepoint.
    pub(super) fn new(
        threads: &[ThreadId],
        numbers: &Numbers,
        fault: Option<u16>,
        cpu_count: usize,
    ) -> Self {
        let status = read("/proc/self/status").unwrap_or_default();
        let is_unlimited = has_capability(&status, CAP_IPC_LOCK) == Some(true);
        Self {
            filters: Filters::new(threads, numbers),
            rings: BTreeMap::new(),
            fault,
            has_faults: false,
            reports_losses: true,
            large_ring_count: is_unlimited.then_some(cpu_count),
        }
    }

    /// Records wake-ups of measuring threads by CPUs on which these threads do not run. Stops at the first CPU
    /// on which this fails: a wake-up that is not recorded is inferred from the run-queue delay.
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
        self.rings.insert(cpu, Ring::small(self.tracepoint(id, cpu, Some(filter))?, Some(cpu))?);
        Ok(())
    }

    /// Adds page faults on all CPUs or on none. After a failure, rings per thread record the page faults
    /// on every CPU: those of a CPU with its own events would then be recorded twice.
    fn add_faults_of_cpus(&mut self, id: u16, filter: &CString) -> io::Result<()> {
        let open = |cpu: &u32| self.tracepoint(id, *cpu, Some(filter));
        let events = self.rings.keys().map(open).collect::<io::Result<Vec<RingEvent>>>()?;
        add_all(self.rings.values_mut().collect(), events)
    }

    /// Opens a tracepoint of all threads on a CPU, with the filter that the kernel applies, if any. It is off until it
    /// has a ring.
    fn tracepoint(&self, id: u16, cpu: u32, filter: Option<&CString>) -> io::Result<RingEvent> {
        let mut options = Opts { enable: false, ..self.counting_options() };
        options.sample_on = SampleOn::Count(1);
        let counter = Counter::new(Tracepoint { id: id.into() }, (Proc::ALL, Cpu(cpu)), options)?;
        if let Some(filter) = filter {
            counter.with_ftrace_filter(filter)?;
        }
        Ok(RingEvent { counter, tracepoint: Some(id) })
    }

    /// Returns the options of all events of a CPU: each record carries how often its event occurred so far. The
    /// library decodes all records of a ring with the options of its first event.
    fn counting_options(&self) -> Opts {
        let mut options = options();
        options.sample_format.raw = true;
        options.sample_format.stat = true;
        options.stat_format.lost_records = self.reports_losses;
        options
    }

    fn open_switches(&self, cpu: u32) -> io::Result<Ring> {
        let mut options = self.counting_options();
        options.extra_record.ctx_switch = true;
        options.extra_record.comm = true;
        let counter = Counter::new(Software::Dummy, (Proc::ALL, Cpu(cpu)), &options)?;
        match self.large_ring_count {
            Some(count) => Ring::large(counter, cpu, count),
            None => Ring::new(counter, Some(cpu)),
        }
    }
}

impl Opener for KernelEvents {
    fn switches(&mut self, cpu: u32) -> io::Result<()> {
        let opened = match self.open_switches(cpu) {
            // Kernels before 6.0 reject events whose losses are to be counted.
            Err(error) if self.reports_losses && error.raw_os_error() == Some(libc::EINVAL) => {
                self.reports_losses = false;
                self.open_switches(cpu)
            }
            opened => opened,
        };
        self.rings.insert(cpu, opened?);
        Ok(())
    }

    /// Adds page faults in user code to the rings of the CPUs. Events per thread would make each
    /// switch of a measuring thread take longer.
    fn faults(&mut self) {
        let both = self.fault.zip(self.filters.current.clone());
        self.has_faults =
            both.is_some_and(|(id, filter)| self.add_faults_of_cpus(id, &filter).is_ok());
    }

    fn group(&mut self, cpu: u32, group: &Group) -> io::Result<()> {
        let filter = match group.filter {
            Filter::None => None,
            Filter::Switches => self.filters.switches.as_ref(),
            Filter::Threads => self.filters.threads.as_ref(),
            Filter::Current => self.filters.current.as_ref(),
        };
        let open = |id: &u16| self.tracepoint(*id, cpu, filter);
        let events = group.ids.iter().map(open).collect::<io::Result<Vec<RingEvent>>>()?;
        let ring = self.rings.get_mut(&cpu).ok_or(io::ErrorKind::NotFound)?;
        let mut added = 0;
        let outcome = events.into_iter().try_for_each(|event| {
            ring.add(event)?;
            added += 1;
            Ok(())
        });
        if outcome.is_err() {
            (0..added).for_each(|_| ring.remove_last());
        }
        outcome
    }
}

/// Adds page faults of measuring threads in user code, in a ring per thread. This needs the same
/// permission as recording the switches of the threads.
pub(super) fn add_own_faults(rings: &mut Vec<Ring>, threads: &[ThreadId]) -> io::Result<()> {
    let mut options = options();
    options.sample_on = SampleOn::Count(1);
    rings.extend(open_of_threads(threads, Software::PageFault, options)?);
    Ok(())
}

/// Adds one event to each ring, or no events if one ring rejects its event.
fn add_all(mut rings: Vec<&mut Ring>, events: Vec<RingEvent>) -> io::Result<()> {
    for (place, event) in events.into_iter().enumerate() {
        let Some(ring) = rings.get_mut(place) else { break };
        if let Err(error) = ring.add(event) {
            rings.iter_mut().take(place).for_each(|ring| ring.remove_last());
            return Err(error);
        }
    }
    Ok(())
}

/// Returns a filter that matches any of these threads; `test` is the comparison with a thread ID.
pub(super) fn any_of(test: &str, threads: &[ThreadId]) -> String {
    let tests: Vec<String> = threads.iter().map(|thread| format!("{test}{}", thread.0)).collect();
    tests.join("||")
}

fn is_short(filter: &CString) -> bool {
    filter.as_bytes().len() < MAX_FILTER
}

/// Returns the online logical CPUs of the system, including those that this process may not use.
pub(super) fn online_cpus() -> Vec<u32> {
    let cpus = super::super::topology::online_cpus();
    if cpus.is_empty() { super::super::super::usable_cpus() } else { cpus }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Counts how often a tracepoint occurs on a CPU, without recording it.
    pub(in super::super) struct EventCounter(Counter);

    impl EventCounter {
        pub(in super::super) fn open(id: u16, cpu: u32) -> io::Result<Self> {
            let options = Opts { enable: true, ..Opts::default() };
            let event = Tracepoint { id: id.into() };
            Ok(Self(Counter::new(event, (Proc::ALL, Cpu(cpu)), options)?))
        }

        pub(in super::super) fn read(&self) -> io::Result<u64> {
            Ok(self.0.stat()?.count)
        }
    }
}
