//! A line of a journal: one event of a run. The sum of all lines of a journal is the run.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::facts::HealthOut;
use super::trial::{AppliedOut, EvidenceOut, PolicyOut, SamplesOut, TailPointOut, TraceOut};
use super::{EndingOut, FORMAT_VERSION, FormatError, RunOut, contradiction, run_in, run_out};
use crate::measure::Event;
use crate::nanos::Nanos;
use crate::plan::record::{InNanos, List, Optional};
use crate::platform::Policy;
use crate::run::{Counters, Ending, Health, Run, TailPoint};
use crate::sample::Samples;

/// A line of a journal.
#[derive(Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
enum EntryOut<'a> {
    Begun {
        run: Box<RunOut<'a>>,
    },
    Preparing {
        trial: usize,
        step: Cow<'a, str>,
    },
    Skipped {
        trial: usize,
        reason: Cow<'a, str>,
    },
    Applied {
        trial: usize,
        granted: Box<AppliedOut>,
        #[serde(default, rename = "tail_nanos", with = "Optional::<InNanos>")]
        tail: Option<Nanos>,
        #[serde(default, skip_serializing_if = "Vec::is_empty", with = "List::<TailPointOut>")]
        tail_curve: Vec<TailPoint>,
    },
    Samples {
        trial: usize,
        lost: u64,
        samples: SamplesOut<'a>,
        evidence: EvidenceOut,
    },
    Value {
        trial: usize,
        name: Cow<'a, str>,
        at_nanos: i64,
        value: i64,
    },
    Traced {
        trial: usize,
        rows: TraceOut<'a>,
    },
    Counted {
        trial: usize,
        counters: Cow<'a, Counters>,
    },
    Demoted {
        trial: usize,
    },
    Ended {
        trial: usize,
        complete: bool,
        #[serde(default, with = "Optional::<PolicyOut>")]
        policy_at_end: Option<Policy>,
        counters: Cow<'a, Counters>,
        #[serde(with = "HealthOut")]
        health: Health,
    },
    NotSaved {
        reason: Cow<'a, str>,
    },
    /// The run is over; everything else of it is in the lines before.
    Finished {
        #[serde(with = "EndingOut")]
        ending: Ending,
        #[serde(with = "HealthOut")]
        health: Health,
    },
}

/// Writes an event as a line of a journal, without the end of the line.
pub(crate) fn write_entry(event: &Event, to: &mut dyn Write) -> io::Result<()> {
    let table: Samples;
    let out = match event {
        Event::Planned(run) => EntryOut::Begun { run: Box::new(run_out(run)) },
        Event::Preparing { trial, step } => {
            EntryOut::Preparing { trial: *trial, step: step.into() }
        }
        Event::Skipped { trial, reason } => {
            EntryOut::Skipped { trial: *trial, reason: reason.into() }
        }
        Event::Began { trial, applied, tail, tail_curve } => EntryOut::Applied {
            trial: *trial,
            granted: Box::new(AppliedOut::from(applied.as_ref())),
            tail: *tail,
            tail_curve: tail_curve.clone(),
        },
        Event::Samples { trial, samples, evidence, lost_count } => {
            table = samples.iter().copied().collect();
            EntryOut::Samples {
                trial: *trial,
                lost: *lost_count,
                samples: SamplesOut::from(&table),
                evidence: EvidenceOut::from(evidence.as_slice()),
            }
        }
        Event::Value { trial, name, at, value } => {
            EntryOut::Value { trial: *trial, name: name.into(), at_nanos: at.get(), value: *value }
        }
        Event::Traced { trial, rows } => {
            EntryOut::Traced { trial: *trial, rows: TraceOut::from(rows.as_ref()) }
        }
        Event::Counted { trial, counters } => {
            EntryOut::Counted { trial: *trial, counters: Cow::Borrowed(counters) }
        }
        Event::Demoted { trial } => EntryOut::Demoted { trial: *trial },
        Event::Ended { trial, complete, policy_at_end, counters, health } => EntryOut::Ended {
            trial: *trial,
            complete: *complete,
            policy_at_end: *policy_at_end,
            counters: Cow::Borrowed(counters),
            health: health.as_ref().clone(),
        },
        Event::NotSaved(reason) => EntryOut::NotSaved { reason: reason.into() },
        Event::Finished(run) | Event::Failed { run, .. } => {
            EntryOut::Finished { ending: run.ending.clone(), health: run.health.clone() }
        }
    };
    Ok(serde_json::to_writer(to, &out)?)
}

/// Adds a line of a journal to its run.
pub(crate) fn read_entry(line: &[u8], run: &mut Option<Run>) -> Result<(), FormatError> {
    let entry: EntryOut<'_> =
        serde_json::from_slice(line).map_err(|source| FormatError::Damaged { source })?;
    if let EntryOut::Begun { run: begun } = entry {
        if FORMAT_VERSION < begun.format_version {
            return Err(FormatError::Newer { found: begun.format_version });
        }
        if run.is_some() {
            return Err(contradiction("a journal with two beginnings"));
        }
        *run = Some(run_in(*begun)?);
        return Ok(());
    }
    let run = run.as_mut().ok_or_else(|| contradiction("a journal without a beginning"))?;
    let event = match entry {
        // Read above.
        EntryOut::Begun { .. } => return Ok(()),
        EntryOut::Finished { ending, health } => {
            run.ending = ending;
            run.health = health;
            return Ok(());
        }
        EntryOut::Preparing { trial, step } => Event::Preparing { trial, step: step.into_owned() },
        EntryOut::Skipped { trial, reason } => {
            Event::Skipped { trial, reason: reason.into_owned() }
        }
        EntryOut::Applied { trial, granted, tail, tail_curve } => {
            Event::Began { trial, applied: Box::new(granted.applied), tail, tail_curve }
        }
        EntryOut::Samples { trial, lost, samples, evidence } => Event::Samples {
            trial,
            samples: samples.read()?.iter().collect(),
            evidence: evidence.read()?,
            lost_count: lost,
        },
        EntryOut::Value { trial, name, at_nanos, value } => {
            Event::Value { trial, name: name.into_owned(), at: Nanos::new(at_nanos), value }
        }
        EntryOut::Traced { trial, rows } => Event::Traced { trial, rows: Box::new(rows.read()?) },
        EntryOut::Counted { trial, counters } => {
            Event::Counted { trial, counters: counters.into_owned() }
        }
        EntryOut::Demoted { trial } => Event::Demoted { trial },
        EntryOut::Ended { trial, complete, policy_at_end, counters, health } => Event::Ended {
            trial,
            complete,
            policy_at_end,
            counters: counters.into_owned(),
            health: Box::new(health),
        },
        EntryOut::NotSaved { reason } => Event::NotSaved(reason.into_owned()),
    };
    event.apply_to(run).map_err(|error| contradiction(error.to_string()))
}
