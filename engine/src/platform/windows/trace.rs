//! Records of who had the CPU: the kernel's own, through a session of the system's event tracing.
//!
//! It needs the rights of an administrator and Windows 8 or later. The decoder of its events is tested with a recorded
//! trace; the session itself was not seen working on Windows, as none was at hand: under Wine, which has no such
//! sessions, it falls back to counters.

mod consumer;
mod session;

use std::path::Path;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::WIN32_ERROR;

use self::consumer::Consumer;
use self::session::Session;
pub(in super::super) use self::session::stop_all;
use super::super::parse::etw::is_kernel_process;
use super::super::trace::PAGE_FAULTS;
use super::super::{
    FileCapabilities, Missing, ThreadId, TraceReader, TraceSource, TraceState, is_own_process,
    usable_cpus,
};
use super::clock::clock_nanos;
use super::living;
use crate::nanos::Nanos;
use crate::sample::{ThreadOwner, TraceRecord, UNKNOWN_THREAD};

/// How long records of the past are waited for at most.
const PATIENCE: Duration = Duration::from_millis(60);
/// How long a part of that is.
const STEP: Duration = Duration::from_millis(3);

/// Records the switches of all threads, interrupts and deferred calls, where that is permitted.
#[derive(Debug, Default)]
pub struct Tracer {
    state: TraceState,
    open: Option<Open>,
}

/// A session and who reads it. The session is stopped first, which ends the reader.
#[derive(Debug)]
struct Open {
    session: Session,
    events: consumer::Events,
    reader: Option<Consumer>,
    /// Events that were lost so far.
    lost: u64,
    /// The last two times of looking for losses: what was lost may have waited in a buffer for that long.
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

    /// What is recorded, and why not more.
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// What a thread has to run for records to arrive, until the trace is dropped; `None` once it was taken, and
    /// without a trace.
    pub fn reader(&mut self) -> Option<TraceReader> {
        let consumer = self.open.as_mut()?.reader.take()?;
        Some(Box::new(move || consumer.run()))
    }

    /// Takes out every record so far. Times are readings of the clock.
    pub fn drain(&mut self, mut take: impl FnMut(TraceRecord)) {
        let Some(open) = &mut self.open else { return };
        // Events arrive in order of time: with one from now on, all before are there. This thread's own switches are
        // such events, and end up in what is flushed next.
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
            // It is not known of which CPU.
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            for cpu in usable_cpus() {
                take(TraceRecord::lost(from, cpu, count));
                take(TraceRecord::lost(looked, cpu, 0));
            }
            open.lost = lost;
        }
        open.events.take().into_iter().for_each(take);
    }

    /// Whether switches and page faults of the threads are recorded, so that they need not be counted: page faults are
    /// not.
    pub const fn replaces_counters(&self) -> bool {
        false
    }

    /// The CPUs on which a thread may run: not known.
    pub const fn cpus_of(&self, _thread: ThreadId) -> Vec<u32> {
        Vec::new()
    }

    /// What turned out not to be recorded: nothing but what the state has.
    pub const fn untraced(&self) -> Vec<Missing> {
        Vec::new()
    }

    /// How many records were lost because a buffer was full.
    pub fn lost_count(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.lost)
    }

    /// Whether interrupts of an idle CPU are missing: they are recorded.
    pub const fn is_blind_when_idle(&self) -> bool {
        false
    }

    /// The name of what a record is about: "process (thread)", "[System (driver)]", the driver of an interrupt.
    pub fn name_of(&mut self, record: &TraceRecord) -> Option<String> {
        let recorded = self.open.as_ref()?.events.name_of(record);
        let thread = record.thread.filter(|thread| *thread != 0);
        recorded.or_else(|| match thread? {
            UNKNOWN_THREAD => Some("unknown thread".to_owned()),
            thread => living::program_name_of(thread).or_else(|| Some(format!("thread {thread}"))),
        })
    }
}

/// What is recorded with rights. Page faults are not, as recording every one of them would delay programs: so a stretch
/// without a record proves nothing, and no CPU is covered.
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

/// Whose a running thread is; `None` for one of another program, and for one that has exited.
pub fn thread_owner(thread: u32) -> Option<ThreadOwner> {
    match living::process_of(thread)? {
        process if is_kernel_process(process) => Some(ThreadOwner::Kernel),
        process => is_own_process(process).then_some(ThreadOwner::Own),
    }
}

/// What can be recorded: a session is started and stopped.
pub fn trace_state() -> TraceState {
    Tracer::open(&[]).state
}

/// The capabilities of a program file: this system has none.
pub fn file_capabilities(_program: &Path) -> FileCapabilities {
    FileCapabilities::default()
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
