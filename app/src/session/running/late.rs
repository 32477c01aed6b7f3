//! Late frames of the results on screen, counted by the share of a frame in the settings.

use std::sync::Arc;

use super::{Context, LoadedRun, Message, Running, TestState};

impl Running {
    /// Counts late frames of the results that are counted by another share. Takes a while, on other threads.
    pub(in crate::session) fn count_late(&self, context: &Context) {
        let percent = context.late_percent;
        let results = self.tests.iter().filter_map(TestState::shown);
        for shown in results.filter(|shown| !shown.is_counted(percent)) {
            let shown = Arc::clone(shown);
            let count = move || Ok(shown.counted(percent).map(Box::new));
            self.tasks.spawn("count-late", count, |counted| {
                Message::CountedLate(counted.unwrap_or_default())
            });
        }
    }

    /// Takes in a result that was counted, if it is still on screen and the share is still the same.
    pub(super) fn take_counted(&mut self, shown: LoadedRun, context: &Context) {
        let state = self.test_mut(shown.run.subject.key());
        let is_same =
            |state: &TestState| state.shown().is_some_and(|now| now.run.id == shown.run.id);
        if let Some(state) = state.filter(|state| is_same(state))
            && shown.is_counted(context.late_percent)
        {
            state.replace_result(shown);
        }
    }
}
