//! Results that were on screen when the app ended: opened again when their page is shown.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{PageId, RUNNING, Session, TestState};

impl Session {
    /// Opens the result that the page of a test showed at the end of the last start, once.
    pub fn restore_result(&mut self, page: PageId) {
        let PageId::Test(test) = page else { return };
        if let Some(path) = self.settings().results.get(test).cloned() {
            self.run(RUNNING, |part, context, _| part.restore(test, path, context));
        }
    }

    /// The files of the results on screen, and of those whose page was not shown yet, by test.
    pub(super) fn shown_files(&self) -> BTreeMap<String, PathBuf> {
        let file = |bench: &TestState| {
            let key = bench.key();
            let path = match bench.shown() {
                Some(shown) => shown.path.clone(),
                // What was looked for and is not shown could not be opened.
                None if self.running.is_restored(key) => None,
                None => self.settings().results.get(key).cloned(),
            };
            Some((key.to_owned(), path?))
        };
        self.benches().iter().filter_map(file).collect()
    }
}
