//! Saves the events of a run during the measurement, on a separate thread, so that a slow disk does not delay it.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::{Event, mark_own_run};
use crate::platform;

/// The interval at which saved events are flushed to the system.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// The interval at which flushed data is written to the disk. A power failure loses about this much.
const SYNC_INTERVAL: Duration = Duration::from_secs(3);
/// Capacity of the queue of the journal's thread; further events wait in the collector's backlog.
const CAPACITY: usize = 64;

/// A destination of the events of a run. The module `store` has an implementation that writes a file.
pub trait Journal: Send {
    /// Saves an event, which may take as long as the disk needs.
    fn keep(&mut self, event: &Event) -> io::Result<()>;

    /// Flushes the saved events to the system, so that they survive the end of this process.
    fn flush(&mut self) -> io::Result<()>;

    /// Writes the flushed events to the disk, so that they survive a power failure.
    fn sync(&mut self) -> io::Result<()>;
}

/// The collector's end of a journal.
#[derive(Debug)]
pub struct JournalWriter {
    events: Option<SyncSender<Event>>,
    backlog: VecDeque<Event>,
    error: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl JournalWriter {
    /// Starts the thread that writes the journal. If `journal` is `None`, nothing is saved.
    pub fn start(journal: Option<Box<dyn Journal>>) -> Self {
        let error = Arc::new(Mutex::new(None));
        let mut writer = Self {
            events: None,
            backlog: VecDeque::new(),
            error: Arc::clone(&error),
            thread: None,
        };
        let Some(journal) = journal else { return writer };
        let (sender, receiver) = sync_channel(CAPACITY);
        let spawned = Builder::new().name("journal".to_owned()).spawn({
            let error = Arc::clone(&error);
            move || {
                platform::lower_own_priority();
                if let Err(source) = write_all(journal, &receiver)
                    && let Ok(mut error) = error.lock()
                {
                    *error = Some(source.to_string());
                }
            }
        });
        match spawned {
            Ok(thread) => {
                writer.events = Some(sender);
                writer.thread = Some(thread);
            }
            Err(source) => {
                if let Ok(mut error) = error.lock() {
                    *error = Some(source.to_string());
                }
            }
        }
        writer
    }

    /// Passes an event to the journal's thread without waiting; if the queue is full, the event stays in the backlog.
    pub fn write(&mut self, event: &Event) {
        if self.events.is_some() {
            self.backlog.push_back(event.clone());
            self.push();
        }
    }

    /// Passes events from the backlog to the journal's thread, until its queue is full.
    pub fn push(&mut self) {
        let Some(sender) = &self.events else { return };
        while let Some(event) = self.backlog.pop_front() {
            match sender.try_send(event) {
                Ok(()) => {}
                Err(TrySendError::Full(event)) => {
                    self.backlog.push_front(event);
                    return;
                }
                Err(TrySendError::Disconnected(_)) => {
                    self.backlog.clear();
                    self.events = None;
                    return;
                }
            }
        }
    }

    /// Returns the reason why saving stopped, once; `None` before that and afterward.
    pub fn take_error(&mut self) -> Option<String> {
        self.error.lock().ok()?.take()
    }

    /// Waits until everything is saved.
    pub fn finish(&mut self) {
        if let Some(sender) = self.events.take() {
            for event in self.backlog.drain(..) {
                if sender.send(event).is_err() {
                    break;
                }
            }
        }
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("the journal's thread panicked");
        }
    }
}

fn write_all(mut journal: Box<dyn Journal>, events: &Receiver<Event>) -> io::Result<()> {
    let mut flushed = Instant::now();
    let mut synced = Some(flushed);
    loop {
        let received = events.recv_timeout(FLUSH_INTERVAL);
        let _run = mark_own_run();
        match received {
            Ok(event) => journal.keep(&event)?,
            Err(RecvTimeoutError::Timeout) => {}
            // A sync is not necessary: the run file is synced before it replaces the journal.
            Err(RecvTimeoutError::Disconnected) => return journal.flush(),
        }
        if FLUSH_INTERVAL <= flushed.elapsed() {
            journal.flush()?;
            flushed = Instant::now();
        }
        if synced.is_some_and(|synced| SYNC_INTERVAL <= synced.elapsed()) {
            synced = is_synced(journal.sync())?.then(Instant::now);
        }
    }
}

/// Returns whether a sync was done. A file system that does not support syncs is not an error: it saves the events.
fn is_synced(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) =>
        {
            log::info!("the journal is not synced: {error}");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;

    /// A journal that counts the calls of its methods: `keep`, `flush`, and `sync`.
    #[derive(Clone, Default)]
    struct Counted {
        calls: Arc<Mutex<(usize, usize, usize)>>,
        has_no_sync: bool,
    }

    impl Journal for Counted {
        fn keep(&mut self, _: &Event) -> io::Result<()> {
            self.calls.lock().unwrap().0 += 1;
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.calls.lock().unwrap().1 += 1;
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            self.calls.lock().unwrap().2 += 1;
            if self.has_no_sync { Err(io::ErrorKind::Unsupported.into()) } else { Ok(()) }
        }
    }

    /// Writes events for a number of sync intervals, and returns the number of calls of `keep`, `flush`, and `sync`.
    fn calls(has_no_sync: bool, intervals: u32) -> (usize, usize, usize) {
        let journal = Counted { has_no_sync, ..Counted::default() };
        let mut writer = JournalWriter::start(Some(Box::new(journal.clone())));
        let end = Instant::now() + SYNC_INTERVAL * intervals + FLUSH_INTERVAL;
        let event = Event::Value { trial: 0, name: String::new(), at: Nanos::ZERO, value: 0 };
        while Instant::now() < end {
            writer.write(&event);
            std::thread::sleep(Duration::from_millis(20));
        }
        writer.finish();
        assert_eq!(writer.take_error(), None);
        *journal.calls.lock().unwrap()
    }

    #[test]
    fn a_journal_is_synced_every_few_seconds_of_a_run() {
        let (kept, flushed, synced) = calls(false, 1);
        assert!(0 < kept && 0 < synced && synced < flushed, "{kept} {flushed} {synced}");
    }

    #[test]
    fn a_file_system_without_sync_is_asked_once_and_the_run_goes_on() {
        let (kept, _, synced) = calls(true, 2);
        assert_eq!(synced, 1);
        assert!(1 < kept);
    }

    #[test]
    fn a_sync_that_fails_is_an_error() {
        assert!(is_synced(Err(io::ErrorKind::StorageFull.into())).is_err());
    }
}
