//! Reserves disk space for a run before the run starts, so that a full disk is detected early.

use std::io;

use super::disk::{self, Draft};
use super::{SaveError, Store};

/// Approximate size of a sample in a journal, and in a run file; evidence and trace records are not
/// included.
const SAMPLE_BYTES: u64 = 100;
/// Approximate size of all other data of a run.
const OTHER_BYTES: u64 = 256 << 10;

/// Reserved disk space for the file of a run. Dropping the `Room` releases the space.
#[derive(Debug)]
pub struct Room {
    _held: Draft,
}

impl Store {
    /// Checks that the disk has room for the journal and the file of a run with this many samples,
    /// and reserves room for the file, which is written after the journal. Returns `None` if the
    /// file system cannot reserve room: then, a full disk is detected only when the run is written.
    pub fn reserve(&self, samples: u64) -> Result<Option<Room>, SaveError> {
        let bytes = samples.saturating_mul(SAMPLE_BYTES).saturating_add(OTHER_BYTES);
        match self.room(bytes) {
            Ok(room) => Ok(room),
            Err(source) if is_no_room(&source) => {
                let bytes = bytes.saturating_mul(2);
                Err(SaveError::NoRoom { source, bytes, path: self.folder.clone() })
            }
            Err(error) => {
                // Ignore other errors: if the folder is not writable, creating the journal reports
                // the error.
                log::info!("no room is reserved: {error}: {}", self.folder.display());
                Ok(None)
            }
        }
    }

    fn room(&self, bytes: u64) -> io::Result<Option<Room>> {
        disk::make_folder(&self.folder)?;
        let [file, journal] =
            [Draft::create(&self.folder, true)?, Draft::create(&self.folder, true)?];
        let is_reserved = file.reserve(bytes)? && journal.reserve(bytes)?;
        Ok(is_reserved.then_some(Room { _held: file }))
    }
}

fn is_no_room(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}
