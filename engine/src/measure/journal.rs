//! Saves events during the measurement, on a separate thread, so that a slow disk delays nothing.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::Event;
use crate::platform;

/// How often written data is flushed to the system.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// Events that may be queued for the disk before they wait in the collector.
const CAPACITY: usize = 64;

/// Destination of the events of a run; `store` has one that writes a file.
pub trait Journal: Send {
    /// Saves an event; may wait for a disk.
    fn keep(&mut self, event: &Event) -> io::Result<()>;

    /// Flushes to the system, so that the events survive this process.
    fn flush(&mut self) -> io::Result<()>;
}

/// The collector's end of a journal.
#[derive(Debug)]
pub(super) struct JournalWriter {
    events: Option<SyncSender<Event>>,
    backlog: VecDeque<Event>,
    error: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl JournalWriter {
    /// Starts the journal's thread; without a journal nothing is saved.
    pub(super) fn start(journal: Option<Box<dyn Journal>>) -> Self {
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

    /// Hands over an event without waiting; what does not fit waits here.
    pub(super) fn write(&mut self, event: &Event) {
        if self.events.is_some() {
            self.backlog.push_back(event.clone());
            self.push();
        }
    }

    /// Hands over queued events.
    pub(super) fn push(&mut self) {
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

    /// Why saving stopped; reported once.
    pub(super) fn take_error(&mut self) -> Option<String> {
        self.error.lock().ok()?.take()
    }

    /// Waits until everything is saved.
    pub(super) fn finish(&mut self) {
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
    loop {
        match events.recv_timeout(FLUSH_INTERVAL) {
            Ok(event) => journal.keep(&event)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return journal.flush(),
        }
        if FLUSH_INTERVAL <= flushed.elapsed() {
            journal.flush()?;
            flushed = Instant::now();
        }
    }
}
