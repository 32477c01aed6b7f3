//! A temporary folder for files that are opened once. Dropping its `ScratchFolder` removes the
//! folder.

use std::io;
use std::path::Path;

/// A new folder that only this user can access, with an unpredictable name. Dropping the
/// `ScratchFolder` removes the folder and its content.
#[derive(Debug)]
pub struct ScratchFolder(tempfile::TempDir);

impl ScratchFolder {
    /// Creates a folder in the system's temporary folder; returns an error if the system's folder
    /// is not writable.
    pub fn new() -> io::Result<Self> {
        tempfile::Builder::new().prefix("jitterscope-").tempdir().map(Self)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_with_what_is_in_it() {
        let folder = ScratchFolder::new().unwrap();
        let path = folder.path().to_owned();
        std::fs::write(path.join("report.html"), "once").unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}
