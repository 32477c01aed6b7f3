//! Deletes the detail of old recordings when all of them take too much disk space.

use super::edit::EditError;
use super::{FindError, Line, Store, disk, load, stem_of};
use crate::run::{Run, Subject};

impl Store {
    /// Deletes the detail of recordings, the oldest first, until all recordings take at most `max_bytes`. Recordings with a
    /// note or a tag, and the newest one, retain theirs. Returns the names of the files whose detail was deleted.
    ///
    /// # Errors
    ///
    /// The folder cannot be read. A recording that cannot be read or saved is skipped.
    pub fn delete_old_detail(&self, max_bytes: u64) -> Result<Vec<String>, FindError> {
        let is_recording = |line: &Line| line.run.as_ref().is_ok_and(|run| run.test == "recording");
        let mut lines: Vec<Line> = self.lines()?.into_iter().filter(is_recording).collect();
        lines.sort_by_key(|line| line.run.as_ref().ok().map(|run| run.started_at));
        let newest = lines.pop().map_or(0, |newest| newest.bytes);
        let mut bytes: u64 = lines.iter().map(|line| line.bytes).sum::<u64>() + newest;
        let mut names = Vec::new();
        for line in lines {
            if bytes <= max_bytes {
                break;
            }
            let is_retained =
                line.run.as_ref().is_ok_and(|run| !run.note.is_empty() || !run.tags.is_empty());
            if is_retained {
                continue;
            }
            match self.delete_detail(&line) {
                Ok(false) => {}
                Ok(true) => {
                    let left = disk::stamp(&line.path).map_or(0, |(size, _)| size);
                    bytes = bytes.saturating_sub(line.bytes.saturating_sub(left));
                    names.push(stem_of(&line.path));
                }
                Err(error) => log::warn!("the detail of a recording was not deleted: {error}"),
            }
        }
        Ok(names)
    }

    /// Deletes the detail of a recording; returns whether there was any.
    fn delete_detail(&self, line: &Line) -> Result<bool, EditError> {
        let has_detail = load(&line.path)?.recording().is_some_and(|one| !one.details.is_empty());
        if has_detail {
            self.change(&line.path, |run| Ok::<Run, EditError>(without_detail(run)))?;
        }
        Ok(has_detail)
    }
}

/// Returns a run without its detail, and with its answers.
fn without_detail(mut run: Run) -> Run {
    if let Subject::Recorded(recording) = &mut run.subject {
        recording.delete_detail();
    }
    run
}
