//! Recovers runs from the journals of processes that have ended. A journal is removed only when it was read completely, and
//! its run is saved or has no data; unreadable journals are renamed and reported.
//!
//! **The idea.** A run can hold hours of measuring, and its file is written only at its end. Until then each event is appended
//! to a journal, one line of JSON per entry. Whatever ends the process (a crash, `kill -9`, a power failure), the lines up to the
//! last flush are there, and the next start makes a run of them. Nothing has to be repaired: a line is whole or it is not.
//!
//! **Who owns a journal.** The process that writes it holds a lock on the open file, which the system releases with the process,
//! however it ends. So a journal that can be locked has no owner, and whoever locks it recovers it; of two programs that start at
//! once, one gets the lock and the other skips the file. A process ID in the file would be the simpler way, and wrong: IDs are
//! given out again, and those of another container or another PC on the same network folder mean nothing here.
//!
//! **The order of steps** decides what a second failure, in the middle of a recovery, leaves behind:
//! 1. lock the journal, and read it to its end;
//! 2. write the run under a temporary name, sync it, and rename it to its final name, unless a file with at least as many samples is
//!    already there: then a failure came between saving and removing, and nothing is written;
//! 3. remove the journal, while it is still locked.
//!
//! After a failure before step 2 ends, the journal is still whole, and the next start begins again. After a failure between 2 and 3
//! both exist, and the next start finds the run saved and removes the journal. No order of failures loses a line or makes two runs.
//!
//! **An example.** A test of 60 s is killed after 41.3 s. The journal was last flushed at 41.0 s, and its last line ends in the
//! middle. The next start locks it, reads all samples up to 41.0 s, saves the run with the ending "recovered", and removes the
//! journal: an incomplete last line is expected. Had a line in the middle been unreadable, the journal would be renamed to
//! `….damaged` instead, and the evidence after that line omitted, as it refers to samples by their position.
//!
//! **What is never done.** A journal of a newer format is left alone. A journal from which no run can be read is renamed, so that it
//! is reported once and not at each start. A run that cannot be saved, since the disk is full, stays in its journal.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::journal_file::{Content, open_free, read};
use super::{FindError, JOURNAL_EXTENSION, SaveError, Store, disk, file_name, load};
use crate::run::{Run, RunId};
use crate::units::count_text;

/// Extension that is appended to the name of an unreadable file.
const DAMAGED_EXTENSION: &str = ".damaged";

/// A journal, and the outcome of its recovery.
#[derive(Debug)]
pub struct Recovery {
    /// Path of the journal.
    pub journal: PathBuf,
    /// The outcome of the recovery.
    pub outcome: RecoveryOutcome,
}

/// The outcome of the recovery of a journal.
#[derive(Debug)]
pub enum RecoveryOutcome {
    /// The run was saved.
    Saved {
        /// Path of the run.
        path: PathBuf,
        /// Number of samples in the run.
        samples: usize,
        /// Number of unreadable lines, and the new path of the journal, which was renamed instead
        /// of removed; absent if all lines could be read.
        damaged: Option<(u64, PathBuf)>,
    },
    /// The journal was removed: its run had been saved before, or it contains no data.
    Removed,
    /// The run of the journal is still in progress.
    InUse,
    /// The journal was written by a newer version, with this format version; it was not changed.
    Newer(u32),
    /// No run can be read from the journal; it was renamed.
    Damaged {
        /// The new path of the journal.
        path: PathBuf,
        /// Why the journal cannot be read.
        reason: String,
    },
    /// The run could not be saved; the journal was not changed.
    NotSaved {
        /// Number of samples in the journal.
        samples: usize,
        /// Why the run could not be saved.
        reason: SaveError,
    },
    /// The system could not read, rename, or remove the journal; it was not changed.
    Failed(io::Error),
}

impl Recovery {
    /// Returns the path of the recovered run; `None` if no run was saved.
    pub fn saved(&self) -> Option<&Path> {
        match &self.outcome {
            RecoveryOutcome::Saved { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Whether the journal still needs to be recovered.
    pub fn is_waiting(&self) -> bool {
        match self.outcome {
            RecoveryOutcome::InUse
            | RecoveryOutcome::Newer(_)
            | RecoveryOutcome::NotSaved { .. }
            | RecoveryOutcome::Failed(_) => true,
            RecoveryOutcome::Saved { .. }
            | RecoveryOutcome::Removed
            | RecoveryOutcome::Damaged { .. } => false,
        }
    }

    /// Whether there was a problem to report to the user.
    pub fn is_problem(&self) -> bool {
        match &self.outcome {
            RecoveryOutcome::Saved { damaged, .. } => damaged.is_some(),
            RecoveryOutcome::Removed | RecoveryOutcome::InUse => false,
            RecoveryOutcome::Newer(_)
            | RecoveryOutcome::Damaged { .. }
            | RecoveryOutcome::NotSaved { .. }
            | RecoveryOutcome::Failed(_) => true,
        }
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let journal = self.journal.display();
        match &self.outcome {
            RecoveryOutcome::Saved { path, samples, damaged: None } => {
                let samples = count_text(*samples, "samples");
                write!(f, "recovered an interrupted run: {samples}: {}", path.display())
            }
            RecoveryOutcome::Saved { path, samples, damaged: Some((lines, retained)) } => write!(
                f,
                "recovered an interrupted run: {}, {} skipped: {}; the journal was renamed: {}",
                count_text(*samples, "samples"),
                count_text(*lines, "damaged lines"),
                path.display(),
                retained.display()
            ),
            RecoveryOutcome::Removed => write!(f, "removed an empty journal: {journal}"),
            RecoveryOutcome::InUse => write!(f, "test is running: {journal}"),
            RecoveryOutcome::Newer(version) => {
                write!(f, "journal of a newer version (format {version}), not changed: {journal}")
            }
            RecoveryOutcome::Damaged { path, reason } => {
                write!(f, "journal cannot be read ({reason}) and was renamed: {}", path.display())
            }
            RecoveryOutcome::NotSaved { samples, reason } => {
                let samples = count_text(*samples, "samples");
                write!(f, "a run ({samples}) is still in a journal: {reason}; journal: {journal}")
            }
            RecoveryOutcome::Failed(error) => {
                write!(f, "journal cannot be read: {error}: {journal}")
            }
        }
    }
}

impl Store {
    /// Recovers each run from its journal if the process that wrote the journal has ended, and removes
    /// the temporary files of such processes. Returns the outcome for every journal.
    pub fn recover(&self) -> Result<Vec<Recovery>, FindError> {
        if let Err(error) = disk::sweep(&self.folder) {
            log::info!("temporary files were not removed: {error}: {}", self.folder.display());
        }
        let journals = self.paths(JOURNAL_EXTENSION)?;
        Ok(journals.into_iter().filter_map(|journal| self.recovery_of(journal)).collect())
    }

    /// Recovers a run from its journal; `None` if the journal is not there any more, since its run has ended.
    fn recovery_of(&self, journal: PathBuf) -> Option<Recovery> {
        let outcome = match self.recover_journal(&journal) {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && journal.symlink_metadata().is_err() =>
            {
                return None;
            }
            outcome => outcome.unwrap_or_else(RecoveryOutcome::Failed),
        };
        Some(Recovery { journal, outcome })
    }

    fn recover_journal(&self, journal: &Path) -> io::Result<RecoveryOutcome> {
        // The file is locked until the journal is removed: no other process can recover the same
        // journal.
        let Some(mut file) = open_free(journal)? else { return Ok(RecoveryOutcome::InUse) };
        match read(&mut file)? {
            Content::Empty => {
                disk::remove(journal)?;
                Ok(RecoveryOutcome::Removed)
            }
            Content::Newer(version) => Ok(RecoveryOutcome::Newer(version)),
            Content::Damaged(reason) => {
                Ok(RecoveryOutcome::Damaged { path: set_damaged(journal)?, reason })
            }
            Content::Run { run, damaged_lines } => {
                let samples = run.sample_count();
                let mut run = *run;
                self.add_earlier(&mut run);
                let (path, is_new) = match self.save_recovered(run) {
                    Ok(saved) => saved,
                    Err(reason) => return Ok(RecoveryOutcome::NotSaved { samples, reason }),
                };
                if 0 < damaged_lines {
                    let damaged = Some((damaged_lines, set_damaged(journal)?));
                    return Ok(RecoveryOutcome::Saved { path, samples, damaged });
                }
                disk::remove(journal)?;
                Ok(if is_new {
                    RecoveryOutcome::Saved { path, samples, damaged: None }
                } else {
                    RecoveryOutcome::Removed
                })
            }
        }
    }

    /// Saves a recovered run without replacing a file; returns the path of the run, and whether a
    /// file was written. A run whose samples were saved before is not written again.
    fn save_recovered(&self, mut run: Run) -> Result<(PathBuf, bool), SaveError> {
        let path = self.folder.join(file_name(&run));
        if path.exists() {
            if load(&path).is_ok_and(|saved| run.sample_count() <= saved.sample_count()) {
                return Ok((path, false));
            }
            run.id = RunId::random();
        }
        self.save(&run).map(|path| (path, true))
    }

    /// Saves a measured run and removes its journal; returns the path of the run, or `None` if the
    /// run has no data. If the journal has data, an error contains the number of samples and the path
    /// of the journal.
    pub fn save_measured(
        &self,
        run: &Run,
        journal: Option<&Path>,
    ) -> Result<Option<PathBuf>, SaveError> {
        let saved = if run.has_data() { self.save(run).map(Some) } else { Ok(None) };
        match saved {
            Ok(path) => {
                discard_journal(journal);
                Ok(path)
            }
            Err(source) => Err(match journal.and_then(|path| Some((path, samples_in(path)?))) {
                Some((journal, samples)) => SaveError::Waiting {
                    source: Box::new(source),
                    samples,
                    journal: journal.to_owned(),
                },
                None => source,
            }),
        }
    }
}

/// Removes the journal of a run that was saved or that has no data.
pub fn discard_journal(journal: Option<&Path>) {
    if let Some(path) = journal
        && let Err(error) = disk::remove(path)
    {
        log::warn!("{error}: {}", path.display());
    }
}

/// Returns the number of samples that can be recovered from a journal; `None` if there is no data to recover.
fn samples_in(journal: &Path) -> Option<usize> {
    let content = disk::DiskFile::open(journal).and_then(|mut file| read(&mut file));
    match content {
        Ok(Content::Run { run, .. }) => Some(run.sample_count()),
        Ok(Content::Empty | Content::Newer(_) | Content::Damaged(_)) | Err(_) => None,
    }
}

/// Renames an unreadable file to an unused name, and returns the new path.
pub fn set_damaged(file: &Path) -> io::Result<PathBuf> {
    let mut path = file.as_os_str().to_owned();
    path.push(DAMAGED_EXTENSION);
    let path = disk::free_name(PathBuf::from(path));
    disk::rename(file, &path)?;
    Ok(path)
}
