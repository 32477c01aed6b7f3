//! Changes of saved recordings: a log is joined, and detail is deleted.

use std::path::Path;

use jiff::tz::TimeZone;

use super::edit::EditError;
use super::{Store, load};
use crate::report::recording::{JoinError, LogTimes, incomparable, join, undo_join};
use crate::run::recording::EarlierRecording;
use crate::run::{Capture, Recording, Run, Subject};

/// Number of earlier recordings of the same game that are opened to find one that is recorded alike.
const MAX_EARLIER: usize = 5;

/// Why a recording could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeRecordingError {
    /// The run cannot be opened or saved.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The log cannot be joined, or its join cannot be undone.
    #[error(transparent)]
    Join(#[from] JoinError),
}

impl Store {
    /// Joins a log with the recording in a file, in place of a log that was joined before. Returns the run as it is saved.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or saved, or the log cannot be joined.
    pub fn join_log(
        &self,
        path: &Path,
        log: &Capture,
        times: &LogTimes,
    ) -> Result<Run, ChangeRecordingError> {
        self.change(path, |run| {
            let recording = join(&run, log, times, &TimeZone::system())?;
            let mut run = with_recording(run, recording);
            self.add_earlier(&mut run);
            Ok(run)
        })
    }

    /// Restores the recording in a file as it was before a log was joined with it. Returns the run as it is saved.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or saved, or the join cannot be undone.
    pub fn undo_join(&self, path: &Path) -> Result<Run, ChangeRecordingError> {
        self.change(path, |run| {
            let recording = undo_join(&run)?;
            let mut run = with_recording(run, recording);
            self.add_earlier(&mut run);
            Ok(run)
        })
    }

    /// Deletes the detail of the recording in a file, and retains its answers. Returns the run as it is saved, and whether
    /// there was detail.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or saved, or is no recording.
    pub fn delete_detail(&self, path: &Path) -> Result<(Run, bool), ChangeRecordingError> {
        let mut has_detail = false;
        let run = self.change(path, |mut run| {
            let Subject::Recorded(recording) = &mut run.subject else {
                return Err(ChangeRecordingError::Join(JoinError::NoRecording));
            };
            has_detail = recording.delete_detail();
            Ok(run)
        })?;
        Ok((run, has_detail))
    }
}

impl Store {
    /// Adds to a recording what the newest earlier one of the same game on the same PC showed. Time: that of opening this
    /// one, or up to five that have another limit.
    pub fn add_earlier(&self, run: &mut Run) {
        let machine = run.machine_name();
        let Some(recording) = run.recording() else { return };
        let lines = self.lines().unwrap_or_default();
        let lines = lines.iter().filter(|line| {
            let entry = line.run.as_ref();
            entry.is_ok_and(|entry| {
                entry.recorded.is_some()
                    && entry.game == recording.label
                    && entry.machine == machine
                    && entry.started_at < run.started_at
                    && entry.id != run.id
            })
        });
        let earlier = lines.take(MAX_EARLIER).find_map(|line| {
            let earlier = load(&line.path).ok()?;
            let of = earlier.recording()?;
            incomparable(of, recording).is_none().then(|| EarlierRecording::of(&earlier))?
        });
        if let Subject::Recorded(recording) = &mut run.subject {
            recording.earlier = earlier;
        }
    }
}

fn with_recording(run: Run, recording: Recording) -> Run {
    Run { subject: Subject::Recorded(Box::new(recording)), ..run }
}
