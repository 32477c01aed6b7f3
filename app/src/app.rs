//! The window: handles events, shows a page, and carries out the actions that the page requests.

mod appearance;
mod cost;
mod denied;
mod drop;
mod held_events;
mod host_menu;
mod keys;
mod plot_image;
mod question;
mod shell;
mod shortcut_sheet;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use eframe::egui::{self, Context, Ui, ViewportCommand};

use jitterscope_engine::measure::mark_own_run;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::store::Store;

use crate::instance::{Instance, Start};
use crate::pages::{
    AddHostDialog, CapturePage, ComparePage, ExportDialog, MachinePage, PathDialog, QuickPage,
    RecordPage, RunsPage, SettingsPage, TestPage, WelcomePage, WhichColumnDialog,
    WhichSeriesDialog, place_ui,
};
use crate::session::{
    Action, ClipboardContent, Notice, NoticeKind, PageId, PlotRate, Session, Settings,
    SettingsFile, open_store,
};
use crate::theme;
use crate::widgets::{Region, Toast, Toasts, region};
use appearance::Appearance;
use cost::OverheadMeter;
pub use cost::note_start;
use held_events::HeldEvents;
use question::Question;

/// Minimum time between two frames during a test without a visible plot.
const WITHOUT_PLOTS: Duration = Duration::from_secs(1);
/// Minimum time between two changes of the window title during a test: each change makes the window
/// draw two more frames.
const TITLE_INTERVAL: Duration = Duration::from_secs(5);

/// The desktop app: its pages and dialogs, and the session with the data that they show.
pub struct App {
    /// The state of the app.
    pub session: Session,
    /// The page on screen.
    pub page: PageId,
    quick: QuickPage,
    tests: Vec<TestPage>,
    runs: RunsPage,
    machine: MachinePage,
    settings: SettingsPage,
    welcome: WelcomePage,
    look: Appearance,
    has_shortcut_sheet: bool,
    /// Minimum time between two frames that the engine requests, in milliseconds. The threads that
    /// request a redraw read it.
    repaint_millis: Arc<AtomicU64>,
    compare: ComparePage,
    capture: CapturePage,
    record: RecordPage,
    export: ExportDialog,
    path: PathDialog,
    hosts: host_menu::HostMenu,
    add_host: AddHostDialog,
    which_series: WhichSeriesDialog,
    which_column: WhichColumnDialog,
    toasts: Toasts<Action>,
    question: Option<Question>,
    /// The key of the test for which the window asks whether to start it although its priorities
    /// are denied.
    denied: Option<&'static str>,
    /// The action to carry out when the running test has ended.
    next: Option<Action>,
    held: HeldEvents,
    may_close: bool,
    cost: OverheadMeter,
    title: String,
    /// When `title` last changed during a test; `None` without a running test.
    title_changed: Option<Instant>,
    fit: appearance::Fit,
    /// Marks this process as the only window, which opens the files of later starts; `None` if
    /// another window is open or the check failed.
    instance: Option<Instance>,
    /// Whether the frame buffer is cleared to the page color, so that the background needs no
    /// drawing. With a software renderer, filling the window once costs as much CPU time as drawing
    /// all its text.
    is_cleared: bool,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("page", &self.page).finish_non_exhaustive()
    }
}

impl App {
    /// Creates the app with the saved settings of this user and the folder of runs that the
    /// settings name.
    pub fn new(cc: &eframe::CreationContext<'_>) -> Self {
        let file = SettingsFile::default_location();
        let (settings, word) = file.load();
        let mut app = Self::with_settings(cc, open_store(&settings), settings, file);
        if let Some(word) = word {
            app.toasts.push(Toast::warning(word));
        }
        app
    }

    /// Shows a warning, if there is one.
    #[must_use]
    pub fn warned(mut self, words: Option<String>) -> Self {
        if let Some(words) = words {
            self.toasts.push(Toast::warning(words));
        }
        self
    }

    /// Creates the app with the saved runs of `store` and default settings, which are not saved.
    pub fn with_store(cc: &eframe::CreationContext<'_>, store: Option<Store>) -> Self {
        let settings = Settings { is_welcomed: true, ..Settings::default() };
        Self::with_settings(cc, store, settings, SettingsFile::none())
    }

    /// Creates the app with the saved runs of `store` and with `settings`; changes are saved in
    /// `file`.
    pub fn with_settings(
        cc: &eframe::CreationContext<'_>,
        store: Option<Store>,
        settings: Settings,
        file: SettingsFile,
    ) -> Self {
        theme::install(&cc.egui_ctx);
        // Clear the stored scroll positions: after a start, pages begin at their top.
        cc.egui_ctx
            .data_mut(eframe::egui::util::IdTypeMap::remove_by_type::<egui::scroll_area::State>);
        let ctx = cc.egui_ctx.clone();
        // The engine reports events up to 20 times per second, but frames are drawn only as often
        // as `repaint_millis` allows.
        let default = PlotRate::Normal.interval().as_millis();
        let repaint_millis = Arc::new(AtomicU64::new(u64::try_from(default).unwrap_or(100)));
        let min = Arc::clone(&repaint_millis);
        let wake = move || {
            ctx.request_repaint_after(Duration::from_millis(min.load(Ordering::Relaxed)));
        };
        let session = Session::with_settings(store, settings, file, wake);
        let look = Appearance::new(&cc.egui_ctx);
        let mut app = Self {
            page: first_page(&session),
            session,
            quick: QuickPage::default(),
            tests: Plan::all().iter().map(TestPage::of).collect(),
            runs: RunsPage::default(),
            machine: MachinePage::default(),
            settings: SettingsPage::default(),
            welcome: WelcomePage::default(),
            look,
            has_shortcut_sheet: false,
            repaint_millis,
            compare: ComparePage::default(),
            capture: CapturePage::default(),
            record: RecordPage::default(),
            export: ExportDialog::default(),
            path: PathDialog::default(),
            hosts: host_menu::HostMenu::default(),
            add_host: AddHostDialog::default(),
            which_series: WhichSeriesDialog::default(),
            which_column: WhichColumnDialog::default(),
            toasts: Toasts::default(),
            question: None,
            denied: None,
            next: None,
            held: HeldEvents::default(),
            may_close: false,
            cost: OverheadMeter::default(),
            title: String::new(),
            title_changed: None,
            fit: appearance::Fit::new(cc.storage),
            instance: None,
            is_cleared: cc.gl.is_some(),
        };
        app.session.restore_result(app.page);
        app.look.follow(&cc.egui_ctx, &mut app.session);
        app.look.forget_theme();
        app
    }

    /// Opens these files at the start.
    #[must_use]
    pub fn opening(mut self, files: Vec<std::path::PathBuf>) -> Self {
        if !files.is_empty() {
            self.session.act(Action::OpenFiles(files));
        }
        self
    }

    /// If this window is the first, opens the files that later starts of the program pass to it. If
    /// another window is open, or may be, warns that two windows disturb each other's measurements.
    /// Also warns if the program runs as root.
    #[must_use]
    pub fn started(mut self, start: Start) -> Self {
        match start {
            Start::First(instance) => {
                self.session.watch_requests(&instance.folder);
                self.instance = Some(instance);
            }
            Start::Busy => self.toasts.push(Toast::warning(
                "Another Jitterscope window is open and does not respond. Two windows that measure at the \
                 same time disturb each other.",
            )),
            Start::Unknown(why) => self.toasts.push(Toast::warning(format!(
                "Cannot check for other Jitterscope windows ({why}). Two windows that measure at the same \
                 time disturb each other.",
            ))),
            Start::HandedOver => {}
        }
        if jitterscope_engine::platform::is_root() {
            self.toasts.push(Toast::warning(crate::text::hosts::AS_ROOT));
        }
        self
    }

    /// Sets the function that opens files and folders outside the app, instead of the system's
    /// handler.
    pub fn set_opener(&mut self, opener: crate::session::Opener) {
        self.session.exports.set_opener(opener);
    }

    /// Makes the app ask for file paths in a separate dialog, even if the system has file
    /// dialogs.
    pub fn ask_for_paths_in_window(&mut self) {
        self.session.dialogs.ask_in_window();
    }

    /// Sets the answer to the next file or folder dialog; an empty list means "Cancel".
    pub fn set_next_dialog_answer(&mut self, paths: Vec<std::path::PathBuf>) {
        self.session.dialogs.prepare(paths);
    }

    /// Returns the action of the newest message that offers to undo something, and removes the message.
    fn newest_undo(&mut self) -> Option<Action> {
        let is_undo =
            |offered: &Action| matches!(offered, Action::UndoEdits(_) | Action::RestoreRuns(_));
        let last_deletion = || {
            let paths = self.session.library.last_deletion()?;
            Some(Action::RestoreRuns(paths.to_vec()))
        };
        self.toasts.take(is_undo).or_else(last_deletion)
    }

    fn carry_out(&mut self, ctx: &Context, actions: Vec<Action>) {
        for action in actions {
            let action = match action {
                Action::UndoNewest => {
                    let Some(action) = self.newest_undo() else { continue };
                    action
                }
                action => action,
            };
            // Remove the toast that offers to restore: these runs are being restored already.
            if let Action::RestoreRuns(paths) = &action {
                self.toasts.remove(
                    |offered| matches!(offered, Action::RestoreRuns(others) if others == paths),
                );
            }
            match action {
                Action::GoTo(page) => self.go_to(page),
                Action::ShowTrend(run) => {
                    self.compare.show_trend(run);
                    self.go_to(PageId::Compare);
                }
                Action::Stop => self.ask_to_stop(),
                action @ (Action::Run(_)
                | Action::RunAgainWithTrace(_)
                | Action::RunWhenQuiet(_)
                | Action::RunQuick
                | Action::MeasureLonger
                | Action::MeasureTestLonger(_)
                | Action::RunQuickWhenQuiet)
                    if self.session.running.is_running() =>
                {
                    self.next = Some(action);
                    self.question = Some(Question::Switch);
                }
                Action::Run(test) if self.session.known_denial(test).is_some() => {
                    self.denied = Some(test);
                }
                Action::ShowKeys => self.has_shortcut_sheet = !self.has_shortcut_sheet,
                Action::ShowHosts if host_menu::has_place(self.page) => self.hosts.open(),
                action => self.session.act(action),
            }
        }
        if let Some(page) = self.session.go_to.take() {
            self.go_to(page);
        }
        for copy in std::mem::take(&mut self.session.exports.copies) {
            match copy {
                ClipboardContent::Text(text) => ctx.copy_text(text),
                ClipboardContent::ExportImage(image) => ctx
                    .copy_image(egui::ColorImage::from_rgba_unmultiplied(image.size, &image.rgba)),
            }
        }
        for mut notice in std::mem::take(&mut self.session.notices) {
            // A message about several changes of the same fields undoes all of them, and is shown for as long as a new one.
            if let Some((_, action)) = &mut notice.action
                && let Some(first) = self.toasts.take(|offered| action.undoes_same_fields(offered))
            {
                *action = first;
            }
            self.toasts.push(toast(notice));
        }
        self.toasts.hold(self.session.running.is_running());
        let live = self.session.running.live().map(|(_, live)| live);
        let progress = match &self.session.running.quick.check {
            Some(check) => Some(check.progress(live, Instant::now()).0),
            None => live.map(|live| live.progress(Instant::now())),
        };
        let title = match progress {
            Some(share) => format!("{:.0}% · Jitterscope", (share * 100.0).floor()),
            None => "Jitterscope".to_owned(),
        };
        let is_new = self.title_changed.is_none_or(|last| TITLE_INTERVAL <= last.elapsed());
        if title != self.title && (is_new || progress.is_none()) {
            self.title_changed = progress.map(|_| Instant::now());
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Shows a page and saves it as the page to show at the next start. Every page except the
    /// welcome page also marks the welcome page as seen.
    fn go_to(&mut self, page: PageId) {
        if self.page != page {
            self.quick.focus_start();
            self.welcome = WelcomePage::default();
        }
        self.page = page;
        let mut settings = self.session.settings().clone();
        if page != PageId::Welcome {
            settings.is_welcomed = true;
            page.key().clone_into(&mut settings.page);
        }
        self.session.set_settings(settings);
        self.session.remember_plans();
        self.session.restore_result(page);
    }

    fn page_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        if !matches!(self.page, PageId::Test(_)) {
            region(ui, Region::Results);
        }
        place_ui(ui, &self.session, self.page, actions);
        match self.page {
            PageId::Quick => self.quick.ui(ui, &self.session, actions),
            PageId::Test(key) => {
                if let Some(page) = self.tests.iter_mut().find(|page| page.key == key) {
                    page.ui(ui, &self.session, actions);
                }
            }
            PageId::Record => self.record.ui(ui, &self.session, actions),
            PageId::Runs => self.runs.ui(ui, &self.session, actions),
            PageId::Machine => self.machine.ui(ui, &self.session, actions),
            PageId::Settings => self.settings.ui(ui, &self.session, actions),
            PageId::Welcome => self.welcome.ui(ui, &self.session, actions),
            PageId::Compare => self.compare.ui(ui, &self.session, actions),
            PageId::Capture => self.capture.ui(ui, &self.session, actions),
        }
    }

    /// Returns the minimum time between two frames while measuring. Without a visible plot of the
    /// running test, only the progress changes, and fewer frames suffice.
    fn min_repaint(&self) -> Duration {
        let min = self.session.settings().plot_rate.interval();
        if self.has_live_plots() { min } else { min.max(WITHOUT_PLOTS) }
    }

    /// Whether the visible page shows the running test.
    fn has_live_plots(&self) -> bool {
        self.session.running.is_in_view(self.page)
    }
}

fn toast(notice: Notice) -> Toast<Action> {
    let toast = match notice.kind {
        NoticeKind::Undo => {
            return match notice.action {
                Some((_, action)) => Toast::undo(notice.text, action),
                None => Toast::info(notice.text),
            };
        }
        NoticeKind::Info => Toast::info(notice.text),
        NoticeKind::Warning => Toast::warning(notice.text),
        NoticeKind::Error => Toast::error(notice.text),
    };
    match notice.action {
        Some((label, action)) => toast.action(label, action),
        None => toast,
    }
}

impl eframe::App for App {
    fn raw_input_hook(&mut self, ctx: &Context, raw_input: &mut egui::RawInput) {
        let pass_count = ctx.cumulative_pass_nr_for(egui::ViewportId::ROOT);
        if self.held.take(pass_count, &mut raw_input.events) {
            ctx.request_repaint();
        }
    }

    fn logic(&mut self, ctx: &Context, frame: &mut eframe::Frame) {
        let _run = mark_own_run();
        self.cost.took(frame.info().cpu_usage);
        self.cost.sample(ctx, self.session.running.is_busy());
        self.session.running.window_cost = self.cost.total;
        self.session.poll();
        // This request is checked here and not in `ui`, because nothing is drawn while the window
        // is minimized.
        if std::mem::take(&mut self.session.to_front) {
            // If the system does not let a window raise itself, its taskbar entry is highlighted
            // instead.
            ctx.send_viewport_cmd(ViewportCommand::Minimized(false));
            ctx.send_viewport_cmd(ViewportCommand::Focus);
            let attention = egui::UserAttentionType::Informational;
            ctx.send_viewport_cmd(ViewportCommand::RequestUserAttention(attention));
        }
        self.start_next();
        let has_focus = ctx.input(|input| input.viewport().focused) != Some(false);
        if self.session.running.take_ended() && !has_focus {
            let attention = egui::UserAttentionType::Informational;
            ctx.send_viewport_cmd(ViewportCommand::RequestUserAttention(attention));
        }
        let is_running = self.session.running.is_running();
        self.look.follow(ctx, &mut self.session);
        let facts = self.session.machine.facts.as_ref();
        let is_still = facts.is_some_and(|facts| facts.desktop.reduced_motion == Some(true));
        let is_still = is_still || self.session.settings().less_motion;
        theme::set_motion(ctx, !is_running && !is_still);
        // Engine events request a frame no earlier than the minimum time between two frames.
        let next = if is_running {
            self.cost.repaint_interval(self.min_repaint())
        } else {
            self.session.settings().plot_rate.interval()
        };
        let millis = u64::try_from(next.as_millis()).unwrap_or(100);
        self.repaint_millis.store(millis, Ordering::Relaxed);
        if is_running {
            // Progress and remaining time advance even without new samples. The more a frame costs,
            // the fewer are drawn, so that the window does not disturb the measurement.
            ctx.request_repaint_after(next);
        }
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let _run = mark_own_run();
        let ctx = ui.ctx().clone();
        self.cost.painted(&ctx);
        self.fit.apply(&ctx);
        self.guard_close(&ctx);
        if !self.is_cleared {
            ui.painter().rect_filled(ctx.content_rect(), 0.0, theme::Tokens::of(ui).panel);
        }
        let mut actions = Vec::new();
        // A modal dialog or menu has the keyboard focus: shortcuts of the page do not apply.
        let is_asking = ctx.memory(|memory| memory.top_modal_layer().is_some());
        if self.question.is_none() && !self.has_shortcut_sheet && !is_asking {
            keys::take(&ctx, &self.session, self.page, &mut actions);
            // Carry out the actions immediately, so that this frame already shows their effect:
            // while a test runs, the next frame may be a second away.
            self.carry_out(&ctx, std::mem::take(&mut actions));
        }
        let width_class = shell::WidthClass::of(ctx.content_rect().width());
        shell::rail_ui(ui, &self.session, self.page, width_class, &mut actions);
        let hz = self
            .has_live_plots()
            .then(|| 1.0 / self.cost.repaint_interval(self.min_repaint()).as_secs_f64());
        let hosts = &mut self.hosts;
        shell::top_ui(ui, &self.session, self.page, width_class, hosts, &mut actions);
        // Reserve space for the status bar, which is drawn after the page because it comes last in
        // the keyboard order.
        let room = ui.available_rect_before_wrap();
        let (room, bar) = room.split_top_bottom_at_y(room.bottom() - theme::size::STATUS_BAR);
        self.carry_out(&ctx, std::mem::take(&mut actions));
        if self.page != PageId::Runs {
            self.runs.leave(&mut actions);
        }
        if self.page != PageId::Quick {
            self.quick.leave(&mut actions);
        }
        ui.scope_builder(egui::UiBuilder::new().max_rect(room), |ui| {
            egui::CentralPanel::default().frame(egui::Frame::new()).show(ui, |ui| {
                // Each page has its own scroll position.
                ui.push_id(self.page.key(), |ui| self.page_ui(ui, &mut actions));
            });
        });
        ui.scope_builder(egui::UiBuilder::new().max_rect(bar), |ui| {
            let hosts = host_menu::has_place(self.page).then_some(&mut self.hosts);
            shell::status_ui(ui, &self.session, self.page, &self.cost, (hz, hosts), &mut actions);
        });
        self.export.show(&ctx, &self.session, &mut actions);
        self.path.show(&ctx, &self.session, &mut actions);
        self.add_host.show(&ctx, &self.session, &mut actions);
        self.which_series.show(&ctx, &self.session, &mut actions);
        self.which_column.show(&ctx, &self.session, &mut actions);
        self.question_ui(&ctx);
        self.denied_ui(&ctx);
        drop::take(&ctx, &mut actions);
        drop::overlay(&ctx, &self.session, &mut actions);
        self.has_shortcut_sheet =
            self.has_shortcut_sheet && !shortcut_sheet::show(&ctx, &self.session);
        actions.extend(self.toasts.show(&ctx));
        plot_image::take(&ctx, &mut self.session, self.page);
        // After input that changed something, discard this frame and lay it out again, so that the
        // user sees the effect in this frame.
        if !actions.is_empty() || keys::focuses_previous(&ctx) {
            ctx.request_discard("what the input changed");
        }
        let is_counting = !ctx.will_discard() && self.session.count_frame();
        if is_counting || (!actions.is_empty() && !ctx.will_discard()) {
            ctx.request_repaint();
        }
        self.carry_out(&ctx, actions);
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        let mut actions = Vec::new();
        self.runs.leave(&mut actions);
        self.quick.leave(&mut actions);
        for action in actions {
            self.session.act(action);
        }
        self.session.library.finish_changes();
        self.session.write_settings_now();
    }
}

/// Returns the page that was shown last, or by default the quick check; at the very first start,
/// the welcome page.
fn first_page(session: &Session) -> PageId {
    let settings = session.settings();
    if !settings.is_welcomed {
        return PageId::Welcome;
    }
    let tests = session.running.tests.iter().map(|state| PageId::Test(state.key()));
    let others = [PageId::Runs, PageId::Machine, PageId::Settings];
    tests.chain(others).find(|page| page.key() == settings.page).unwrap_or(PageId::Quick)
}
