//! The destination of the events of a run, and of the finished run.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use crate::format;
use crate::format::protocol::HEARTBEAT;
use crate::measure::{Event, Journal};
use crate::store::Store;

/// The destination of a run.
pub enum Sink {
    /// A store: a journal during the run, and a run file when it has ended.
    Store(Store),
    /// A stream, such as standard output: journal lines, each flushed immediately. The run is not
    /// saved.
    Stream(Box<dyn Write + Send>),
    /// No destination: all data is discarded.
    Discard,
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(store) => f.debug_tuple("Store").field(store).finish(),
            Self::Stream(_) => f.write_str("Stream"),
            Self::Discard => f.write_str("Discard"),
        }
    }
}

/// The store of a sink, its journal, and the path of the journal.
type OpenedJournal = (Option<Store>, Option<Box<dyn Journal>>, Option<PathBuf>);

impl Sink {
    /// Opens the sink and creates the journal. If the journal cannot be created, a journal is
    /// returned whose first write fails with the error, and the run reports the error.
    pub(super) fn open(self) -> OpenedJournal {
        match self {
            Self::Store(store) => match store.journal() {
                Ok(journal) => {
                    let path = journal.path.clone();
                    (Some(store), Some(Box::new(journal)), Some(path))
                }
                Err(error) => {
                    let journal = FailedJournal(error.to_string());
                    (Some(store), Some(Box::new(journal)), None)
                }
            },
            Self::Stream(to) => {
                let journal = StreamJournal { to, written: Instant::now() };
                (None, Some(Box::new(journal)), None)
            }
            Self::Discard => (None, None, None),
        }
    }
}

/// A journal that writes each event as a line to a stream, and an empty line where there are no events for a while.
struct StreamJournal {
    to: Box<dyn Write + Send>,
    written: Instant,
}

impl Journal for StreamJournal {
    fn keep(&mut self, event: &Event) -> io::Result<()> {
        format::write_lines(event, &mut self.to)?;
        self.written = Instant::now();
        self.to.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        if HEARTBEAT <= self.written.elapsed() {
            self.to.write_all(b"\n")?;
            self.written = Instant::now();
        }
        self.to.flush()
    }

    fn sync(&mut self) -> io::Result<()> {
        // Saving is up to the program that reads the stream.
        self.to.flush()
    }
}

/// A journal that could not be created, with the reason.
struct FailedJournal(String);

impl Journal for FailedJournal {
    fn keep(&mut self, _: &Event) -> io::Result<()> {
        Err(io::Error::other(self.0.clone()))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
