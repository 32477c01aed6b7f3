//! What is asked of the capture on screen.

use std::sync::Arc;

use jitterscope_engine::report::CaptureView;

use super::{Running, RunningMessage};
use crate::session::shown::LoadedRun;

impl Running {
    /// Returns what was asked last of the capture on screen.
    pub const fn capture_view(&self) -> &CaptureView {
        &self.view
    }

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
