//! The window: takes events in, shows a page, carries out what it asks.

mod cost;
mod keys;
mod shell;

use std::time::{Duration, Instant};

use eframe::egui::{self, Context, Theme, Ui, ViewportCommand};

use jitterscope_engine::store::Store;

use crate::pages::{ComparePage, FrameLoopPage, RunsPage};
use crate::session::{Action, Notice, NoticeKind, PageId, Session};
use crate::theme;
use crate::widgets::{Answer, Dialog, Toast, Toasts};
use cost::CostMeter;

/// The least time between two pictures while measuring: 10 a second.
const LEAST_REPAINT: Duration = Duration::from_millis(100);
/// A run younger than this is stopped without asking.
const STOP_ASKS_AFTER: Duration = Duration::from_mins(1);

/// What is asked before something is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Stop the test?
    Stop,
    /// Close the window while a test runs?
    Close,
}

/// The window.
pub struct App {
    session: Session,
    page: PageId,
    frame_loop: FrameLoopPage,
    runs: RunsPage,
    compare: ComparePage,
    toasts: Toasts<Action>,
    question: Option<Question>,
    may_close: bool,
    cost: CostMeter,
    title: String,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("page", &self.page).finish_non_exhaustive()
    }
}

impl App {
    /// The window over the usual folder of runs.
    pub fn new(cc: &eframe::CreationContext<'_>) -> Self {
        Self::with_store(cc, Store::usual())
    }

    /// The window over a folder of one's own.
    pub fn with_store(cc: &eframe::CreationContext<'_>, store: Option<Store>) -> Self {
        theme::install(&cc.egui_ctx);
        cc.egui_ctx.set_theme(egui::ThemePreference::System);
        let ctx = cc.egui_ctx.clone();
        // News come up to 20 times a second; a picture is drawn at most ten times.
        let session = Session::new(store, move || ctx.request_repaint_after(LEAST_REPAINT));
        Self {
            session,
            page: PageId::Test("frame-loop"),
            frame_loop: FrameLoopPage::default(),
            runs: RunsPage::default(),
            compare: ComparePage::default(),
            toasts: Toasts::default(),
            question: None,
            may_close: false,
            cost: CostMeter::default(),
            title: String::new(),
        }
    }

    /// What the app knows.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The page on screen.
    pub fn page(&self) -> PageId {
        self.page
    }

    fn carry_out(&mut self, ctx: &Context, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::GoTo(page) => self.page = page,
                Action::Stop => self.ask_to_stop(),
                action => self.session.act(action),
            }
        }
        if let Some(page) = self.session.take_go_to() {
            self.page = page;
        }
        for notice in self.session.take_notices() {
            self.toasts.push(toast(notice));
        }
        self.toasts.hold(self.session.is_running());
        let title = match self.session.live() {
            Some((_, live)) => {
                format!("{:.0}% · Jitterscope", (live.progress(Instant::now()) * 100.0).floor())
            }
            None => "Jitterscope".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Stops a young run at once; asks before an old one is lost, while measuring goes on.
    fn ask_to_stop(&mut self) {
        let is_old = self
            .session
            .live()
            .is_some_and(|(_, live)| STOP_ASKS_AFTER < live.elapsed(Instant::now()).to_duration());
        if is_old {
            self.question = Some(Question::Stop);
        } else {
            self.session.act(Action::Stop);
        }
    }

    fn question_ui(&mut self, ctx: &Context) {
        let Some(question) = self.question else { return };
        if !self.session.is_running() {
            self.question = None;
            return;
        }
        let kept = self.session.live().map_or(String::new(), |(_, live)| {
            format!(
                "{} of {} configurations are complete. What was measured is kept.",
                live.states()
                    .iter()
                    .filter(|state| **state == crate::session::TrialState::Done)
                    .count(),
                live.trial_count(),
            )
        });
        let dialog = match question {
            Question::Stop => Dialog {
                title: "Stop the test?",
                text: &kept,
                primary: "Stop",
                cancel: "Keep running",
                is_stop: true,
            },
            Question::Close => Dialog {
                title: "Stop the test and close?",
                text: &kept,
                primary: "Stop and close",
                cancel: "Keep running",
                is_stop: true,
            },
        };
        match dialog.show(ctx) {
            Some(Answer::Primary) => {
                self.session.act(Action::Stop);
                self.may_close |= question == Question::Close;
                self.question = None;
            }
            Some(Answer::Cancel) => self.question = None,
            None => {}
        }
    }

    /// Holds the window open while a test runs, until a person says otherwise and the run is saved.
    fn guard_close(&mut self, ctx: &Context) {
        let is_busy = self.session.is_busy();
        if ctx.input(|input| input.viewport().close_requested()) && is_busy {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            if !self.may_close {
                self.question = Some(Question::Close);
            }
        }
        if self.may_close && !is_busy {
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
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
    fn logic(&mut self, ctx: &Context, frame: &mut eframe::Frame) {
        self.cost.beat(ctx, frame);
        self.session.set_window_cost(self.cost.total());
        self.session.poll();
        let is_running = self.session.is_running();
        theme::set_motion(ctx, !is_running);
        if is_running {
            // Progress and time left move on even when nothing new was measured; a picture that is dear
            // to draw is drawn less often, so that the window does not disturb what it shows.
            ctx.request_repaint_after(self.cost.repaint_interval(LEAST_REPAINT));
        }
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.cost.painted();
        self.guard_close(&ctx);
        let mut actions = Vec::new();
        if self.question.is_none() {
            keys::take(&ctx, &self.session, self.page, &mut actions);
        }
        let breadth = shell::Breadth::of(ctx.content_rect().width());
        shell::rail_ui(ui, &self.session, self.page, breadth, &mut actions);
        shell::status_ui(ui, &self.session, &self.cost);
        shell::top_ui(ui, &self.session, self.page, breadth, &mut actions);
        let page = egui::Frame::new().fill(theme::Tokens::of(ui).panel);
        egui::CentralPanel::default().frame(page).show(ui, |ui| match self.page {
            PageId::Test(_) => self.frame_loop.ui(ui, &self.session, &mut actions),
            PageId::Runs => self.runs.ui(ui, &self.session, &mut actions),
            PageId::Compare => self.compare.ui(ui, &self.session, &mut actions),
        });
        self.question_ui(&ctx);
        actions.extend(self.toasts.show(&ctx));
        self.carry_out(&ctx, actions);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        let page = match self.page {
            PageId::Test(key) => key,
            PageId::Runs => "runs",
            PageId::Compare => "compare",
        };
        storage.set_string("page", page.to_owned());
    }
}

/// Switches between the dark and the light theme.
fn switch_theme(ctx: &Context) {
    ctx.set_theme(match ctx.theme() {
        Theme::Dark => Theme::Light,
        Theme::Light => Theme::Dark,
    });
}
