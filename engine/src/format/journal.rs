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

/// What of an event is in a line of a journal, besides which kind it is.
macro_rules! entries {
    ($($(#[$note:meta])* $kind:ident($out:ident $(<$of:lifetime>)?)),+ $(,)?) => {
        /// A line of a journal.
        #[derive(Serialize)]
        #[serde(tag = "entry", rename_all = "kebab-case")]
        enum EntryOut<'a> {
            $($(#[$note])* $kind($out $(<$of>)?)),+
        }

        /// Which kind of line it is.
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Kind {
            $($kind),+
        }

        /// Reads a line. serde would hold all of it until it knows the kind, and compile everything that a run
        /// holds a second time.
        fn entry(line: &[u8]) -> serde_json::Result<EntryOut<'static>> {
            #[derive(Deserialize)]
            struct KindOut {
                entry: Kind,
            }
            Ok(match serde_json::from_slice::<KindOut>(line)?.entry {
                $(Kind::$kind => EntryOut::$kind(super::line_json(line)?)),+
            })
        }
    };
}

entries! {
    Begun(BegunEntry<'a>),
    Preparing(PreparingEntry<'a>),
    Skipped(SkippedEntry<'a>),
    Applied(AppliedEntry),
    Samples(SamplesEntry<'a>),
    Value(ValueEntry<'a>),
    Traced(TracedEntry<'a>),
    Counted(CountedEntry<'a>),
    Demoted(DemotedEntry),
    Ended(EndedEntry<'a>),
    NotSaved(NotSavedEntry<'a>),
    /// The run is over; everything else of it is in the lines before.
    Finished(FinishedEntry),
}

#[derive(Serialize, Deserialize)]
struct BegunEntry<'a> {
    run: Box<RunOut<'a>>,
}

#[derive(Serialize, Deserialize)]
struct PreparingEntry<'a> {
    trial: usize,
    step: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
struct SkippedEntry<'a> {
    trial: usize,
    reason: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
struct AppliedEntry {
    trial: usize,
    granted: Box<AppliedOut>,
    #[serde(default, rename = "tail_nanos", with = "Optional::<InNanos>")]
    tail: Option<Nanos>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "List::<TailPointOut>")]
    tail_curve: Vec<TailPoint>,
}

#[derive(Serialize, Deserialize)]
struct SamplesEntry<'a> {
    trial: usize,
    lost: u64,
    samples: SamplesOut<'a>,
    evidence: EvidenceOut,
}

#[derive(Serialize, Deserialize)]
struct ValueEntry<'a> {
    trial: usize,
    name: Cow<'a, str>,
    at_nanos: i64,
    value: i64,
}

#[derive(Serialize, Deserialize)]
struct TracedEntry<'a> {
    trial: usize,
    rows: TraceOut<'a>,
}

#[derive(Serialize, Deserialize)]
struct CountedEntry<'a> {
    trial: usize,
    counters: Cow<'a, Counters>,
}

#[derive(Serialize, Deserialize)]
struct DemotedEntry {
    trial: usize,
}

#[derive(Serialize, Deserialize)]
struct EndedEntry<'a> {
    trial: usize,
    complete: bool,
    #[serde(default, with = "Optional::<PolicyOut>")]
    policy_at_end: Option<Policy>,
    counters: Cow<'a, Counters>,
    #[serde(with = "HealthOut")]
    health: Health,
}

#[derive(Serialize, Deserialize)]
struct NotSavedEntry<'a> {
    reason: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
struct FinishedEntry {
    #[serde(with = "EndingOut")]
    ending: Ending,
    #[serde(with = "HealthOut")]
    health: Health,
}

/// Writes an event as a line of a journal, without the end of the line.
pub(crate) fn write_entry(event: &Event, to: &mut dyn Write) -> io::Result<()> {
    let table: Samples;
    let out = match event {
        Event::Planned(run) => EntryOut::Begun(BegunEntry { run: Box::new(run_out(run)) }),
        Event::Preparing { trial, step } => {
            EntryOut::Preparing(PreparingEntry { trial: *trial, step: step.into() })
        }
        Event::Skipped { trial, reason } => {
            EntryOut::Skipped(SkippedEntry { trial: *trial, reason: reason.into() })
        }
        Event::Began { trial, applied, tail, tail_curve } => EntryOut::Applied(AppliedEntry {
            trial: *trial,
            granted: Box::new(AppliedOut::from(applied.as_ref())),
            tail: *tail,
            tail_curve: tail_curve.clone(),
        }),
        Event::Samples { trial, samples, evidence, lost_count } => {
            table = samples.iter().copied().collect();
            EntryOut::Samples(SamplesEntry {
                trial: *trial,
                lost: *lost_count,
                samples: SamplesOut::from(&table),
                evidence: EvidenceOut::from(evidence.as_slice()),
            })
        }
        Event::Value { trial, name, at, value } => EntryOut::Value(ValueEntry {
            trial: *trial,
            name: name.into(),
            at_nanos: at.get(),
            value: *value,
        }),
        Event::Traced { trial, rows } => {
            EntryOut::Traced(TracedEntry { trial: *trial, rows: TraceOut::from(rows.as_ref()) })
        }
        Event::Counted { trial, counters } => {
            EntryOut::Counted(CountedEntry { trial: *trial, counters: Cow::Borrowed(counters) })
        }
        Event::Demoted { trial } => EntryOut::Demoted(DemotedEntry { trial: *trial }),
        Event::Ended { trial, complete, policy_at_end, counters, health } => {
            EntryOut::Ended(EndedEntry {
                trial: *trial,
                complete: *complete,
                policy_at_end: *policy_at_end,
                counters: Cow::Borrowed(counters),
                health: health.as_ref().clone(),
            })
        }
        Event::NotSaved(reason) => EntryOut::NotSaved(NotSavedEntry { reason: reason.into() }),
        Event::Finished(run) | Event::Failed { run, .. } => EntryOut::Finished(FinishedEntry {
            ending: run.ending.clone(),
            health: run.health.clone(),
        }),
    };
    Ok(serde_json::to_writer(to, &out)?)
}

/// Adds a line of a journal to its run.
pub(crate) fn read_entry(line: &[u8], run: &mut Option<Run>) -> Result<(), FormatError> {
    let entry = entry(line).map_err(|source| FormatError::Damaged { source })?;
    if let EntryOut::Begun(BegunEntry { run: begun }) = entry {
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
        EntryOut::Begun(_) => return Ok(()),
        EntryOut::Finished(FinishedEntry { ending, health }) => {
            run.ending = ending;
            run.health = health;
            return Ok(());
        }
        EntryOut::Preparing(PreparingEntry { trial, step }) => {
            Event::Preparing { trial, step: step.into_owned() }
        }
        EntryOut::Skipped(SkippedEntry { trial, reason }) => {
            Event::Skipped { trial, reason: reason.into_owned() }
        }
        EntryOut::Applied(AppliedEntry { trial, granted, tail, tail_curve }) => {
            Event::Began { trial, applied: Box::new(granted.applied), tail, tail_curve }
        }
        EntryOut::Samples(SamplesEntry { trial, lost, samples, evidence }) => Event::Samples {
            trial,
            samples: samples.read()?.iter().collect(),
            evidence: evidence.read()?,
            lost_count: lost,
        },
        EntryOut::Value(ValueEntry { trial, name, at_nanos, value }) => {
            Event::Value { trial, name: name.into_owned(), at: Nanos::new(at_nanos), value }
        }
        EntryOut::Traced(TracedEntry { trial, rows }) => {
            Event::Traced { trial, rows: Box::new(rows.read()?) }
        }
        EntryOut::Counted(CountedEntry { trial, counters }) => {
            Event::Counted { trial, counters: counters.into_owned() }
        }
        EntryOut::Demoted(DemotedEntry { trial }) => Event::Demoted { trial },
        EntryOut::Ended(EndedEntry { trial, complete, policy_at_end, counters, health }) => {
            Event::Ended {
                trial,
                complete,
                policy_at_end,
                counters: counters.into_owned(),
                health: Box::new(health),
            }
        }
        EntryOut::NotSaved(NotSavedEntry { reason }) => Event::NotSaved(reason.into_owned()),
    };
    event.apply_to(run).map_err(|error| contradiction(error.to_string()))
}
