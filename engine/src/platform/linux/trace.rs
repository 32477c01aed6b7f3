//! Records of who had the CPU: the kernel's own, through `perf_event_open`.
//!
//! Nothing runs on the measuring thread: the kernel writes into rings that the collector empties.

mod coverage;
mod descriptors;
mod interrupts;
mod names;
mod numbers;
mod perf;
mod sleeps;
mod tracepoints;

use std::io;

pub use self::names::thread_owner;
pub use self::perf::SmiCounter;

use self::coverage::Coverage;
use self::descriptors::{RaisedLimit, Reserve};
use self::interrupts::Untraced;
use self::names::Names;
use self::numbers::Numbers;
use self::perf::{KernelEvents, Ring};
use self::tracepoints::Layout;
use super::super::parse::cpu_list;
use super::super::{Missing, ThreadId, TraceReader, TraceSource, TraceState};
use super::read;
use crate::sample::{TraceEvent, TraceRecord};

/// Records switches of measuring threads, and of all others where that is permitted.
#[derive(Debug)]
pub struct Tracer {
    state: TraceState,
    rings: Vec<Ring>,
    layout: Option<Layout>,
    names: Names,
    lost: u64,
    has_faults: bool,
    /// Interrupts that no tracepoint records.
    untraced: Option<Untraced>,
    _limit: Option<RaisedLimit>,
}

impl Tracer {
    /// Opens the most exact source that is permitted for these threads of this process, on the CPUs on which they may
    /// run.
    pub fn open(threads: &[ThreadId]) -> Self {
        let mut tracer = Self::open_on(threads, &measured_cpus(threads));
        tracer.untraced = tracer.layout.as_ref().and_then(Untraced::open);
        tracer
    }

    fn open_on(threads: &[ThreadId], cpus: &[u32]) -> Self {
        let limit = RaisedLimit::raise();
        // What follows is to leave room for files.
        let reserve = Reserve::hold();
        let numbers = Numbers::of(threads);
        let mut tracer = Self {
            state: TraceState {
                paranoid: paranoid(),
                is_nested: !numbers.is_initial(),
                ..TraceState::default()
            },
            rings: Vec::new(),
            layout: None,
            names: Names::new(numbers),
            lost: 0,
            has_faults: false,
            untraced: None,
            _limit: limit,
        };
        if let Err(error) = tracer.open_of_cpus(threads, cpus) {
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
            // Without them a page fault is counted, but has no time.
            let added = perf::add_own_faults(&mut tracer.rings, threads);
            tracer.has_faults = added.is_ok();
            if let Err(error) = added {
                tracer.state.lack_faults(error.raw_os_error());
            }
        }
        drop(reserve);
        tracer
    }

    /// Opens the events of CPUs: switches of all threads, and the tracepoints where they can be read.
    fn open_of_cpus(&mut self, threads: &[ThreadId], cpus: &[u32]) -> io::Result<()> {
        let layout = Layout::read();
        let fault = layout.as_ref().ok().and_then(Layout::page_fault_id);
        let mut events = KernelEvents::new(threads, &self.names.numbers, fault);
        let (groups, absent) =
            layout.as_ref().map_or((&[][..], &[][..]), |layout| (layout.groups(), layout.absent()));
        let coverage = Coverage::open(cpus, groups, absent, &mut events)?;
        self.has_faults = events.has_faults();
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
        self.rings = events.into_rings();
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

    /// Notes why a source is not available: the last reason is that of the source after the one in use.
    fn deny(&mut self, error: &io::Error) {
        self.state.denied_errno = error.raw_os_error().or(self.state.denied_errno);
    }

    /// What is recorded, and why not more.
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// Whether switches and page faults of the threads are recorded, so that they need not be counted.
    pub const fn replaces_counters(&self) -> bool {
        self.state.source.is_some() && self.has_faults
    }

    /// What a thread has to run for records to arrive: nothing, the kernel writes them.
    pub const fn reader(&mut self) -> Option<TraceReader> {
        None
    }

    /// Takes out every record so far, in no order. Times are readings of the clock.
    pub fn drain(&mut self, mut take: impl FnMut(TraceRecord)) {
        let Self { rings, layout, names, lost, .. } = self;
        for ring in rings {
            ring.drain(layout.as_ref(), names, &mut |record| {
                if record.event == TraceEvent::Lost {
                    *lost += record.value.map_or(0, i64::unsigned_abs);
                }
                take(record);
            });
        }
    }

    /// The CPUs on which a thread may run; none where that is not known.
    pub fn cpus_of(&self, thread: ThreadId) -> Vec<u32> {
        allowed_cpus(thread)
    }

    /// What was not recorded since the start that no tracepoint records: interrupts that came on these CPUs.
    pub fn untraced(&self) -> Vec<Missing> {
        self.untraced.as_ref().map_or_else(Vec::new, Untraced::since_open)
    }

    /// How many records were lost because their ring was full.
    pub const fn lost_count(&self) -> u64 {
        self.lost
    }

    /// Whether interrupts of an idle CPU are missing, as the kernel wrote nothing when one was left.
    pub fn is_blind_when_idle(&self) -> bool {
        self.rings.iter().any(Ring::is_blind_when_idle)
    }

    /// The name of what a record is about: "process (thread)", "[kernel thread]", an interrupt.
    pub fn name_of(&mut self, record: &TraceRecord) -> Option<String> {
        self.names.of(record)
    }
}

/// Reads the descriptions of tracepoints while this process may.
pub(super) fn note_tracepoints() {
    Layout::note();
}

/// What can be recorded for threads of this process: on one CPU, as on each.
pub fn trace_state() -> TraceState {
    let cpu = super::current_cpu().map_or_else(perf::online_cpus, |cpu| vec![cpu]);
    Tracer::open_on(&[super::thread_id()], &cpu).state
}

/// The CPUs on which threads may run: first those of threads with the fewest to choose from.
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

/// The CPUs on which a thread of this process may run; none where that is not reported.
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
        // On a busy PC the thread may lose its CPU before it sleeps, and come back to it.
        let is_back = |one: &&TraceRecord| one.event == TraceEvent::SwitchIn && slept.at <= one.at;
        let back = records.iter().filter(inside).filter(is_back).min_by_key(|one| one.at).unwrap();
        // The timer starts before the thread leaves its CPU.
        assert!(2_000_000 <= back.at.get() - began, "{slept:?} {back:?}");
        if TraceSource::OwnSwitches < source {
            assert!(tracer.name_of(back).is_some());
        }
    }
}
