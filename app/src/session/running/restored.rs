//! Opens the last result of a test at the start of the app.

use std::path::PathBuf;

use super::{LoadedRun, Running, RunningMessage, TestState};
use crate::session::part::Context;

impl Running {
    /// Opens the last result of a test in the background if no result is on screen; only once per
    /// test.
    pub(in crate::session) fn restore(
        &mut self,
        test: &'static str,
        path: PathBuf,
        context: &Context,
    ) {
        if context.is_busy || !self.will_restore(test) {
            return;
        }
        self.restored.push(test);
        self.restoring_count += 1;
        let open = move || LoadedRun::open(&path).map(Box::new);
        self.tasks.spawn("restore-result", open, RunningMessage::Restored);
    }

    /// Whether [`restore`](Self::restore) opens the last result of this test.
    pub(in crate::session) fn will_restore(&self, test: &str) -> bool {
        let is_empty = self.test(test).is_some_and(TestState::is_empty);
        is_empty && !self.is_busy() && !self.restored.contains(&test)
    }

    /// Omits the last result of a test.
    pub(in crate::session) fn leave_out(&mut self, test: &'static str) {
        self.restored.push(test);
    }

    /// Whether the last result of a test is being opened.
    pub(in crate::session) const fn is_restoring(&self) -> bool {
        0 < self.restoring_count
    }

    /// Shows a result of the previous session, unless another result is on screen.
    pub(super) fn show_restored(&mut self, shown: LoadedRun, context: &Context) {
        let state = self.test_mut(shown.run.subject.key());
        if let Some(state) = state.filter(|state| state.is_empty()) {
            state.show(shown);
            self.count_late(context);
        }
    }
}
