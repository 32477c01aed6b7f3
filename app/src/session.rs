//! What the app knows: the machine, the tests' settings, the run that goes on, the saved runs.
//!
//! Names no window type. [`Session::poll`] takes in what happened, [`Session::act`] does what was asked;
//! between the two, pages only read.

mod action;
mod changes;
mod comparing;
mod ending;
mod export;
mod glance;
mod import;
mod kept;
mod late;
mod library;
mod live;
mod noise;
mod outside;
mod quick;
mod series;
mod settings;
mod task;
mod test_bench;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use jitterscope_engine::measure::Event;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::platform::{Cpu, Power};
use jitterscope_engine::run::{Labels, Run};
use jitterscope_engine::runner::{MachineFacts, Runner, Sink};
use jitterscope_engine::store::{Recovery, Store};

pub use action::{Action, Notice, NoticeKind, PageId};
pub use comparing::{BoxOf, Compared, Comparing, Curves, Progress};
pub use export::{
    Copy, ExportKind, Exporting, Order, Painter, Picture, Preview, ReadyRuns, Subject, Told,
    Written,
};
pub use glance::{Dragged, Glance, GlanceRow, Told as Glanced, common_label};
pub use import::{Arrival, Opened, WhichColumn, WhichSeries};
pub use kept::store_of;
pub use library::Library;
pub use live::{Live, TrialState};
pub use noise::Noise;
pub use outside::Opener;
pub use quick::{Checked, Going, LastCheck, PartState, Quick};
pub use series::Series;
pub use settings::{
    LATE_PERCENT, Look, PlotRate, SCALE_PERCENT, SeriesColors, Settings, SettingsFile,
};
pub use task::{Outcome, Shown, say_at_last};

pub use crate::facts::Facts;
pub use crate::run_list::{LibraryItem, RunLine};
pub use test_bench::{Bench, Phase};

use task::Tasks;

/// What the window itself costs and whether it was seen; filled in by the window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WindowCost {
    /// CPU time of the window's thread since the program began.
    pub cpu: Option<Nanos>,
    /// Times the window was painted since the program began.
    pub paint_count: u64,
    /// Time for which the window was hidden since the program began.
    pub hidden: Nanos,
    /// From the start of the program to the end of the first picture.
    pub first_picture: Option<Nanos>,
}

/// What the app knows.
pub struct Session {
    store: Option<Store>,
    tasks: Tasks,
    wake: Arc<dyn Fn() + Send + Sync>,
    facts: Option<Arc<Facts>>,
    power: Option<Power>,
    other_load: Option<f64>,
    benches: Vec<Bench>,
    /// The imported run on screen.
    capture: Option<Arc<Shown>>,
    library: Library,
    comparing: Comparing,
    quick: Quick,
    exports: export::Exports,
    glances: glance::Glances,
    outside: outside::Outside,
    imports: import::Imports,
    deleted: Vec<PathBuf>,
    notices: Vec<Notice>,
    running: Option<Active>,
    series: Option<Series>,
    noises: noise::Noises,
    window_cost: WindowCost,
    go_to: Option<PageId>,
    kept: kept::Kept,
    endings: ending::Endings,
}

/// The run that goes on.
struct Active {
    runner: Runner,
    cost_at_start: WindowCost,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("benches", &self.benches).finish_non_exhaustive()
    }
}

impl Session {
    /// Begins to read the machine and the saved runs; `wake` is called when there is news.
    pub fn new(store: Option<Store>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let settings = Settings { is_welcomed: true, ..Settings::default() };
        Self::with_settings(store, settings, SettingsFile::none(), wake)
    }

    /// The same with settings of one's own, kept in a file.
    pub fn with_settings(
        store: Option<Store>,
        settings: Settings,
        file: SettingsFile,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(wake);
        let tasks = Tasks::new(Arc::clone(&wake));
        tasks.read_facts();
        let mut session = Self {
            store,
            tasks,
            wake,
            facts: None,
            power: None,
            other_load: None,
            benches: Plan::all().into_iter().map(Bench::new).collect(),
            capture: None,
            library: Library::default(),
            comparing: Comparing::default(),
            quick: Quick::default(),
            exports: export::Exports::default(),
            glances: glance::Glances::default(),
            outside: outside::Outside::default(),
            imports: import::Imports::default(),
            deleted: Vec::new(),
            notices: Vec::new(),
            running: None,
            series: None,
            noises: noise::Noises::default(),
            window_cost: WindowCost::default(),
            go_to: None,
            kept: kept::Kept::new(settings, file),
            endings: ending::Endings::default(),
        };
        match &session.store {
            Some(store) => session.tasks.recover(store.clone()),
            None => session.notices.push(Notice::error(
                "Runs cannot be saved: this system has no default data folder. Choose one in \
                 Settings, or results are lost when you close the app.",
            )),
        }
        session
    }

    /// What was read from the machine; absent for the first moment.
    pub fn facts(&self) -> Option<&Arc<Facts>> {
        self.facts.as_ref()
    }

    /// Power source and plan, as last read.
    pub fn power(&self) -> Option<&Power> {
        self.power.as_ref()
    }

    /// CPU time of other programs as a share of one core, in the last idle seconds.
    pub fn other_load(&self) -> Option<f64> {
        self.other_load
    }

    /// The state of one kind of test.
    pub fn bench(&self, key: &str) -> Option<&Bench> {
        self.benches.iter().find(|bench| bench.key() == key)
    }

    /// Every kind of test.
    pub fn benches(&self) -> &[Bench] {
        &self.benches
    }

    /// The imported run on screen.
    pub fn capture(&self) -> Option<&Arc<Shown>> {
        self.capture.as_ref()
    }

    /// The result of this key on screen: of a test that is not running, or the imported run.
    pub fn shown(&self, key: &str) -> Option<&Arc<Shown>> {
        match self.bench(key) {
            Some(bench) => bench.shown().filter(|_| bench.live().is_none()),
            None => self.capture().filter(|shown| shown.run.subject.key() == key),
        }
    }

    /// The saved runs.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The runs that are held side by side.
    pub fn comparing(&self) -> &Comparing {
        &self.comparing
    }

    /// Where runs are saved.
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Whether anything is being measured.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Whether a run is being measured or saved.
    pub fn is_busy(&self) -> bool {
        self.is_running()
            || self.quick.going().is_some()
            || self.benches.iter().any(|bench| matches!(bench.phase(), Phase::Saving))
    }

    /// The test that is being measured, and how it goes.
    pub fn live(&self) -> Option<(&Bench, &Live)> {
        self.benches.iter().find_map(|bench| Some((bench, bench.live()?)))
    }

    /// The logical CPUs with their kinds, where they are known yet.
    pub fn cpus(&self) -> &[Cpu] {
        self.facts.as_ref().map_or(&[], |facts| &facts.machine.cpus)
    }

    /// What the window costs.
    pub fn window_cost(&self) -> WindowCost {
        self.window_cost
    }

    /// Takes note of what the window costs.
    pub fn set_window_cost(&mut self, cost: WindowCost) {
        self.window_cost = cost;
    }

    /// Messages that were not shown yet.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// The page the session wants shown, told once.
    pub fn take_go_to(&mut self) -> Option<PageId> {
        self.go_to.take()
    }

    /// Takes in what happened since the last call.
    pub fn poll(&mut self) {
        self.tasks.stand_behind(self.is_busy());
        self.poll_run();
        for outcome in self.tasks.outcomes() {
            self.take_in(outcome);
        }
    }

    fn poll_run(&mut self) {
        let Some(active) = &self.running else { return };
        let events: Vec<_> = active.runner.events().collect();
        let mut last = None;
        for event in events {
            match event {
                Event::Finished(run) | Event::Failed { run, .. } => last = Some(run),
                Event::NotSaved(reason) => self.notices.push(Notice::error(format!(
                    "Samples cannot be saved during the test: {reason}. The test continues."
                ))),
                event => {
                    if let Some(live) = self.benches.iter_mut().find_map(Bench::live_mut) {
                        live.take_in(event);
                    }
                }
            }
        }
        if let Some(live) = self.benches.iter_mut().find_map(Bench::live_mut) {
            live.refresh(Instant::now());
        }
        if let Some(run) = last {
            self.end_run(run);
        }
    }

    /// Takes over a run that is over: adds what the window knows, saves and judges it off this thread.
    fn end_run(&mut self, run: Arc<Run>) {
        let Some(Active { runner, cost_at_start }) = self.running.take() else { return };
        let mut finished = runner.finish(run);
        let run = &mut finished.run;
        let cost = self.window_cost;
        run.health.window_hidden = Some(cost.hidden - cost_at_start.hidden);
        run.health.paint_count = Some(cost.paint_count - cost_at_start.paint_count);
        if let (Some(now), Some(then)) = (cost.cpu, cost_at_start.cpu) {
            run.health.window_cpu = Some(now - then);
        }
        self.quick.sign(run);
        self.cut_series_after(run);
        let key = run.subject.key();
        if let Some(bench) = self.benches.iter_mut().find(|bench| bench.key() == key) {
            bench.set_phase(Phase::Saving);
        }
        self.tasks.save(finished);
    }

    fn take_in(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Facts(facts) => {
                let (facts, power) = *facts;
                self.power = Some(power);
                let is_first = self.facts.replace(Arc::new(facts)).is_none();
                if is_first {
                    self.tasks.watch_idle();
                }
            }
            Outcome::Idle { power, other_load } => {
                self.power = Some(power);
                if let Some(other_load) = other_load {
                    self.other_load = Some(other_load);
                }
            }
            Outcome::Recovered(result) => {
                match result {
                    Ok(journals) => self.note_recovered(&journals),
                    Err(error) => self.notices.push(Notice::error(error)),
                }
                self.refresh_library();
            }
            Outcome::Listed { turn, result } if self.tasks.is_newest(turn) => match result {
                Ok(items) => self.library.fill(items),
                Err(error) => {
                    self.library.fill(Vec::new());
                    self.notices.push(Notice::error(error));
                }
            },
            Outcome::Changed(result) => {
                if let Err(error) = result {
                    self.notices.push(Notice::error(error));
                }
                self.refresh_library();
            }
            Outcome::SetAside { aside, error } => {
                if let Some(error) = error {
                    self.notices.push(Notice::error(error));
                }
                if !aside.is_empty() {
                    self.deleted.clone_from(&aside);
                    self.notices.push(Notice::deleted(aside));
                }
                self.refresh_library();
            }
            Outcome::Compared { paths, result } => {
                self.comparing.end(&paths, result.map(|compared| *compared));
                self.count_comparison();
            }
            Outcome::LateSettled(percent) => self.late_settled(percent),
            Outcome::CountedLate(Some(shown)) => self.take_counted(*shown),
            Outcome::Saved(shown) => {
                let key = shown.run.subject.key();
                self.show(*shown);
                if let Some(shown) = self.bench(key).and_then(Bench::shown).cloned() {
                    self.end_part(&shown);
                    self.after_saving(&shown);
                    self.note_end(&shown);
                }
            }
            Outcome::QuickOpened(Ok(runs)) => self.quick.show_saved(runs),
            Outcome::QuickOpened(Err(error)) => {
                self.notices.push(Notice::error(format!("The check cannot be opened: {error}")));
            }
            Outcome::Opened(Ok(shown)) => {
                self.go_to = Some(PageId::of(&shown.run));
                self.show(*shown);
            }
            Outcome::Opened(Err(error)) => {
                self.notices.push(Notice::error(format!("This file cannot be opened: {error}")));
            }
            // A list that was asked for later is on its way.
            Outcome::Listed { .. }
            | Outcome::ChosenFolder(None)
            | Outcome::CountedLate(None)
            | Outcome::SettingsWritten(Ok(())) => {}
            Outcome::ChosenFolder(Some(folder)) => self.take_folder(folder),
            Outcome::SettingsWritten(Err(error)) => {
                self.notices.push(Notice::error(format!("The settings cannot be saved: {error}")));
            }
            Outcome::Chosen(paths) => self.open_files(paths),
            Outcome::OpenedFiles(files) => self.take_in_files(files),
            Outcome::Export(told) => self.take_in_export(told),
            Outcome::Glanced(told) => self.take_in_glance(told),
            Outcome::OpenedOutside(result) => self.take_in_opened(result),
            Outcome::Noise(found) => self.noises.fill(found),
        }
    }

    /// Reports what became of the journals that ended processes left.
    fn note_recovered(&mut self, journals: &[Recovery]) {
        let paths: Vec<PathBuf> =
            journals.iter().filter_map(Recovery::saved).map(Path::to_owned).collect();
        if !paths.is_empty() {
            self.notices.push(Notice::recovered(&paths));
        }
        let problems = journals.iter().filter(|journal| journal.is_problem());
        self.notices.extend(problems.map(|journal| Notice::error(journal.to_string())));
    }

    /// Shows a run as the result of its kind of test.
    fn show(&mut self, shown: Shown) {
        if let Some(error) = &shown.save_error {
            self.notices.push(Notice::error(format!(
                "{error}. The result remains available until you close the app."
            )));
        }
        self.refresh_library();
        if shown.run.capture().is_some() {
            self.capture = Some(Arc::new(shown));
            return;
        }
        let key = shown.run.subject.key();
        if let Some(bench) = self.benches.iter_mut().find(|bench| bench.key() == key) {
            bench.show(shown);
        }
        self.count_results();
    }

    /// Does what a page asked for.
    pub fn act(&mut self, action: Action) {
        self.tasks.stand_behind(self.is_busy());
        match action {
            Action::RunQuick => self.start_check(),
            Action::SkipQuickPart => self.skip_part(),
            Action::ChooseQuickPart { part, is_chosen } => self.choose_part(part, is_chosen),
            Action::OpenQuick(paths) => self.tasks.open_quick(paths),
            Action::Run(key) => self.start_repeats(key),
            Action::SetRepeat { test, times } => {
                if let Some(bench) = self.benches.iter_mut().find(|bench| bench.key() == test) {
                    bench.set_repeat(times);
                }
            }
            Action::Alternate(times) => self.alternate(times),
            Action::Stop | Action::StopAtOnce => {
                self.quick.stop();
                if let Some(active) = &self.running {
                    active.runner.stop();
                }
                self.cut_series();
                if let Some(bench) = self.benches.iter_mut().find(|bench| bench.live().is_some()) {
                    bench.stopping();
                }
            }
            Action::SetPlan(plan) => {
                let bench = self.benches.iter_mut().find(|bench| bench.key() == plan.key());
                if let Some(bench) = bench {
                    bench.set_plan(plan);
                }
            }
            Action::ChoosePreset { test, preset } => {
                if let Some(bench) = self.benches.iter_mut().find(|bench| bench.key() == test) {
                    bench.choose_preset(preset);
                }
            }
            Action::ShowSettingsOfResult(key) => {
                if let Some(bench) = self.benches.iter_mut().find(|bench| bench.key() == key) {
                    bench.take_settings_of_result();
                }
            }
            Action::OpenRun(path) => {
                if self.is_running() {
                    self.notices
                        .push(Notice::info("A test is running. Open the run when it is finished."));
                } else {
                    self.tasks.open(path);
                }
            }
            Action::AskForFile => self.tasks.ask_for_file(),
            Action::OpenFiles(paths) => self.open_files(paths),
            Action::ChooseSeries(series) => self.choose_series(series),
            Action::ChooseColumn(column) => self.choose_column(column),
            Action::Export { subject, kind } => self.begin_export(&subject, kind),
            Action::PreviewExport(order) => self.preview_export(order),
            Action::SaveExport(order) => self.save_export(order),
            Action::CopyExport(order) => self.copy_export(order),
            Action::OpenReport(order) => self.open_report(order),
            Action::CloseExport => self.close_export(),
            Action::CopyForTicket(subject) => self.copy_for_ticket(subject),
            Action::GlanceAt(paths) => self.glance_at(paths),
            Action::LookAtDragged(paths) => self.look_at_dragged(paths),
            Action::OpenOutside(path) => self.open_outside(path),
            Action::RefreshLibrary => self.refresh_library(),
            Action::EditRuns(edits) => self.edit_runs(edits),
            Action::DeleteRuns(paths) => {
                if let Some(store) = self.store.clone() {
                    self.tasks.set_aside(store, paths);
                }
            }
            Action::RestoreRuns(paths) => {
                self.deleted.retain(|path| !paths.contains(path));
                self.restore(paths);
            }
            Action::Undo => {
                let paths = std::mem::take(&mut self.deleted);
                if !paths.is_empty() {
                    self.restore(paths);
                }
            }
            Action::Compare(paths) => {
                self.go_to = Some(PageId::Compare);
                self.compare(paths);
            }
            Action::GoTo(page) => self.go_to = Some(page),
            Action::Set(settings) => self.set_settings(*settings),
            Action::AskForFolder => self.tasks.ask_for_folder(),
            Action::ReadMachine => self.tasks.read_facts(),
            Action::ReadNoise => self.read_noise(),
            Action::MeasureNoise => self.measure_noise(),
            Action::Tell(text) => self.notices.push(Notice::info(text)),
            // The window's own.
            Action::ShowKeys => {}
        }
    }

    /// Starts a plan that becomes the settings of its test, too.
    fn start(&mut self, plan: &Plan, labels: Labels) {
        if self.is_running() || self.quick.going().is_some() {
            return;
        }
        let key = plan.key();
        if let Some(bench) = self.benches.iter_mut().find(|bench| bench.key() == key) {
            bench.set_plan(plan.clone());
        }
        self.start_plan(plan.clone(), labels);
    }

    /// Starts a plan on the bench of its test; gives back whether it did.
    fn start_plan(&mut self, plan: Plan, labels: Labels) -> bool {
        let Some(facts) = self.facts.clone() else { return false };
        let key = plan.key();
        let Some(bench) = self.benches.iter_mut().find(|bench| bench.key() == key) else {
            return false;
        };
        let planned = plan.duration(&facts.cpus);
        let request = MachineFacts {
            machine: facts.machine.clone(),
            clock: facts.clock.clone(),
            cpus: facts.cpus.clone(),
        };
        let sink = self.store.clone().map_or(Sink::Discard, Sink::Store);
        let wake = Arc::clone(&self.wake);
        match Runner::start(request.request(plan, labels), sink, move || wake()) {
            Ok(runner) => {
                bench.set_phase(Phase::Running(Box::new(Live::new(planned, Instant::now()))));
                self.running = Some(Active { runner, cost_at_start: self.window_cost });
                self.note_beginning();
                true
            }
            Err(error) => {
                self.notices.push(Notice::error(format!("The test was not run: {error}.")));
                false
            }
        }
    }
}
