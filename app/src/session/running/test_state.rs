//! One kind of test: its settings, its state, and the result on screen.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::plan::{Plan, Preset};
use jitterscope_engine::run::Annotation;
use jitterscope_engine::store::edit::clean_annotations;
use jitterscope_engine::store::repeats::MAX_REPEATS;

use super::LoadedRun;
use super::live::Live;

/// The state of a test.
#[derive(Debug, Default)]
pub enum Phase {
    /// The test is not running.
    #[default]
    Idle,
    /// The test is running.
    Running(Box<Live>),
    /// The user requested a stop, and the test is still running.
    Stopping(Box<Live>),
    /// The test has ended; its run is being saved and evaluated.
    Saving,
}

/// One kind of test with its settings and result.
#[derive(Debug)]
pub struct TestState {
    /// The current settings.
    pub plan: Plan,
    /// The built-in presets.
    pub presets: Vec<Preset>,
    /// The state of the test.
    pub phase: Phase,
    /// The result on screen.
    pub shown: Option<Arc<LoadedRun>>,
    /// How many runs one start of the test measures: 1 to 20.
    pub repeat: u32,
    /// Whether runs of the test record which threads have the CPUs (a trace).
    pub trace: TraceMode,
}

impl TestState {
    /// Creates a test with the settings of its first preset.
    pub fn new(plan: Plan) -> Self {
        let presets = plan.presets();
        let plan = presets.first().map_or(plan, |preset| preset.plan.clone());
        let trace = TraceMode::default();
        Self { plan, presets, phase: Phase::Idle, shown: None, repeat: 1, trace }
    }

    /// Returns the key of the test.
    pub fn key(&self) -> &'static str {
        self.plan.key()
    }

    /// Returns the name of the test.
    pub fn name(&self) -> &'static str {
        self.plan.listing().name
    }

    pub(in crate::session) fn set_repeat(&mut self, times: u32) {
        self.repeat = times.clamp(1, MAX_REPEATS);
    }

    /// Sets whether runs of the test record a trace.
    pub(in crate::session) fn set_trace(&mut self, trace: TraceMode) {
        self.trace = trace;
    }

    /// Returns the built-in preset with the current settings; `None` if no preset matches.
    pub fn preset(&self) -> Option<&Preset> {
        self.presets.iter().find(|preset| preset.plan == self.plan)
    }

    /// Returns the data measured so far; `None` if the test is not running.
    pub fn live(&self) -> Option<&Live> {
        match &self.phase {
            Phase::Running(live) | Phase::Stopping(live) => Some(live),
            Phase::Idle | Phase::Saving => None,
        }
    }

    pub(super) fn live_mut(&mut self) -> Option<&mut Live> {
        match &mut self.phase {
            Phase::Running(live) | Phase::Stopping(live) => Some(live),
            Phase::Idle | Phase::Saving => None,
        }
    }

    /// Returns whether the test is not running and has no result on screen.
    pub(super) const fn is_empty(&self) -> bool {
        matches!(self.phase, Phase::Idle) && self.shown.is_none()
    }

    /// Returns whether the settings differ from those of the result on screen.
    pub fn is_changed_since_result(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.run.plan() != Some(&self.plan))
    }

    /// Returns the test with its settings and result, but not running.
    pub(super) fn idle(self) -> Self {
        Self { phase: Phase::Idle, ..self }
    }

    pub(super) fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    pub(super) fn stopping(&mut self) {
        self.phase = match std::mem::take(&mut self.phase) {
            Phase::Running(live) => Phase::Stopping(live),
            phase => phase,
        };
    }

    pub(in crate::session) fn set_plan(&mut self, plan: Plan) {
        if self.live().is_none() {
            self.plan = plan;
        }
    }

    pub(in crate::session) fn choose_preset(&mut self, key: &str) {
        if let Some(preset) = self.presets.iter().find(|preset| preset.key == key) {
            self.set_plan(preset.plan.clone());
        }
    }

    pub(in crate::session) fn take_settings_of_result(&mut self) {
        let plan = self.shown.as_ref().and_then(|shown| shown.run.plan());
        if let Some(plan) = plan.cloned() {
            self.set_plan(plan);
        }
    }

    /// Sets the annotations of the result on screen; returns the file of the result, if it is
    /// saved.
    pub(in crate::session) fn annotate(&mut self, annotations: &[Annotation]) -> Option<PathBuf> {
        let shown = Arc::make_mut(self.shown.as_mut()?);
        Arc::make_mut(&mut shown.run).annotations = clean_annotations(annotations);
        shown.path.clone()
    }

    /// Replaces the report and the plots of the result on screen with those of `counted`, whose late
    /// frames were recounted. The run itself may have new annotations since then.
    pub(super) fn replace_report(&mut self, counted: LoadedRun) {
        if let Some(shown) = self.shown.as_mut().map(Arc::make_mut) {
            (shown.report, shown.charts) = (counted.report, counted.charts);
        }
    }

    pub(super) fn show(&mut self, shown: LoadedRun) {
        self.phase = Phase::Idle;
        self.shown = Some(Arc::new(shown));
    }
}
