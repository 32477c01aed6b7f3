//! Changes of saved runs, one after another in the order they were requested.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Message;

/// One change, to be done.
type Change = Box<dyn FnOnce() -> Message + Send>;

/// Pending changes of saved runs: one after another, so that none undoes another of the same run or
/// comes after the run was moved to the trash.
#[derive(Clone, Default)]
pub(super) struct Changes {
    waiting: Arc<Mutex<VecDeque<Change>>>,
    turn: Arc<Mutex<()>>,
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

impl Changes {
    pub(super) fn add(&self, work: impl FnOnce() -> Message + Send + 'static) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(Box::new(work));
    }

    /// Starts the oldest pending change unless one is in progress; `None` if none is pending.
    pub(super) fn next(&self) -> Option<Message> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let work = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        work.map(|work| work())
    }
}
