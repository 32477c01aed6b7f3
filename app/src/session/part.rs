//! How the parts of a session interact: what each may read of the others, and what it requests of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use jitterscope_engine::runner::Host;
use jitterscope_engine::store::Store;

use super::action::{Action, Notice, PageId};
use super::export_request::ExportKind;
use super::settings::OwnPreset;
use super::shown::LoadedRun;
use crate::facts::Facts;

/// What a part may know of the others.
#[derive(Clone)]
pub(super) struct Context {
    /// Where runs are saved.
    pub(super) store: Option<Store>,
    /// What was read from the machine.
    pub(super) facts: Option<Arc<Facts>>,
    /// The share of a frame, in percent, above which it is late.
    pub(super) late_percent: f64,
    /// Whether a sound plays at the end of a long test.
    pub(super) plays_sound: bool,
    /// Where runs are measured; absent while the selected host is not connected.
    pub(super) host: Option<Host>,
    /// Whether anything is measured.
    pub(super) is_running: bool,
    /// Whether a run is measured or saved.
    pub(super) is_busy: bool,
}

/// What a part requests of the others, or of the window.
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
    /// Add a preset from a file, and select it.
    TakePreset(Box<OwnPreset>),
    /// Read the folder of runs again.
    ListRuns,
    /// Save runs here from now on.
    MoveTo(Option<Store>),
    /// Count late frames by the share in the settings.
    CountLate,
    /// Carry out an action of the user that had to wait.
    Act(Box<Action>),
    /// Save the format of the last export.
    RememberExport(ExportKind),
}

/// Collects the requests of a part until its work is done.
#[derive(Default)]
pub(super) struct Outbox(Vec<Request>);

impl Outbox {
    pub(super) fn push(&mut self, request: Request) {
        self.0.push(request);
    }

    pub(super) fn notify(&mut self, notice: Notice) {
        self.push(Request::Notify(notice));
    }

    pub(super) fn into_requests(self) -> Vec<Request> {
        self.0
    }
}

/// One part of a session.
pub(super) trait Part {
    /// What it is called in a message.
    const NAME: &'static str;

    /// Restarts after a panic with the state that a panic cannot corrupt.
    fn restart(&mut self, outbox: &mut Outbox);
}

/// Runs a part's work. A part that panics is restarted; the other parts continue.
pub(super) fn isolate<P: Part>(
    part: &mut P,
    outbox: &mut Outbox,
    work: impl FnOnce(&mut P, &mut Outbox),
) {
    if catch_unwind(AssertUnwindSafe(|| work(part, outbox))).is_err() {
        part.restart(outbox);
        outbox.notify(Notice::error(format!(
            "Internal error in {}. It was restarted; everything else continues.",
            P::NAME
        )));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(u32);

    impl Part for Counter {
        const NAME: &'static str = "the counter";

        fn restart(&mut self, _: &mut Outbox) {
            self.0 = 0;
        }
    }

    #[test]
    fn a_part_that_panics_begins_afresh_and_reports_it() {
        let (mut part, mut outbox) = (Counter(1), Outbox::default());
        isolate(&mut part, &mut outbox, |part, outbox| {
            part.0 += 1;
            outbox.push(Request::ListRuns);
        });
        assert_eq!(part.0, 2);
        isolate(&mut part, &mut outbox, |part, _| {
            part.0 += 1;
            panic!("a defect");
        });
        assert_eq!(part.0, 0);
        let requests = outbox.into_requests();
        assert!(matches!(
            requests.as_slice(),
            [Request::ListRuns, Request::Notify(notice)] if notice.text.contains("the counter")
        ));
    }
}
