//! The events of a run. The window shows events, the journal saves them, and applying all events of a
//! run in order gives the run. The journal has a line per event, in the format that serde derives here;
//! `format` writes its first and last line, which are not derived.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::platform::{Applied, Policy};
use crate::run::{Counters, Health, Recording, Run, Subject, TailPoint, Trace, TrialRun, counter};
use crate::sample::{Evidence, EvidenceColumns, Sample, SampleList};

/// An event of a run. A trial is identified by its position in the run, from 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The first event: the run before the measurement, with empty trials in the order of the stages.
    #[serde(skip)]
    Planned(Arc<Run>),
    /// A stage is being prepared.
    Preparing {
        /// The position of the first trial of the stage.
        trial: usize,
        /// The current activity, in a few words.
        step: String,
    },
    /// A trial is skipped.
    Skipped {
        /// The position of the trial.
        trial: usize,
        /// The reason, in a few words.
        reason: String,
    },
    /// A trial's thread has started.
    #[serde(rename = "applied")]
    Began {
        /// The position of the trial.
        trial: usize,
        /// The conditions that the system applied to the thread, such as priority and CPU.
        #[serde(rename = "granted")]
        applied: Box<Applied>,
        /// The spin tail of the trial's hybrid wait; `None` for other waits.
        #[serde(rename = "tail_nanos")]
        tail: Option<Nanos>,
        /// The result of each spin tail that the calibration tried, shortest tail first; empty if the tail is
        /// not calibrated. A trial that reuses the tail of an earlier trial has the results of that trial.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tail_curve: Vec<TailPoint>,
    },
    /// New samples of a trial.
    Samples {
        /// The position of the trial.
        trial: usize,
        /// Number of samples of the trial lost so far.
        #[serde(rename = "lost")]
        lost_count: u64,
        /// The samples in order of time, which follow the samples of earlier events.
        #[serde(with = "SampleList")]
        samples: Vec<Sample>,
        /// New evidence of late samples, which may belong to samples of earlier events.
        #[serde(with = "EvidenceColumns")]
        evidence: Vec<Evidence>,
    },
    /// A new value of a series of a trial, such as the CPU frequency over time.
    Value {
        /// The position of the trial.
        trial: usize,
        /// The name of the series; it ends with its unit.
        name: String,
        /// The time of the value from the start of the trial.
        #[serde(rename = "at_nanos")]
        at: Nanos,
        /// The value.
        value: i64,
    },
    /// New rows of the trace of a trial.
    Traced {
        /// The position of the trial.
        trial: usize,
        /// The rows and names, which are appended to those of earlier events.
        rows: Box<Trace>,
    },
    /// New values of named integers of a trial.
    Counted {
        /// The position of the trial.
        trial: usize,
        /// The integers; each replaces an earlier value of the same name.
        counters: Counters,
    },
    /// New facts of a recording, which are added to those of earlier events.
    Recorded {
        /// The facts. Lists continue those of earlier events; single values replace earlier ones.
        more: Box<Recording>,
        /// The begins of details that are no longer saved, because the limit of disk space was reached.
        #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "without_nanos")]
        without: Vec<Nanos>,
    },
    /// A watchdog took real-time priority from a trial's thread.
    Demoted {
        /// The position of the trial.
        trial: usize,
    },
    /// A trial is over.
    Ended {
        /// The position of the trial.
        trial: usize,
        /// Whether the trial was measured to its end.
        complete: bool,
        /// The scheduling policy read back after the loop; `None` if it was not read.
        policy_at_end: Option<Policy>,
        /// All named integers of the trial so far.
        counters: Counters,
        /// Conditions observed so far that may make the run unreliable.
        health: Box<Health>,
    },
    /// Events cannot be saved during the run; the run continues.
    NotSaved {
        /// The reason, in a few words.
        reason: String,
    },
    /// The last event: the run with all its samples, and how it ended.
    #[serde(skip)]
    Finished(Arc<Run>),
}

/// The error for an event of a trial or of a recording that is not in the run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a trial that was not planned")]
pub struct UnknownTrial;

impl Event {
    /// Applies this event to the run. Takes O(n) time in the number of new samples.
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
            Self::Recorded { more, without } => match &mut run.subject {
                Subject::Recorded(recording) => {
                    recording.details.retain(|detail| !without.contains(&detail.begin));
                    recording.append(more);
                }
                Subject::Measured(_) | Subject::Imported(_) => return Err(UnknownTrial),
            },
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
            Self::Finished(finished) => run.clone_from(finished),
        }
        Ok(())
    }
}

fn trial_of(run: &mut Run, trial: usize) -> Result<&mut TrialRun, UnknownTrial> {
    run.trials.get_mut(trial).ok_or(UnknownTrial)
}
