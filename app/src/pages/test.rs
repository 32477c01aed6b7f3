//! The page of any kind of test but the frame loop: settings, the run in progress, the result.

mod game_tick;
mod gaps;
mod real_time;
mod sleep;
mod spin;
mod view;

use eframe::egui::{Frame, Margin, ScrollArea, Ui};
use jitterscope_engine::plan::{Pace, Plan};
use jitterscope_engine::report::{Chart, Report};
use jitterscope_engine::run::Run;

use self::view::{ResultView, ShownResult};
use super::export::export_buttons;
use super::frame_loop::{notes_ui, refused_ui, trust_ui};
use super::grading::grading_ui;
use super::live_summary::LiveSummary;
use super::setup;
use crate::session::{Action, Live, LoadedRun, Phase, Session, Subject};
use crate::text::{self, Unit};
use crate::theme::{icons, size};
use crate::widgets::{EmptyState, Region, Severity, VerdictStrip, region};

/// How the page of one kind of test looks.
#[derive(Debug)]
pub struct TestPage {
    key: &'static str,
    /// The view of this kind of result.
    view: Box<dyn ResultView>,
    /// What is shown while the run is in progress.
    summary: Option<LiveSummary>,
    /// Whether the setup is open where there is no room next to the results.
    has_setup: bool,
    /// The unit of times in tables.
    unit: Unit,
}

impl TestPage {
    /// The page of a kind of test; `None` for the frame loop, which has its own.
    pub fn of(plan: &Plan) -> Option<Self> {
        let view: Box<dyn ResultView> = match plan {
            Plan::FrameLoop(_) => return None,
            Plan::SleepAccuracy(_) => Box::new(sleep::View::default()),
            Plan::SpinStrategies(_) => Box::new(spin::VIEW),
            Plan::SchedulingGaps(_) => Box::new(gaps::View::default()),
            Plan::RealTime(_) => Box::new(real_time::View::default()),
            Plan::GameTick(_) => Box::new(game_tick::VIEW),
        };
        Some(Self { key: plan.key(), view, summary: None, has_setup: false, unit: Unit::Auto })
    }

    /// The key of the test.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        setup::setup_panel_ui(ui, session, self.key, &mut self.has_setup, actions);
        region(ui, Region::Results);
        self.unit = session.settings().units;
        let margin = Margin::symmetric(size::PAGE_PADDING_X, size::PAGE_PADDING_Y);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            Frame::new().inner_margin(margin).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = size::GAP_CARD;
                setup::button_ui(ui, session, self.key, &mut self.has_setup);
                self.results_ui(ui, session, actions);
            });
        });
    }

    fn results_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let Some(bench) = session.bench(self.key) else { return };
        match (bench.phase(), bench.shown()) {
            (Phase::Running(live) | Phase::Stopping(live), _) => {
                let is_stopping = matches!(bench.phase(), Phase::Stopping(_));
                self.running_ui(ui, live, is_stopping, session.late_percent());
            }
            (Phase::Saving, _) => {
                VerdictStrip::new(Severity::Info, "")
                    .icon(icons::FLOPPY_DISK)
                    .sentence("Saving and evaluating the run")
                    .show(ui, |_| {});
            }
            (Phase::Idle, None) => self.idle_ui(ui, session, bench.plan(), actions),
            (Phase::Idle, Some(shown)) => {
                self.summary = None;
                let shown = std::sync::Arc::clone(shown);
                self.finished_ui(ui, session, &shown, bench.is_changed_since_result(), actions);
            }
        }
    }

    /// What the test answers, before it ever ran.
    fn idle_ui(&self, ui: &mut Ui, session: &Session, plan: &Plan, actions: &mut Vec<Action>) {
        ui.add_space((ui.available_height() * 0.2).min(120.0));
        let empty = EmptyState {
            icon: icon_of(plan),
            title: plan.listing().question,
            text: plan.listing().about,
            button: "Run test",
            sketch: Some(self.view.sketch()),
        };
        let can_run = session.facts().is_some() && (!session.is_busy() || session.is_running());
        if empty.show(ui).is_some_and(|button| button.clicked()) && can_run {
            actions.push(Action::Run(self.key));
        }
    }

    fn running_ui(&mut self, ui: &mut Ui, live: &Live, is_stopping: bool, late_percent: f64) {
        live_strip_ui(ui, live, is_stopping);
        let Some(run) = live.run() else { return };
        LiveSummary::refresh(&mut self.summary, run, late_percent);
        if let Some(summary) = self.summary.take() {
            self.view_ui(ui, run, (&summary.report, &summary.charts), true);
            self.summary = Some(summary);
        }
    }

    fn finished_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        shown: &LoadedRun,
        is_changed: bool,
        actions: &mut Vec<Action>,
    ) {
        strip_ui(ui, &shown.report, self.key, actions);
        notes_ui(ui, session, (self.key, shown), is_changed, actions);
        refused_ui(ui, &shown.report);
        let is_refused =
            shown.report.rows.iter().any(|row| row.granted.is_some() && !row.is_as_requested());
        if is_refused
            && self.view.explains_denials()
            && let Some(facts) = session.facts()
        {
            super::machine::denied_ui(ui, session, facts, actions);
        }
        self.view_ui(ui, &shown.run, (&shown.report, &shown.charts), false);
        trust_ui(ui, &shown.report);
    }

    /// Draws what was measured, without the verdict.
    pub(super) fn result_ui(&mut self, ui: &mut Ui, shown: &LoadedRun) {
        self.view_ui(ui, &shown.run, (&shown.report, &shown.charts), false);
    }

    fn view_ui(
        &mut self,
        ui: &mut Ui,
        run: &Run,
        (report, charts): (&Report, &[Chart]),
        is_live: bool,
    ) {
        let shown = ShownResult { run, report, charts, is_live, unit: self.unit };
        self.view.ui(ui, shown);
    }
}

/// The icon of a kind of test.
pub fn icon_of(plan: &Plan) -> &'static str {
    icons::of_key(plan.listing().icon)
}

fn strip_ui(ui: &mut Ui, report: &Report, key: &'static str, actions: &mut Vec<Action>) {
    VerdictStrip::new(super::severity_of(report.verdict.grade), report.word())
        .sentence(&report.sentence())
        .evidence(&report.evidence())
        .show(ui, |ui| {
            if size::WIDE_FROM <= ui.content_rect().width() {
                real_time::scale_ui(ui, report);
            }
            grading_ui(ui, report);
            export_buttons(ui, &Subject::Result(key), actions);
        });
}

/// What is measured now.
fn live_strip_ui(ui: &mut Ui, live: &Live, is_stopping: bool) {
    let sentence = match live.current() {
        Some(trial) if matches!(trial.trial.pace, Pace::Gaps { .. }) => {
            format!("{} probes at the same time", live.trial_count())
        }
        Some(trial) if 1 < live.trial_count() => format!(
            "Step {} of {}: {}",
            live.current_index() + 1,
            live.trial_count(),
            trial.trial.label
        ),
        Some(trial) => trial.trial.label.clone(),
        None => "Preparing".to_owned(),
    };
    let samples = live.run().map_or(0, Run::sample_count);
    let step = if is_stopping {
        "Stopping".to_owned()
    } else if !live.step().is_empty() {
        format!("Preparing: {}", live.step())
    } else {
        let name = live.run().map_or("samples", |run| run.subject.samples_name());
        format!("Measuring · {} {name} so far", text::count(u64::try_from(samples).unwrap_or(0)))
    };
    let demoted = if live.was_demoted() { " · real-time priority was revoked" } else { "" };
    VerdictStrip::new(Severity::Info, "")
        .icon(icons::PULSE)
        .sentence(&sentence)
        .evidence(&format!("{step}{demoted}"))
        .show(ui, |_| {});
}
