//! Runs a plan, from the request to the saved run. The window and every command measure through
//! this module; nothing else starts or saves a run.
//!
//! ```no_run
//! use jitterscope_engine::measure::Event;
//! use jitterscope_engine::plan::Plan;
//! use jitterscope_engine::run::Labels;
//! use jitterscope_engine::runner::{MachineFacts, Runner, Sink};
//! use jitterscope_engine::store::Store;
//!
//! let request = MachineFacts::read().request(Plan::all().remove(0), Labels::default());
//! let runner = Runner::start(request, Sink::Store(Store::at("runs")), || {})?;
//! while let Some(event) = runner.next_event() {
//!     if let Event::Finished(run) = event {
//!         println!("{:?}", runner.finish(run).save().path);
//!         break;
//!     }
//! }
//! # Ok::<(), jitterscope_engine::runner::StartError>(())
//! ```

pub mod agent;
mod agent_error;
mod check;
mod check_sequence;
mod connection;
mod copy;
mod host;
mod host_key;
mod quiet;
mod recorder;
mod remote_run;
mod sequence;
mod sink;

use std::path::PathBuf;
use std::sync::Arc;

use crate::machine::{ClockFacts, Machine};
use crate::measure::{self, Event, Journal, Request, Running, Stopper, TraceMode};
use crate::plan::{CpuFacts, Plan};
use crate::platform;
use crate::run::{Labels, Run};
use crate::store::{Room, SaveError, Store};

pub use crate::format::protocol::AgentFacts;
pub use agent_error::AgentError;
pub use check::CheckGroup;
pub use check_sequence::{CheckSequence, CheckStep, MeasuredPart, PartState};
pub use copy::{copy_agent, system_of};
pub use host::{Address, Agent, Host, open_sign_in};
pub use host_key::HostKey;
pub use quiet::{OtherLoad, OtherPrograms, OtherShare, QuietWait};
pub use recorder::{FollowError, RecordError, RecordRequest, Recorder, STEP, ThreadRequest};
pub use remote_run::lost_after;
pub use sequence::{RunSequence, Step};
pub use sink::Sink;

/// The facts about the machine that a run needs.
#[derive(Clone, Debug)]
pub struct MachineFacts {
    /// The hardware and the operating system of the machine.
    pub machine: Machine,
    /// The clock of the machine.
    pub clock: ClockFacts,
    /// The CPUs that this process may use.
    pub cpus: CpuFacts,
}

impl MachineFacts {
    /// Reads the facts about this machine; takes a few milliseconds.
    pub fn read() -> Self {
        Self { machine: Machine::read(), clock: ClockFacts::measure(), cpus: platform::cpu_facts() }
    }

    /// Returns the request to measure a plan on this machine.
    pub fn request(self, plan: Plan, labels: Labels) -> Request {
        let Self { machine, clock, cpus } = self;
        Request {
            plan,
            labels,
            machine,
            clock,
            cpus,
            ring_capacity: Request::RING_CAPACITY,
            trace: TraceMode::default(),
        }
    }
}

/// Why a run did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The plan cannot be measured.
    #[error(transparent)]
    Measure(#[from] measure::StartError),
    /// The disk has no room for the run.
    #[error(transparent)]
    Room(#[from] SaveError),
    /// The agent for the run cannot be used.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// A run in progress. Dropping the `Runner` stops the run and leaves its journal in the store.
#[derive(Debug)]
pub struct Runner {
    running: Running,
    store: Option<Store>,
    journal: Option<PathBuf>,
    room: Option<Room>,
}

impl Runner {
    /// Starts a run; `wake` is called on another thread when there are events to read. Returns an
    /// error before anything is measured if the store has no room for the run. If the journal
    /// cannot be created, the run continues without one and reports [`Event::NotSaved`].
    pub fn start(
        request: Request,
        sink: Sink,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self, StartError> {
        Self::start_by(request, sink, |request, journal| {
            Ok(measure::start(request, journal, wake)?)
        })
    }

    /// Starts a run like [`start`](Self::start). The function `start` begins the measurement, in
    /// this process or in the process of an agent.
    fn start_by(
        request: Request,
        sink: Sink,
        start: impl FnOnce(Request, Option<Box<dyn Journal>>) -> Result<Running, StartError>,
    ) -> Result<Self, StartError> {
        let room = match &sink {
            Sink::Store(store) => store.reserve(request.plan.expected_samples(&request.cpus))?,
            Sink::Stream(_) | Sink::Discard => None,
        };
        let (store, journal, path) = sink.open();
        match start(request, journal) {
            Ok(running) => Ok(Self { running, store, journal: path, room }),
            Err(error) => {
                remove_journal(store.as_ref(), path.as_ref());
                Err(error)
            }
        }
    }

    /// Returns the events that have not been read yet.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.running.events()
    }

    /// Waits for the next event; `None` once the run has ended and all events have been read.
    pub fn next_event(&self) -> Option<Event> {
        self.running.next_event()
    }

    /// Requests a stop. The samples collected until then still arrive, in [`Event::Finished`].
    pub fn stop(&self) {
        self.running.stop();
    }

    /// Returns a handle to stop the run from elsewhere, such as a signal handler.
    pub fn stopper(&self) -> Stopper {
        self.running.stopper()
    }

    /// Returns `run`, the run in the last event, in a form that can be saved; waits until the
    /// threads of the run have ended.
    pub fn finish(self, run: Arc<Run>) -> FinishedRun {
        let Self { running, store, journal, room } = self;
        drop(running);
        let mut run = Arc::unwrap_or_clone(run);
        run.make_single_lines();
        FinishedRun { run, store, journal, room }
    }
}

/// A run that has ended and is not saved yet.
#[derive(Debug)]
pub struct FinishedRun {
    /// The run; further facts may be added before it is saved.
    pub run: Run,
    store: Option<Store>,
    journal: Option<PathBuf>,
    room: Option<Room>,
}

impl FinishedRun {
    /// Saves the run if it has data and the sink is a store. Then removes the journal, unless
    /// saving failed.
    pub fn save(self) -> SavedRun {
        let Self { run, store, journal, room } = self;
        // Release the reserved disk space, which the file of the run needs.
        drop(room);
        let save = |store: &Store| store.save_measured(&run, journal.as_deref());
        match store.as_ref().map_or(Ok(None), save) {
            Ok(path) => SavedRun { run, path, failure: None },
            Err(error) => SavedRun { run, path: None, failure: Some(error) },
        }
    }
}

/// A run after an attempt to save it.
#[derive(Debug)]
pub struct SavedRun {
    /// The run.
    pub run: Run,
    /// The path of the run's file; `None` if the run was not saved.
    pub path: Option<PathBuf>,
    /// Why saving failed; the journal, if there is one, still contains the samples.
    pub failure: Option<SaveError>,
}

/// Removes the journal of a run that did not start. An error is only logged.
fn remove_journal(store: Option<&Store>, journal: Option<&PathBuf>) {
    if let Some((store, path)) = store.zip(journal)
        && let Err(error) = store.remove(path)
    {
        log::warn!("{error}");
    }
}
