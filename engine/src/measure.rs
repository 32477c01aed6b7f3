//! Runs a plan: the only module that starts threads.
//!
//! [`start`] returns a [`Running`] whose events report the measurement as it runs. The collector
//! thread owns the run: a slow reader of events loses nothing, and a slow collector loses samples
//! and counts exactly how many.

mod activity;
mod clock_watch;
mod collector;
mod cpu_use;
mod event;
mod evidence;
mod gap_loop;
mod hot_loop;
mod join;
mod journal;
mod limit_watch;
mod load;
mod marks;
mod pool;
mod power_watch;
mod recorder;
mod relay;
mod series_watch;
mod spawner;
mod stage_runner;
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

pub use event::{Event, UnknownTrial};
pub use journal::Journal;
pub use relay::{Arrival, EventSource, follow};
pub use spawner::{init_spawner, start_thread};
pub use trace::TraceMode;

/// The internals, public for benches and for tests that watch the measuring thread itself.
pub mod inner {
    pub use super::evidence::EvidenceReader;
    pub use super::gap_loop::{Gaps, Intervals, default_threshold, run_gaps};
    pub use super::hot_loop::{LoopResult, Paced, Sinks, Waiter, run_paced};
    pub use super::recorder::{Recorder, Tap, ring};
    pub use super::wait_loop::{WaitSeries, run_waits};
    pub use super::waiting::{WaitResult, hybrid, os_sleep, spin};
    pub use super::work::{Prepared, turns_a_second};
}

/// How often the collector drains the rings and sends events.
pub const BEAT: Nanos = Nanos::from_millis(50);

/// The same after a stop request: the user is waiting.
const LAST_BEAT: Nanos = Nanos::from_millis(5);

/// Capacity of the queue of unread events, before they wait in the collector.
const EVENT_CAPACITY: usize = 64;

/// Everything a run needs to start.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to measure.
    pub plan: Plan,
    /// Name and labels of the run.
    pub labels: Labels,
    /// The machine it is measured on.
    pub machine: Machine,
    /// The clock it is measured with.
    pub clock: ClockFacts,
    /// The CPUs that this process may use.
    pub cpus: CpuFacts,
    /// Whether who had the CPU is recorded around late samples.
    pub trace: TraceMode,
    /// Capacity of a ring in samples; the default is [`Request::RING_CAPACITY`].
    pub ring_capacity: usize,
}

impl Request {
    /// More than a minute at 1 000 samples per second: 5 MB.
    pub const RING_CAPACITY: usize = 1 << 16;
}

/// Why a run did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting cannot be run.
    #[error("{}", first(problems))]
    Settings {
        /// Every setting at fault.
        problems: Vec<Problem>,
    },
    /// A trace is required, and nothing can be recorded.
    #[error("--trace require: {reason}")]
    Trace {
        /// Why not, in a sentence.
        reason: String,
    },
    /// The system gave no thread.
    #[error("could not start a thread: {source}; close other programs and try again")]
    Thread {
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
}

fn first(problems: &[Problem]) -> &str {
    problems.first().map_or("the settings cannot be run", |problem| &problem.message)
}

/// An active run. Dropping it stops it and waits for its threads.
#[derive(Debug)]
pub struct Running {
    events: Option<Receiver<Event>>,
    stop: Arc<AtomicBool>,
    collector: Option<JoinHandle<()>>,
}

impl Running {
    /// Unread events.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.events.iter().flat_map(Receiver::try_iter)
    }

    /// Waits for the next event; `None` once the run is over and everything was read.
    pub fn next_event(&self) -> Option<Event> {
        self.events.as_ref()?.recv().ok()
    }

    /// Requests a stop. The samples so far still arrive, as `Finished`.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the collector early.
        if let Some(collector) = &self.collector {
            collector.thread().unpark();
        }
    }

    /// A handle that can stop the run from elsewhere, such as a signal handler.
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

/// Stops a run from elsewhere.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<AtomicBool>);

impl Stopper {
    /// Requests a stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts a run whose events are saved in the journal; `wake` is called, on the collector's thread,
/// when there are events to read. Only the runner and tests call this.
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
