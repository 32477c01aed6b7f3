//! One kind of test in the app: its settings, whether it runs, and the result on screen.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::plan::{Plan, Preset};
use jitterscope_engine::run::Annotation;
use jitterscope_engine::store::edit::clean_annotations;
use jitterscope_engine::store::repeats::MAX_REPEATS;

use super::LoadedRun;
use super::live::Live;

/// Whether the test runs.
#[derive(Debug, Default)]
pub enum Phase {
    /// It does not.
    #[default]
    Idle,
    /// It does.
    Running(Box<Live>),
    /// A stop was requested.
    Stopping(Box<Live>),
    /// It is over; its run is being saved and evaluated.
    Saving,
}

/// One kind of test in the app.
#[derive(Debug)]
pub struct TestState {
    plan: Plan,
    presets: Vec<Preset>,
    phase: Phase,
    shown: Option<Arc<LoadedRun>>,
    repeat: u32,
    trace: TraceMode,
}

impl TestState {
    /// The test with the settings of its first preset.
    pub fn new(plan: Plan) -> Self {
        let presets = plan.presets();
        let plan = presets.first().map_or(plan, |preset| preset.plan.clone());
        let trace = TraceMode::default();
        Self { plan, presets, phase: Phase::Idle, shown: None, repeat: 1, trace }
    }

    /// The key of the test.
    pub fn key(&self) -> &'static str {
        self.plan.key()
    }

    /// The name of the test.
    pub fn name(&self) -> &'static str {
        self.plan.listing().name
    }

    /// Whether a trace of the CPUs is recorded.
    pub fn trace(&self) -> TraceMode {
        self.trace
    }

    /// Changes whether a trace of the CPUs is recorded.
    pub(in crate::session) fn set_trace(&mut self, trace: TraceMode) {
        self.trace = trace;
    }

    /// The settings.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The presets.
    pub fn presets(&self) -> &[Preset] {
        &self.presets
    }

    /// The preset whose settings these are; `None` where they were changed.
    pub fn preset(&self) -> Option<&Preset> {
        self.presets.iter().find(|preset| preset.plan == self.plan)
    }

    /// How often it is measured when it is started: 1 to 20.
    pub fn repeat(&self) -> u32 {
        self.repeat
    }

    pub(in crate::session) fn set_repeat(&mut self, times: u32) {
        self.repeat = times.clamp(1, MAX_REPEATS);
    }

    /// Whether it runs.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// Progress of the run.
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

    /// The result on screen.
    pub fn shown(&self) -> Option<&Arc<LoadedRun>> {
        self.shown.as_ref()
    }

    /// Whether it does not run and no result is on screen.
    pub(super) const fn is_empty(&self) -> bool {
        matches!(self.phase, Phase::Idle) && self.shown.is_none()
    }

    /// Whether the settings are no longer those of the result on screen.
    pub fn is_changed_since_result(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.run.plan() != Some(&self.plan))
    }

    /// The same with no run in progress.
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

    /// Annotates the result on screen; returns where its run is saved.
    pub(in crate::session) fn annotate(&mut self, annotations: &[Annotation]) -> Option<PathBuf> {
        let shown = Arc::make_mut(self.shown.as_mut()?);
        Arc::make_mut(&mut shown.run).annotations = clean_annotations(annotations);
        shown.path.clone()
    }

    /// Shows the same result with other counts.
    pub(super) fn replace_result(&mut self, shown: LoadedRun) {
        self.shown = Some(Arc::new(shown));
    }

    pub(super) fn show(&mut self, shown: LoadedRun) {
        self.phase = Phase::Idle;
        self.shown = Some(Arc::new(shown));
    }
}
