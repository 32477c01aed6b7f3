//! Opens folders, files, and reports in other programs, such as the browser.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jitterscope_engine::store::ScratchFolder;

/// A function that opens a file or a folder with the system's default program.
pub type Opener = Arc<dyn Fn(&Path) -> Result<(), String> + Send + Sync>;

/// The state of opening files outside the app.
pub(super) struct ExternalOpener {
    pub(super) opener: Opener,
    /// The temporary folder of reports for the browser, created when the first report is opened;
    /// removed with the session.
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
    /// Returns a function that returns the temporary folder of this session, and creates it on
    /// first use.
    pub(super) fn folder(&self) -> impl FnOnce() -> Result<PathBuf, String> + Send + use<> {
        let known = Arc::clone(&self.folder);
        move || temporary(&known)
    }
}

/// Returns the temporary folder of this session, and creates it on first use.
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
