//! Room on the disk for a run before it is measured, so that a full disk is noticed first.

use std::io;

use super::disk::{self, Draft};
use super::{SaveError, Store};

/// About what a sample takes in a journal, and in a run file; evidence and the kernel's records come on top.
const SAMPLE_BYTES: u64 = 100;
/// The same for everything else.
const OTHER_BYTES: u64 = 256 << 10;

/// Room for the file of a run; dropping it returns the room.
#[derive(Debug)]
pub struct Room {
    _held: Draft,
}

impl Store {
    /// Checks that there is room for the journal and the file of a run of this many samples, and reserves it for
    /// the file, which is written last. `None` where the file system reserves nothing: then, a full disk is noticed
    /// when the run is written.
    pub fn reserve(&self, samples: u64) -> Result<Option<Room>, SaveError> {
        let bytes = samples.saturating_mul(SAMPLE_BYTES).saturating_add(OTHER_BYTES);
        match self.room(bytes) {
            Ok(room) => Ok(room),
            Err(source) if is_no_room(&source) => {
                let bytes = bytes.saturating_mul(2);
                Err(SaveError::NoRoom { source, bytes, path: self.folder.clone() })
            }
            Err(error) => {
                // A folder that cannot be written is reported by the journal.
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
