//! A marker on the disk while the last result is opened and first drawn: a result that ends or freezes the window is
//! tried at one start, and omitted at the next one.

use std::path::{Path, PathBuf};

use jitterscope_engine::store;

use super::{Action, Notice, PageId, RUNNING, Session};

/// Name of the marker, next to the settings.
const FILE: &str = "last-result.opening";
/// Maximum size of the marker: a path.
const MAX_BYTES: u64 = 64 << 10;
/// Number of frames with the result after which it counts as drawn: the first ones lay it out.
const FRAMES: u8 = 3;

/// The result that is being opened.
#[derive(Debug)]
pub(super) struct Opening {
    /// The marker; `None` if settings are not saved.
    file: Option<PathBuf>,
    /// The result that the last start did not come to show.
    failed: Option<String>,
    /// Number of frames until the marker is removed; `None` while nothing is being opened.
    frames_left: Option<u8>,
}

impl Opening {
    /// Reads the marker of the last start.
    pub(super) fn new(settings: Option<&Path>) -> Self {
        let file = settings.map(|settings| settings.with_file_name(FILE));
        let failed = file.as_deref().and_then(|file| store::read_bounded(file, MAX_BYTES).ok());
        let failed = failed.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Self { file, failed, frames_left: None }
    }

    /// Whether the last start ended while it opened this file.
    pub(super) fn has_failed(&self, result: &Path) -> bool {
        self.failed.as_deref() == Some(&*result.to_string_lossy())
    }

    /// Writes the marker before this file is opened.
    pub(super) fn begin(&mut self, result: &Path) {
        let Some(file) = &self.file else { return };
        // It has to outlast this process, not the PC: a slow disk does not delay the window.
        match std::fs::write(file, result.to_string_lossy().as_bytes()) {
            Ok(()) => self.frames_left = Some(FRAMES),
            // Settings are then not saved either: the next start has no last result.
            Err(error) => log::info!("{error}"),
        }
    }

    /// Counts a frame that was drawn after the file was opened, or could not be opened; returns whether another one is
    /// needed.
    pub(super) fn drawn(&mut self) -> bool {
        self.frames_left = match self.frames_left {
            Some(2..) => self.frames_left.map(|left| left - 1),
            Some(_) => {
                self.remove();
                None
            }
            None => None,
        };
        self.frames_left.is_some()
    }

    fn remove(&self) {
        if let Some(file) = &self.file
            && let Err(error) = std::fs::remove_file(file)
        {
            log::info!("{error}: {}", file.display());
        }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        // The window was closed by its user. The settings no longer name a result that failed.
        if !std::thread::panicking() && (self.frames_left.is_some() || self.failed.is_some()) {
            self.remove();
        }
    }
}

impl Session {
    /// Opens the result that the page of a test showed in the previous session, once.
    pub fn restore_result(&mut self, page: PageId) {
        let PageId::Test(test) = page else { return };
        if let Some(path) = self.settings().results.get(test).cloned() {
            if self.running.will_restore(test) && self.opening.has_failed(&path) {
                self.running.leave_out(test);
                self.remember_plans();
                let text = format!(
                    "The last result is not opened again: the window ended before it was shown at the last start: {}",
                    path.display()
                );
                let open = ("Open".to_owned(), Action::OpenFiles(vec![path]));
                self.notices.push(Notice::warning(text, open));
                return;
            }
            if self.running.will_restore(test) {
                self.opening.begin(&path);
            }
            self.run(RUNNING, |part, context| part.restore(test, path, context));
        }
    }

    /// Counts a frame that was drawn; returns whether another one is needed to find that the last result can be drawn.
    pub fn count_frame(&mut self) -> bool {
        self.running.restoring_count == 0 && self.opening.drawn()
    }
}

#[cfg(test)]
mod tests {
    use std::mem::ManuallyDrop;

    use super::*;

    #[test]
    fn a_result_that_was_not_drawn_is_named_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let settings = folder.path().join("settings.json");
        let (result, other) = (Path::new("/runs/a"), Path::new("/runs/b"));
        let mut killed = ManuallyDrop::new(Opening::new(Some(&settings)));
        assert!(!killed.has_failed(result));
        killed.begin(result);
        killed.drawn();
        // The process is killed: nothing is dropped.
        let mut next = ManuallyDrop::new(Opening::new(Some(&settings)));
        assert!(next.has_failed(result) && !next.has_failed(other));
        next.begin(other);
        for _ in 0..FRAMES {
            next.drawn();
        }
        assert!(!Opening::new(Some(&settings)).has_failed(other), "it was drawn");
        let mut closed = Opening::new(Some(&settings));
        closed.begin(result);
        drop(closed);
        assert!(!Opening::new(Some(&settings)).has_failed(result), "the user closed the window");
    }
}
