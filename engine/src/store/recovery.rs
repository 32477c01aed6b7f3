//! Recovers runs from the journals of ended processes. Nothing is removed that was not read to its
//! end and saved; unreadable journals are renamed and reported.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::journal_file::{Content, open_free, read};
use super::{FindError, JOURNAL_EXTENSION, SaveError, Store, disk, file_name, load};
use crate::run::{Run, RunId};

/// Extension of a file that cannot be read, once renamed.
const DAMAGED_EXTENSION: &str = ".damaged";

/// A journal that was found, and its state now.
#[derive(Debug)]
pub struct Recovery {
    /// Path of the journal.
    pub journal: PathBuf,
    /// Its outcome.
    pub outcome: RecoveryOutcome,
}

/// Outcome of a journal.
#[derive(Debug)]
pub enum RecoveryOutcome {
    /// Its run was saved.
    Saved {
        /// Path of the run.
        path: PathBuf,
        /// Samples in the run.
        samples: usize,
        /// Unreadable lines, and the path of the journal that is preserved because of them.
        damaged: Option<(u64, PathBuf)>,
    },
    /// Its run was saved before, or it holds no sample; it was removed.
    Removed,
    /// Its test is running.
    InUse,
    /// It was written by a newer version, and left as it is.
    Newer(u32),
    /// No run can be read from it; it was renamed.
    Damaged {
        /// Its name now.
        path: PathBuf,
        /// Why it cannot be read.
        reason: String,
    },
    /// Its run could not be saved; it was left as it is.
    NotSaved {
        /// Samples in it.
        samples: usize,
        /// Why.
        reason: SaveError,
    },
    /// The system could not read, rename or remove it; it was left as it is.
    Failed(io::Error),
}

impl Recovery {
    /// The saved run, if there is one.
    pub fn saved(&self) -> Option<&Path> {
        match &self.outcome {
            RecoveryOutcome::Saved { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Whether the journal still waits to be recovered.
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

    /// Whether something went wrong that the user must know.
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
                write!(f, "recovered an interrupted run: {samples} samples: {}", path.display())
            }
            RecoveryOutcome::Saved { path, samples, damaged: Some((lines, retained)) } => write!(
                f,
                "recovered an interrupted run: {samples} samples, {lines} damaged lines skipped: \
                 {}; the journal was renamed: {}",
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
                write!(f, "{samples} samples are still in a journal: {reason}; journal: {journal}")
            }
            RecoveryOutcome::Failed(error) => {
                write!(f, "journal cannot be read: {error}: {journal}")
            }
        }
    }
}

impl Store {
    /// Turns the journals of ended processes into saved runs and removes their temporary files. Reports
    /// every journal that was found.
    pub fn recover(&self) -> Result<Vec<Recovery>, FindError> {
        if let Err(error) = disk::sweep(&self.folder) {
            log::info!("temporary files were not removed: {error}: {}", self.folder.display());
        }
        let journals = self.paths(JOURNAL_EXTENSION)?;
        Ok(journals
            .into_iter()
            .map(|journal| {
                let outcome =
                    self.recover_journal(&journal).unwrap_or_else(RecoveryOutcome::Failed);
                Recovery { journal, outcome }
            })
            .collect())
    }

    fn recover_journal(&self, journal: &Path) -> io::Result<RecoveryOutcome> {
        // Held until the journal is removed, so that no other process recovers it as well.
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
                let (path, is_new) = match self.save_recovered(*run) {
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

    /// Saves a recovered run without replacing anything; returns its path, and whether it is new.
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

    /// Saves a measured run and removes its journal; `None` without samples. The error names the
    /// journal, if it holds samples, and how many.
    pub fn save_measured(
        &self,
        run: &Run,
        journal: Option<&Path>,
    ) -> Result<Option<PathBuf>, SaveError> {
        let saved = match run.sample_count() {
            0 => Ok(None),
            _ => self.save(run).map(Some),
        };
        match saved {
            Ok(path) => {
                discard_journal(journal);
                Ok(path)
            }
            Err(source) => Err(match journal.map(|path| (path, samples_in(path))) {
                Some((journal, samples)) if 0 < samples => SaveError::Waiting {
                    source: Box::new(source),
                    samples,
                    journal: journal.to_owned(),
                },
                _ => source,
            }),
        }
    }
}

/// Removes the journal of a run that is saved, or that has nothing to save.
pub fn discard_journal(journal: Option<&Path>) {
    if let Some(path) = journal
        && let Err(error) = disk::remove(path)
    {
        log::warn!("{error}: {}", path.display());
    }
}

/// How many samples can be recovered from a journal.
fn samples_in(journal: &Path) -> usize {
    let content = disk::DiskFile::open(journal).and_then(|mut file| read(&mut file));
    match content {
        Ok(Content::Run { run, .. }) => run.sample_count(),
        Ok(Content::Empty | Content::Newer(_) | Content::Damaged(_)) | Err(_) => 0,
    }
}

/// Renames a file that cannot be read to a free name and returns that.
pub fn set_damaged(file: &Path) -> io::Result<PathBuf> {
    let mut path = file.as_os_str().to_owned();
    path.push(DAMAGED_EXTENSION);
    let path = disk::free_name(PathBuf::from(path));
    disk::rename(file, &path)?;
    Ok(path)
}
