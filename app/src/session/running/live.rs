//! A running test: the data that it has measured so far, per trial.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jitterscope_engine::measure::Event;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{Length, Pace};
use jitterscope_engine::report::{Configuration, Options, live_configuration};
use jitterscope_engine::run::{Annotation, Run, TrialRun};

/// How often the results of the running trial are recomputed.
const REFRESH: Duration = Duration::from_millis(200);

/// Maximum progress, 0 to 1, shown before the first sample. Until then, progress is estimated from
/// elapsed time.
const FIRST_SHARE: f64 = 0.02;

/// The state of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialState {
    /// The trial has not begun.
    Waiting,
    /// The trial is being measured.
    Running,
    /// The trial was measured; [`Live::row`] returns its results.
    Done,
    /// The trial was skipped, for this reason.
    Skipped(String),
}

/// A running test.
#[derive(Debug)]
pub struct Live {
    /// The run with every sample received so far; `None` until its plan is known.
    pub run: Option<Run>,
    /// The state of each trial.
    pub states: Vec<TrialState>,
    rows: Vec<Option<Configuration>>,
    /// The index of the trial that is being prepared or measured.
    pub current: usize,
    /// The current step in a few words; empty while measuring.
    pub step: String,
    began: Instant,
    /// When the first trial began, after all preparations.
    first_trial_began: Option<Instant>,
    /// Estimated time at which the sample clock of the current stage was 0. Timestamps of samples
    /// count from there. The true time is no later.
    origin: Option<Instant>,
    planned: Nanos,
    refreshed: Option<Instant>,
    /// Whether the watchdog has revoked real-time priority.
    pub was_demoted: bool,
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
            first_trial_began: None,
            origin: None,
            planned,
            refreshed: None,
            was_demoted: false,
        }
    }

    /// Returns the trial that is being prepared or measured.
    pub fn current(&self) -> Option<&TrialRun> {
        self.run.as_ref()?.trials.get(self.current)
    }

    /// Returns the number of trials.
    pub fn trial_count(&self) -> usize {
        self.states.len()
    }

    /// Returns the results of a trial; for the running trial, they are at most 0.2 s old.
    pub fn row(&self, trial: usize) -> Option<&Configuration> {
        self.rows.get(trial)?.as_ref()
    }

    /// Returns the marked moments of the current trial, on its sample clock.
    pub fn marks(&self) -> impl Iterator<Item = Nanos> {
        let all = self.run.iter().flat_map(|run| &run.annotations);
        all.filter(|one| one.trial == self.current).map(|one| one.from)
    }

    /// Returns the label of the next mark.
    pub fn next_mark(&self) -> String {
        format!("Mark {}", self.run.as_ref().map_or(0, |run| run.annotations.len()) + 1)
    }

    /// Marks this moment of the current trial. The mark is no later than the newest sample, except
    /// for scheduling gaps, whose samples may be rare.
    pub(super) fn mark(&mut self, at: Instant) {
        let Some(trial) = self.current() else { return };
        let newest = trial.samples.last().map(|sample| sample.woke);
        let moment = self.origin.map(|origin| Nanos::from(at.saturating_duration_since(origin)));
        let at = match trial.trial.pace {
            Pace::Gaps { .. } => newest.max(moment),
            _ => newest.map(|newest| moment.map_or(newest, |moment| newest.min(moment))),
        };
        let Some(at) = at else { return };
        let text = self.next_mark();
        if let Some(run) = &mut self.run {
            run.annotations.push(Annotation { trial: self.current, from: at, to: at, text });
        }
    }

    /// Returns the time since the run started.
    pub fn elapsed(&self, now: Instant) -> Nanos {
        Nanos::from(now.saturating_duration_since(self.began))
    }

    /// Returns the time since the first trial began, without preparations.
    pub fn measured(&self, now: Instant) -> Nanos {
        let since = self.first_trial_began.map(|began| now.saturating_duration_since(began));
        since.map_or(Nanos::ZERO, Nanos::from)
    }

    /// Returns the progress of the run, 0 to 1, by completed work instead of elapsed time.
    pub fn progress(&self, now: Instant) -> f64 {
        let share = self.done_share();
        if 0.0 < share || self.planned <= Nanos::ZERO {
            return share;
        }
        // Before the first sample, only elapsed time is known.
        (self.elapsed(now).as_f64() / self.planned.as_f64()).clamp(0.0, FIRST_SHARE)
    }

    /// Returns the estimated remaining time of the run.
    pub fn left(&self, now: Instant) -> Nanos {
        estimate_left(self.planned, self.measured(now), self.done_share())
    }

    /// Returns the completed share of the plan. Trials of the same stage run concurrently.
    fn done_share(&self) -> f64 {
        let Some(run) = &self.run else { return 0.0 };
        share_of_stages(run.trials.iter().zip(&self.states).map(|(trial, state)| {
            let of = &trial.trial;
            let planned = (of.calibration() + of.warm_up + of.duration()).as_f64();
            let share = match state {
                TrialState::Done | TrialState::Skipped(_) => 1.0,
                TrialState::Running => share_of(trial),
                TrialState::Waiting => 0.0,
            };
            (trial.stage, planned, share)
        }))
    }

    /// Returns the progress of the running trial, 0 to 1.
    pub fn trial_progress(&self) -> f64 {
        self.current().map_or(0.0, share_of)
    }

    /// Updates `origin` when a sample with timestamp `at` arrives: the sample clock was 0 at least
    /// the time `at` before `now`.
    fn move_origin(&mut self, at: Nanos, now: Instant) {
        let origin = now.checked_sub(at.to_duration());
        self.origin = self.origin.into_iter().chain(origin).min();
    }

    /// Handles an event of the run, except for the last event, which `Running` handles.
    pub(super) fn handle_event(&mut self, event: Event) {
        match &event {
            Event::Preparing { .. } => self.origin = None,
            Event::Began { .. } => self.move_origin(Nanos::ZERO, Instant::now()),
            Event::Samples { samples, .. } => {
                let newest = samples.last().map_or(Nanos::ZERO, |sample| sample.woke);
                self.move_origin(newest, Instant::now());
            }
            _ => {}
        }
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
                self.first_trial_began.get_or_insert_with(Instant::now);
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
            | Event::Recorded { .. }
            | Event::NotSaved { .. }
            | Event::Finished(_) => {}
        }
    }

    /// Recomputes the results of the running trial if they are older than `REFRESH`.
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
                .then(|| live_configuration(plan, trial, &Options::default()))
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

/// Returns the estimated remaining time after a share of the plan took `measured`, which excludes
/// the time before the first sample. The observed rate is weighted by the completed share, the
/// planned rate by the remaining share.
fn estimate_left(planned: Nanos, measured: Nanos, share: f64) -> Nanos {
    let whole = planned.as_f64() * (1.0 - share) + measured.as_f64();
    Nanos::from_nanos_f64(whole * (1.0 - share))
}

/// Returns the progress of a trial, 0 to 1: by its iterations if their number is planned, otherwise
/// by time.
fn share_of(trial: &TrialRun) -> f64 {
    let (done, whole) = match trial.trial.length {
        Length::Turns { count, .. } => {
            let done = u64::try_from(trial.samples.len()).unwrap_or(u64::MAX);
            (count_as_f64(done), count_as_f64(count))
        }
        Length::Slots(_) | Length::Time(_) => {
            let done = trial.samples.last().map_or(Nanos::ZERO, |sample| sample.due);
            (done.as_f64(), trial.trial.duration().as_f64())
        }
    };
    if 0.0 < whole { (done / whole).clamp(0.0, 1.0) } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "a share is shown in percent")]
const fn count_as_f64(count: u64) -> f64 {
    count as f64
}

/// Returns the completed share of a plan, from stage, planned duration, and progress of each trial.
/// Trials of the same stage run concurrently.
fn share_of_stages(trials: impl Iterator<Item = (u32, f64, f64)>) -> f64 {
    let mut stages: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (stage, planned, share) in trials {
        let (longest, done) = stages.entry(stage).or_insert((0.0, 1.0));
        *longest = longest.max(planned);
        *done = done.min(share);
    }
    let whole: f64 = stages.values().map(|stage| stage.0).sum();
    let done: f64 = stages.values().map(|stage| stage.0 * stage.1).sum();
    if 0.0 < whole { (done / whole).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_counts_what_is_done_and_not_the_clock() {
        let nine_of_24 = (0..24).map(|at| (at, 10.0, if at < 9 { 1.0 } else { 0.0 }));
        assert!((share_of_stages(nine_of_24) - 0.375).abs() < 1e-9);
        let short_and_long = [(0, 1.0, 1.0), (1, 9.0, 0.0)];
        assert!((share_of_stages(short_and_long.into_iter()) - 0.1).abs() < 1e-9);
        let probes = [(0, 60.0, 0.5), (0, 60.0, 0.4)];
        assert!((share_of_stages(probes.into_iter()) - 0.4).abs() < 1e-9, "at the same time");
        assert!(share_of_stages(std::iter::empty()) < 1e-9);
    }

    #[test]
    fn a_mark_of_gaps_is_the_moment_of_the_key() {
        let file = include_bytes!("../../../../assets/examples/scheduling-gaps.jitterscope.json");
        let mut run = jitterscope_engine::format::read(file).unwrap();
        for trial in &mut run.trials {
            trial.samples = jitterscope_engine::sample::Samples::default();
        }
        let mut live = Live::new(Nanos::from_secs(60), Instant::now());
        live.handle_event(Event::Planned(Arc::new(run)));
        let began = Instant::now();
        let second = Duration::from_secs(1);
        live.move_origin(Nanos::ZERO, began + second);
        // The only gap arrives half a second after it ended.
        live.move_origin(Nanos::from_secs(2), began + second * 5 / 2);
        live.mark(began + second * 9);
        let marks: Vec<f64> = live.marks().map(Nanos::as_secs).collect();
        assert!(matches!(marks.as_slice(), [at] if (8.4..8.6).contains(at)), "{marks:?}");
    }

    #[test]
    fn time_left_is_that_of_the_plan_and_then_of_the_rate() {
        let of = |measured: i64, share| {
            let left = estimate_left(Nanos::from_secs(60), Nanos::from_secs(measured), share);
            format!("{:.0}", left.as_secs())
        };
        assert_eq!([of(0, 0.0), of(1, 0.02), of(36, 0.6), of(60, 1.0)], ["60", "59", "24", "0"]);
        // The test runs at half of the planned speed.
        assert_eq!([of(12, 0.1), of(108, 0.9)], ["59", "11"]);
    }
}
