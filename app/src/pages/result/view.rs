//! The interface that the result views of all tests share.

use std::fmt;
use std::sync::Arc;

use eframe::egui::Ui;
use jitterscope_engine::plan::Pace;
use jitterscope_engine::report::{Chart, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::LowDefinition;

use crate::pages::live_summary::LiveSummary;
use crate::plots::charts_ui;
use crate::session::{Action, LateFocus, Live, LoadedRun, Session};
use crate::text::{self, Unit};
use crate::theme::icons;
use crate::widgets::{ResultTable, Severity, Sketch, TableLayout, VerdictStrip};

/// The result of a run, partial while the run is in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownResult<'a> {
    pub(super) run: &'a Run,
    pub(super) report: &'a Report,
    pub(super) charts: &'a [Chart],
    /// The late frames for which the run was opened.
    pub(super) focus: Option<&'a Arc<LateFocus>>,
    /// Whether the run is in progress.
    pub(super) is_live: bool,
    /// The unit of times in tables.
    pub(super) unit: Unit,
    /// The definition of the 1% low.
    pub(super) low: LowDefinition,
}

/// A run in progress.
#[derive(Debug)]
pub(super) struct LiveRun<'a> {
    pub(super) live: &'a Live,
    /// Whether a stop was requested.
    pub(super) is_stopping: bool,
    /// The lateness above which a frame counts as late, in percent of the frame time.
    pub(super) late_percent: f64,
    /// The report so far; computed on first use.
    pub(super) summary: &'a mut Option<LiveSummary>,
    pub(super) unit: Unit,
    pub(super) low: LowDefinition,
}

/// The view of a test's result.
pub(super) trait ResultView: fmt::Debug {
    /// Draws the result without its verdict.
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>);

    /// Draws a run in progress: the current measurement, and the result so far.
    fn live_ui(&mut self, ui: &mut Ui, run: LiveRun<'_>) {
        let LiveRun { live, is_stopping, late_percent, summary, unit, low } = run;
        live_strip_ui(ui, live, is_stopping);
        let Some(run) = &live.run else { return };
        let LiveSummary { report, charts, .. } = LiveSummary::refresh(summary, run, late_percent);
        let focus = None;
        self.ui(ui, ShownResult { run, report, charts, focus, is_live: true, unit, low });
    }

    /// Draws additional contents next to the verdict.
    fn verdict_ui(&self, _ui: &mut Ui, _report: &Report) {}

    /// Draws follow-up actions below the result.
    fn offers_ui(
        &mut self,
        _ui: &mut Ui,
        _session: &Session,
        _shown: &LoadedRun,
        _actions: &mut Vec<Action>,
    ) {
    }

    /// Returns the severity of the verdict for a test without a grade; `None` derives the severity
    /// from the grade.
    fn severity(&self, _report: &Report) -> Option<Severity> {
        None
    }

    /// Whether a plot fills the page, which then shows nothing else.
    fn is_maximized(&self) -> bool {
        false
    }

    /// Returns the sketch of an example result, shown before the first run.
    fn sketch(&self) -> Sketch;

    /// Returns whether a denied request is explained above the result, in addition to the result
    /// table.
    fn explains_denials(&self) -> bool {
        false
    }
}

/// A view with a table of configurations and all plots, for a test that needs no special view.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainView {
    /// The key of the test.
    pub(super) key: &'static str,
    pub(super) table: TableLayout,
    pub(super) sketch: Sketch,
    /// Whether the plots come before the table.
    pub(super) has_plots_first: bool,
}

impl PlainView {
    /// Creates a view with every column of the table, followed by the plots.
    pub(super) const fn of(key: &'static str) -> Self {
        let table = TableLayout::of(&[]);
        Self { key, table, sketch: Sketch::Ranges, has_plots_first: false }
    }
}

impl ResultView for PlainView {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        let plots_ui = |ui: &mut Ui| charts_ui(ui, (self.key, shown.run.id.as_str()), shown.charts);
        if self.has_plots_first {
            plots_ui(ui);
        }
        if let Some(table) = shown.report.tables.first() {
            let table = ResultTable::new(self.key, table, self.table);
            ResultTable { unit: shown.unit, ..table }.show(ui);
        }
        if !self.has_plots_first {
            plots_ui(ui);
        }
    }

    fn sketch(&self) -> Sketch {
        self.sketch
    }
}

/// Draws a strip with the current step of a running test and its number of samples so far.
fn live_strip_ui(ui: &mut Ui, live: &Live, is_stopping: bool) {
    let sentence = match live.current() {
        Some(trial) if live.trial_count() <= 1 => trial.trial.label.clone(),
        Some(trial) if matches!(trial.trial.pace, Pace::Gaps { .. }) => {
            format!("{} probes at the same time", live.trial_count())
        }
        Some(trial) => {
            format!("Step {} of {}: {}", live.current + 1, live.trial_count(), trial.trial.label)
        }
        None => "Preparing".to_owned(),
    };
    let samples = live.run.as_ref().map_or(0, Run::sample_count);
    let step = if is_stopping {
        "Stopping".to_owned()
    } else if !live.step.is_empty() {
        format!("Preparing: {}", live.step)
    } else {
        let name = live.run.as_ref().map_or("samples", |run| run.subject.samples_name());
        format!("Measuring · {} {name} so far", text::format_count(samples))
    };
    let demoted = if live.was_demoted { " · real-time priority was revoked" } else { "" };
    VerdictStrip::new(Severity::Info, "")
        .icon(icons::PULSE)
        .sentence(&sentence)
        .evidence(&format!("{step}{demoted}"))
        .show(ui, |_| {});
}
