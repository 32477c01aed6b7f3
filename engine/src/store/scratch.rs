//! A folder for files that are looked at once, gone when nobody holds it.

use std::io;
use std::path::Path;

/// A folder made new for this person alone, under a name that nobody can have guessed. It is removed with
/// all that is in it when this is dropped.
#[derive(Debug)]
pub struct ScratchFolder(tempfile::TempDir);

impl ScratchFolder {
    /// A new one where the system keeps temporary files; fails where that cannot be written to.
    pub fn new() -> io::Result<Self> {
        tempfile::Builder::new().prefix("jitterscope-").tempdir().map(Self)
    }

    /// Where it is.
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
