//! Runs a plan, and starts the threads that measure.
//!
//! [`start`] returns a [`Running`], whose events report the progress of the measurement. The
//! collector thread owns the run. A slow reader of events loses no event; if the collector is slow,
//! samples are lost, and their exact number is counted.

mod canary;
mod collector;
mod cpu_use;
mod event;
mod evidence;
mod gap_loop;
mod hot_loop;
mod instant_loop;
mod join;
mod journal;
mod lasting;
mod limit_watch;
mod load;
mod marks;
mod own_runs;
mod pool;
mod recorder;
mod relay;
mod series_watch;
mod side_by_side;
mod spawner;
mod stage_runner;
mod switch_cost;
mod tail_trial;
mod tick_loop;
mod trace;
mod trial;
mod wait_loop;
mod waiting;
mod watchdog;
mod work;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::plan::{CpuFacts, Plan, Problem};
use crate::run::Labels;

pub use canary::{Canaries, CanaryWake, RunningCanary};
pub use event::{Event, UnknownTrial};
pub use journal::{Journal, JournalWriter};
pub use lasting::on_lasting_thread;
pub use own_runs::{OwnRunMark, mark_own_run};
pub use relay::{Arrival, EventSource, follow};
pub(crate) use side_by_side::compute_side_by_side;
pub use spawner::{init_spawner, start_thread};
pub use switch_cost::SwitchCost;
pub use trace::TraceMode;

/// Internals that are public for benches and for tests of the measuring thread.
pub mod inner {
    pub use super::evidence::EvidenceReader;
    pub use super::gap_loop::{Gaps, Intervals, default_threshold, run_gaps};
    pub use super::hot_loop::{LoopResult, Paced, Sinks, run_paced};
    pub use super::recorder::{Recorder, Tap, ring};
    pub use super::wait_loop::{WaitSeries, run_waits};
    pub use super::waiting::{WaitResult, Waiter, hybrid, os_sleep, spin};
    pub use super::work::{Prepared, turns_a_second};
}

/// The interval at which the collector drains the rings and sends events.
pub const BEAT: Nanos = Nanos::from_millis(50);

/// The interval that replaces [`BEAT`] after a stop request, because the user is waiting for the end.
const LAST_BEAT: Nanos = Nanos::from_millis(5);

/// Capacity of the queue of unread events; further events are queued in the collector.
const EVENT_CAPACITY: usize = 64;

/// Everything a run needs to start.
#[derive(Clone, Debug)]
pub struct Request {
    /// The plan, which defines what the run measures.
    pub plan: Plan,
    /// Name and labels of the run.
    pub labels: Labels,
    /// The machine that runs the measurement.
    pub machine: Machine,
    /// The clock that times the measurement.
    pub clock: ClockFacts,
    /// The CPUs that this process may use.
    pub cpus: CpuFacts,
    /// Whether a trace records, around late samples, which threads had the CPU.
    pub trace: TraceMode,
    /// Capacity of each ring between a measuring thread and the collector, in samples.
    pub ring_capacity: usize,
}

impl Request {
    /// The default of `ring_capacity`: about 65 s at 1 000 samples per second, in about 4 MB.
    pub const RING_CAPACITY: usize = 1 << 16;
}

/// Why a run did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting cannot be run.
    #[error("{}", first(problems))]
    Settings {
        /// All settings that are not valid.
        problems: Vec<Problem>,
    },
    /// The request requires a trace, but this system or its permissions allow none.
    #[error("--trace require: {reason}")]
    Trace {
        /// Why no trace can be recorded, in one or two sentences.
        reason: String,
    },
    /// The system could not start a thread.
    #[error("could not start a thread: {source}; close other programs and try again")]
    Thread {
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
}

fn first(problems: &[Problem]) -> &str {
    problems.first().map_or("the settings cannot be run", |problem| &problem.message)
}

/// An active run. Dropping the value stops the run and waits for its threads.
#[derive(Debug)]
pub struct Running {
    events: Option<Receiver<Event>>,
    stop: Arc<AtomicBool>,
    collector: Option<JoinHandle<()>>,
}

impl Running {
    /// Returns the unread events without waiting.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.events.iter().flat_map(Receiver::try_iter)
    }

    /// Waits for the next event and returns it; `None` after the run is over and all events were read.
    pub fn next_event(&self) -> Option<Event> {
        self.events.as_ref()?.recv().ok()
    }

    /// Requests a stop. The last event, `Finished`, contains the run with all samples until the stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        // The collector sleeps between beats; this wakes it immediately.
        if let Some(collector) = &self.collector {
            collector.thread().unpark();
        }
    }

    /// Returns a handle that can stop the run from other code, such as a signal handler.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stop))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        drop(self.events.take());
        if let Some(collector) = self.collector.take()
            && collector.join().is_err()
        {
            log::error!("the collector panicked");
        }
    }
}

/// A handle that can stop a run.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<AtomicBool>);

impl Stopper {
    /// Requests a stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether a stop was requested.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Starts a run and saves its events in the journal. The collector's thread calls `wake` when there
/// are new events to read. Only the runner and tests call this function.
pub fn start(
    request: Request,
    journal: Option<Box<dyn Journal>>,
    wake: impl Fn() + Send + 'static,
) -> Result<Running, StartError> {
    let problems = request.plan.problems(&request.cpus);
    if !problems.is_empty() {
        return Err(StartError::Settings { problems });
    }
    request.trace.check()?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, events) = sync_channel(EVENT_CAPACITY);
    let collector = {
        let stop = Arc::clone(&stop);
        start_thread("collector", move || {
            stage_runner::conduct(request, journal, &stop, sender, Box::new(wake));
        })
        .map_err(|source| StartError::Thread { source })?
    };
    Ok(Running { events: Some(events), stop, collector: Some(collector) })
}
