//! Follows a run that is measured on another host. Its events come from an agent, and are passed to the
//! reader and the journal like the events of a run in this process.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use super::collector::EventSender;
use super::journal::{Journal, JournalWriter};
use super::{EVENT_CAPACITY, Event, Running, StartError, start_thread};
use crate::run::{Ending, Health, Run};

/// A message from a source of events, or the lack of one.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// An event of the run, except the first and the last event.
    Event(Box<Event>),
    /// The run is over.
    Finished {
        /// How the run ended.
        ending: Ending,
        /// Conditions that may make the run unreliable.
        health: Box<Health>,
    },
    /// No message arrived before the wait ended.
    Nothing,
    /// No more messages will arrive; the value is the reason in one sentence.
    Lost(String),
}

/// A source of the events of a run that is measured elsewhere.
pub trait EventSource: Send {
    /// Waits for the next event, at most for about one beat ([`BEAT`](super::BEAT)).
    fn next(&mut self) -> Arrival;

    /// Requests a stop of the run. The events until the end of the run still arrive.
    fn stop(&mut self);
}

/// Follows a run that has begun elsewhere, as [`start`](super::start) does for a run in this process. If the
/// connection is lost, the run ends with all events that arrived: as stopped if a stop was requested, else as failed.
pub fn follow(
    run: Run,
    source: Box<dyn EventSource>,
    journal: Option<Box<dyn Journal>>,
    wake: impl Fn() + Send + 'static,
) -> Result<Running, StartError> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, events) = sync_channel(EVENT_CAPACITY);
    let collector = {
        let stop = Arc::clone(&stop);
        start_thread("relay", move || relay(run, source, journal, &stop, sender, Box::new(wake)))
            .map_err(|source| StartError::Thread { source })?
    };
    Ok(Running { events: Some(events), stop, collector: Some(collector) })
}

fn relay(
    mut run: Run,
    mut source: Box<dyn EventSource>,
    journal: Option<Box<dyn Journal>>,
    stop: &AtomicBool,
    events: SyncSender<Event>,
    wake: Box<dyn Fn() + Send>,
) {
    let mut journal = JournalWriter::start(journal);
    let mut sender = EventSender { events, waiting: VecDeque::new(), wake, is_open: true };
    let planned = Event::Planned(Arc::new(run.clone()));
    journal.write(&planned);
    sender.send(planned);
    let mut is_stopping = false;
    let mut not_saved = None;
    run.ending = loop {
        if !is_stopping && stop.load(Ordering::Relaxed) {
            is_stopping = true;
            source.stop();
        }
        match source.next() {
            Arrival::Event(event) => match event.apply_to(&mut run) {
                Ok(()) => {
                    journal.write(&event);
                    sender.send(*event);
                }
                Err(error) => break Ending::Failed(format!("the agent sent {error}")),
            },
            Arrival::Nothing => {}
            Arrival::Finished { ending, health } => {
                run.health = *health;
                break ending;
            }
            Arrival::Lost(_) if is_stopping => break Ending::Stopped,
            Arrival::Lost(reason) => break Ending::Failed(reason),
        }
        journal.push();
        sender.push();
        if let Some(error) = journal.take_error() {
            not_saved = Some(error.clone());
            sender.send(Event::NotSaved { reason: error });
        }
    };
    // Dropping the source closes its connection or returns it for the next run. This must happen before the
    // reader receives the last event.
    drop(source);
    let mut run = Arc::new(run);
    journal.write(&Event::Finished(Arc::clone(&run)));
    journal.finish();
    if let Some(error) = journal.take_error() {
        not_saved = Some(error.clone());
        sender.send(Event::NotSaved { reason: error });
    }
    if let Some(error) = not_saved {
        Arc::make_mut(&mut run).health.journal_error = Some(error);
    }
    sender.send(Event::Finished(run));
    sender.finish();
}
