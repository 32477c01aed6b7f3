//! Recounts the late frames of the results on screen after the late threshold in the settings has
//! changed.

use std::sync::Arc;

use super::{Context, LoadedRun, Running, RunningMessage, TestState};

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
                RunningMessage::CountedLate(counted.unwrap_or_default())
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
            state.replace_report(shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;
    use jitterscope_engine::run::Annotation;

    use super::*;
    use crate::session::task::TaskHost;

    #[test]
    fn annotation_added_during_a_recount_is_retained() {
        let mut running = Running::new(&TaskHost::new(|| {}));
        let context = Context { late_percent: 1.0, ..Context::default() };
        let shown = LoadedRun::example();
        let counted = shown.counted(context.late_percent).unwrap();
        let (from, to, text) = (Nanos::ZERO, Nanos::ZERO, "here".to_owned());
        let annotation = Annotation { trial: 0, from, to, text };
        running.change("frame-loop", |state| {
            state.show(shown);
            state.annotate(&[annotation]);
        });
        running.take_counted(counted, &context);
        let shown = running.test("frame-loop").unwrap().shown().unwrap();
        assert!(shown.is_counted(context.late_percent));
        assert_eq!(shown.run.annotations.len(), 1);
    }
}
