//! Changes of saved runs, carried out one after another in the order of the requests.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::LibraryMessage;

/// A pending change.
type LibraryChange = Box<dyn FnOnce() -> LibraryMessage + Send>;

/// Pending changes of saved runs. They are carried out one after another in the order of the
/// requests, so that no change overwrites another change of the same run, and no edit is made after
/// a later request moved the run to the trash.
#[derive(Clone, Default)]
pub(super) struct Changes {
    waiting: Arc<Mutex<VecDeque<LibraryChange>>>,
    turn: Arc<Mutex<()>>,
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

impl Changes {
    pub(super) fn add(&self, work: impl FnOnce() -> LibraryMessage + Send + 'static) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(Box::new(work));
    }

    /// Waits for the change in progress, then carries out the oldest pending change; `None` if no
    /// change is pending.
    pub(super) fn next(&self) -> Option<LibraryMessage> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let work = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        work.map(|work| work())
    }
}
