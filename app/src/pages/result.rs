//! The page of a test: its settings, the run in progress, and the result.

mod frame_loop;
mod game_tick;
mod gaps;
mod notes;
mod real_time;
mod sleep;
mod spin;
mod view;
mod what_helps;

use eframe::egui::Ui;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::table::{Column, Quantity};
use jitterscope_engine::report::{Disturbance, INCONCLUSIVE, Report, Standing};
use jitterscope_engine::run::RunId;
use jitterscope_engine::stats::LowDefinition;

use self::notes::{denial_ui, notes_ui, refused_ui, trust_ui, worse_ui};
use self::view::{LiveRun, PlainView, ResultView, ShownResult};
use super::export::export_buttons;
use super::live_summary::LiveSummary;
use super::{lost, page_frame, setup, severity_of};
use crate::pages::show_programs_ui;
use crate::session::{Action, LoadedRun, PageId, Phase, Session, Subject, WaitingTest};
use crate::text::{self, Unit};
use crate::theme::{icons, size};
use crate::widgets::{
    Button, EmptyState, FollowFocus as _, Help, Region, Severity, VerdictStrip, help::help_mark,
    region, result_area,
};

pub use self::what_helps::{KEY as WHAT_HELPS, start_button_ui as what_helps_button_ui};

/// A function that creates the view of a test's results.
type MakeView = fn() -> Box<dyn ResultView>;

/// Keys of the tests with a special result view. Any other test has [`PlainView`].
const VIEWS: [(&str, MakeView); 7] = [
    (frame_loop::KEY, || Box::new(frame_loop::View::default())),
    ("sleep-accuracy", || Box::new(sleep::View::default())),
    ("spin-strategies", || Box::new(spin::VIEW)),
    ("scheduling-gaps", || Box::new(gaps::View::default())),
    ("real-time", || Box::new(real_time::View::default())),
    ("game-tick", || Box::new(game_tick::VIEW)),
    (what_helps::KEY, || Box::new(what_helps::View::default())),
];

/// The grading rules that apply to all tests.
const METHOD: &str = "A grade is what the 95% confidence interval of the measure covers (99.9% for the game tick). \
                      Over several grades it is a bound, such as Good or better, which counts as the worst of them; \
                      from Good or better into Poor, there is not enough data. The longest gap is graded as observed. \
                      While other programs disturb a test, Fair and Poor are inconclusive. Configurations that did not run as requested are not graded, except probes of scheduling gaps.";

/// State of the page of a test.
#[derive(Debug)]
pub struct TestPage {
    /// The key of the test, such as `frame-loop`.
    pub key: &'static str,
    /// The view that draws the results of the test.
    view: Box<dyn ResultView>,
    /// The report of the run in progress.
    summary: Option<LiveSummary>,
    /// Whether the setup drawer is open, in a window too narrow for the setup column.
    has_setup: bool,
    /// Id of the run whose result was drawn last.
    drawn: Option<RunId>,
}

impl TestPage {
    /// Creates the page of a test.
    pub fn of(plan: &Plan) -> Self {
        let key = plan.key();
        let own = VIEWS.iter().find(|(test, _)| *test == key);
        let view = own.map_or_else(|| Box::new(PlainView::of(key)) as _, |(_, make)| make());
        Self { key, view, summary: None, has_setup: false, drawn: None }
    }

    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        setup::setup_panel_ui(ui, session, self.key, &mut self.has_setup, actions);
        region(ui, Region::Results);
        let shown = session.running.shown(self.key).map(|shown| shown.run.id.clone());
        let is_new = self.drawn != shown;
        self.drawn = shown;
        result_area(is_new).show_focus(ui, |ui| {
            page_frame().show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = size::GAP_CARD;
                setup::button_ui(ui, session, self.key, &mut self.has_setup);
                self.results_ui(ui, session, actions);
            });
        });
    }

    fn results_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let Some(state) = session.running.test(self.key) else { return };
        if let Some(waiting) = session.running.waiting.as_ref().filter(|one| one.test == self.key) {
            waiting_ui(ui, session, waiting, actions);
            return;
        }
        match (&state.phase, state.shown.as_ref()) {
            (Phase::Running(live) | Phase::Stopping(live), _) => {
                let run = LiveRun {
                    live,
                    is_stopping: matches!(state.phase, Phase::Stopping(_)),
                    late_percent: f64::from(session.settings().late_percent),
                    summary: &mut self.summary,
                    unit: session.settings().units,
                    low: session.settings().low,
                };
                self.view.live_ui(ui, run);
            }
            (Phase::Saving, _) => {
                VerdictStrip::new(Severity::Info, "")
                    .icon(icons::FLOPPY_DISK)
                    .sentence("Saving and evaluating the run")
                    .show(ui, |_| {});
            }
            (Phase::Idle, None) => {
                denial_ui(ui, session, state, actions);
                self.idle_ui(ui, session, &state.plan, actions);
            }
            (Phase::Idle, Some(shown)) => {
                self.summary = None;
                let shown = std::sync::Arc::clone(shown);
                self.finished_ui(ui, session, &shown, actions);
            }
        }
    }

    /// Draws the question that the test answers, before its first run.
    fn idle_ui(&self, ui: &mut Ui, session: &Session, plan: &Plan, actions: &mut Vec<Action>) {
        ui.add_space((ui.available_height() * 0.2).min(120.0));
        let empty = EmptyState {
            icon: icon_of(plan),
            title: plan.listing().question,
            text: plan.listing().about,
            button: "Run test",
            sketch: Some(self.view.sketch()),
        };
        let can_start = session.can_start(PageId::Test(self.key));
        let shown = ui.add_enabled_ui(can_start, |ui| empty.show(ui)).inner;
        if shown.is_some_and(|button| button.clicked()) {
            actions.push(Action::Run(self.key));
        }
    }

    fn finished_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        shown: &LoadedRun,
        actions: &mut Vec<Action>,
    ) {
        let settings = session.settings();
        let result = shown_result(shown, settings.units, settings.low);
        if self.view.is_maximized() {
            self.view.ui(ui, result);
            self.view.offers_ui(ui, session, shown, actions);
            return;
        }
        self.strip_ui(ui, session, shown, actions);
        again_ui(ui, session, shown, self.key, actions);
        worse_ui(ui, session, shown, actions);
        notes_ui(ui, session, shown, self.key, actions);
        refused_ui(ui, &shown.report);
        let is_refused =
            shown.report.rows.iter().any(|row| row.granted.is_some() && !row.is_as_requested());
        if !is_refused && let Some(state) = session.running.test(self.key) {
            denial_ui(ui, session, state, actions);
        }
        if is_refused
            && self.view.explains_denials()
            && let Some(facts) = session.machine.facts()
        {
            super::machine::denied_ui(ui, session, facts, self.key, actions);
        }
        self.view.ui(ui, result);
        self.view.offers_ui(ui, session, shown, actions);
        trust_ui(ui, &shown.report);
    }

    /// Draws the results without the verdict.
    pub(super) fn result_ui(&mut self, ui: &mut Ui, shown: &LoadedRun) {
        self.view.ui(ui, shown_result(shown, Unit::Auto, LowDefinition::default()));
    }

    /// Offers to continue a test whose data is not sufficient for a grade.
    fn longer_ui(&self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let facts = session.machine.facts();
        let Some(longer) = facts.and_then(|facts| session.running.test_longer(self.key, facts))
        else {
            return;
        };
        let words = format!("Measure longer ({})", text::format_long_time(longer));
        let button = Button::primary(&words).icon(icons::PLAY_FILL);
        if ui.add_enabled(!session.running.is_busy(), button).clicked() {
            actions.push(Action::MeasureTestLonger(self.key));
        }
    }

    fn strip_ui(
        &self,
        ui: &mut Ui,
        session: &Session,
        shown: &LoadedRun,
        actions: &mut Vec<Action>,
    ) {
        let report = &shown.report;
        if let Some(sentence) = lost::sentence_of(shown) {
            VerdictStrip::new(Severity::Info, "").sentence(&sentence).show(ui, |ui| {
                let host = shown.run.host.as_deref().unwrap_or_default();
                lost::connect_ui(ui, session, host, actions);
                export_buttons(ui, &Subject::Result(self.key), actions);
            });
            return;
        }
        let severity = self.view.severity(report);
        let severity = severity.unwrap_or_else(|| severity_of(report.verdict.grade));
        let strip = VerdictStrip::new(severity, report.word());
        let is_inconclusive = report.word() == INCONCLUSIVE;
        let strip = if is_inconclusive { strip.icon(icons::HOURGLASS_MEDIUM) } else { strip };
        strip.sentence(&report.sentence()).evidence(&report.evidence()).show(ui, |ui| {
            self.view.verdict_ui(ui, report);
            self.longer_ui(ui, session, actions);
            grading_ui(ui, report);
            export_buttons(ui, &Subject::Result(self.key), actions);
        });
    }
}

fn shown_result(shown: &LoadedRun, unit: Unit, low: LowDefinition) -> ShownResult<'_> {
    let LoadedRun { run, report, charts, focus, .. } = shown;
    ShownResult { run, report, charts, focus: focus.as_ref(), is_live: false, unit, low }
}

/// Shows a question mark that explains how results of this test are graded.
fn grading_ui(ui: &mut Ui, report: &Report) {
    let changes = report.tables.iter().filter(|table| table.key == "changes");
    let is_grade = |column: &&Column| column.quantity == Quantity::Grade;
    let mut columns = changes.chain(&report.tables).flat_map(|table| &table.columns);
    if let Some(column) = columns.find(is_grade) {
        let help = Help::new("How is this graded?", &column.definition).method(METHOD);
        help_mark(ui, &help);
    }
}

/// Returns the icon that a test names by its key; a gauge for an unknown key.
pub fn icon_of(plan: &Plan) -> &'static str {
    match plan.listing().icon {
        "film-strip" => icons::FILM_STRIP,
        "moon" => icons::MOON,
        "arrows-clockwise" => icons::ARROWS_CLOCKWISE,
        "rows" => icons::ROWS,
        "lightning" => icons::LIGHTNING,
        "users-three" => icons::USERS_THREE,
        "list-checks" => icons::LIST_CHECKS,
        _ => icons::GAUGE,
    }
}

/// Draws which programs a test waits for, with buttons to start anyway or to cancel.
fn waiting_ui(ui: &mut Ui, session: &Session, waiting: &WaitingTest, actions: &mut Vec<Action>) {
    let evidence = text::live::waiting_for(&waiting.found, waiting.left());
    VerdictStrip::new(Severity::Info, "")
        .icon(icons::HOURGLASS_MEDIUM)
        .sentence("Waiting until other programs are quiet")
        .evidence(&evidence)
        .show(ui, |_| {});
    ui.horizontal_wrapped(|ui| {
        if ui.add(Button::new("Measure now").icon(icons::PLAY_FILL)).clicked() {
            actions.push(Action::MeasureWithoutWaiting);
        }
        show_programs_ui(ui, session, actions);
        if ui.add(Button::new("Cancel")).clicked() {
            actions.push(Action::Stop);
        }
    });
}

/// Offers to run a disturbed test again once the other programs are idle.
fn again_ui(
    ui: &mut Ui,
    session: &Session,
    shown: &LoadedRun,
    key: &'static str,
    actions: &mut Vec<Action>,
) {
    let Standing::Inconclusive { disturbance, .. } = shown.report.verdict.standing else { return };
    ui.horizontal_wrapped(|ui| {
        let again = Button::new("Wait for quiet and run again").icon(icons::HOURGLASS_MEDIUM);
        if ui.add_enabled(session.can_start(PageId::Test(key)), again).clicked() {
            actions.push(Action::RunWhenQuiet(key));
        }
        if matches!(disturbance, Disturbance::OtherPrograms(_)) {
            show_programs_ui(ui, session, actions);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_belong_to_tests() {
        let tests: Vec<&str> = Plan::all().iter().map(Plan::key).collect();
        for (key, _) in VIEWS {
            assert!(tests.contains(&key), "{key}");
        }
    }
}
