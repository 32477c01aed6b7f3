//! Records of who had the CPU: the kernel's own, through `perf_event_open`.
//!
//! Nothing runs on the measuring thread: the kernel writes into rings that the collector empties.

mod names;
mod perf;
mod tracepoints;

use std::io;

use self::names::Names;
use self::perf::Ring;
use self::tracepoints::Layout;
use super::super::{ThreadId, TraceSource, TraceState};
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
}

impl Tracer {
    /// Opens the most exact source that is permitted for these threads of this process.
    pub fn open(threads: &[ThreadId]) -> Self {
        let mut tracer = Self {
            state: TraceState { paranoid: paranoid(), ..TraceState::default() },
            rings: Vec::new(),
            layout: None,
            names: Names::default(),
            lost: 0,
            has_faults: false,
        };
        let layout = Layout::read();
        let with_tracepoints = match &layout {
            Ok(layout) => perf::open_kernel(layout, threads),
            Err(error) => Err(io::Error::from(error.kind())),
        };
        let opened = with_tracepoints
            .map(|rings| (TraceSource::Kernel, rings))
            .or_else(|error| {
                tracer.deny(&error);
                Ok((TraceSource::AllSwitches, perf::open_all_switches()?))
            })
            .or_else(|error: io::Error| {
                tracer.deny(&error);
                Ok((TraceSource::OwnSwitches, perf::open_own_switches(threads)?))
            });
        match opened {
            Ok((source, rings)) => {
                tracer.layout = layout.ok().filter(|_| source == TraceSource::Kernel);
                tracer.state.source = Some(source);
                tracer.rings = rings;
                // Without them a page fault is counted, but has no time.
                let faults = perf::add_faults(&mut tracer.rings, tracer.layout.as_ref(), threads);
                tracer.has_faults = faults.is_ok();
            }
            Err(error) => {
                let error: io::Error = error;
                tracer.deny(&error);
            }
        }
        tracer
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

/// What can be recorded for threads of this process.
pub fn trace_state() -> TraceState {
    Tracer::open(&[super::thread_id()]).state
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
