//! What the pages of tests have in common: the view of a result.

use std::fmt;

use eframe::egui::Ui;
use jitterscope_engine::plan::Pace;
use jitterscope_engine::report::{Chart, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::LowDefinition;

use crate::pages::live_summary::LiveSummary;
use crate::plots::charts_ui;
use crate::session::{Action, Live, LoadedRun, Session};
use crate::text::{self, Unit};
use crate::theme::icons;
use crate::widgets::{ResultTable, Severity, Sketch, TableLayout, VerdictStrip};

/// A result, so far or complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownResult<'a> {
    pub(super) run: &'a Run,
    pub(super) report: &'a Report,
    pub(super) charts: &'a [Chart],
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
    /// The share of a frame, in percent, above which a frame is late.
    pub(super) late_percent: f64,
    /// The report so far, where one was needed.
    pub(super) summary: &'a mut Option<LiveSummary>,
    pub(super) unit: Unit,
    pub(super) low: LowDefinition,
}

/// How the result of a test looks.
pub(super) trait ResultView: fmt::Debug {
    /// Draws the result without its verdict.
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>);

    /// Draws a run in progress: what is measured now, and the result so far.
    fn live_ui(&mut self, ui: &mut Ui, run: LiveRun<'_>) {
        let LiveRun { live, is_stopping, late_percent, summary, unit, low } = run;
        live_strip_ui(ui, live, is_stopping);
        let Some(run) = live.run() else { return };
        let LiveSummary { report, charts, .. } = LiveSummary::refresh(summary, run, late_percent);
        self.ui(ui, ShownResult { run, report, charts, is_live: true, unit, low });
    }

    /// Draws next to the verdict what only this test adds to it.
    fn verdict_ui(&self, _ui: &mut Ui, _report: &Report) {}

    /// Draws below the result what it offers to do.
    fn offers_ui(
        &mut self,
        _ui: &mut Ui,
        _session: &Session,
        _shown: &LoadedRun,
        _actions: &mut Vec<Action>,
    ) {
    }

    /// How good the result is, of a test without a grade.
    fn severity(&self, _report: &Report) -> Option<Severity> {
        None
    }

    /// An example of such a result.
    fn sketch(&self) -> Sketch;

    /// Whether a denied request is explained above the result, and not only in its table.
    fn explains_denials(&self) -> bool {
        false
    }
}

/// The table of configurations and all plots: a test needs no separate view.
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
    /// Every column of the table, and below it the plots.
    pub(super) const fn of(key: &'static str) -> Self {
        let table = TableLayout { leading: &[], varying: &[], rows: &[], compared: None };
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
            ResultTable::new(self.key, table, self.table).unit(shown.unit).show(ui);
        }
        if !self.has_plots_first {
            plots_ui(ui);
        }
    }

    fn sketch(&self) -> Sketch {
        self.sketch
    }
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
        format!(
            "Measuring · {} {name} so far",
            text::format_count(u64::try_from(samples).unwrap_or(0))
        )
    };
    let demoted = if live.was_demoted() { " · real-time priority was revoked" } else { "" };
    VerdictStrip::new(Severity::Info, "")
        .icon(icons::PULSE)
        .sentence(&sentence)
        .evidence(&format!("{step}{demoted}"))
        .show(ui, |_| {});
}
