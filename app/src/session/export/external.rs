//! What is opened outside the app: folders, and reports in the browser, by what the system has for them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jitterscope_engine::store::ScratchFolder;

/// Opens a file or a folder with the program that the system has for it.
pub type Opener = Arc<dyn Fn(&Path) -> Result<(), String> + Send + Sync>;

/// What a session remembers of the outside.
pub(super) struct ExternalOpener {
    pub(super) opener: Opener,
    /// Where reports for the browser are written, once there is one; it goes with the session.
    folder: Arc<Mutex<Option<ScratchFolder>>>,
}

impl std::fmt::Debug for ExternalOpener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outside").finish_non_exhaustive()
    }
}

impl Default for ExternalOpener {
    fn default() -> Self {
        let opener = |path: &Path| open::that_detached(path).map_err(|error| error.to_string());
        Self { opener: Arc::new(opener), folder: Arc::default() }
    }
}

impl ExternalOpener {
    /// Makes the folder of this session for files that are looked at once, where it is not there yet.
    pub(super) fn folder(&self) -> impl FnOnce() -> Result<PathBuf, String> + Send + use<> {
        let known = Arc::clone(&self.folder);
        move || temporary(&known)
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
