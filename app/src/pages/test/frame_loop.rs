//! Frame loop: the timeline, the late frames and their causes, and the matrix of configurations.

mod figures;
mod finished;
mod late;
mod late_frames;
mod matrix;
mod running;
mod tiles;
mod who;

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::Cell;
use jitterscope_engine::plan::{Plan, WhatHelps};
use jitterscope_engine::sample::Samples;
use jitterscope_engine::stats::{LogHistogram, LowDefinition};

use self::late_frames::LateFrames;
use super::view::{LiveRun, ResultView, ShownResult};
use super::what_helps::start_button_ui;
use crate::plots::{ChartPick, Timeline, TimelineData};
use crate::session::{Action, LoadedRun, Session};
use crate::text::Unit;
use crate::widgets::Sketch;

/// The key of the test.
pub(super) const KEY: &str = "frame-loop";

/// How the result looks.
#[derive(Debug, Default)]
pub(super) struct View {
    timeline: Timeline,
    /// The plotted samples of the trial in view; new ones are appended.
    image: Option<LivePlots>,
    /// The late frames of the image.
    late: LateFrames,
    /// The late threshold in the field; it applies when the field is released.
    late_threshold: Nanos,
    /// The cause or thread by which late frames are filtered; `None` lists all of them.
    culprit: Option<late_frames::DelayKey>,
    /// The curves of the selected rows.
    curves: Option<finished::Curves>,
    /// The bar or point selected in a distribution, until its configuration opens.
    picked: Option<ChartPick>,
    /// The configurations whose curves are shown; the best and the worst until some are checked.
    plotted: Option<Vec<usize>>,
    /// The configuration that is shown alone.
    opened: Option<usize>,
    /// The late frame that is looked at: its position in the trial.
    selected: Option<usize>,
    /// The run for which the selections above were made.
    shown_run: Option<String>,
    /// The unit of times in tables.
    unit: Unit,
    /// The definition of the 1% low.
    low: LowDefinition,
}

/// The samples of one trial as the timeline draws them.
#[derive(Debug)]
struct LivePlots {
    /// The run and the trial they are of, and whether the run is over.
    of: (String, usize, bool),
    data: TimelineData,
    /// How late they were; only of a run in progress.
    lateness: LogHistogram,
    /// What ran on the CPUs around late frames; only of a finished run.
    who: who::Who,
}

impl LivePlots {
    fn new(of: (String, usize, bool), data: TimelineData) -> Self {
        let lateness = LogHistogram::default();
        Self { of, data, lateness, who: who::Who::default() }
    }

    /// Takes the samples that it does not have yet. Time: O(new).
    fn extend(&mut self, samples: &Samples) {
        for sample in samples.iter_from(self.data.len()) {
            self.lateness.add(sample.late().get());
            self.data.push(&sample);
        }
    }
}

impl ResultView for View {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        // A new result begins with its own marks and its own row.
        let id = shown.run.id.to_string();
        if self.shown_run.as_ref() != Some(&id) {
            self.shown_run = Some(id);
            self.plotted = None;
            self.opened = None;
            self.selected = None;
            self.curves = None;
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
        what_helps_ui(ui, session, shown, actions);
        self.untraced_ui(ui, session, &shown.report, actions);
        if let Some(annotations) = self.timeline.take_annotations() {
            actions.push(Action::Annotate { test: KEY, annotations });
        }
    }

    fn sketch(&self) -> Sketch {
        Sketch::Frames
    }
}

/// Offers to find out what makes the worst configuration of the result less late.
fn what_helps_ui(ui: &mut Ui, session: &Session, shown: &LoadedRun, actions: &mut Vec<Action>) {
    let worst = shown.report.worst().map(|row| row.conditions);
    let (Some(Plan::FrameLoop(plan)), Some(conditions)) = (shown.run.plan(), worst) else { return };
    let cell = Cell { priority: conditions.priority, cpu: conditions.cpu };
    start_button_ui(ui, session, &WhatHelps::of(plan, cell), actions);
}
