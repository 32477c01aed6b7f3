//! A running test: the data so far, trial by trial.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jitterscope_engine::measure::Event;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Configuration, Options, live_configuration};
use jitterscope_engine::run::{Run, TrialRun};

/// How often the results of the running trial are recomputed.
const REFRESH: Duration = Duration::from_millis(200);

/// How far a trial is.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialState {
    /// It has not begun.
    Waiting,
    /// It is being measured.
    Running,
    /// It was measured; its numbers stand in [`Live::row`].
    Done,
    /// Skipped.
    Skipped(String),
}

/// A running test.
#[derive(Debug)]
pub struct Live {
    run: Option<Run>,
    states: Vec<TrialState>,
    rows: Vec<Option<Configuration>>,
    current: usize,
    step: String,
    began: Instant,
    planned: Nanos,
    refreshed: Option<Instant>,
    was_demoted: bool,
}

impl Live {
    pub(super) fn new(planned: Nanos, now: Instant) -> Self {
        Self {
            run: None,
            states: Vec::new(),
            rows: Vec::new(),
            current: 0,
            step: "starting".to_owned(),
            began: now,
            planned,
            refreshed: None,
            was_demoted: false,
        }
    }

    /// The facts so far: every received sample.
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// The trial that is being prepared or measured.
    pub fn current(&self) -> Option<&TrialRun> {
        self.run.as_ref()?.trials.get(self.current)
    }

    /// Position of the trial that is being prepared or measured.
    pub fn current_index(&self) -> usize {
        self.current
    }

    /// How many trials there are.
    pub fn trial_count(&self) -> usize {
        self.states.len()
    }

    /// How far each trial is.
    pub fn states(&self) -> &[TrialState] {
        &self.states
    }

    /// The numbers of a trial, at most 0.2 s old.
    pub fn row(&self, trial: usize) -> Option<&Configuration> {
        self.rows.get(trial)?.as_ref()
    }

    /// What is going on, in a few words; empty while measuring.
    pub fn step(&self) -> &str {
        &self.step
    }

    /// Whether a watchdog took real-time priority away.
    pub fn was_demoted(&self) -> bool {
        self.was_demoted
    }

    /// How long the run has been going on.
    pub fn elapsed(&self, now: Instant) -> Nanos {
        Nanos::from(now.saturating_duration_since(self.began))
    }

    /// How long the run is meant to take.
    pub fn planned(&self) -> Nanos {
        self.planned
    }

    /// How far the run is, 0 to 1.
    pub fn progress(&self, now: Instant) -> f64 {
        if self.planned <= Nanos::ZERO {
            return 0.0;
        }
        (self.elapsed(now).as_f64() / self.planned.as_f64()).clamp(0.0, 1.0)
    }

    /// How long it is still meant to take; at least 0.
    pub fn left(&self, now: Instant) -> Nanos {
        (self.planned - self.elapsed(now)).max(Nanos::ZERO)
    }

    /// How far the trial that runs is, 0 to 1.
    pub fn trial_progress(&self) -> f64 {
        let Some(trial) = self.current() else { return 0.0 };
        let done = trial.samples.last().map_or(Nanos::ZERO, |sample| sample.due);
        let whole = trial.trial.duration();
        if whole <= Nanos::ZERO { 0.0 } else { (done.as_f64() / whole.as_f64()).clamp(0.0, 1.0) }
    }

    /// Takes in an event of the run; the last one is not for here.
    pub(super) fn handle_event(&mut self, event: Event) {
        if let Some(run) = &mut self.run
            && let Err(error) = event.apply_to(run)
        {
            log::error!("{error}");
            return;
        }
        match event {
            Event::Planned(run) => {
                self.states = vec![TrialState::Waiting; run.trials.len()];
                self.rows = vec![None; run.trials.len()];
                self.run = Some(Arc::unwrap_or_clone(run));
            }
            Event::Preparing { trial, step } => {
                self.current = trial;
                self.step = step;
            }
            Event::Skipped { trial, reason } => self.set(trial, TrialState::Skipped(reason)),
            Event::Began { trial, .. } => {
                self.current = trial;
                self.step.clear();
                self.set(trial, TrialState::Running);
            }
            Event::Ended { trial, .. } => {
                self.compute(trial);
                self.set(trial, TrialState::Done);
            }
            Event::Demoted { .. } => self.was_demoted = true,
            Event::Samples { .. }
            | Event::Value { .. }
            | Event::Traced { .. }
            | Event::Counted { .. }
            | Event::NotSaved(_)
            | Event::Finished(_)
            | Event::Failed { .. } => {}
        }
    }

    /// Computes the numbers of the trial that runs, where they are old.
    pub(super) fn refresh(&mut self, now: Instant) {
        let is_old = self.refreshed.is_none_or(|then| REFRESH <= now.duration_since(then));
        if is_old && self.states.get(self.current) == Some(&TrialState::Running) {
            self.compute(self.current);
            self.refreshed = Some(now);
        }
    }

    fn compute(&mut self, trial: usize) {
        let row = self.run.as_ref().and_then(|run| {
            let trial = run.trials.get(trial)?;
            let plan = run.plan()?;
            (!trial.samples.is_empty())
                .then(|| live_configuration(plan, &[trial], &Options::default()))
        });
        if let (Some(slot), Some(row)) = (self.rows.get_mut(trial), row) {
            *slot = Some(row);
        }
    }

    fn set(&mut self, trial: usize, state: TrialState) {
        if let Some(slot) = self.states.get_mut(trial) {
            *slot = state;
        }
    }
}
