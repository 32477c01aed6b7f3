//! A journal on disk: one line of JSON per entry, so that a killed process loses only the last line.

use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::disk::{DiskFile, Draft, Lock, folder_of, is_old, sync_folder};
use super::format::{self, FormatError, MAX_LINE_BYTES};
use super::{JOURNAL_EXTENSION, MAX_FILE_BYTES};
use crate::measure::{Event, Journal};
use crate::run::Run;

/// The byte-order mark that some editors add at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A journal that is being written. It is locked, so that other processes do not recover it.
#[derive(Debug)]
pub struct JournalFile {
    /// The path of the journal.
    pub path: PathBuf,
    writer: BufWriter<DiskFile>,
    /// Whether the directory entry of the file has been synced.
    is_named: bool,
}

impl JournalFile {
    /// Creates a journal in the folder. It is locked before it has a name that other processes
    /// recognize.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let path = folder.join(format!("{:016x}{JOURNAL_EXTENSION}", fastrand::u64(..)));
        let file = Draft::create(folder, true)?.publish_unsynced(&path)?;
        Ok(Self { path, writer: BufWriter::with_capacity(1 << 16, file), is_named: false })
    }
}

impl Journal for JournalFile {
    fn keep(&mut self, event: &Event) -> io::Result<()> {
        format::write_lines(event, &mut self.writer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_content()?;
        if !self.is_named {
            sync_folder(folder_of(&self.path))?;
            self.is_named = true;
        }
        Ok(())
    }
}

/// The content of a journal that was read to its end.
pub(super) enum Content {
    /// No data and no unreadable lines.
    Empty,
    /// The journal was written by a newer version, with this format version.
    Newer(u32),
    /// A run, without the lines that cannot be read.
    Run { run: Box<Run>, damaged_lines: u64 },
    /// No run can be read from the journal, for this reason.
    Damaged(String),
}

/// Opens and locks a journal whose process has ended; `None` if the journal is in use or was
/// removed.
pub(super) fn open_free(path: &Path) -> io::Result<Option<DiskFile>> {
    let file = DiskFile::open(path)?;
    if MAX_FILE_BYTES < file.len()? {
        let what = format!("larger than {} MiB", MAX_FILE_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    let is_free = match file.try_lock()? {
        Lock::Ours => true,
        Lock::Theirs => false,
        Lock::NotSupported => is_old(path),
    };
    // Another process may have recovered and removed the journal before it was locked.
    Ok((is_free && path.exists()).then_some(file))
}

/// Reads a journal to its end. A read error of the system is returned, not treated as the end of
/// the file.
pub(super) fn read(file: &mut DiskFile) -> io::Result<Content> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut lines = Lines::default();
    let mut bytes = Vec::new();
    let mut is_first = true;
    loop {
        let line = read_line(&mut reader, &mut bytes)?;
        let text = match bytes.strip_prefix(BYTE_ORDER_MARK) {
            Some(text) if is_first => text,
            _ => &bytes,
        };
        match line {
            JournalText::End => return Ok(lines.end()),
            JournalText::TooLong => lines.damaged("a line is too long"),
            // The process ended while it wrote this line; possibly only the line end is missing.
            JournalText::Torn => lines.read(text, true),
            // By an empty line, a stream shows that its program is there.
            JournalText::Whole if text.trim_ascii().is_empty() => {}
            JournalText::Whole => lines.read(text, false),
        }
        if let Some(version) = lines.newer {
            return Ok(Content::Newer(version));
        }
        is_first = false;
    }
}

enum JournalText {
    Whole,
    Torn,
    TooLong,
    End,
}

/// Reads a line of at most [`MAX_LINE_BYTES`]; the rest of a longer line is skipped.
fn read_line(reader: &mut BufReader<&mut DiskFile>, line: &mut Vec<u8>) -> io::Result<JournalText> {
    line.clear();
    let count = reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        return Ok(JournalText::Whole);
    }
    if u64::try_from(count).unwrap_or(u64::MAX) < MAX_LINE_BYTES {
        return Ok(if count == 0 { JournalText::End } else { JournalText::Torn });
    }
    while line.last() != Some(&b'\n') {
        line.clear();
        if reader.by_ref().take(1 << 16).read_until(b'\n', line)? == 0 {
            break;
        }
    }
    Ok(JournalText::TooLong)
}

/// The run that results from the lines read so far.
#[derive(Default)]
struct Lines {
    run: Option<Run>,
    newer: Option<u32>,
    damaged_count: u64,
    first_damage: String,
    /// Whether the last line is incomplete.
    is_torn: bool,
    /// For each trial, whether a line of the trial may be missing: its evidence would then refer to
    /// wrong samples.
    has_gap: Vec<bool>,
}

impl Lines {
    fn read(&mut self, line: &[u8], is_torn: bool) {
        let evidence: Vec<usize> =
            self.run.iter().flat_map(|run| &run.trials).map(|trial| trial.evidence.len()).collect();
        match format::read_entry(line, &mut self.run) {
            Ok(()) => self.drop_evidence_after_gaps(&evidence),
            Err(FormatError::Newer { found }) => self.newer = Some(found),
            Err(error) => match format::journal_version(line) {
                Some(version) if format::FORMAT_VERSION < version => self.newer = Some(version),
                _ if is_torn && self.run.is_some() => self.is_torn = true,
                _ => self.damaged(&error.to_string()),
            },
        }
    }

    fn damaged(&mut self, why: &str) {
        if self.damaged_count == 0 {
            why.clone_into(&mut self.first_damage);
        }
        self.damaged_count += 1;
        let trials = self.run.iter().flat_map(|run| &run.trials);
        self.has_gap.resize(trials.clone().count(), false);
        for (has_gap, trial) in self.has_gap.iter_mut().zip(trials) {
            *has_gap |= !trial.complete && (trial.applied.is_some() || !trial.samples.is_empty());
        }
    }

    /// Removes the evidence that the last line added to trials with missing lines: evidence refers
    /// to samples by position, which is then unknown. `lengths` is the amount of evidence per trial
    /// before the last line.
    fn drop_evidence_after_gaps(&mut self, lengths: &[usize]) {
        let trials = self.run.iter_mut().flat_map(|run| &mut run.trials);
        for ((trial, has_gap), &length) in trials.zip(&self.has_gap).zip(lengths) {
            if *has_gap || (0 < self.damaged_count && trial.applied.is_none()) {
                trial.evidence.truncate(length);
            }
        }
    }

    fn end(self) -> Content {
        let damaged_lines = self.damaged_count;
        match self.run {
            Some(mut run) if run.has_data() => {
                // The ending needs no change: the first line contains the ending of a recovered
                // run, and a last line, if there is one, has replaced it.
                run.health.damaged_lines = damaged_lines;
                Content::Run { run: Box::new(run), damaged_lines }
            }
            _ if 0 < damaged_lines => Content::Damaged(self.first_damage),
            _ if self.is_torn => Content::Damaged("its only samples are torn".to_owned()),
            _ => Content::Empty,
        }
    }
}
