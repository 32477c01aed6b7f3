//! The tests: their settings and results, the run in progress, and the measurements that follow a
//! run.

mod completion;
mod late;
mod live;
mod quick;
mod run_sequence;
mod starting;
mod test_state;
mod waiting;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use jitterscope_engine::measure::Event;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::quick::continuation;
use jitterscope_engine::report::{
    CaptureView, ChangeEffect, follow_up, frame_loop_of, with_follow_up,
};
use jitterscope_engine::run::{Ending, Labels, Run, RunId};
use jitterscope_engine::runner::{OtherPrograms, Runner, SavedRun, lost_after};
use jitterscope_engine::store;

use super::action::{Action, Notice, PageId};
use super::finished_check::FinishedCheck;
use super::part::{Context, Part, Request};
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks};
use crate::facts::Facts;
use completion::CompletionState;

pub use live::{Live, TrialState};
pub use quick::{ActiveCheck, PartState, Quick};
pub use run_sequence::SequenceState;
pub use test_state::{Phase, TestState};
pub use waiting::WaitingTest;

/// Copies name, note, and tags from the saved file of a run to the run that continues it, since the
/// user may have edited them. If the file was deleted, the continued run gets `own_id`.
fn keep_edits(run: &mut Run, path: &Path, own_id: RunId) {
    match store::load(path) {
        Ok(saved) => (run.name, run.note, run.tags) = (saved.name, saved.note, saved.tags),
        Err(_) => run.id = own_id,
    }
}

/// Overhead of the window, and how long it was hidden; set by the window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WindowCost {
    /// CPU time of the window's thread since the start of the program.
    pub cpu: Option<Nanos>,
    /// Number of painted frames since the start of the program.
    pub paint_count: u64,
    /// How long the window was hidden since the start of the program.
    pub hidden: Nanos,
    /// Time from the start of the program to the end of the first frame.
    pub first_image: Option<Nanos>,
    /// 95th percentile of the time from an input to the frame that shows its effect, over recent frames.
    pub input_p95: Option<Nanos>,
}

/// Messages of tasks.
enum RunningMessage {
    /// A run was evaluated and, if possible, saved.
    Saved { test: &'static str, result: Result<Box<LoadedRun>, String> },
    /// An agent, on another PC or with administrator rights, has started a run, or failed to start
    /// it.
    Started(Result<Box<Runner>, String>),
    /// The load of other programs was measured, before a part of the quick check or for a waiting
    /// test: the number of the measurement, and the CPU use of these programs.
    OtherLoad(u64, OtherPrograms),
    /// The last result of a test was opened again.
    Restored(Result<Box<LoadedRun>, String>),
    /// A saved quick check was opened.
    QuickOpened(Result<Box<FinishedCheck>, String>),
    /// The frames of a tested change of the "what helps" test were opened.
    ChangeOpened(Result<Box<LoadedRun>, String>),
    /// The capture was evaluated for what is asked of it.
    CaptureViewed(Result<Box<LoadedRun>, String>),
    /// Late frames of a result were recounted with another threshold; `None` if nothing changed.
    CountedLate(Option<Box<LoadedRun>>),
}

/// All tests, and the run in progress.
#[derive(Debug)]
pub struct Running {
    tasks: Tasks<RunningMessage>,
    /// The state of all kinds of test.
    pub tests: Vec<TestState>,
    /// The imported run on screen, if any.
    pub capture: Option<Arc<LoadedRun>>,
    /// The recording on screen.
    pub recorded: Option<Arc<LoadedRun>>,
    /// What was asked last of the shown capture.
    pub view: CaptureView,
    /// Whether the shown capture is being evaluated.
    is_viewing: bool,
    active: Option<Active>,
    /// The quick check.
    pub quick: Quick,
    /// The earlier run that the run in progress continues.
    followed: Option<Arc<LoadedRun>>,
    /// The test that starts as soon as other programs are quiet.
    pub waiting: Option<WaitingTest>,
    /// The number of measurements of the load of other programs that were started.
    look_count: u64,
    /// The series of runs in progress.
    pub sequence: Option<SequenceState>,
    endings: CompletionState,
    /// The overhead of the window.
    pub window_cost: WindowCost,
    /// The tests whose last result was opened, or failed to open, since the start of the app.
    restored: Vec<&'static str>,
    /// How many last results are being opened.
    pub(super) restoring_count: usize,
}

/// The run in progress.
#[derive(Debug)]
struct Active {
    /// `None` until an agent, on another PC or with administrator rights, has started the run.
    runner: Option<Runner>,
    /// Whether to stop the run as soon as it has started.
    is_stopped: bool,
    cost_at_start: WindowCost,
}

impl Active {
    fn stop(&mut self) {
        self.is_stopped = true;
        if let Some(runner) = &self.runner {
            runner.stop();
        }
    }
}

impl Part for Running {
    const NAME: &'static str = "measuring";

    fn restart(&mut self, _: &Context) {
        let tests = std::mem::take(&mut self.tests);
        let fresh = Self::new(&self.tasks.host);
        // Dropping the run in progress stops it; its journal is recovered at the next start.
        *self = Self {
            tests: tests.into_iter().map(TestState::idle).collect(),
            capture: self.capture.take(),
            recorded: self.recorded.take(),
            view: std::mem::take(&mut self.view),
            is_viewing: false,
            window_cost: self.window_cost,
            ..fresh
        };
    }
}

impl Running {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self {
            tasks: Tasks::new(host),
            tests: Plan::all().into_iter().map(TestState::new).collect(),
            capture: None,
            recorded: None,
            view: CaptureView::default(),
            is_viewing: false,
            active: None,
            quick: Quick::default(),
            followed: None,
            waiting: None,
            look_count: 0,
            sequence: None,
            endings: CompletionState::default(),
            window_cost: WindowCost::default(),
            restored: Vec::new(),
            restoring_count: 0,
        }
    }

    /// Returns the state of one kind of test.
    pub fn test(&self, key: &str) -> Option<&TestState> {
        self.tests.iter().find(|state| state.key() == key)
    }

    fn test_mut(&mut self, key: &str) -> Option<&mut TestState> {
        self.tests.iter_mut().find(|state| state.key() == key)
    }

    /// Returns the result on screen for this key: of the test, unless it is running, or the
    /// imported run or recording.
    pub fn shown(&self, key: &str) -> Option<&Arc<LoadedRun>> {
        match self.test(key) {
            Some(state) => state.shown.as_ref().filter(|_| state.live().is_none()),
            None => [self.capture.as_ref(), self.recorded.as_ref()]
                .into_iter()
                .flatten()
                .find(|shown| shown.run.subject.key() == key),
        }
    }

    /// Returns whether a test is being measured.
    pub const fn is_running(&self) -> bool {
        self.active.is_some()
    }

    /// Returns whether a test or quick check runs or waits to start, or a run is being saved.
    pub fn is_busy(&self) -> bool {
        self.is_measuring_or_saving() || self.quick.check.is_some() || self.waiting.is_some()
    }

    /// Returns whether a test is being measured or its run is being saved. An opened run would then
    /// hide the test.
    pub(super) fn is_measuring_or_saving(&self) -> bool {
        let is_saving = |state: &TestState| matches!(state.phase, Phase::Saving);
        self.is_running() || self.tests.iter().any(is_saving)
    }

    /// Returns the name of the check in progress, or of the test that runs or whose run is being
    /// saved.
    pub fn name(&self) -> &'static str {
        let is_active = |state: &&TestState| !matches!(state.phase, Phase::Idle);
        match &self.quick.check {
            Some(_) => "Quick check",
            None => self.tests.iter().find(is_active).map_or("", TestState::name),
        }
    }

    /// Returns the running test and the data that it has measured so far.
    pub fn live(&self) -> Option<(&TestState, &Live)> {
        self.tests.iter().find_map(|state| Some((state, state.live()?)))
    }

    /// Returns whether this page shows the running or waiting test, or the quick check in progress.
    pub fn is_in_view(&self, page: PageId) -> bool {
        match page {
            PageId::Test(key) => {
                self.live().is_some_and(|(state, _)| state.key() == key)
                    || self.waiting.as_ref().is_some_and(|waiting| waiting.test == key)
            }
            PageId::Quick => self.quick.check.is_some(),
            _ => false,
        }
    }

    /// Returns the file of the result on each test's page. A test without a result since the start
    /// of the app has the file in `last`, from the previous session.
    pub(super) fn shown_files(
        &self,
        last: &BTreeMap<String, PathBuf>,
    ) -> BTreeMap<String, PathBuf> {
        let file = |state: &TestState| {
            let key = state.key();
            let path = match &state.shown {
                Some(shown) => shown.path.clone(),
                // The last result could not be opened: omit it.
                None if self.restored.contains(&key) => None,
                None => last.get(key).cloned(),
            };
            Some((key.to_owned(), path?))
        };
        self.tests.iter().filter_map(file).collect()
    }

    /// Returns whether the completion sound of a test was played since the last call. The window
    /// then also requests the user's attention.
    pub const fn take_ended(&mut self) -> bool {
        self.endings.take()
    }

    /// Handles the messages of tasks, and the events of the run in progress, since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        self.poll_run(context);
        for message in self.tasks.messages() {
            match message {
                RunningMessage::Saved { result: Ok(shown), .. } => self.end(*shown, context),
                RunningMessage::Saved { test, result: Err(error) } => {
                    self.drop_run(test, context);
                    context.report_error(format!("The run was not saved: {error}."));
                }
                RunningMessage::Started(Ok(runner)) => self.take_started(*runner),
                RunningMessage::Started(Err(error)) => self.take_not_started(&error, context),
                // Ignore a measurement that a later one has replaced: its part was skipped, or its
                // test was stopped.
                RunningMessage::OtherLoad(number, _) if number != self.look_count => {}
                RunningMessage::OtherLoad(_, found) => self.take_other_load(found, context),
                RunningMessage::QuickOpened(Ok(check)) => {
                    self.quick.result = Some(Arc::new(*check));
                    context.push(Request::GoTo(PageId::Quick));
                }
                RunningMessage::QuickOpened(Err(error)) => {
                    context.report_error(format!("The check cannot be opened: {error}"));
                }
                // Ignore the opened frames: another test was started in the meantime, and uses the
                // page.
                RunningMessage::ChangeOpened(Ok(_)) if self.is_busy() => {}
                RunningMessage::ChangeOpened(Ok(shown)) => {
                    let page = PageId::of(&shown.run);
                    self.show(*shown, context);
                    context.push(Request::GoTo(page));
                }
                RunningMessage::ChangeOpened(Err(error)) => {
                    context.report_error(format!("The frames cannot be shown: {error}."));
                }
                RunningMessage::Restored(result) => {
                    self.restoring_count = self.restoring_count.saturating_sub(1);
                    match result {
                        Ok(shown) => self.show_restored(*shown, context),
                        // If the file is missing, the page is shown as before the first run.
                        Err(error) => log::info!("no last result: {error}"),
                    }
                }
                RunningMessage::CaptureViewed(shown) => {
                    self.take_viewed(shown.ok().map(|shown| *shown));
                }
                RunningMessage::CountedLate(shown) => {
                    if let Some(shown) = shown {
                        self.take_counted(*shown, context);
                    }
                }
            }
        }
        // Whatever ended without a result, such as a stopped check, does not count for the next test.
        if !self.is_busy() {
            self.endings.cancel();
        }
    }

    fn poll_run(&mut self, context: &Context) {
        let Some(active) = &self.active else { return };
        let events: Vec<_> = active.runner.iter().flat_map(Runner::events).collect();
        let mut last = None;
        for event in events {
            match event {
                Event::Finished(run) => last = Some(run),
                Event::NotSaved { reason } => context.report_error(format!(
                    "Samples cannot be saved during the test: {reason}. The test continues."
                )),
                event => {
                    if let Some(live) = self.tests.iter_mut().find_map(TestState::live_mut) {
                        live.handle_event(event);
                    }
                }
            }
        }
        if let Some(live) = self.tests.iter_mut().find_map(TestState::live_mut) {
            live.refresh(Instant::now());
        }
        if let Some(run) = last {
            self.save(run);
        }
    }

    /// Marks this moment in the run in progress.
    pub(super) fn mark(&mut self, at: Instant) {
        if let Some(live) = self.tests.iter_mut().find_map(TestState::live_mut) {
            live.mark(at);
        }
    }

    /// Handles a run that has ended: adds annotations and the overhead of the window, then saves the run and
    /// computes its report on a background thread.
    fn save(&mut self, run: Arc<Run>) {
        let Some(Active { runner: Some(runner), cost_at_start, .. }) = self.active.take() else {
            return;
        };
        let mut finished = runner.finish(run);
        let run = &mut finished.run;
        // Take the marks from the live data: the measuring threads do not have them.
        let live =
            self.tests.iter_mut().find_map(TestState::live_mut).and_then(|live| live.run.as_ref());
        run.annotations.extend(live.into_iter().flat_map(|live| live.annotations.iter().cloned()));
        // If the run was measured on another PC, the window has no overhead there.
        if run.host.is_none() {
            let cost = self.window_cost;
            run.health.window_hidden = Some(cost.hidden - cost_at_start.hidden);
            run.health.paint_count = Some(cost.paint_count - cost_at_start.paint_count);
            if let (Some(now), Some(then)) = (cost.cpu, cost_at_start.cpu) {
                run.health.window_cpu = Some(now - then);
            }
        }
        self.quick.sign(run);
        let own_id = run.id.clone();
        let first_path = self.followed.as_ref().and_then(|first| first.path.clone());
        if let Some(first) = &self.followed {
            *run = with_follow_up(&first.run, run.clone());
        }
        if run.ending != Ending::Finished {
            self.cut_sequence();
        }
        let test = run.subject.key();
        if let Some(state) = self.test_mut(test) {
            state.set_phase(Phase::Saving);
        }
        let save = move || {
            if let Some(path) = first_path {
                keep_edits(&mut finished.run, &path, own_id);
            }
            let SavedRun { run, path, failure } = finished.save();
            let save_error = failure.map(|error| error.to_string());
            Ok(Box::new(LoadedRun { save_error, ..LoadedRun::of(run, path) }))
        };
        self.tasks.spawn("save", save, move |result| RunningMessage::Saved { test, result });
    }

    /// Shows a saved run, and starts its follow-up.
    fn end(&mut self, shown: LoadedRun, context: &Context) {
        let (key, name) = (shown.run.subject.key(), self.name());
        self.show(shown, context);
        if let Some(shown) = self.test(key).and_then(|state| state.shown.as_ref()).cloned() {
            if self.measure_on(&shown, context) {
                return;
            }
            self.end_part(&shown, context);
            self.after_saving(&shown, context);
            self.note_end(name, &shown, context);
        }
    }

    /// Starts the follow-up measurement that some results require, at most one per run; returns
    /// whether the measurement was started.
    fn measure_on(&mut self, shown: &Arc<LoadedRun>, context: &Context) -> bool {
        let is_first = self.followed.take().is_none();
        let can_follow = is_first && lost_after(&shown.run).is_none();
        let plan = follow_up(&shown.run, &shown.report).filter(|_| can_follow);
        plan.is_some_and(|plan| self.follow(plan, shown, context))
    }

    /// Starts to measure a plan that continues a completed run; returns whether the measurement was
    /// started.
    fn follow(&mut self, plan: Plan, first: &Arc<LoadedRun>, context: &Context) -> bool {
        let labels = Labels { tags: first.run.tags.clone(), ..Labels::default() };
        let has_started = self.start_plan(plan, labels, context);
        self.followed = has_started.then(|| Arc::clone(first));
        has_started
    }

    /// Returns the duration of the measurement that collects the data missing for a grade; `None`
    /// if no data is missing, or if the result was measured on another machine or is not saved.
    pub fn test_longer(&self, test: &str, facts: &Facts) -> Option<Nanos> {
        let shown = self.test(test)?.shown.as_ref()?;
        let plan = continuation(&shown.run, &shown.report)?;
        let is_whole = shown.path.is_some() && facts.are_of(&shown.run);
        is_whole.then(|| plan.duration(&facts.cpus))
    }

    /// Continues a test whose result has too little data for a grade, to collect more.
    pub(super) fn measure_test_longer(&mut self, test: &str, context: &Context) {
        let shown =
            self.test(test).and_then(|state| state.shown.as_ref()).filter(|_| !self.is_busy());
        let Some(shown) = shown.cloned() else { return };
        if let Some(plan) = continuation(&shown.run, &shown.report) {
            self.follow(plan, &shown, context);
        }
    }

    /// Opens the frames of a tested change of the "what helps" test, together with the frames of
    /// the baseline of the change.
    pub(super) fn open_change(&self, test: &str, change: usize, context: &Context) {
        let shown =
            self.test(test).and_then(|state| state.shown.as_ref()).filter(|_| !context.is_busy);
        let Some(shown) = shown.cloned() else { return };
        let open = move || {
            let effect = shown.report.results::<ChangeEffect>().get(change);
            let run = effect.and_then(|effect| frame_loop_of(&shown.run, &shown.report, effect));
            let run = run.ok_or_else(|| "this change was not measured".to_owned())?;
            Ok(Box::new(LoadedRun::of(run, None)))
        };
        self.tasks.spawn("open-change", open, RunningMessage::ChangeOpened);
    }

    /// Shows an opened run and its page, unless a test was started in the meantime or is being
    /// saved: showing the run would hide that test.
    pub(super) fn show_opened(&mut self, shown: LoadedRun, context: &Context) {
        if self.is_measuring_or_saving() {
            context.report_error("A test is running. Open the run when it is finished.");
            return;
        }
        context.push(Request::GoTo(PageId::of(&shown.run)));
        self.show(shown, context);
    }

    /// Shows a run as the result of its kind of test.
    pub(super) fn show(&mut self, shown: LoadedRun, context: &Context) {
        if let Some(error) = &shown.save_error {
            context.report_error(format!(
                "{error}. The result remains available until you close the app."
            ));
        }
        context.push(Request::ListRuns);
        if shown.run.capture().is_some() {
            self.view.clone_from(&shown.report.options.capture);
            self.capture = Some(Arc::new(shown));
            return;
        }
        if shown.run.recording().is_some() {
            self.recorded = Some(Arc::new(shown));
            return;
        }
        let key = shown.run.subject.key();
        if let Some(state) = self.test_mut(key) {
            state.show(shown);
        }
        self.count_late(context);
    }

    /// Shows what a recording is now, if it is on screen.
    pub(super) fn renew(&mut self, shown: LoadedRun) {
        if self.recorded.as_ref().is_some_and(|known| known.run.id == shown.run.id) {
            self.recorded = Some(Arc::new(shown));
        }
    }

    /// Opens the saved quick check with these run files.
    pub(super) fn open_quick(&self, paths: Vec<PathBuf>, context: &Context) {
        if context.is_running {
            context.report_error("A test is running. Open the check when it is finished.");
            return;
        }
        let store = context.store.clone();
        let open = move || FinishedCheck::open(&paths, store.as_ref()).map(Box::new);
        self.tasks.spawn("open-quick", open, RunningMessage::QuickOpened);
    }

    /// Stops the run, quick check, or series in progress, and the test that waits to start.
    pub(super) fn stop(&mut self) {
        self.quick.stop();
        self.waiting = None;
        if let Some(active) = &mut self.active {
            active.stop();
        }
        self.cut_sequence();
        if let Some(state) = self.tests.iter_mut().find(|state| state.live().is_some()) {
            state.stopping();
        }
    }

    /// Applies the test settings of the previous session.
    pub(super) fn set_plans(&mut self, plans: impl Iterator<Item = Plan>) {
        for plan in plans {
            self.change(plan.key(), |state| state.set_plan(plan.clone()));
        }
    }

    /// Changes the state of a test, such as its settings.
    pub(super) fn change(&mut self, test: &str, change: impl FnOnce(&mut TestState)) {
        if let Some(state) = self.test_mut(test) {
            change(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opened_run_does_not_replace_one_that_is_being_saved() {
        let (mut running, context) = (Running::new(&TaskHost::new(|| {})), Context::default());
        running.change("frame-loop", |state| state.set_phase(Phase::Saving));
        running.show_opened(LoadedRun::example(), &context);
        assert!(running.is_busy() && running.test("frame-loop").unwrap().shown.is_none());
        assert_eq!(running.name(), "Frame loop");
        let requests = context.requests.into_inner();
        assert!(matches!(requests.as_slice(), [Request::Notify(_)]), "{}", requests.len());
    }
}
