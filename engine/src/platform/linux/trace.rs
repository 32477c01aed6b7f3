//! Records which thread ran on a CPU at each time, with a tracing instance of tracefs or with `perf_event_open`.
//!
//! The measuring thread does no work for these records: the kernel writes them into ring buffers, which the
//! collector thread empties.

mod coverage;
mod descriptors;
mod followed;
mod instance;
mod interrupts;
mod names;
mod numbers;
mod perf;
mod sleeps;
mod system;
mod tracepoints;

use std::io;

pub use self::names::thread_owner;
pub use self::perf::SmiCounter;
pub use self::system::SystemTracer;

use self::coverage::Coverage;
use self::descriptors::{RaisedLimit, Reserve};
use self::instance::{Instance, InstanceEvents};
use self::interrupts::Untraced;
use self::names::Names;
use self::numbers::Numbers;
use self::perf::{KernelEvents, Ring, RingCounts};
use self::tracepoints::Layout;
use super::super::parse::cpu_list;
use super::super::{Missing, ThreadId, TraceReader, TraceSource, TraceState};
use super::read;
use crate::sample::{TraceEvent, TraceRecord};

/// Records the context switches of measuring threads and, where permitted, of all other threads.
#[derive(Debug)]
pub struct Tracer {
    state: TraceState,
    rings: Vec<Ring>,
    /// The instances of tracefs: one of the measured CPUs, and one of the others. Empty if perf rings are in use.
    instances: Vec<Instance>,
    layout: Option<Layout>,
    names: Names,
    lost: u64,
    has_faults: bool,
    /// Counts interrupts that no tracepoint records; `None` if they cannot be counted.
    untraced: Option<Untraced>,
    _limit: Option<RaisedLimit>,
}

impl Tracer {
    /// Opens the most detailed source of records that is permitted for these threads of this process, on
    /// the CPUs on which the threads may run.
    pub fn open(threads: &[ThreadId]) -> Self {
        let mut tracer = Self::open_on(threads, &measured_cpus(threads));
        tracer.untraced = tracer.layout.as_ref().and_then(Untraced::open);
        tracer
    }

    fn open_on(threads: &[ThreadId], cpus: &[u32]) -> Self {
        let limit = RaisedLimit::raise();
        // Reserves file descriptors for other parts of the program while events are opened.
        let reserve = Reserve::hold();
        let numbers = Numbers::of(threads);
        let mut tracer = Self {
            state: TraceState {
                paranoid: paranoid(),
                is_nested: !numbers.is_initial,
                ..TraceState::default()
            },
            rings: Vec::new(),
            instances: Vec::new(),
            layout: None,
            names: Names::new(numbers),
            lost: 0,
            has_faults: false,
            untraced: None,
            _limit: limit,
        };
        // Root may have an instance of tracefs, which is complete on more kernels than a perf ring.
        if let Err(denied) = tracer.open_instances(threads, cpus)
            && let Err(error) = tracer.open_of_cpus(threads, cpus)
        {
            log::debug!("no instance of tracefs: {denied}");
            tracer.deny(&error);
            match perf::open_own_switches(threads) {
                Ok(rings) => {
                    tracer.rings = rings;
                    tracer.state.source = Some(TraceSource::OwnSwitches);
                }
                Err(error) => tracer.deny(&error),
            }
        }
        if tracer.state.source.is_some() && !tracer.has_faults {
            // Without these records, page faults are only counted: their times are not known.
            let added = perf::add_own_faults(&mut tracer.rings, threads);
            tracer.has_faults = added.is_ok();
            if let Err(error) = added {
                tracer.state.lack_faults(error.raw_os_error());
            }
        }
        drop(reserve);
        tracer
    }

    /// Records the tracepoints of these CPUs, and the wake-ups of the threads by other CPUs, in instances of tracefs. Fails
    /// unless every event that is needed to explain a delay can be recorded on every CPU.
    fn open_instances(&mut self, threads: &[ThreadId], cpus: &[u32]) -> io::Result<()> {
        // In another PID namespace, tracepoints alone do not say which thread is which.
        if !self.names.numbers.is_initial {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let layout = Layout::read()?;
        let mut instance = Instance::create(threads, cpus, &layout)?;
        let mut events = InstanceEvents::new(&mut instance, &layout, cpus.len());
        let coverage = Coverage::open(cpus, &layout.groups, &layout.absent, &mut events)?;
        if !coverage.missing.is_empty() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        instance.start()?;
        self.has_faults = instance.has_faults;
        self.instances.push(instance);
        let others: Vec<u32> =
            perf::online_cpus().into_iter().filter(|cpu| !cpus.contains(cpu)).collect();
        if !others.is_empty() {
            // A wake-up that is not recorded is inferred from the run-queue delay.
            match Instance::of_wakings(threads, &others, &layout) {
                Ok(instance) => self.instances.push(instance),
                Err(error) => log::debug!("wake-ups by other CPUs are not recorded: {error}"),
            }
        }
        self.layout = Some(layout);
        self.state.source = Some(TraceSource::Kernel);
        self.state.covered = coverage.complete;
        Ok(())
    }

    /// Opens the events of each CPU: the switches of all threads and, if the kernel's descriptions of the
    /// tracepoints can be read, the tracepoints.
    fn open_of_cpus(&mut self, threads: &[ThreadId], cpus: &[u32]) -> io::Result<()> {
        let layout = Layout::read();
        let fault = layout.as_ref().ok().and_then(|layout| layout.page_fault);
        let mut events = KernelEvents::new(threads, &self.names.numbers, fault, cpus.len());
        let (groups, absent) =
            layout.as_ref().map_or((&[][..], &[][..]), |layout| (&layout.groups, &layout.absent));
        let coverage = Coverage::open(cpus, groups, absent, &mut events)?;
        self.has_faults = events.has_faults;
        match layout {
            Ok(layout) => {
                if let Some(id) = layout.waking_id() {
                    let others = perf::online_cpus().into_iter().filter(|cpu| !cpus.contains(cpu));
                    events.add_wakings(id, &others.collect::<Vec<u32>>());
                }
                self.layout = Some(layout);
            }
            Err(error) => self.deny(&error),
        }
        self.rings = events.rings.into_values().collect();
        let is_complete_somewhere = !coverage.complete.is_empty();
        self.state.source = Some(if is_complete_somewhere {
            TraceSource::Kernel
        } else {
            TraceSource::AllSwitches
        });
        let errno = coverage.missing.first().and_then(|one| one.errno);
        self.state.denied_errno = self.state.denied_errno.or(errno);
        (self.state.covered, self.state.missing) = (coverage.complete, coverage.missing);
        Ok(())
    }

    /// Saves why a source of records is not available. The most detailed source is tried first, so the last error is
    /// that of the source one level above the source in use.
    fn deny(&mut self, error: &io::Error) {
        self.state.denied_errno = error.raw_os_error().or(self.state.denied_errno);
    }

    /// Returns which source of records is in use, and why no more detailed source is.
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// Whether switches and page faults of the threads are recorded, so that the kernel's counters are not needed.
    pub const fn replaces_counters(&self) -> bool {
        self.state.source.is_some() && self.has_faults
    }

    /// Returns `None`: records arrive without a separate thread that reads them, as the kernel writes
    /// them into the rings.
    pub const fn reader(&mut self) -> Option<TraceReader> {
        None
    }

    /// Passes every record since the last call to `take`, not sorted by time. Times are those of `clock_nanos`.
    pub fn drain(&mut self, mut take: impl FnMut(TraceRecord)) {
        let Self { rings, instances, layout, names, lost, .. } = self;
        if let Some(layout) = layout {
            *lost +=
                instances.iter_mut().map(|one| one.drain(layout, names, &mut take)).sum::<u64>();
        }
        for ring in rings {
            ring.drain(layout.as_ref(), names, &mut |record| {
                if record.event == TraceEvent::Lost {
                    *lost += record.value.map_or(0, i64::unsigned_abs);
                }
                take(record);
            });
        }
    }

    /// Passes the remaining records to `take`, and for each tracepoint of each CPU how often it occurred and how many
    /// of its records arrived. Reading the counters interrupts each CPU, so call this after the measurement.
    pub fn close(&mut self, mut take: impl FnMut(TraceRecord)) {
        let counts: Vec<RingCounts> = self.rings.iter().map(Ring::read_counts).collect();
        self.drain(&mut take);
        let Self { rings, instances, layout, names, lost, .. } = self;
        let Some(layout) = layout else { return };
        *lost += instances.iter_mut().map(|one| one.close(layout, names, &mut take)).sum::<u64>();
        for (ring, counts) in rings.iter_mut().zip(counts) {
            ring.close(counts, layout, names, &mut take);
        }
    }

    /// Returns the CPUs on which a thread may run; none if they are not known.
    pub fn cpus_of(&self, thread: ThreadId) -> Vec<u32> {
        allowed_cpus(thread)
    }

    /// Returns the kinds of interrupts since `open` that no tracepoint records, with the CPUs on which they occurred.
    pub fn untraced(&self) -> Vec<Missing> {
        self.untraced.as_ref().map_or_else(Vec::new, Untraced::since_open)
    }

    /// Returns how many records were lost because the ring for them was full.
    pub const fn lost_count(&self) -> u64 {
        self.lost
    }

    /// Whether interrupts on idle CPUs are missing, as this kernel writes no records on an idle CPU.
    pub fn is_blind_when_idle(&self) -> bool {
        self.rings.iter().any(Ring::is_blind_when_idle)
    }

    /// Returns the name of the thread or interrupt of a record: "process (thread)", "[kernel thread]".
    pub fn name_of(&mut self, record: &TraceRecord) -> Option<String> {
        self.names.of(record)
    }
}

/// Reads and saves the kernel's descriptions of tracepoints, before this process drops the rights of root.
pub(super) fn note_tracepoints() {
    Layout::note();
}

/// Returns what can be recorded for threads of this process, from a check on one CPU.
pub fn trace_state() -> TraceState {
    let cpu = super::current_cpu().map_or_else(perf::online_cpus, |cpu| vec![cpu]);
    Tracer::open_on(&[super::thread_id()], &cpu).state
}

/// Returns the CPUs on which the threads may run; first those of the threads that are allowed on
/// the fewest CPUs.
fn measured_cpus(threads: &[ThreadId]) -> Vec<u32> {
    let online = perf::online_cpus();
    let mut sets: Vec<Vec<u32>> = threads.iter().map(|thread| allowed_cpus(*thread)).collect();
    if sets.iter().any(Vec::is_empty) {
        sets.push(online.clone());
    }
    sets.sort_by_key(Vec::len);
    let mut cpus: Vec<u32> = Vec::new();
    for cpu in sets.into_iter().flatten() {
        if online.contains(&cpu) && !cpus.contains(&cpu) {
            cpus.push(cpu);
        }
    }
    if cpus.is_empty() { online } else { cpus }
}

/// Returns the CPUs on which a thread of this process may run; none if they are not reported.
fn allowed_cpus(thread: ThreadId) -> Vec<u32> {
    let status = read(&format!("/proc/self/task/{}/status", thread.0)).unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.map_or_else(Vec::new, |list| cpu_list(list.trim()))
}

fn paranoid() -> Option<i32> {
    read("/proc/sys/kernel/perf_event_paranoid")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{clock_nanos, current_cpu};

    #[test]
    fn own_switches_are_recorded_with_the_time_of_the_clock() {
        let own = super::super::thread_id();
        let mut tracer = Tracer::open(&[own]);
        let Some(source) = tracer.state().source else {
            assert!(tracer.state().denied_errno.is_some(), "a denial has a reason");
            println!("skipped: the records of the kernel are denied here");
            return;
        };
        let began = clock_nanos();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let ended = clock_nanos();
        assert!(current_cpu().is_some());
        let thread = u32::try_from(own.0).ok();
        let mut records = Vec::new();
        tracer.drain(|record| records.push(record));
        let inside = |record: &&TraceRecord| {
            record.thread == thread && (began..=ended).contains(&record.at.get())
        };
        let slept = records.iter().filter(inside).find(|one| one.event == TraceEvent::Slept);
        if 0 < tracer.lost_count() {
            println!("skipped: this PC is too busy, and the kernel lost records");
            return;
        }
        let slept = slept.unwrap();
        // On a busy PC, the thread may be switched out and in before the sleep: only a later switch-in counts.
        let is_back = |one: &&TraceRecord| one.event == TraceEvent::SwitchIn && slept.at <= one.at;
        let back = records.iter().filter(inside).filter(is_back).min_by_key(|one| one.at).unwrap();
        // Counts from `began`: the 2 ms of the timer start before the thread leaves its CPU.
        assert!(2_000_000 <= back.at.get() - began, "{slept:?} {back:?}");
        if TraceSource::OwnSwitches < source {
            assert!(tracer.name_of(back).is_some());
        }
    }

    /// The counters of the kernel are compared with the records of every tracepoint of every CPU.
    #[test]
    fn what_the_kernel_counted_has_a_record_or_a_time_in_which_records_are_missing() {
        use std::collections::BTreeMap;

        let mut tracer = Tracer::open(&[super::super::thread_id()]);
        if tracer.state().source != Some(TraceSource::Kernel) {
            println!("skipped: the tracepoints of the kernel are denied here");
            return;
        }
        let mut records = Vec::new();
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            tracer.drain(|record| records.push(record));
        }
        tracer.close(|record| records.push(record));
        let mut counts: BTreeMap<(u32, String), [u64; 3]> = BTreeMap::new();
        for record in &records {
            let column = match record.event {
                TraceEvent::Counted => 0,
                TraceEvent::Received => 1,
                TraceEvent::ReportedLost => 2,
                _ => continue,
            };
            let name = tracer.name_of(record).unwrap();
            counts.entry((record.cpu, name)).or_default()[column] =
                record.value.unwrap().unsigned_abs();
        }
        assert!(!counts.is_empty());
        let received: u64 = counts.values().map(|[_, received, _]| received).sum();
        assert!(0 < received, "{counts:?}");
        for ((cpu, name), [counted, received, lost]) in &counts {
            println!("CPU {cpu} {name}: {counted} counted, {received} received, {lost} lost");
            assert!(received + lost <= *counted, "CPU {cpu} {name}");
        }
        let with_missing =
            counts.iter().filter(|(_, [counted, received, lost])| received + lost < *counted);
        let with_missing: std::collections::BTreeSet<u32> =
            with_missing.map(|((cpu, _), _)| *cpu).collect();
        let incomplete = records.iter().filter(|record| record.event == TraceEvent::Incomplete);
        let incomplete: std::collections::BTreeSet<u32> =
            incomplete.map(|record| record.cpu).collect();
        assert_eq!(with_missing, incomplete, "missing records have a time, and only they");
    }
}
