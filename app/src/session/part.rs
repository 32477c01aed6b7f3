//! How the parts of a session interact: the state that a part may read, and the requests that it
//! may send.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use jitterscope_engine::runner::Host;
use jitterscope_engine::store::Store;

use super::action::{Action, Notice, PageId};
use super::dialog::Dialogs;
use super::export_request::ExportKind;
use super::settings::OwnPreset;
use super::shown::LoadedRun;
use crate::facts::Facts;

/// The state of other parts that a part may read, and the requests that the part sends.
#[derive(Default)]
pub(super) struct Context {
    /// The folder in which runs are saved; `None` if runs cannot be saved.
    pub(super) store: Option<Store>,
    pub(super) dialogs: Dialogs,
    /// The facts about the machine on which tests run; `None` until they are known.
    pub(super) facts: Option<Arc<Facts>>,
    /// The late threshold as a percentage of a frame.
    pub(super) late_percent: f64,
    /// Whether the settings enable a sound at the end of a long test.
    pub(super) plays_sound: bool,
    /// The host on which runs are measured; `None` while the selected host is not connected.
    pub(super) host: Option<Host>,
    /// Whether a test is being measured.
    pub(super) is_running: bool,
    /// Whether a test or quick check runs or waits to start, or a run is being saved.
    pub(super) is_busy: bool,
    /// The requests of the part; they are carried out when its work is done.
    pub(super) requests: RefCell<Vec<Request>>,
}

impl Context {
    pub(super) fn push(&self, request: Request) {
        self.requests.borrow_mut().push(request);
    }

    pub(super) fn notify(&self, notice: Notice) {
        self.push(Request::Notify(notice));
    }

    pub(super) fn report_error(&self, text: impl Into<String>) {
        self.notify(Notice::error(text));
    }
}

/// A request of a part to other parts or to the window.
pub(super) enum Request {
    /// Show a message.
    Notify(Notice),
    /// Show a page.
    GoTo(PageId),
    /// Bring the window to the front.
    ToFront,
    /// Mark this moment of the run in progress.
    Mark(Instant),
    /// Show a run as the result of its test.
    Show(Box<LoadedRun>),
    /// Show what a recording is now, if it is on screen.
    Renew(Box<LoadedRun>),
    /// Add a preset from a file, and select it.
    TakePreset(Box<OwnPreset>),
    /// List the folder of runs again.
    ListRuns,
    /// Save runs in this store from now on.
    MoveTo(Option<Store>),
    /// Recount the late frames of the results on screen with the late threshold of the settings.
    CountLate,
    /// Carry out a user action that waited for administrator rights.
    Act(Box<Action>),
    /// Save the format of the last export in the settings.
    RememberExport(ExportKind),
}

/// A part of a session with its own state, such as the library or the settings.
pub(super) trait Part {
    /// The name of the part in messages.
    const NAME: &'static str;

    /// Resets the part after a panic; only state that cannot be corrupt is preserved.
    fn restart(&mut self, context: &Context);
}

/// Runs a part's work. A part that panics is restarted; the other parts continue.
pub(super) fn isolate<P: Part>(
    part: &mut P,
    context: &Context,
    work: impl FnOnce(&mut P, &Context),
) {
    if catch_unwind(AssertUnwindSafe(|| work(part, context))).is_err() {
        part.restart(context);
        context.report_error(format!(
            "Internal error in {}. It was restarted; everything else continues.",
            P::NAME
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(u32);

    impl Part for Counter {
        const NAME: &'static str = "the counter";

        fn restart(&mut self, _: &Context) {
            self.0 = 0;
        }
    }

    #[test]
    fn a_part_that_panics_begins_afresh_and_reports_it() {
        let (mut part, context) = (Counter(1), Context::default());
        isolate(&mut part, &context, |part, context| {
            part.0 += 1;
            context.push(Request::ListRuns);
        });
        assert_eq!(part.0, 2);
        isolate(&mut part, &context, |part, _| {
            part.0 += 1;
            panic!("a defect");
        });
        assert_eq!(part.0, 0);
        let requests = context.requests.into_inner();
        assert!(matches!(
            requests.as_slice(),
            [Request::ListRuns, Request::Notify(notice)] if notice.text.contains("the counter")
        ));
    }
}
