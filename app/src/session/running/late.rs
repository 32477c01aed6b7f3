//! Results on screen that are computed again or opened: late frames after the threshold has changed, what was asked of a
//! capture, and the last result of a test at the start of the app.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::report::CaptureView;

use super::{Context, LoadedRun, Running, RunningMessage, TestState};

impl Running {
    /// Starts to recount the late frames of the results on screen with the late threshold of the
    /// settings, on background threads.
    pub(in crate::session) fn count_late(&self, context: &Context) {
        let percent = context.late_percent;
        let results = self.tests.iter().filter_map(|state| state.shown.as_ref());
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
            |state: &TestState| state.shown.as_ref().is_some_and(|now| now.run.id == shown.run.id);
        if let Some(state) = state.filter(|state| is_same(state))
            && shown.is_counted(context.late_percent)
        {
            state.replace_report(shown);
        }
    }
}

impl Running {
    /// Evaluates the shown capture for what is asked of it, on a background thread: one evaluation at a time, and after it
    /// only what was asked last.
    pub(in crate::session) fn view_capture(&mut self, view: CaptureView) {
        self.view = view;
        let Some(shown) = self.capture.clone().filter(|_| !self.is_viewing) else { return };
        self.is_viewing = true;
        let view = self.view.clone();
        let evaluate = move || Ok(Box::new(shown.viewed(view)));
        self.tasks.spawn("view-capture", evaluate, RunningMessage::CaptureViewed);
    }

    /// Shows an evaluated capture, if it is still on screen and nothing else was asked since; else evaluates what was.
    pub(super) fn take_viewed(&mut self, shown: Option<LoadedRun>) {
        self.is_viewing = false;
        let Some(shown) = shown else { return };
        let Some(now) = &self.capture else { return };
        if now.report.options.capture == self.view {
            return;
        }
        if now.run.id == shown.run.id && shown.report.options.capture == self.view {
            self.capture = Some(Arc::new(shown));
        } else {
            self.view_capture(self.view.clone());
        }
    }
}

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

    /// Shows a result of the previous session, unless another result is on screen.
    pub(super) fn show_restored(&mut self, shown: LoadedRun, context: &Context) {
        let state = self.test_mut(shown.run.subject.key());
        if let Some(state) = state.filter(|state| state.is_empty()) {
            state.show(shown);
            self.count_late(context);
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
        let shown = running.test("frame-loop").unwrap().shown.as_ref().unwrap();
        assert!(shown.is_counted(context.late_percent));
        assert_eq!(shown.run.annotations.len(), 1);
    }
}
