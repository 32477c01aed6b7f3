//! The saved runs, as a list shows them.

use crate::run_list::{LibraryItem, RunLine};

/// The saved runs.
#[derive(Clone, Debug, Default)]
pub struct Library {
    items: Option<Vec<LibraryItem>>,
    /// Rises whenever the list is another.
    version: u64,
}

impl Library {
    /// The files, the newest first; `None` while they are being read for the first time.
    pub fn items(&self) -> Option<&[LibraryItem]> {
        self.items.as_deref()
    }

    /// Rises whenever the list is another, so that what is made of it need not be made anew each time.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// How many runs there are.
    pub fn count(&self) -> usize {
        self.items.as_ref().map_or(0, Vec::len)
    }

    /// The last run of a test.
    pub fn last_of(&self, test: &str) -> Option<&RunLine> {
        let items = self.items.as_ref()?;
        items.iter().filter_map(|item| item.run.as_ref().ok()).find(|run| run.test == test)
    }

    pub(super) fn fill(&mut self, items: Vec<LibraryItem>) {
        self.version += 1;
        self.items = Some(items);
    }
}
