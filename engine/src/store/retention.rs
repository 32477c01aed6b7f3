//! Deletes the detail of old recordings when all of them take too much disk space.

use super::{FindError, Line, Store, disk, stem_of};

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
            // The list states what a file contains: a recording without detail is not opened.
            let can_shrink = line.run.as_ref().is_ok_and(|run| {
                run.recorded.is_some_and(|state| state.has_detail)
                    && run.note.is_empty()
                    && run.tags.is_empty()
            });
            if !can_shrink {
                continue;
            }
            match self.delete_detail(&line.path) {
                Ok(_) => {
                    let left = disk::stamp(&line.path).map_or(0, |(size, _)| size);
                    bytes = bytes.saturating_sub(line.bytes.saturating_sub(left));
                    names.push(stem_of(&line.path));
                }
                Err(error) => log::warn!("the detail of a recording was not deleted: {error}"),
            }
        }
        Ok(names)
    }
}
