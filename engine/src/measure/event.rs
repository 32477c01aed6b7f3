//! The events of a run: the window shows them, the journal saves them, and the sum of all events of
//! a run is the run. What is derived of them is the journal; `format` writes its first and last line.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::platform::{Applied, Policy};
use crate::run::{Counters, Ending, Health, Run, TailPoint, Trace, TrialRun, counter};
use crate::sample::{Evidence, EvidenceColumns, Sample, SampleList};

/// An event of a run. Trials are identified by their position in the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The run exists: its facts, with all trials still empty, in the order of the stages.
    #[serde(skip)]
    Planned(Arc<Run>),
    /// A stage is being prepared.
    Preparing {
        /// The first trial of the stage.
        trial: usize,
        /// Current activity, in a few words.
        step: String,
    },
    /// A trial is not measured.
    Skipped {
        /// Which trial.
        trial: usize,
        /// Why.
        reason: String,
    },
    /// A trial's thread has started.
    #[serde(rename = "applied")]
    Began {
        /// Which trial.
        trial: usize,
        /// What the system applied.
        #[serde(rename = "granted")]
        applied: Box<Applied>,
        /// The spin tail of its hybrid wait.
        #[serde(rename = "tail_nanos")]
        tail: Option<Nanos>,
        /// The result of each tried spin tail, shortest first; empty if none was calibrated.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tail_curve: Vec<TailPoint>,
    },
    /// New samples.
    Samples {
        /// Which trial.
        trial: usize,
        /// Samples of this trial lost so far.
        #[serde(rename = "lost")]
        lost_count: u64,
        /// In order of time, following those before.
        #[serde(with = "SampleList")]
        samples: Vec<Sample>,
        /// Evidence of late samples among them or before.
        #[serde(with = "EvidenceColumns")]
        evidence: Vec<Evidence>,
    },
    /// A value of a series.
    Value {
        /// Which trial.
        trial: usize,
        /// The name of the series; it ends with its unit.
        name: String,
        /// When, from the start of the trial.
        #[serde(rename = "at_nanos")]
        at: Nanos,
        /// The value.
        value: i64,
    },
    /// New rows of a trace.
    Traced {
        /// Which trial.
        trial: usize,
        /// The rows, following those before. Their names follow the names before.
        rows: Box<Trace>,
    },
    /// Named integers that are known only now.
    Counted {
        /// Which trial.
        trial: usize,
        /// The integers; each replaces one of the same name.
        counters: Counters,
    },
    /// A watchdog took real-time priority from a trial's thread.
    Demoted {
        /// Which trial.
        trial: usize,
    },
    /// A trial is over.
    Ended {
        /// Which trial.
        trial: usize,
        /// Whether it was measured to its end.
        complete: bool,
        /// The scheduling policy after the loop, read back; absent where it was not read.
        policy_at_end: Option<Policy>,
        /// All its named integers.
        counters: Counters,
        /// What may make the run unreliable, so far.
        health: Box<Health>,
    },
    /// Events cannot be saved during the run; the run continues.
    NotSaved {
        /// Why.
        reason: String,
    },
    /// The run is over, complete or stopped; the last event.
    #[serde(skip)]
    Finished(Arc<Run>),
    /// The run failed; the samples so far are in the run. The last event.
    #[serde(skip)]
    Failed {
        /// The reason, in one sentence.
        reason: String,
        /// The run so far.
        run: Arc<Run>,
    },
}

/// An event names a trial that its run does not have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a trial that was not planned")]
pub struct UnknownTrial;

impl Event {
    /// Adds an event to the run. Time: O(n) in the number of new samples.
    pub fn apply_to(&self, run: &mut Run) -> Result<(), UnknownTrial> {
        match self {
            Self::Planned(planned) => run.clone_from(planned),
            Self::Preparing { trial, .. } => {
                trial_of(run, *trial)?;
            }
            Self::Skipped { trial, reason } => {
                trial_of(run, *trial)?.skipped = Some(reason.clone());
            }
            Self::Began { trial, applied, tail, tail_curve } => {
                let trial = trial_of(run, *trial)?;
                trial.applied = Some(applied.as_ref().clone());
                trial.tail_curve.clone_from(tail_curve);
                if let Some(tail) = tail {
                    trial.counters.insert(counter::TAIL_NANOS.to_owned(), tail.get());
                }
            }
            Self::Samples { trial, samples, evidence, lost_count } => {
                let trial = trial_of(run, *trial)?;
                trial.samples.extend(samples.iter().copied());
                trial.evidence.extend(evidence.iter().copied());
                trial.lost_count = *lost_count;
            }
            Self::Value { trial, name, at, value } => {
                trial_of(run, *trial)?.series.entry(name.clone()).or_default().push(*at, *value);
            }
            Self::Traced { trial, rows } => {
                trial_of(run, *trial)?.trace.get_or_insert_default().append(rows);
            }
            Self::Counted { trial, counters } => {
                let counters = counters.iter().map(|(name, value)| (name.clone(), *value));
                trial_of(run, *trial)?.counters.extend(counters);
            }
            Self::Demoted { trial } => {
                if let Some(applied) = &mut trial_of(run, *trial)?.applied {
                    applied.demoted = true;
                }
            }
            Self::Ended { trial, complete, policy_at_end, counters, health } => {
                let trial = trial_of(run, *trial)?;
                trial.complete = *complete;
                if let Some(applied) = &mut trial.applied {
                    applied.policy_at_end = *policy_at_end;
                }
                trial.counters.clone_from(counters);
                run.health.clone_from(health);
            }
            Self::NotSaved { reason } => run.health.journal_error = Some(reason.clone()),
            Self::Finished(finished) | Self::Failed { run: finished, .. } => {
                run.clone_from(finished);
            }
        }
        Ok(())
    }

    /// The last event of a run that ended in this way.
    pub(super) fn last(run: Arc<Run>) -> Self {
        match &run.ending {
            Ending::Failed(reason) => Self::Failed { reason: reason.clone(), run },
            Ending::Finished | Ending::Stopped | Ending::Recovered => Self::Finished(run),
        }
    }
}

fn trial_of(run: &mut Run, trial: usize) -> Result<&mut TrialRun, UnknownTrial> {
    run.trials.get_mut(trial).ok_or(UnknownTrial)
}
