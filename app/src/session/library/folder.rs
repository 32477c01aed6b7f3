//! What other programs change in the folder of runs, compared with what was listed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jitterscope_engine::store::Store;

use super::deleted::{self, DeletedItem};
use super::{LibraryItem, Message, Tasks, Watch};

/// The folder of runs as it was read.
pub(super) struct Listing {
    pub(super) items: Vec<LibraryItem>,
    pub(super) deleted: Vec<DeletedItem>,
}

/// How long a change of the folder by another program may stay unseen.
const PAUSE: Duration = Duration::from_secs(2);

/// The state of the folder when the last list of it began; absent before the first list, and where the folder cannot
/// be read.
#[derive(Clone, Debug, Default)]
pub(super) struct ListedState(Arc<Mutex<Option<u64>>>);

impl ListedState {
    /// Reads the folder. Its state is read first, so that a change during the reading is found later.
    pub(super) fn list(&self, store: &Store) -> Result<Listing, String> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = store.state().ok();
        let lines = store.lines().map_err(|error| error.to_string())?;
        Ok(Listing { items: LibraryItem::list(lines), deleted: deleted::list(store) })
    }

    /// Reports when the folder is not as it was listed.
    pub(super) fn watch(&self, tasks: &Tasks<Message>, store: Store) -> Watch {
        let mut look = self.clone().into_look(store);
        tasks.watch("folder", PAUSE, move || look().then_some(Message::FolderChanged))
    }

    /// Returns a function that is true where the folder is not as it was listed, once for each of its states.
    fn into_look(self, store: Store) -> impl FnMut() -> bool {
        let mut reported = None;
        move || {
            let listed = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // A folder that cannot be read is reported where it is listed.
            let Some(states) = listed.zip(store.state().ok()) else { return false };
            states.0 != states.1 && reported.replace(states) != Some(states)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_saved_between_the_list_and_the_first_look_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        let listed = ListedState::default();
        let mut look = listed.clone().into_look(store.clone());
        assert!(!look(), "nothing is listed yet");
        assert_eq!(listed.list(&store).unwrap().items.len(), 0);
        std::fs::write(folder.path().join("new.jitterscope.json"), "{").unwrap();
        assert_eq!([look(), look()], [true, false]);
        assert_eq!(listed.list(&store).unwrap().items.len(), 1);
        assert!(!look());
        std::fs::remove_file(folder.path().join("new.jitterscope.json")).unwrap();
        assert!(look(), "the first state again, which is not the listed one");
    }
}
