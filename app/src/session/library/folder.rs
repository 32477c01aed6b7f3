//! Detects changes that other programs make in the folder of runs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jitterscope_engine::store::Store;

use super::deleted::{self, DeletedItem};
use super::{LibraryItem, LibraryMessage, Tasks, Watch};

/// The content of the folder of runs.
pub(super) struct Listing {
    pub(super) items: Vec<LibraryItem>,
    pub(super) deleted: Vec<DeletedItem>,
}

/// How often the folder is checked for changes by other programs.
const PAUSE: Duration = Duration::from_secs(2);

/// The number that `Store::state` returned at the last listing of the folder; `None` before the
/// first listing, or if the folder could not be read.
#[derive(Clone, Debug, Default)]
pub(super) struct ListedState(Arc<Mutex<Option<u64>>>);

impl ListedState {
    /// Lists the folder. Reads the state of the folder before the listing, so that `watch` detects
    /// a change during the listing.
    pub(super) fn list(&self, store: &Store) -> Result<Listing, String> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = store.state().ok();
        let lines = store.lines().map_err(|error| error.to_string())?;
        Ok(Listing { items: LibraryItem::list(lines), deleted: deleted::list(store) })
    }

    /// Starts to watch the folder, and reports when it differs from the last listing.
    pub(super) fn watch(&self, tasks: &Tasks<LibraryMessage>, store: Store) -> Watch {
        let mut look = self.clone().into_look(store);
        tasks.watch("folder", PAUSE, move || look().then_some(LibraryMessage::FolderChanged))
    }

    /// Returns a function that returns `true` if the folder differs from the last listing, once per
    /// new state.
    fn into_look(self, store: Store) -> impl FnMut() -> bool {
        let mut reported = None;
        move || {
            let listed = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Do not report an unreadable folder here: the next listing reports the error.
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
