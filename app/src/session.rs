//! What the app knows, in parts: what is measured, the saved runs, the comparison, exports, imports, the
//! settings, the machine. Each part has its own state, tasks and messages; this file only joins them.
//!
//! Names no window type. [`Session::poll`] takes in what happened, [`Session::act`] does what was asked;
//! between the two, pages only read.

mod action;
mod again;
mod comparing;
mod dialog;
mod examples;
mod export;
mod export_request;
mod exporting;
mod finished_check;
mod import;
mod library;
mod machine;
mod open_example;
mod part;
mod preset_file;
mod presets;
mod results;
mod running;
mod settings;
mod settings_store;
mod shown;
mod task;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::{Cpu, Power, SystemTool};
use jitterscope_engine::run::Annotation;
use jitterscope_engine::runner::QuietWait;
use jitterscope_engine::store::Store;
use jitterscope_engine::store::edit::Edit;

pub use action::{Action, Notice, NoticeKind, PageId};
pub use comparing::{CheckComparison, Comparing, ComparisonView, Curves, Progress};
pub use dialog::{PathKind, PathQuestion, show_fatal_error};
pub use examples::Example;
pub use export::{
    ActiveExport, ClipboardContent, ExportImage, ImageOf, ImageRenderer, Opener, PlotPainter,
    Preview,
};
pub use export_request::{ExportKind, ExportRequest, Subject};
pub use finished_check::FinishedCheck;
pub use import::{WhichColumn, WhichSeries};
pub use library::{ConfigurationPreview, DraggedItem, Library, RunPreview, common_label};
pub use machine::NoiseFloorEstimate;
pub(crate) use preset_file::MAX_PRESET;
pub(crate) use presets::free_name;
pub use running::{
    ActiveCheck, Live, PartState, Phase, Quick, SequenceState, TestState, TrialState, WindowCost,
};
pub use settings::{
    LATE_PERCENT, OwnPreset, PlotRate, SCALE_PERCENT, SeriesColors, Settings, SettingsFile,
    ThemeChoice,
};
pub use settings_store::open_store;
pub use shown::LoadedRun;

pub use crate::facts::Facts;
pub use crate::run_list::{LibraryItem, RunListEntry};

use dialog::Dialogs;
use examples::Examples;
use export::Exports;
use import::Imports;
use machine::{MachineState, NOISE_REPEATS, NOISE_TEST};
use part::{Context, Outbox, Part, Request, isolate};
use running::Running;
use settings_store::SettingsStore;
use task::TaskHost;

/// What the app knows.
#[derive(Debug)]
pub struct Session {
    host: TaskHost,
    dialogs: Dialogs,
    running: Running,
    library: Library,
    comparing: Comparing,
    exports: Exports,
    imports: Imports,
    settings: SettingsStore,
    machine: MachineState,
    examples: Examples,
    notices: Vec<Notice>,
    /// Whether another start asks for the window.
    to_front: bool,
    go_to: Option<PageId>,
}

impl Session {
    /// Begins to read the machine and the saved runs; `wake` is called when there is news.
    pub fn new(store: Option<Store>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let settings = Settings { is_welcomed: true, ..Settings::default() };
        Self::with_settings(store, settings, SettingsFile::none(), wake)
    }

    /// The same with other settings, saved in a file.
    pub fn with_settings(
        store: Option<Store>,
        settings: Settings,
        file: SettingsFile,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let host = TaskHost::new(wake);
        let dialogs = Dialogs::default();
        let session = Self {
            running: Running::new(&host),
            library: Library::new(store, &host),
            comparing: Comparing::new(&host),
            exports: Exports::new(dialogs.clone(), &host),
            imports: Imports::new(&host),
            settings: SettingsStore::new(settings, file, &host),
            machine: MachineState::new(&host),
            examples: Examples::default(),
            notices: Vec::new(),
            to_front: false,
            go_to: None,
            dialogs,
            host,
        };
        session.begin()
    }

    fn begin(mut self) -> Self {
        self.machine.read();
        let plans = self.settings().tests.clone();
        self.running
            .set_plans(plans.into_iter().filter_map(|plan| serde_json::from_value(plan).ok()));
        match self.store() {
            Some(_) => self.library.recover(),
            None => self.notices.push(Notice::error(
                "Runs cannot be saved: this system has no default data folder. Choose one in \
                 Settings, or results are lost when you close the app.",
            )),
        }
        self
    }

    /// What was read from the machine; absent for the first moment.
    pub fn facts(&self) -> Option<&Arc<Facts>> {
        self.machine.facts()
    }

    /// Power source and plan, as last read.
    pub fn power(&self) -> Option<&Power> {
        self.machine.power()
    }

    /// CPU time of other programs as a share of one core, in the last idle seconds.
    pub fn other_load(&self) -> Option<f64> {
        self.machine.other_load()
    }

    /// The logical CPUs with their kinds, where they are known yet.
    pub fn cpus(&self) -> &[Cpu] {
        self.facts().map_or(&[], |facts| &facts.machine.cpus)
    }

    /// Whether this desktop has a window.
    pub fn has_tool(&self, tool: SystemTool) -> bool {
        self.facts().is_some_and(|facts| facts.tools.contains(&tool))
    }

    /// The noise floor of this machine, where it was measured and has been read.
    pub fn noise(&self) -> Option<&NoiseFloorEstimate> {
        self.machine.noise()
    }

    /// Whether there are other runs than those the noise floor was read from.
    pub fn is_noise_due(&self) -> bool {
        let is_listed = self.library.items().is_some();
        is_listed && self.machine.is_noise_due(self.library.version(), self.is_busy())
    }

    /// How long measuring the noise floor takes; `None` while the machine is unknown.
    pub fn noise_duration(&self) -> Option<Nanos> {
        let (bench, facts) = (self.bench(NOISE_TEST)?, self.facts()?);
        Some(bench.plan().duration(&facts.cpus) * i64::from(NOISE_REPEATS))
    }

    /// The state of one kind of test.
    pub fn bench(&self, key: &str) -> Option<&TestState> {
        self.running.bench(key)
    }

    /// Every kind of test.
    pub fn benches(&self) -> &[TestState] {
        self.running.benches()
    }

    /// The imported run on screen.
    pub fn capture(&self) -> Option<&Arc<LoadedRun>> {
        self.running.capture()
    }

    /// The result of this key on screen: of a test that is not running, or the imported run.
    pub fn shown(&self, key: &str) -> Option<&Arc<LoadedRun>> {
        self.running.shown(key)
    }

    /// The quick check.
    pub const fn quick(&self) -> &Quick {
        self.running.quick()
    }

    /// The active series, if several runs are measured one after another.
    pub fn series(&self) -> Option<&SequenceState> {
        self.running.series()
    }

    /// Whether anything is being measured.
    pub fn is_running(&self) -> bool {
        self.running.is_running()
    }

    /// Whether a run is being measured or saved.
    pub fn is_busy(&self) -> bool {
        self.running.is_busy()
    }

    /// The test that is being measured, and how it goes.
    pub fn live(&self) -> Option<(&TestState, &Live)> {
        self.running.live()
    }

    /// What the window costs.
    pub fn window_cost(&self) -> WindowCost {
        self.running.window_cost()
    }

    /// Takes note of what the window costs.
    pub fn set_window_cost(&mut self, cost: WindowCost) {
        self.running.set_window_cost(cost);
    }

    /// Whether a test has ended since the last call of which the user wants to know.
    pub fn take_ended(&mut self) -> bool {
        self.running.take_ended()
    }

    /// The saved runs.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Where runs are saved.
    pub fn store(&self) -> Option<&Store> {
        self.library.store()
    }

    /// A saved run at a glance, or why it cannot be read; `None` until it was looked at.
    pub fn run_preview(&self, path: &Path) -> Option<Result<&Arc<RunPreview>, &str>> {
        self.library.run_preview(path)
    }

    /// Asks for a look at those of these runs that were not looked at since the list changed. What is being
    /// measured is not to be disturbed.
    pub fn ask_for_glance(&self, paths: &[PathBuf]) -> Option<Action> {
        self.library.ask_for_glance(paths).filter(|_| !self.is_busy())
    }

    /// What a file over the window is; `None` until it was looked at.
    pub fn dragged(&self, path: &Path) -> Option<DraggedItem> {
        self.library.dragged(path)
    }

    /// Requests previews of files over the window, once.
    pub fn ask_for_dragged(&self, paths: &[PathBuf]) -> Option<Action> {
        self.library.ask_for_dragged(paths).filter(|_| !self.is_busy())
    }

    /// Waits until what was typed about saved runs is in their files.
    pub fn finish_changes(&self) {
        self.library.finish_changes();
    }

    /// The runs that are compared.
    pub fn comparing(&self) -> &Comparing {
        &self.comparing
    }

    /// The export that is being put together.
    pub fn exporting(&self) -> Option<&ActiveExport> {
        self.exports.exporting()
    }

    /// Sets the function that draws images of results.
    pub fn set_painter(&mut self, painter: ImageRenderer) {
        self.exports.set_painter(painter);
    }

    /// Draws an image of a plot off the window's thread: into a file of this name, of which the user chooses the
    /// folder, or without a name into the clipboard.
    pub fn make_plot_image(&mut self, name: Option<&str>, draw: PlotPainter) {
        self.run(EXPORTS, |part, _, _| match name {
            Some(name) => part.save_plot(name, draw),
            None => part.copy_plot(draw),
        });
    }

    /// Opens files and folders by this from now on.
    pub fn set_opener(&mut self, opener: Opener) {
        self.exports.set_opener(opener);
    }

    /// Content for the clipboard, returned once.
    pub fn take_copies(&mut self) -> Vec<ClipboardContent> {
        self.exports.take_copies()
    }

    /// The file whose process or swap chain is to be selected.
    pub fn which_series(&self) -> Option<&WhichSeries> {
        self.imports.which_series()
    }

    /// The file whose column is to be selected, once no process is.
    pub fn which_column(&self) -> Option<&WhichColumn> {
        self.imports.which_column()
    }

    /// Whether files are being opened.
    pub fn is_opening(&self) -> bool {
        self.imports.is_opening()
    }

    /// The user's settings.
    pub fn settings(&self) -> &Settings {
        self.settings.settings()
    }

    /// Applies and saves new settings; a new folder of runs is read immediately.
    pub fn set_settings(&mut self, settings: Settings) {
        self.run(SETTINGS, |part, _, outbox| part.set(settings, outbox));
    }

    /// The share of a frame, in percent, above which the window counts it as late.
    pub fn late_percent(&self) -> f64 {
        self.settings.late_percent()
    }

    /// Writes the settings before the app ends.
    pub fn write_settings_now(&mut self) {
        self.remember_plans();
        self.settings.write_now();
    }

    /// Remembers what each test is set to and shows, for the next start.
    pub fn remember_plans(&mut self) {
        let plans = self.benches().iter().map(|bench| serde_json::to_value(bench.plan()));
        // A test that cannot be written starts with its default the next time.
        let tests = plans.filter_map(Result::ok).collect();
        let (settings, results) = (self.settings().clone(), self.shown_files());
        self.set_settings(Settings { tests, results, ..settings });
    }

    /// Answers the next question for files or a folder in the person's stead; no path is "cancel".
    pub fn set_next_dialog_answer(&mut self, paths: Vec<PathBuf>) {
        self.dialogs.prepare(paths);
    }

    /// The question for a path that the window is to ask.
    pub fn path_question(&self) -> Option<PathQuestion> {
        self.dialogs.question()
    }

    /// Has the window ask for paths, whatever the system has.
    pub fn ask_for_paths_in_window(&mut self) {
        self.dialogs.ask_in_window();
    }

    /// Messages that were not shown yet.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// The page to show, returned once.
    pub fn take_go_to(&mut self) -> Option<PageId> {
        self.go_to.take()
    }

    /// Opens the files that later starts leave in this folder.
    pub fn watch_requests(&mut self, folder: &Path) {
        let folder = folder.to_owned();
        self.run(IMPORTS, |part, _, _| part.watch(folder));
    }

    /// Whether another start requested the window, reported once.
    pub fn take_to_front(&mut self) -> bool {
        std::mem::take(&mut self.to_front)
    }

    /// Lets one part work, then does what it asks of the others.
    fn run<P: Part>(
        &mut self,
        part: fn(&mut Self) -> &mut P,
        work: impl FnOnce(&mut P, &Context, &mut Outbox),
    ) {
        let context = Context {
            store: self.store().cloned(),
            facts: self.facts().cloned(),
            late_percent: self.late_percent(),
            plays_sound: self.settings().plays_sound,
            is_running: self.is_running(),
            is_busy: self.is_busy(),
        };
        self.host.set_measuring(context.is_busy);
        let mut outbox = Outbox::default();
        isolate(part(self), &mut outbox, |part, outbox| work(part, &context, outbox));
        for request in outbox.into_requests() {
            self.carry_out(request);
        }
    }

    fn carry_out(&mut self, request: Request) {
        match request {
            Request::Notify(notice) => self.notices.push(notice),
            Request::GoTo(page) => self.go_to = Some(page),
            Request::ToFront => self.to_front = true,
            Request::Show(shown) => {
                self.run(RUNNING, |part, context, outbox| {
                    part.show(*shown, context, outbox);
                });
            }
            Request::TakePreset(preset) => self.take_preset(*preset),
            Request::ListRuns => self.run(LIBRARY, |part, _, _| part.list()),
            Request::MoveTo(store) => {
                self.run(LIBRARY, |part, _, _| part.move_to(store));
            }
            Request::CountLate => {
                self.run(RUNNING, |part, context, _| part.count_late(context));
                self.run(COMPARING, |part, context, _| part.count_late(context));
            }
            Request::RememberExport(kind) => {
                let last_export = kind.key().to_owned();
                let settings = self.settings().clone();
                self.set_settings(Settings { last_export, ..settings });
            }
        }
    }

    /// Takes in what happened since the last call.
    pub fn poll(&mut self) {
        self.run(RUNNING, Running::poll);
        self.run(LIBRARY, |part, _, outbox| part.poll(outbox));
        self.run(COMPARING, |part, context, _| part.poll(context));
        self.run(EXPORTS, |part, _, outbox| part.poll(outbox));
        self.run(IMPORTS, Imports::poll);
        self.run(SETTINGS, |part, _, outbox| part.poll(outbox));
        self.run(MACHINE, |part, _, outbox| part.poll(outbox));
    }

    /// Carries out a page's action.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Run(test) => {
                self.run(RUNNING, |part, context, outbox| part.start_test(test, context, outbox));
            }
            Action::RunAgainWithTrace(test) => self.run_again_with_trace(test),
            Action::RunQuick => {
                self.run(RUNNING, |part, context, _| part.start_check(QuietWait::DEFAULT, context));
            }
            Action::RunQuickWhenQuiet => {
                self.run(RUNNING, |part, context, _| part.start_check(QuietWait::LONG, context));
            }
            Action::MeasureWithoutWaiting => {
                self.run(RUNNING, |part, _, _| part.measure_without_waiting());
            }
            Action::SkipQuickPart => self.run(RUNNING, |part, _, _| part.skip_part()),
            Action::ChooseQuickPart { part, is_selected } => {
                self.run(RUNNING, |running, _, _| running.choose_part(part, is_selected));
            }
            Action::OpenQuick(paths) => {
                self.run(RUNNING, |part, context, outbox| part.open_quick(paths, context, outbox));
            }
            Action::Alternate(times) => self.alternate(times),
            Action::Stop | Action::StopAtOnce => self.run(RUNNING, |part, _, _| part.stop()),
            Action::SetTrace { test, trace } => self.change(test, |bench| bench.set_trace(trace)),
            Action::SetRepeat { test, times } => self.change(test, |bench| bench.set_repeat(times)),
            Action::SetPlan(plan) => self.change(plan.key(), |bench| bench.set_plan(plan)),
            Action::ChoosePreset { test, preset } => {
                self.change(test, |bench| bench.choose_preset(preset));
            }
            Action::SavePreset { test, name } => self.save_preset(test, &name),
            Action::ChooseOwnPreset { test, name } => self.choose_own_preset(test, &name),
            Action::RenamePreset { test, name, to } => self.rename_preset(test, &name, &to),
            Action::ExportPreset { test, name } => self.export_preset(test, &name),
            Action::DeletePreset { test, name } => self.set_presets(test, &name, None),
            Action::ShowSettingsOfResult(test) => {
                self.change(test, TestState::take_settings_of_result);
            }
            Action::OpenRun(path) => {
                self.run(LIBRARY, |part, context, outbox| part.open(path, context, outbox));
            }
            Action::OpenExample(example) => self.open_example(example),
            Action::AskForFile => {
                let dialogs = self.dialogs.clone();
                self.run(IMPORTS, |part, _, _| part.ask(&dialogs));
            }
            Action::OpenFiles(paths) => {
                self.run(IMPORTS, |part, context, outbox| part.open(paths, context, outbox));
            }
            Action::ChooseSeries(series) => {
                self.run(IMPORTS, |part, context, _| part.choose_series(series, context));
            }
            Action::ChooseColumn(column) => {
                self.run(IMPORTS, |part, context, _| part.choose_column(column, context));
            }
            Action::Export { subject, kind } => self.begin_export(subject, kind),
            Action::PreviewExport(order) => self.run(EXPORTS, |part, _, _| part.preview(order)),
            Action::SaveExport(order) => self.run(EXPORTS, |part, _, _| part.save(order)),
            Action::CopyExport(order) => self.run(EXPORTS, |part, _, _| part.copy(order)),
            Action::OpenReport(order) => self.run(EXPORTS, |part, _, _| part.open_report(order)),
            Action::CloseExport => self.run(EXPORTS, |part, _, _| part.close()),
            Action::CopyForTicket(subject) => self.copy_for_ticket(subject),
            Action::OpenOutside(path) => self.run(EXPORTS, |part, _, _| part.open_outside(path)),
            Action::OpenTool(tool) => self.run(EXPORTS, |part, _, _| part.open_tool(tool)),
            Action::GlanceAt(paths) => self.run(LIBRARY, |part, _, _| part.glance_at(paths)),
            Action::LookAtDragged(paths) => {
                self.run(LIBRARY, |part, _, _| part.look_at_dragged(paths));
            }
            Action::RefreshLibrary => self.run(LIBRARY, |part, _, _| part.list()),
            Action::EditRuns(edits) => self.run(LIBRARY, |part, _, _| part.edit(edits)),
            Action::Mark(at) => self.run(RUNNING, |part, _, _| part.mark(at)),
            Action::Annotate { test, annotations } => self.annotate(test, annotations),
            Action::DeleteRuns(paths) => {
                self.run(LIBRARY, |part, _, _| part.move_to_trash(part.files_of(&paths)));
            }
            Action::RestoreRuns(paths) => self.run(LIBRARY, |part, _, _| part.restore(paths)),
            Action::Undo => self.run(LIBRARY, |part, _, _| part.undo()),
            Action::Compare(paths) => {
                self.go_to = Some(PageId::Compare);
                let checks = self.library.checks(&paths);
                self.run(COMPARING, |part, context, _| match checks {
                    Some(checks) => part.compare_checks(checks, context),
                    None => part.compare(paths, context),
                });
            }
            Action::GoTo(page) => self.go_to = Some(page),
            Action::Set(settings) => self.set_settings(*settings),
            Action::AskForFolder => {
                let dialogs = self.dialogs.clone();
                self.run(SETTINGS, |part, _, _| part.ask_for_folder(&dialogs));
            }
            Action::AnswerPath(path) => self.dialogs.answer(path),
            Action::ReadMachine => self.run(MACHINE, |part, _, _| part.read()),
            Action::ReadNoise => self.read_noise(),
            Action::MeasureNoise => self.run(RUNNING, |part, context, outbox| {
                part.repeat(NOISE_TEST, NOISE_REPEATS, context, outbox);
            }),
            Action::Tell(text) => self.notices.push(Notice::info(text)),
            // The window's own.
            Action::ShowKeys => {}
        }
    }

    fn change(&mut self, test: &str, change: impl FnOnce(&mut TestState)) {
        self.run(RUNNING, |part, _, _| part.change(test, change));
    }

    /// Annotates a result on screen, and the file of its run.
    fn annotate(&mut self, test: &str, annotations: Vec<Annotation>) {
        let mut path = None;
        self.change(test, |bench| path = bench.annotate(&annotations));
        if let Some(path) = path {
            let edits = vec![(path, Edit::Annotations(annotations))];
            self.run(LIBRARY, |part, _, _| part.edit(edits));
        }
    }

    fn read_noise(&mut self) {
        if self.library.items().is_some() {
            let list = self.library.version();
            self.run(MACHINE, |part, context, _| part.read_noise(list, context));
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
