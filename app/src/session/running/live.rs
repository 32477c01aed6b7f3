//! A running test: the data so far, trial by trial.

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

/// The most progress that the clock alone shows, before the first sample.
const FIRST_SHARE: f64 = 0.02;

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
    /// When the first trial began, after what was prepared and tried for it.
    first_trial_began: Option<Instant>,
    /// When the clock of the samples of the current stage was 0: no later than this.
    origin: Option<Instant>,
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
            first_trial_began: None,
            origin: None,
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

    /// The moments of the current trial that were marked.
    pub fn marks(&self) -> impl Iterator<Item = Nanos> {
        let all = self.run.iter().flat_map(|run| &run.annotations);
        all.filter(|one| one.trial == self.current).map(|one| one.from)
    }

    /// What the next mark of the run is called.
    pub fn next_mark(&self) -> String {
        format!("Mark {}", self.run.as_ref().map_or(0, |run| run.annotations.len()) + 1)
    }

    /// Marks this moment of the current trial; of others than gaps, which may be rare, at most the newest sample.
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

    /// What is going on, in a few words; empty while measuring.
    pub fn step(&self) -> &str {
        &self.step
    }

    /// Whether a watchdog took real-time priority away.
    pub fn was_demoted(&self) -> bool {
        self.was_demoted
    }

    /// Time since the run started.
    pub fn elapsed(&self, now: Instant) -> Nanos {
        Nanos::from(now.saturating_duration_since(self.began))
    }

    /// Time since the first sample that counts.
    pub fn measured(&self, now: Instant) -> Nanos {
        let since = self.first_trial_began.map(|began| now.saturating_duration_since(began));
        since.map_or(Nanos::ZERO, Nanos::from)
    }

    /// Planned duration of the run.
    pub fn planned(&self) -> Nanos {
        self.planned
    }

    /// Progress of the run, 0 to 1: by completed work, not by the clock.
    pub fn progress(&self, now: Instant) -> f64 {
        let share = self.done_share();
        if 0.0 < share || self.planned <= Nanos::ZERO {
            return share;
        }
        // Before the first sample, the clock is all there is.
        (self.elapsed(now).as_f64() / self.planned.as_f64()).clamp(0.0, FIRST_SHARE)
    }

    /// Estimated remaining time.
    pub fn left(&self, now: Instant) -> Nanos {
        estimate_left(self.planned, self.measured(now), self.done_share())
    }

    /// The share of the plan that is done. Trials of one stage run at the same time.
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

    /// Progress of the running trial, 0 to 1.
    pub fn trial_progress(&self) -> f64 {
        self.current().map_or(0.0, share_of)
    }

    /// A sample of this time arrived: the clock was 0 that long ago, or earlier.
    fn move_origin(&mut self, at: Nanos, now: Instant) {
        let origin = now.checked_sub(at.to_duration());
        self.origin = self.origin.into_iter().chain(origin).min();
    }

    /// Takes in an event of the run; the last one is not for here.
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
            | Event::NotSaved { .. }
            | Event::Finished(_)
            | Event::Failed { .. } => {}
        }
    }

    /// Recomputes the figures of the running trial if they are old.
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

/// Estimated remaining time after a share of the plan took `measured`: the rate so far weighs as much as it measured,
/// the plan for the rest. The time before the first sample is no part of the rate.
fn estimate_left(planned: Nanos, measured: Nanos, share: f64) -> Nanos {
    let whole = planned.as_f64() * (1.0 - share) + measured.as_f64();
    Nanos::from_nanos_f64(whole * (1.0 - share))
}

/// Progress of a trial, 0 to 1: by its iterations if they are counted, otherwise by time.
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

/// The share of a plan that is done, by stage, planned length and share of each trial. Trials of one stage run at
/// the same time.
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
        // A gap arrives half a second after it ended, and no other one does.
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
        // Twice as slow as planned.
        assert_eq!([of(12, 0.1), of(108, 0.9)], ["59", "11"]);
    }
}
