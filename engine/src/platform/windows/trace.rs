//! Records which thread ran on a CPU at each time, through a session of the system's event tracing (ETW).
//!
//! A session needs the rights of an administrator and Windows 8 or later. The decoder of the events
//! is tested with a recorded trace. The session itself was not tested on Windows, but only under
//! Wine, which has no such sessions: the program then uses counters instead.

mod consumer;
mod session;

use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::WIN32_ERROR;

use self::consumer::Consumer;
use self::session::Session;
pub(in super::super) use self::session::stop_all;
use super::super::parse::etw::is_kernel_process;
use super::super::trace::PAGE_FAULTS;
use super::super::{
    Missing, ThreadId, TraceReader, TraceSource, TraceState, is_own_process, usable_cpus,
};
use super::clock::clock_nanos;
use super::living;
use crate::nanos::Nanos;
use crate::sample::{ThreadOwner, TraceRecord, UNKNOWN_THREAD};

/// Max time for which [`Tracer::drain`] waits for the records of past events.
const PATIENCE: Duration = Duration::from_millis(60);
/// Interval between two checks while [`Tracer::drain`] waits for records.
const STEP: Duration = Duration::from_millis(3);

/// Records the switches of all threads, interrupts, and deferred calls, where that is permitted.
#[derive(Debug, Default)]
pub struct Tracer {
    state: TraceState,
    open: Option<Open>,
}

/// A session and its reader. The session is dropped first, which ends the reader.
#[derive(Debug)]
struct Open {
    session: Session,
    events: consumer::Events,
    reader: Option<Consumer>,
    /// Number of events lost so far.
    lost: u64,
    /// The times of the last two checks for lost events. An event found to be lost at the next check
    /// may have occurred since the older of the two, as events wait in buffers.
    looked: [Nanos; 2],
}

impl Open {
    fn start() -> Result<Self, WIN32_ERROR> {
        let session = Session::start()?;
        let reader = Consumer::open(session.name())?;
        let events = reader.events();
        Ok(Self { session, events, reader: Some(reader), lost: 0, looked: [now(); 2] })
    }
}

fn now() -> Nanos {
    Nanos::new(clock_nanos())
}

impl Tracer {
    /// Opens the kernel's trace, if that is permitted.
    pub fn open(_threads: &[ThreadId]) -> Self {
        match Open::start() {
            Ok(open) => Self { state: recording_state(), open: Some(open) },
            Err(code) => Self { state: denied_state(code), open: None },
        }
    }

    /// Returns which trace source is in use, and why no more detailed source is.
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// Returns the function that reads events. It must run on a separate thread until the trace is
    /// dropped: otherwise, no records arrive. `None` without a trace, and from the second call on.
    pub fn reader(&mut self) -> Option<TraceReader> {
        let consumer = self.open.as_mut()?.reader.take()?;
        Some(Box::new(move || consumer.run()))
    }

    /// Passes every record so far to `take`. The times in records are readings of `clock_nanos`.
    pub fn drain(&mut self, mut take: impl FnMut(TraceRecord)) {
        let Some(open) = &mut self.open else { return };
        // Events arrive in order of time: once an event later than `wanted` has arrived, all past
        // events have. The sleep below causes such events, as this thread switches, and one of the
        // next flushes delivers them.
        let (began, wanted) = (Instant::now(), now());
        loop {
            open.session.flush();
            std::thread::sleep(STEP);
            if wanted <= open.events.newest() || PATIENCE <= began.elapsed() {
                break;
            }
        }
        let looked = now();
        let [from, before] = open.looked;
        open.looked = [before, looked];
        let lost = open.session.lost_count() + open.events.dropped_count();
        if let Some(count) = lost.checked_sub(open.lost).filter(|count| *count != 0) {
            // The CPU of a lost event is not known: the records of the loss are added for every CPU.
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            for cpu in usable_cpus() {
                take(TraceRecord::lost(from, cpu, count));
                take(TraceRecord::lost(looked, cpu, 0));
            }
            open.lost = lost;
        }
        open.events.take().into_iter().for_each(take);
    }

    /// Passes every remaining record to `take`. The system reports losses, but no counts per event.
    pub fn close(&mut self, take: impl FnMut(TraceRecord)) {
        self.drain(take);
    }

    /// Returns `false`: the kernel's counters are still needed, as page faults are not recorded.
    pub const fn replaces_counters(&self) -> bool {
        false
    }

    /// Returns an empty list: the CPUs on which a thread may run are not known.
    pub const fn cpus_of(&self, _thread: ThreadId) -> Vec<u32> {
        Vec::new()
    }

    /// Returns an empty list: `state` already lists every kind of event that is not recorded.
    pub const fn untraced(&self) -> Vec<Missing> {
        Vec::new()
    }

    /// Returns how many records were lost because a buffer was full.
    pub fn lost_count(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.lost)
    }

    /// Returns `false`: interrupts of an idle CPU are recorded.
    pub const fn is_blind_when_idle(&self) -> bool {
        false
    }

    /// Returns the name of the thread or interrupt of a record: "process (thread)", "[System
    /// (driver)]", or the driver of an interrupt. `None` if no name is known.
    pub fn name_of(&mut self, record: &TraceRecord) -> Option<String> {
        let recorded = self.open.as_ref()?.events.name_of(record);
        let thread = record.thread.filter(|thread| *thread != 0);
        recorded.or_else(|| match thread? {
            UNKNOWN_THREAD => Some("unknown thread".to_owned()),
            thread => living::program_name_of(thread).or_else(|| Some(format!("thread {thread}"))),
        })
    }
}

/// Returns the state of a trace that is permitted. Page faults are not recorded, as recording each
/// fault would delay programs. An interval without a record can therefore contain page faults, and
/// the state lists no CPU as completely recorded.
fn recording_state() -> TraceState {
    let faults = Missing { event: PAGE_FAULTS.to_owned(), errno: None, cpus: usable_cpus() };
    TraceState {
        source: Some(TraceSource::AllSwitches),
        missing: vec![faults],
        ..TraceState::default()
    }
}

fn denied_state(code: WIN32_ERROR) -> TraceState {
    log::info!("no kernel trace: error {code}");
    TraceState { denied_errno: i32::try_from(code).ok(), ..TraceState::default() }
}

/// Returns whether a running thread belongs to the kernel or this program; `None` if it belongs to
/// another program or has exited.
pub fn thread_owner(thread: u32) -> Option<ThreadOwner> {
    match living::process_of(thread)? {
        process if is_kernel_process(process) => Some(ThreadOwner::Kernel),
        process => is_own_process(process).then_some(ThreadOwner::Own),
    }
}

/// Returns what can be recorded: starts and stops a session to find out.
pub fn trace_state() -> TraceState {
    Tracer::open(&[]).state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_trace_the_reason_is_in_words_and_nothing_is_recorded() {
        let mut tracer = Tracer::open(&[super::super::thread_id()]);
        if tracer.state().source.is_some() {
            println!("skipped: this process may trace the kernel");
            return;
        }
        assert!(tracer.state().denied_errno.is_some(), "a denial has a reason");
        let sentence = tracer.state().sentence();
        assert!(sentence.starts_with("Counters only"), "{sentence}");
        assert!(tracer.reader().is_none());
        tracer.drain(|record| panic!("{record:?}"));
        assert_eq!(tracer.lost_count(), 0);
        assert_eq!(trace_state(), *tracer.state());
    }

    #[test]
    fn records_arrive_where_the_kernel_may_be_traced() {
        let own = super::super::thread_id();
        let mut tracer = Tracer::open(&[own]);
        let Some(reader) = tracer.reader() else {
            println!("skipped: the kernel's trace is denied here");
            return;
        };
        let reader = std::thread::Builder::new().name("trace-reader".to_owned()).spawn(reader);
        let began = now();
        std::thread::sleep(Duration::from_millis(20));
        let mut records = Vec::new();
        tracer.drain(|record| records.push(record));
        let thread = u32::try_from(own.0).ok();
        let is_own = |one: &&TraceRecord| one.thread == thread && began <= one.at;
        assert!(records.iter().any(|one| is_own(&one)), "{} records", records.len());
        drop(tracer);
        reader.unwrap().join().unwrap();
    }

    #[test]
    fn threads_of_this_program_are_its_own() {
        let own = u32::try_from(super::super::thread_id().0).unwrap();
        assert_eq!(thread_owner(own), Some(ThreadOwner::Own));
        assert!(living::program_name_of(own).unwrap().contains("jitterscope"));
        assert_eq!(thread_owner(u32::MAX - 3), None);
    }
}
