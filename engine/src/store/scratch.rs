//! A temporary folder for files to be opened once, removed when dropped.

use std::io;
use std::path::Path;

/// A new folder for this user alone, with an unpredictable name. Dropping it removes it with its
/// content.
#[derive(Debug)]
pub struct ScratchFolder(tempfile::TempDir);

impl ScratchFolder {
    /// Creates one in the system's temporary folder; fails if that is not writable.
    pub fn new() -> io::Result<Self> {
        tempfile::Builder::new().prefix("jitterscope-").tempdir().map(Self)
    }

    /// Its path.
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
