//! Saves the run of an imported file, unless it is saved already.

use std::path::{Path, PathBuf};

use super::format::measurement_sum;
use super::{EXTENSION, LoadError, SaveError, Store, file_name, load};
use crate::run::{Recording, Run, Subject};

/// The outcome of saving an imported run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// The run is saved in this file.
    New(PathBuf),
    /// The run was saved in this file before.
    Known(PathBuf),
    /// Another run with the same ID is saved in this file. The file is not changed.
    Other(PathBuf),
    /// The recording is saved in this file without something that the imported one has: detail, or the frames of a log.
    /// The file is not changed.
    Lacks(PathBuf),
}

/// Why an imported run is not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveNewError {
    /// The run cannot be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A file of a run with the same ID exists, and cannot be read.
    #[error("the saved file of a run with the same ID cannot be compared: {0}")]
    Known(#[from] LoadError),
}

impl Store {
    /// Saves a run, unless a run with the same ID is saved already, in the file that a run with this ID gets. No file is
    /// replaced. `own` is the run file that was imported, if it was one: in the folder of runs, it is the saved run,
    /// under any name.
    ///
    /// # Errors
    ///
    /// Returns an error if the run cannot be saved, or if the saved one cannot be read.
    pub fn save_new(&self, run: &Run, own: Option<&Path>) -> Result<SaveOutcome, SaveNewError> {
        if let Some(own) = own.filter(|own| self.lists(own)) {
            return Ok(SaveOutcome::Known(own.to_owned()));
        }
        let path = self.folder.join(file_name(run));
        let saved = if path.exists() { Some(path) } else { self.saved_capture(run) };
        let Some(path) = saved else { return Ok(SaveOutcome::New(self.save(run)?)) };
        let saved = load(&path)?;
        Ok(match (saved.recording(), run.recording()) {
            _ if !has_same_facts(&saved, run) => SaveOutcome::Other(path),
            (Some(saved), Some(recording)) if lacks(saved, recording) => SaveOutcome::Lacks(path),
            _ => SaveOutcome::Known(path),
        })
    }

    /// Returns the saved file of the same capture with another date: a capture without a date has the date of its file,
    /// which changes when the file is copied. `None` for a run of this program.
    fn saved_capture(&self, run: &Run) -> Option<PathBuf> {
        run.capture()?;
        let ending = format!("-{}-{}{EXTENSION}", run.subject.key(), run.id);
        self.paths(&ending).ok()?.into_iter().next()
    }

    /// Returns whether a file is one of the folder of runs.
    fn lists(&self, file: &Path) -> bool {
        let (folder, file) = (self.folder.canonicalize().ok(), file.canonicalize().ok());
        folder.zip(file).is_some_and(|(folder, file)| {
            file.parent() == Some(&folder) && file.to_string_lossy().ends_with(EXTENSION)
        })
    }
}

/// Returns whether two runs are the same except for texts: name, note, and tags, which the user can edit, and names in a
/// capture or a recording, which an export may have redacted. The date of a capture may be the one of its file. The detail
/// of a recording may have been deleted, and a log may have been joined with it.
fn has_same_facts(known: &Run, run: &Run) -> bool {
    let trials = || known.trials.iter().zip(&run.trials);
    let has_same_subject = || match (known.recording(), run.recording()) {
        (Some(_), Some(_)) => sum_of_recorded(known) == sum_of_recorded(run),
        _ => without_labels(known) == without_labels(run),
    };
    known.id == run.id
        && (known.started_at == run.started_at || run.capture().is_some())
        && has_same_subject()
        && known.trials.len() == run.trials.len()
        && trials().all(|(known, run)| known.samples == run.samples)
}

/// Returns the checksum of what the recorder measured, without a log that was joined afterward.
fn sum_of_recorded(run: &Run) -> String {
    let before = run.recording().and_then(Recording::without_join);
    let before =
        before.map(|before| Run { subject: Subject::Recorded(Box::new(before)), ..run.clone() });
    measurement_sum(before.as_ref().unwrap_or(run))
}

/// Returns whether a saved recording lacks detail or the frames of a joined log that another copy of it has.
fn lacks(saved: &Recording, recording: &Recording) -> bool {
    let record_count = |recording: &Recording| -> usize {
        recording.details.iter().map(|detail| detail.trace.records().len()).sum()
    };
    let has_other_log = recording.before_join.is_some() && saved.frames != recording.frames;
    has_other_log || record_count(saved) < record_count(recording)
}

fn without_labels(run: &Run) -> Subject {
    let mut subject = run.subject.clone();
    if let Subject::Imported(capture) = &mut subject {
        capture.labels_mut().into_iter().for_each(String::clear);
    }
    subject
}
