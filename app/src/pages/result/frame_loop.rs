//! Frame loop: the timeline, the late frames with their causes, and the matrix of configurations.

mod figures;
mod finished;
mod late;
mod late_frames;
mod matrix;
mod running;
mod tiles;
mod who;

use std::sync::Arc;

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::Cell;
use jitterscope_engine::plan::{Plan, WhatHelps};
use jitterscope_engine::run::TrialRun;
use jitterscope_engine::stats::{LogHistogram, LowDefinition};

use self::late_frames::LateFrames;
use super::view::{LiveRun, ResultView, ShownResult};
use super::what_helps::start_button_ui;
use crate::plots::{ChartPick, Timeline, TimelineData};
use crate::session::{Action, LateFocus, LoadedRun, Session};
use crate::text::Unit;
use crate::widgets::Sketch;

/// The key of this test.
pub(super) const KEY: &str = "frame-loop";

/// State of the view that draws the results of a frame loop.
#[derive(Debug, Default)]
pub(super) struct View {
    timeline: Timeline,
    /// The plotted samples of the displayed trial; new samples are appended.
    image: Option<LivePlots>,
    /// The late frames of the displayed trial.
    late: LateFrames,
    /// The late threshold in the field; applied when the field is released.
    late_threshold: Nanos,
    /// The cause or thread by which late frames are filtered; `None` lists all late frames.
    culprit: Option<late_frames::DelayKey>,
    /// The curves of the checked configurations.
    curves: Option<finished::Curves>,
    /// The bar or point selected in a distribution, stored until its configuration opens.
    picked: Option<ChartPick>,
    /// The configurations whose curves are shown; `None` until the user checks any.
    plotted: Option<Vec<usize>>,
    /// The configuration whose details are open.
    opened: Option<usize>,
    /// Position of the selected late frame among the samples of the trial.
    selected: Option<usize>,
    /// The run to which the selections above apply.
    shown_run: Option<String>,
    /// The late frames for which that run was opened.
    focus: Option<Arc<LateFocus>>,
    /// The unit of times in tables.
    unit: Unit,
    /// The definition of the 1% low.
    low: LowDefinition,
}

/// Identifies the plotted samples.
#[derive(Clone, Debug, PartialEq)]
struct PlotSource {
    run: String,
    /// The position of the trial in the run.
    trial: usize,
    has_ended: bool,
}

/// The samples of one trial as the timeline draws them.
#[derive(Debug)]
struct LivePlots {
    source: PlotSource,
    data: TimelineData,
    /// The histogram of lateness; empty for a run that has ended.
    lateness: LogHistogram,
    /// The activity of the CPUs around late frames; empty for a run in progress.
    who: who::Who,
}

impl LivePlots {
    fn new(source: PlotSource, data: TimelineData) -> Self {
        let lateness = LogHistogram::default();
        Self { source, data, lateness, who: who::Who::default() }
    }

    /// Appends the samples that were recorded since the last call. Time: O(number of new samples).
    fn extend(&mut self, trial: &TrialRun) {
        for sample in trial.samples.iter_from(self.data.len()) {
            self.lateness.add(sample.late().get());
        }
        self.data.extend(trial);
    }
}

impl ResultView for View {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        // A new result starts without the selections of the previous one.
        let id = shown.run.id.to_string();
        if self.shown_run.as_ref() != Some(&id) {
            self.shown_run = Some(id);
            self.plotted = None;
            self.opened = None;
            self.selected = None;
            self.curves = None;
            self.timeline.is_enlarged = false;
        }
        if self.focus.as_ref().map(Arc::as_ptr) != shown.focus.map(Arc::as_ptr) {
            self.focus = shown.focus.cloned();
            self.image = None;
        }
        self.unit = shown.unit;
        self.low = shown.low;
        self.finished_ui(ui, shown.run, shown.report);
    }

    fn live_ui(&mut self, ui: &mut Ui, run: LiveRun<'_>) {
        self.running_ui(ui, run);
    }

    fn offers_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        shown: &LoadedRun,
        actions: &mut Vec<Action>,
    ) {
        if !self.is_maximized() {
            what_helps_ui(ui, session, shown, actions);
            self.untraced_ui(ui, session, &shown.report, actions);
        }
        if let Some(annotations) = self.timeline.take_annotations() {
            actions.push(Action::Annotate { test: KEY, annotations });
        }
    }

    fn is_maximized(&self) -> bool {
        self.timeline.is_enlarged
    }

    fn sketch(&self) -> Sketch {
        Sketch::Frames
    }
}

/// Offers to test which change reduces the lateness of the worst configuration.
fn what_helps_ui(ui: &mut Ui, session: &Session, shown: &LoadedRun, actions: &mut Vec<Action>) {
    let worst = shown.report.worst().map(|row| row.conditions);
    let (Some(Plan::FrameLoop(plan)), Some(conditions)) = (shown.run.plan(), worst) else { return };
    let cell = Cell { priority: conditions.priority, cpu: conditions.cpu };
    start_button_ui(ui, session, &WhatHelps::of(plan, cell), actions);
}
