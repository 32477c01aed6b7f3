//! Keeps what is measured while it is measured, on a thread of its own, so that a slow disk holds up
//! nobody.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::platform;
use crate::platform::Applied;
use crate::run::{Counters, Health, Run};
use crate::sample::{Evidence, Sample};

/// How often what was written is handed to the system.
const FLUSH_EVERY: Duration = Duration::from_millis(500);
/// Entries that may wait for the disk before they wait in the collector.
const CAPACITY: usize = 64;

/// A piece of a run, in the order in which it happened.
#[derive(Clone, Debug)]
pub enum Entry {
    /// The facts of the run, with every trial still empty.
    Begun(Arc<Run>),
    /// What a trial was granted.
    Applied {
        /// Position of the trial in the run.
        trial: usize,
        /// What it was granted.
        applied: Box<Applied>,
    },
    /// New samples of a trial.
    Samples {
        /// Position of the trial in the run.
        trial: usize,
        /// In order of time.
        samples: Vec<Sample>,
        /// Evidence of late ones.
        evidence: Vec<Evidence>,
        /// Samples of this trial lost so far.
        lost_count: u64,
    },
    /// A trial is over.
    Ended {
        /// Position of the trial in the run.
        trial: usize,
        /// Whether it was measured to its end.
        complete: bool,
        /// Its named integers.
        counters: Counters,
        /// What may make the run untrustworthy, so far.
        health: Box<Health>,
    },
}

/// Where entries are kept; `store` gives one that writes a file.
pub trait Journal: Send {
    /// Keeps an entry; may wait for a disk.
    fn keep(&mut self, entry: &Entry) -> io::Result<()>;

    /// Hands what was kept to the system, so that it outlives this process.
    fn flush(&mut self) -> io::Result<()>;
}

/// The collector's end of a journal.
#[derive(Debug)]
pub(super) struct Keeper {
    entries: Option<SyncSender<Entry>>,
    backlog: VecDeque<Entry>,
    error: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the keeper's thread; without a journal nothing is kept.
    pub(super) fn start(journal: Option<Box<dyn Journal>>) -> Self {
        let error = Arc::new(Mutex::new(None));
        let mut keeper = Self {
            entries: None,
            backlog: VecDeque::new(),
            error: Arc::clone(&error),
            thread: None,
        };
        let Some(journal) = journal else { return keeper };
        let (sender, receiver) = sync_channel(CAPACITY);
        let spawned = Builder::new().name("keeper".to_owned()).spawn({
            let error = Arc::clone(&error);
            move || {
                platform::lower_own_priority();
                if let Err(source) = keep_all(journal, &receiver)
                    && let Ok(mut error) = error.lock()
                {
                    *error = Some(source.to_string());
                }
            }
        });
        match spawned {
            Ok(thread) => {
                keeper.entries = Some(sender);
                keeper.thread = Some(thread);
            }
            Err(source) => {
                if let Ok(mut error) = error.lock() {
                    *error = Some(source.to_string());
                }
            }
        }
        keeper
    }

    /// Hands an entry over without waiting; what does not fit waits here.
    pub(super) fn keep(&mut self, entry: Entry) {
        if self.entries.is_some() {
            self.backlog.push_back(entry);
            self.push();
        }
    }

    /// Hands over what waits.
    pub(super) fn push(&mut self) {
        let Some(sender) = &self.entries else { return };
        while let Some(entry) = self.backlog.pop_front() {
            match sender.try_send(entry) {
                Ok(()) => {}
                Err(TrySendError::Full(entry)) => {
                    self.backlog.push_front(entry);
                    return;
                }
                Err(TrySendError::Disconnected(_)) => {
                    self.backlog.clear();
                    self.entries = None;
                    return;
                }
            }
        }
    }

    /// Why nothing more is kept, told once.
    pub(super) fn take_error(&mut self) -> Option<String> {
        self.error.lock().ok()?.take()
    }

    /// Waits until everything is kept.
    pub(super) fn finish(mut self) {
        if let Some(sender) = self.entries.take() {
            for entry in self.backlog.drain(..) {
                if sender.send(entry).is_err() {
                    break;
                }
            }
        }
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("the keeper panicked");
        }
    }
}

fn keep_all(mut journal: Box<dyn Journal>, entries: &Receiver<Entry>) -> io::Result<()> {
    let mut flushed = Instant::now();
    loop {
        match entries.recv_timeout(FLUSH_EVERY) {
            Ok(entry) => journal.keep(&entry)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return journal.flush(),
        }
        if FLUSH_EVERY <= flushed.elapsed() {
            journal.flush()?;
            flushed = Instant::now();
        }
    }
}
