//! What is opened outside the app: folders, and reports in the browser, by what the system has for them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jitterscope_engine::store::ScratchFolder;

use super::task::Outcome;
use super::{Notice, Session};

/// Opens a file or a folder with the program that the system has for it.
pub type Opener = Arc<dyn Fn(&Path) -> Result<(), String> + Send + Sync>;

/// What a session remembers of the outside.
pub(super) struct Outside {
    opener: Opener,
    /// Where reports for the browser are written, once there is one; it goes with the session.
    folder: Arc<Mutex<Option<ScratchFolder>>>,
}

impl Default for Outside {
    fn default() -> Self {
        let opener = |path: &Path| open::that_detached(path).map_err(|error| error.to_string());
        Self { opener: Arc::new(opener), folder: Arc::default() }
    }
}

impl Session {
    /// Opens files and folders by this from now on.
    pub fn set_opener(&mut self, opener: Opener) {
        self.outside.opener = opener;
    }

    /// Opens a file or a folder.
    pub(super) fn open_outside(&self, path: PathBuf) {
        let opener = Arc::clone(&self.outside.opener);
        self.tasks.spawn("open-outside", move || {
            let opened = opener(&path).map_err(|why| format!("{why}: {}", path.display()));
            Outcome::OpenedOutside(opened)
        });
    }

    /// Says why something was not opened, where it was not.
    pub(super) fn take_in_opened(&mut self, result: Result<(), String>) {
        if let Err(why) = result {
            self.notices.push(Notice::error(format!("This cannot be opened: {why}.")));
        }
    }

    /// Opens what is written into a folder that is there for that alone.
    pub(super) fn open_written(
        &self,
        write: impl FnOnce(&Path) -> Result<PathBuf, String> + Send + 'static,
    ) {
        let opener = Arc::clone(&self.outside.opener);
        let folder = Arc::clone(&self.outside.folder);
        self.tasks.spawn("open-written", move || {
            let opened = temporary(&folder).and_then(|folder| write(&folder));
            Outcome::OpenedOutside(opened.and_then(|path| opener(&path)))
        });
    }
}

/// The folder of this session for files that are looked at once.
fn temporary(known: &Mutex<Option<ScratchFolder>>) -> Result<PathBuf, String> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(folder) = known.as_ref().filter(|folder| folder.path().is_dir()) {
        return Ok(folder.path().to_owned());
    }
    let folder = ScratchFolder::new().map_err(|error| error.to_string())?;
    let path = folder.path().to_owned();
    *known = Some(folder);
    Ok(path)
}
