//! A journal on disk: a line of JSON for each piece of a run, so that a killed process loses only the
//! line it was writing.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::JOURNAL_EXTENSION;
use super::format;
use crate::measure::{Event, Journal};
use crate::run::Run;

/// A journal that is being written. It is locked, so that another program leaves it alone.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl JournalFile {
    /// Makes a new file in the folder.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let path = folder.join(format!("{:016x}{JOURNAL_EXTENSION}", fastrand::u64(..)));
        let file = File::create_new(&path)?;
        file.lock()?;
        Ok(Self { path, writer: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Where it is; to be removed once the run is saved.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Journal for JournalFile {
    fn keep(&mut self, event: &Event) -> io::Result<()> {
        format::write_entry(event, &mut self.writer)?;
        self.writer.write_all(b"\n")
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// What a journal holds.
pub(super) enum Found {
    /// It is still being written, or cannot be opened.
    InUse,
    /// It holds no sample.
    Nothing,
    /// It holds a run.
    Run(Box<Run>),
}

/// Reads a journal whose program is gone.
pub(super) fn recover(path: &Path) -> Found {
    let Some(file) = open_if_free(path) else { return Found::InUse };
    let mut run = None;
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        // A torn last line has no end; what came before it is whole.
        if line.last() != Some(&b'\n') || format::read_entry(&line, &mut run).is_err() {
            break;
        }
    }
    match run.filter(|run: &Run| 0 < run.sample_count()) {
        None => Found::Nothing,
        // A journal begins with this ending; its last line, where there is one, has the real one.
        Some(run) => Found::Run(Box::new(run)),
    }
}

/// The file, where no program holds it.
fn open_if_free(path: &Path) -> Option<File> {
    let file =
        File::open(path).inspect_err(|error| log::warn!("{error}: {}", path.display())).ok()?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return None,
        Err(TryLockError::Error(error)) => {
            // A file system without locks: take it that its program is gone only after a minute.
            log::info!("{error}: {}", path.display());
            let modified = fs::metadata(path).ok()?.modified().ok()?;
            if modified.elapsed().ok()?.as_secs() < 60 {
                return None;
            }
        }
    }
    Some(file)
}
