//! The frame loop page: settings, the running test, and its result.

mod figures;
mod finished;
mod late;
mod late_frames;
mod matrix;
mod running;
mod tiles;
mod who;

use eframe::egui::{Frame, Margin, ScrollArea, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::sample::Samples;
use jitterscope_engine::stats::{Grade, LogHistogram, LowDefinition};

use self::late_frames::LateFrames;
use super::live_summary::LiveSummary;
use super::setup;
use crate::plots::{ChartPick, Timeline, TimelineData};
use crate::session::{Action, Phase, Session};
use crate::text::Unit;
use crate::theme::{icons, size};
use crate::widgets::{EmptyState, Region, Severity, Sketch, VerdictStrip, region};

pub(super) use finished::{notes_ui, refused_ui, trust_ui};

/// The key of the test.
const KEY: &str = "frame-loop";

/// How the page of the frame loop looks.
#[derive(Debug, Default)]
pub struct FrameLoopPage {
    timeline: Timeline,
    /// What the timeline shows, made once and then only added to.
    image: Option<LivePlots>,
    /// The late frames of the image.
    late: LateFrames,
    /// The limit in the field; they are listed by it once the field is let go.
    late_threshold: Nanos,
    /// What the listed late frames were delayed by; all are listed where it is absent.
    culprit: Option<late_frames::DelayKey>,
    /// The curves of the selected rows.
    curves: Option<finished::Curves>,
    /// What was selected in a distribution, until its configuration is shown.
    picked: Option<ChartPick>,
    /// The configurations whose curves are shown; the best and the worst until some are checked.
    plotted: Option<Vec<usize>>,
    /// The configuration that is shown alone.
    opened: Option<usize>,
    /// The late frame that is looked at: its position in the trial.
    selected: Option<usize>,
    /// The result for which the choices above were made.
    shown_run: Option<String>,
    /// Whether the setup is open where there is no room next to the results.
    has_setup: bool,
    /// The unit of times in tables.
    unit: Unit,
    /// What was measured so far, while a run is in progress.
    summary: Option<LiveSummary>,
    /// What is meant by the 1 % low.
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
    /// Who had the CPUs; only of a run that is over.
    who: who::Who,
}

impl LivePlots {
    fn new(of: (String, usize, bool), data: TimelineData) -> Self {
        let lateness = LogHistogram::new(running::FIRST_BIN, running::BINS_A_DECADE);
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

/// The grade of a result as a severity.
pub const fn severity_of(grade: Option<Grade>) -> Severity {
    Severity::of_grade(grade)
}

impl FrameLoopPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        setup::setup_panel_ui(ui, session, KEY, &mut self.has_setup, actions);
        region(ui, Region::Results);
        self.reset_selection(session);
        self.unit = session.settings().units;
        self.low = session.settings().low;
        let margin = Margin::symmetric(size::PAGE_PADDING_X, size::PAGE_PADDING_Y);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            Frame::new().inner_margin(margin).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = size::GAP_CARD;
                setup::button_ui(ui, session, KEY, &mut self.has_setup);
                self.results_ui(ui, session, actions);
            });
        });
    }

    fn results_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let Some(bench) = session.bench(KEY) else { return };
        match (bench.phase(), bench.shown()) {
            (Phase::Running(live) | Phase::Stopping(live), _) => {
                let is_stopping = matches!(bench.phase(), Phase::Stopping(_));
                self.running_ui(ui, live, is_stopping, session.late_percent(), actions);
            }
            (Phase::Saving, _) => {
                VerdictStrip::new(Severity::Info, "")
                    .icon(icons::FLOPPY_DISK)
                    .sentence("Saving and evaluating the run")
                    .show(ui, |_| {});
            }
            (Phase::Idle, None) => idle_ui(ui, session, actions),
            (Phase::Idle, Some(shown)) => {
                let shown = std::sync::Arc::clone(shown);
                let is_changed = bench.is_changed_since_result();
                self.finished_ui(ui, session, &shown, is_changed, actions);
            }
        }
    }

    /// A new result begins with its own ticks and its own row.
    fn reset_selection(&mut self, session: &Session) {
        let run = session
            .bench(KEY)
            .and_then(|bench| bench.shown())
            .map(|shown| shown.run.id.to_string());
        if run != self.shown_run {
            self.shown_run = run;
            self.plotted = None;
            self.opened = None;
            self.selected = None;
            self.curves = None;
        }
    }
}

/// What the test answers, before it ever ran.
fn idle_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    ui.add_space((ui.available_height() * 0.2).min(120.0));
    let empty = EmptyState {
        icon: icons::FILM_STRIP,
        title: "How consistently does this PC pace frames?",
        text: "Runs a frame loop (wait, work, repeat) under background load. Shows how late each \
               frame starts and which priority and pinning settings help.",
        button: "Run test",
        sketch: Some(Sketch::Frames),
    };
    let can_run = session.facts().is_some() && !session.is_busy();
    if empty.show(ui).is_some_and(|button| button.clicked()) && can_run {
        actions.push(Action::Run(KEY));
    }
}
