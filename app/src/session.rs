//! The state of the app, in parts: tests, saved runs, comparison, exports, imports, settings,
//! machine. Each part has its own state, tasks, and messages; this file only connects them.
//!
//! A session does not depend on the window toolkit. [`Session::poll`] handles new messages,
//! [`Session::act`] carries out actions; in between, pages only read the session.

mod action;
mod comparing;
mod dialog;
mod examples;
mod export;
mod export_request;
mod finished_check;
mod groups;
mod host_action;
mod host_session;
mod hosts;
mod import;
mod library;
mod machine;
mod mark_shortcut;
mod opening;
mod part;
mod preset_action;
mod preset_file;
mod recorder_action;
mod recordings;
mod running;
mod settings;
mod settings_store;
mod shown;
mod task;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Priority;
use jitterscope_engine::platform::Applied;
use jitterscope_engine::run::Annotation;
use jitterscope_engine::runner::QuietWait;
use jitterscope_engine::store::Store;
use jitterscope_engine::store::edit::Edit;

pub use action::{Action, Example, Notice, NoticeKind, PageId};
pub use comparing::{CheckComparison, Comparing, ComparisonView, Curves, Progress};
pub use dialog::{Dialogs, PathKind, PathQuestion, show_fatal_error};
pub use export::{
    ActiveExport, ClipboardContent, ExportImage, Exports, ImageOf, Opener, PlotPainter, Preview,
};
pub use export_request::{CopiedText, ExportKind, ExportRequest, Subject};
pub use finished_check::FinishedCheck;
pub use host_action::{HostAction, Place, SavedHost};
pub use hosts::{AddedHost, CheckedHost, HostState, Hosts, is_old, needs_agent};
pub use import::{Imports, WhichColumn, WhichSeries};
pub use library::{
    ConfigurationPreview, DeletedItem, DraggedItem, Library, RunPreview, common_label,
};
pub use machine::{MachineState, NoiseFloorEstimate};
pub use mark_shortcut::{MarkShortcut, ShortcutState};
pub(crate) use preset_file::MAX_PRESET;
pub use recorder_action::{RecorderAction, RecordingWish};
pub use recordings::Recordings;
pub use running::{
    ActiveCheck, Live, PartState, Phase, Running, SequenceState, TestState, TrialState,
    WaitingTest, WindowCost,
};
pub(crate) use settings::free_name;
pub use settings::{
    LATE_PERCENT, PlotRate, SCALE_PERCENT, SeriesColors, Settings, SettingsFile, ThemeChoice,
};
pub use settings_store::open_store;
pub use shown::{LateFocus, LoadedRun};

pub use crate::facts::Facts;
pub use crate::run_list::{LibraryItem, RunListEntry};

use examples::Examples;
use export::Source;
use machine::{NOISE_REPEATS, NOISE_TEST};
use opening::Opening;
use part::{Context, Part, Request, isolate};
use settings_store::SettingsStore;
use task::TaskHost;

/// The state of the app.
#[derive(Debug)]
pub struct Session {
    host: TaskHost,
    /// The dialogs that ask for files and folders.
    pub dialogs: Dialogs,
    /// The tests and the run in progress.
    pub running: Running,
    /// The library of saved runs.
    pub library: Library,
    /// The state of the comparison.
    pub comparing: Comparing,
    /// The state of exports.
    pub exports: Exports,
    /// The state of imports.
    pub imports: Imports,
    settings: SettingsStore,
    /// The facts about the machine.
    pub machine: MachineState,
    /// The other PCs, and where the next run is measured.
    pub hosts: Hosts,
    /// The shortcut that marks a moment while another program has the focus.
    pub mark_shortcut: MarkShortcut,
    /// The state of the recorder.
    pub recordings: Recordings,
    opening: Opening,
    examples: Examples,
    /// The notices that the window has not shown.
    pub notices: Vec<Notice>,
    /// Whether a later start of the app requested that the window come to the front.
    pub to_front: bool,
    /// The page that the window shows next.
    pub go_to: Option<PageId>,
}

impl Session {
    /// Creates a session with these settings; changed settings are saved in `file`, and `wake` is
    /// called when a task has a message.
    pub fn with_settings(
        store: Option<Store>,
        settings: Settings,
        file: SettingsFile,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let host = TaskHost::new(wake);
        let session = Self {
            running: Running::new(&host),
            library: Library::new(store, &host),
            comparing: Comparing::new(&host),
            exports: Exports::new(&host),
            imports: Imports::new(&host),
            opening: Opening::new(file.path.as_deref()),
            settings: SettingsStore::new(settings, file, &host),
            machine: MachineState::new(&host),
            hosts: Hosts::new(&host),
            mark_shortcut: MarkShortcut::new(&host),
            recordings: Recordings::new(&host),
            examples: Examples::default(),
            notices: Vec::new(),
            to_front: false,
            go_to: None,
            dialogs: Dialogs::default(),
            host,
        };
        session.begin()
    }

    fn begin(mut self) -> Self {
        self.machine.read();
        let plans = self.settings().tests.clone();
        self.running
            .set_plans(plans.into_iter().filter_map(|plan| serde_json::from_value(plan).ok()));
        match &self.library.store {
            Some(_) => self.library.recover(),
            None => self.notices.push(Notice::error(
                "Runs cannot be saved: this system has no default data folder. Choose one in \
                 Settings, or results are lost when you close the app.",
            )),
        }
        self
    }

    /// Returns whether the noise floor should be read again: the list of runs has changed.
    pub fn is_noise_due(&self) -> bool {
        let is_listed = self.library.items.is_some();
        is_listed && self.machine.is_noise_due(self.library.version, self.running.is_busy())
    }

    /// Returns how long measuring the noise floor takes; `None` while the machine is unknown.
    pub fn noise_duration(&self) -> Option<Nanos> {
        let (state, facts) = (self.running.test(NOISE_TEST)?, self.machine.facts()?);
        Some(state.plan.duration(&facts.cpus) * i64::from(NOISE_REPEATS))
    }

    /// Returns whether a test can start. If another test is running, the window first asks whether
    /// to stop that test.
    pub fn can_start(&self, page: PageId) -> bool {
        let may_ask = self.running.is_running() && !self.running.is_in_view(page);
        let is_connected = self.hosts.host().is_some();
        self.machine.facts().is_some() && is_connected && (!self.running.is_busy() || may_ask)
    }

    /// If the test needs one of several priorities and the system denies all of them, returns the
    /// first of them and why it is denied: the test would end without a verdict. Otherwise returns
    /// `None`.
    pub fn known_denial(&self, test: &str) -> Option<(Priority, &Applied)> {
        let plan = &self.running.test(test)?.plan;
        let realtime = &self.machine.facts()?.realtime;
        let wanted = plan.probe().needs_one_of();
        let denied = |priority: &Priority| Some((*priority, realtime.denial(*priority)?));
        wanted.iter().map(denied).collect::<Option<Vec<_>>>()?.into_iter().next()
    }

    /// Returns the newest quick check of the machine on which tests run; `None` if there is none, or
    /// while the facts about the machine are unknown.
    pub fn last_check(&self) -> Option<&LibraryItem> {
        let facts = self.machine.facts()?;
        self.library.last_check(&facts.machine_name())
    }

    /// Returns the latest run of a test on the machine on which tests run; `None` if there is none, or while the facts
    /// about the machine are unknown.
    pub fn last_run(&self, test: &str) -> Option<&RunListEntry> {
        let facts = self.machine.facts()?;
        self.library.last_of(test, &facts.machine_name())
    }

    /// Returns the action that reads missing or outdated previews of runs; `None` during a test.
    pub fn request_previews(&self, paths: &[PathBuf]) -> Option<Action> {
        self.library.request_previews(paths).filter(|_| !self.running.is_busy())
    }

    /// Returns, only once, the action that reads what kind of files are being dragged.
    pub fn ask_for_dragged(&self, paths: &[PathBuf]) -> Option<Action> {
        self.library.ask_for_dragged(paths).filter(|_| !self.running.is_busy())
    }

    /// Draws an image of a plot on a background thread. With a name, the user selects where to save
    /// the image as a file; without a name, the image is copied to the clipboard.
    pub fn make_plot_image(&mut self, name: Option<&str>, draw: PlotPainter) {
        self.run(EXPORTS, |part, context| match name {
            Some(name) => part.save_file(name, || Ok(draw()?.png), context),
            None => part.copy_plot(draw),
        });
    }

    /// Returns the user's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings.settings
    }

    /// Applies and saves new settings; a new folder of runs is read immediately.
    pub fn set_settings(&mut self, settings: Settings) {
        self.run(SETTINGS, |part, context| part.set(settings, context));
    }

    /// Writes the settings immediately, before the app ends.
    pub fn write_settings_now(&mut self) {
        self.remember_plans();
        self.settings.write_now();
    }

    /// Saves the settings and the shown result of each test for the next start.
    pub fn remember_plans(&mut self) {
        let plans = self.running.tests.iter().map(|state| serde_json::to_value(&state.plan));
        // A test whose settings cannot be serialized starts with its defaults the next time.
        let tests = plans.filter_map(Result::ok).collect();
        let settings = self.settings().clone();
        let results = self.running.shown_files(&settings.results);
        self.set_settings(Settings { tests, results, ..settings });
    }

    /// Starts to open the files that later starts of the app request through this folder.
    pub fn watch_requests(&mut self, folder: &Path) {
        let folder = folder.to_owned();
        self.run(IMPORTS, |part, _| part.watch(folder));
    }

    /// Runs work of one part, then carries out the requests of that part.
    fn run<P: Part>(&mut self, part: fn(&mut Self) -> &mut P, work: impl FnOnce(&mut P, &Context)) {
        let context = Context {
            store: self.library.store.clone(),
            dialogs: self.dialogs.clone(),
            facts: self.machine.facts().cloned(),
            host: self.hosts.host(),
            late_percent: self.settings.late_percent(),
            plays_sound: self.settings().plays_sound,
            is_running: self.running.is_running(),
            is_busy: self.running.is_busy(),
            requests: RefCell::default(),
        };
        self.host.set_measuring(context.is_busy);
        isolate(part(self), &context, work);
        for request in context.requests.into_inner() {
            self.carry_out(request);
        }
    }

    fn carry_out(&mut self, request: Request) {
        match request {
            Request::Notify(notice) => self.notices.push(notice),
            Request::GoTo(page) => self.go_to = Some(page),
            Request::ToFront => self.to_front = true,
            Request::Show(shown) => {
                self.run(RUNNING, |part, context| part.show_opened(*shown, context));
            }
            Request::Renew(shown) => self.run(RUNNING, |part, _| part.renew(*shown)),
            Request::Mark(at) => self.run(RUNNING, |part, _| part.mark(at)),
            Request::TakePreset(preset) => self.take_preset(&preset),
            Request::ListRuns => self.run(LIBRARY, |part, _| part.list()),
            Request::MoveTo(store) => self.run(LIBRARY, |part, _| part.move_to(store)),
            Request::CountLate => {
                self.run(RUNNING, |part, context| part.count_late(context));
                self.run(COMPARING, Comparing::count_late);
            }
            Request::Act(action) => {
                self.follow_place();
                self.act(*action);
            }
            Request::RememberExport(kind) => {
                self.edit_settings(|settings| kind.key().clone_into(&mut settings.last_export));
            }
        }
    }

    /// Handles the messages and events since the last call.
    pub fn poll(&mut self) {
        self.run(RUNNING, Running::poll);
        self.run(LIBRARY, Library::poll);
        self.run(COMPARING, Comparing::poll);
        self.run(EXPORTS, Exports::poll);
        self.run(IMPORTS, Imports::poll);
        self.run(SETTINGS, SettingsStore::poll);
        self.run(MACHINE, MachineState::poll);
        self.run(RECORDINGS, Recordings::poll);
        self.poll_hosts();
        self.run(MARK_SHORTCUT, MarkShortcut::poll);
        let wanted = self.running.is_busy().then(|| self.settings().wanted_mark_shortcut());
        self.run(MARK_SHORTCUT, |part, _| part.follow(wanted.flatten()));
    }

    /// Carries out an action.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Run(test) => self.run(RUNNING, |part, context| part.start_test(test, context)),
            Action::RunAgainWithTrace(test) => self.run(RUNNING, |part, context| {
                part.run_again_with_trace(test, context);
            }),
            Action::RunQuick => self.start_check(QuietWait::DEFAULT),
            Action::RunQuickWhenQuiet => self.start_check(QuietWait::LONG),
            Action::MeasureLonger => self.run(RUNNING, Running::measure_longer),
            Action::MeasureTestLonger(test) => {
                self.run(RUNNING, |part, context| part.measure_test_longer(test, context));
            }
            Action::OpenChange { test, change } => {
                self.run(RUNNING, |part, context| part.open_change(test, change, context));
            }
            Action::RunWhenQuiet(test) => {
                self.run(RUNNING, |part, context| part.start_when_quiet(test, context));
            }
            Action::MeasureWithoutWaiting => self.run(RUNNING, |part, _| part.measure_now()),
            Action::SkipQuickPart => self.run(RUNNING, Running::skip_part),
            Action::ChooseQuickPart { part, is_selected } => {
                self.run(RUNNING, |running, _| running.choose_part(part, is_selected));
            }
            Action::OpenQuick(paths) => {
                self.run(RUNNING, |part, context| part.open_quick(paths, context));
            }
            Action::Alternate(times) => self.alternate(times),
            Action::Stop | Action::StopAtOnce => self.run(RUNNING, |part, _| part.stop()),
            Action::SetTrace { test, trace } => self.change(test, |state| state.set_trace(trace)),
            Action::SetRepeat { test, times } => self.change(test, |state| state.set_repeat(times)),
            Action::SetPlan(plan) => self.change(plan.key(), |state| state.set_plan(plan)),
            Action::ChoosePreset { test, preset } => {
                self.change(test, |state| state.choose_preset(preset));
            }
            Action::SavePreset { test, name } => self.save_preset(test, &name),
            Action::ChooseOwnPreset { test, name } => self.choose_own_preset(test, &name),
            Action::RenamePreset { test, name, to } => {
                self.edit_settings(|settings| settings.rename_preset(test, &name, &to));
            }
            Action::ExportPreset { test, name } => self.export_preset(test, &name),
            Action::DeletePreset { test, name } => {
                self.edit_settings(|settings| settings.set_preset(test, &name, None));
            }
            Action::ShowSettingsOfResult(test) => {
                self.change(test, TestState::take_settings_of_result);
            }
            Action::OpenRun(path) => self.open_run(path, None),
            Action::ShowLateFrames(path, focus) => self.open_run(path, Some(focus)),
            Action::OpenExample(example) => self.open_example(example),
            Action::AskForFile => self.run(IMPORTS, Imports::ask),
            Action::OpenFiles(paths) => {
                self.run(IMPORTS, |part, context| part.open(paths, context));
            }
            Action::CancelOpening => self.run(IMPORTS, |part, _| part.cancel()),
            Action::ChooseSeries(series) => {
                self.run(IMPORTS, |part, context| part.choose_series(series, context));
            }
            Action::ChooseColumn(column) => {
                self.run(IMPORTS, |part, context| part.choose_column(column, context));
            }
            Action::Export { subject, kind } => self.begin_export(subject, kind),
            Action::PreviewExport(request) => self.run(EXPORTS, |part, _| part.preview(request)),
            Action::SaveExport(request) => {
                self.run(EXPORTS, |part, context| part.save(request, context));
            }
            Action::ReplaceFiles(is) => self.run(EXPORTS, |part, own| part.replace(is, own)),
            Action::CopyExport(request) => self.run(EXPORTS, |part, _| part.copy(request)),
            Action::OpenReport(of) => self.run(EXPORTS, |part, _| part.open_report(of)),
            Action::CloseExport => self.run(EXPORTS, |part, _| part.close()),
            Action::Copy(subject, text) => self.copy(subject, text),
            Action::OpenOutside(path) => self.run(EXPORTS, |part, _| part.open_outside(path)),
            Action::OpenTool(tool) => self.run(EXPORTS, |part, _| part.open_tool(tool)),
            Action::PreviewRuns(paths) => self.run(LIBRARY, |part, _| part.preview_runs(paths)),
            Action::LookAtDragged(paths) => self.run(LIBRARY, |it, _| it.look_at_dragged(paths)),
            Action::UndoEdits(edits) => self.run(LIBRARY, |part, _| part.undo_edits(edits)),
            Action::RefreshLibrary => self.run(LIBRARY, |part, _| part.list()),
            Action::EditRuns(edits) => self.run(LIBRARY, |part, context| part.edit(edits, context)),
            Action::Mark => self.run(RUNNING, |part, _| part.mark(Instant::now())),
            Action::Annotate { test, annotations } => self.annotate(test, annotations),
            Action::Recorder(action) => self.run(RECORDINGS, |part, it| part.act(&action, it)),
            Action::DeleteRuns(paths) => self.run(LIBRARY, |part, _| part.move_to_trash(&paths)),
            Action::RestoreRuns(paths) => self.run(LIBRARY, |part, _| part.restore(paths)),
            Action::RemoveRuns(paths) => self.run(LIBRARY, |part, _| part.remove_deleted(paths)),
            Action::Compare(paths) => self.compare(paths),
            Action::SetGroup { side, paths } => self.set_group(side, &paths),
            Action::CompareGroups(groups) => self.compare_groups(&groups),
            Action::SetMinEffect(minimum) => self.set_min_effect(minimum),
            Action::ViewCapture(view) => self.run(RUNNING, |part, _| part.view_capture(*view)),
            Action::GoTo(page) => self.go_to = Some(page),
            Action::Set(settings) => self.set_settings(*settings),
            Action::AskForFolder => self.run(SETTINGS, SettingsStore::ask_for_folder),
            Action::AnswerPath(path) => self.dialogs.answer(path),
            Action::ReadMachine => self.read_machine(),
            Action::MeasureWithRights(then) => self.elevate(Some(*then)),
            Action::Host(action) => self.act_on_hosts(action),
            Action::ReadNoise => self.read_noise(),
            Action::MeasureNoise => self.run(RUNNING, Running::measure_noise),
            Action::Tell(text) => self.notices.push(Notice::info(text)),
            // The window itself handles these actions.
            Action::ShowKeys | Action::ShowHosts | Action::ShowTrend(_) | Action::UndoNewest => {}
        }
    }

    fn start_check(&mut self, longest_wait: Nanos) {
        self.run(RUNNING, |part, context| part.start_check(longest_wait, context));
    }

    /// Returns the source of the results to export; `None` if there is no result.
    fn source(&self, subject: &Subject) -> Option<Source> {
        Source::of(subject, &self.running, &self.library, &self.comparing)
    }

    fn begin_export(&mut self, subject: Subject, kind: Option<ExportKind>) {
        let source = self.source(&subject);
        self.run(EXPORTS, |part, context| part.begin(subject, source, kind, context));
    }

    fn copy(&mut self, subject: Subject, text: CopiedText) {
        let source = self.source(&subject);
        self.run(EXPORTS, |part, context| part.copy_text((subject, text), source, context));
    }

    /// Returns whether there is a result to export.
    pub fn can_export(&self, subject: &Subject) -> bool {
        self.source(subject).is_some()
    }

    /// Opens an example, and offers to save it.
    fn open_run(&mut self, path: PathBuf, focus: Option<LateFocus>) {
        self.run(LIBRARY, |part, context| part.open(path, focus, context));
    }

    fn open_example(&mut self, example: Example) {
        // Only the Compare page can show another run during a test.
        if self.running.is_measuring_or_saving() && example != Example::Comparison {
            let text = "A test is running. Open the example when it is finished.";
            self.notices.push(Notice::error(text));
            return;
        }
        match self.examples.open(example) {
            Ok((actions, notice)) => {
                for action in actions {
                    self.act(action);
                }
                self.notices.push(notice);
            }
            Err(error) => self.notices.push(Notice::error(error)),
        }
    }

    /// Re-runs the settings of the two compared runs, interleaved, this many times each.
    fn alternate(&mut self, times: u32) {
        let compared = self.comparing.compared().cloned();
        let runs = compared.as_ref().map_or(&[][..], |compared| &compared.runs);
        self.run(RUNNING, |part, context| part.alternate(runs, times, context));
    }

    fn edit_settings(&mut self, edit: impl FnOnce(&mut Settings)) {
        let mut settings = self.settings().clone();
        edit(&mut settings);
        self.set_settings(settings);
    }

    fn change(&mut self, test: &str, change: impl FnOnce(&mut TestState)) {
        self.run(RUNNING, |part, _| part.change(test, change));
    }

    /// Sets the annotations of a result on screen, and of the file of its run.
    fn annotate(&mut self, test: &str, annotations: Vec<Annotation>) {
        let mut path = None;
        self.change(test, |state| path = state.annotate(&annotations));
        if let Some(path) = path {
            let edits = vec![(path, Edit::Annotations(annotations))];
            self.run(LIBRARY, |part, context| part.edit(edits, context));
        }
    }

    fn read_noise(&mut self) {
        if self.library.items.is_some() {
            let list = self.library.version;
            self.run(MACHINE, |part, context| part.read_noise(list, context));
        }
    }
}

const RUNNING: fn(&mut Session) -> &mut Running = |all| &mut all.running;
const LIBRARY: fn(&mut Session) -> &mut Library = |all| &mut all.library;
const COMPARING: fn(&mut Session) -> &mut Comparing = |all| &mut all.comparing;
const EXPORTS: fn(&mut Session) -> &mut Exports = |all| &mut all.exports;
const IMPORTS: fn(&mut Session) -> &mut Imports = |all| &mut all.imports;
const SETTINGS: fn(&mut Session) -> &mut SettingsStore = |all| &mut all.settings;
const MACHINE: fn(&mut Session) -> &mut MachineState = |all| &mut all.machine;
const RECORDINGS: fn(&mut Session) -> &mut Recordings = |all| &mut all.recordings;
const MARK_SHORTCUT: fn(&mut Session) -> &mut MarkShortcut = |all| &mut all.mark_shortcut;
