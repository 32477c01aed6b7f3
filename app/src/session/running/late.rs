//! Recounts the late frames of the results on screen after the late threshold in the settings has
//! changed.

use std::sync::Arc;

use super::{Context, LoadedRun, Message, Running, TestState};

impl Running {
    /// Starts to recount the late frames of the results on screen with the late threshold of the
    /// settings, on background threads.
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

    /// Shows a result with recounted late frames, if its run is still on screen and the threshold
    /// has not changed again.
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
