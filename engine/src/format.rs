//! The run file, version 1: one JSON object, columns of integers, units in the keys. A missing value is
//! null; a column a test does not have is absent.
//!
//! These types are the file; they follow the engine's own word for word, so that a field added there is a
//! field to be decided on here. Next to them stand the JSON of an exported run and of other programs.

pub mod capframex;
mod capture;
pub mod checksum;
mod column;
pub mod cyclictest;
pub mod exported;
mod facts;
mod html_safe_writer;
pub(crate) mod index;
mod journal;
mod limits;
pub mod millis;
mod pieces;
mod run_id;
#[cfg(test)]
mod schema;
mod trial;

use std::io::{self, BufReader, Cursor, Read, Seek, Write};

use serde::{Deserialize, Serialize};

use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::plan::record::{InNanos, List, Optional, records};
use crate::run::{Annotation, Ending, Group, Health, Run, RunId, Subject};
use capture::CaptureOut;
use facts::{ClockOut, HealthOut, MachineOut};
use limits::LimitedReader;
use pieces::Pieces;
use run_id::RunIdOut;
use trial::TrialOut;

pub(crate) use journal::{read_entry, write_entry};

/// What the first field of every run file states.
pub const FORMAT: &str = "jitterscope-run";
/// The version this program writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 1;

/// Why a text is not a run.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// It is no JSON, or not what a run holds.
    #[error("not a Jitterscope run, or damaged: {}", damage(source))]
    Damaged {
        /// Where and what.
        #[source]
        source: serde_json::Error,
    },
    /// It is JSON of something else.
    #[error("not a Jitterscope run: its format is '{found}'")]
    Foreign {
        /// What it states it is.
        found: String,
    },
    /// It was made by a newer program.
    #[error(
        "made by a newer version (format {found}, this version reads up to {FORMAT_VERSION}); \
         update Jitterscope to open it"
    )]
    Newer {
        /// The version it states.
        found: u32,
    },
    /// It contradicts itself.
    #[error("damaged: {what}")]
    Contradiction {
        /// What does not fit.
        what: String,
    },
}

/// Returns where a file is damaged and how, without the names of this program's types.
fn damage(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let why = text.strip_suffix(&place).unwrap_or(&text);
    let name = why.split('`').nth(1).unwrap_or_default();
    let why = match error.classify() {
        Category::Eof => "the end of the file is missing".to_owned(),
        Category::Syntax => "not valid JSON".to_owned(),
        Category::Data if why.starts_with("missing field") => format!("'{name}' is missing"),
        Category::Data if why.starts_with("duplicate field") => format!("'{name}' is repeated"),
        Category::Data if why.starts_with("unknown variant") => format!("'{name}' is not known"),
        Category::Data if why.starts_with("invalid ") => "a value is not valid".to_owned(),
        Category::Data | Category::Io => why.to_owned(),
    };
    if error.line() == 0 {
        return why;
    }
    format!("{why} (line {}, column {})", error.line(), error.column())
}

fn contradiction(what: impl Into<String>) -> FormatError {
    FormatError::Contradiction { what: what.into() }
}

/// What is read first, to tell whether the rest can be.
#[derive(Deserialize)]
struct Preamble {
    #[serde(default)]
    format: String,
    #[serde(default)]
    format_version: u32,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RunOut<'a> {
    format: std::borrow::Cow<'a, str>,
    format_version: u32,
    app_version: String,
    method_version: u32,
    #[serde(with = "RunIdOut")]
    id: RunId,
    started_at: jiff::Timestamp,
    #[serde(with = "EndingOut")]
    ending: Ending,
    name: String,
    note: String,
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "List::<AnnotationOut>")]
    annotations: Vec<Annotation>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "Optional::<GroupOut>")]
    group: Option<Group>,
    /// Absent in an imported run, which has its capture instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capture: Option<CaptureOut<'a>>,
    machine: MachineOut,
    #[serde(with = "ClockOut")]
    clock: ClockFacts,
    #[serde(with = "HealthOut")]
    health: Health,
    trials: Vec<TrialOut<'a>>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Group")]
pub(crate) struct GroupOut {
    #[serde(with = "RunIdOut")]
    id: RunId,
    part: String,
    skipped: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Annotation")]
struct AnnotationOut {
    trial: usize,
    #[serde(rename = "from_nanos", with = "InNanos")]
    from: Nanos,
    #[serde(rename = "to_nanos", with = "InNanos")]
    to: Nanos,
    text: String,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Ending", rename_all = "kebab-case")]
enum EndingOut {
    Finished,
    Stopped,
    Failed(String),
    Recovered,
}

records!(GroupOut: Group, AnnotationOut: Annotation);

fn run_out(run: &Run) -> RunOut<'_> {
    RunOut {
        format: FORMAT.into(),
        format_version: FORMAT_VERSION,
        app_version: run.app_version.clone(),
        method_version: run.method_version,
        id: run.id.clone(),
        started_at: run.started_at,
        ending: run.ending.clone(),
        name: run.name.clone(),
        note: run.note.clone(),
        tags: run.tags.clone(),
        annotations: run.annotations.clone(),
        group: run.group.clone(),
        plan: run.plan().cloned(),
        capture: run.capture().map(CaptureOut::from),
        machine: MachineOut::from(&run.machine),
        clock: run.clock.clone(),
        health: run.health.clone(),
        trials: run.trials.iter().map(TrialOut::from).collect(),
    }
}

/// Writes a run.
pub fn write(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *to, &run_out(run))?;
    to.write_all(b"\n")
}

/// Reads a run.
pub fn read(text: &[u8]) -> Result<Run, FormatError> {
    read_from(&mut Cursor::new(text))
}

/// Reads a run from a file; no more of the file is in memory at once than a piece of it.
pub fn read_from(from: &mut (impl Read + Seek)) -> Result<Run, FormatError> {
    match run_json::<RunOut<'_>>(Pieces::new(from)) {
        Ok(run) if run.format == FORMAT && run.format_version <= FORMAT_VERSION => run_in(run),
        // What is wrong with it, and where, is reported by reading it again from its beginning.
        Ok(_) | Err(_) => read_slowly(from),
    }
}

/// Reads the JSON of a run or of a part of it; what reads it is compiled once, for every kind of file.
fn run_json<T: serde::de::DeserializeOwned>(
    pieces: Pieces<&mut dyn Read>,
) -> serde_json::Result<T> {
    serde_json::from_reader(LimitedReader::new(pieces))
}

/// The same of a line of a journal.
fn line_json<T: serde::de::DeserializeOwned>(mut line: &[u8]) -> serde_json::Result<T> {
    let length = line.len();
    run_json(Pieces::of_line(&mut line, length))
}

/// What the system states of a file, as serde_json shows it.
pub(crate) fn unreadable(error: io::Error) -> FormatError {
    FormatError::Damaged { source: serde::de::Error::custom(error) }
}

/// Reads a run, or shows why it is none: first whether it is JSON, then whose, then what does not fit.
fn read_slowly(from: &mut (impl Read + Seek)) -> Result<Run, FormatError> {
    let damaged = |source| FormatError::Damaged { source };
    from.rewind().map_err(unreadable)?;
    let preamble: Preamble =
        serde_json::from_reader(BufReader::new(&mut *from)).map_err(damaged)?;
    if preamble.format != FORMAT {
        let found = preamble.format.chars().take(60).collect();
        return Err(FormatError::Foreign { found });
    }
    if FORMAT_VERSION < preamble.format_version {
        return Err(FormatError::Newer { found: preamble.format_version });
    }
    from.rewind().map_err(unreadable)?;
    run_in(run_json::<RunOut<'_>>(Pieces::untouched(from)).map_err(damaged)?)
}

fn run_in(run: RunOut<'_>) -> Result<Run, FormatError> {
    let mut trials = run.trials.into_iter().map(TrialOut::read).collect::<Result<Vec<_>, _>>()?;
    let mut note = run.note;
    let subject = match (run.capture, run.plan) {
        (Some(capture), _) => Subject::Imported(capture.read()?),
        (None, Some(_)) if run.method_version == capture::NO_METHOD => {
            note = capture::note_of_older_import(&note);
            capture::of_older_import(&run.app_version, std::mem::take(&mut trials))
        }
        (None, Some(plan)) => Subject::Measured(plan),
        (None, None) => return Err(contradiction("it holds neither a plan nor a capture")),
    };
    Ok(Run {
        id: run.id,
        app_version: run.app_version,
        method_version: run.method_version,
        started_at: run.started_at,
        ending: run.ending,
        name: run.name,
        note,
        tags: run.tags,
        annotations: run.annotations,
        group: run.group,
        subject,
        machine: run.machine.into(),
        clock: run.clock,
        health: run.health,
        trials,
    })
}

/// Whose JSON a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A run of this program.
    Run,
    /// A capture of CapFrameX.
    CapFrameX,
    /// A result of cyclictest.
    Cyclictest,
    /// Something else.
    Unknown,
}

/// Returns whose JSON a text is, by its keys; nothing of it is retained.
pub fn family(text: &[u8]) -> Result<Family, FormatError> {
    #[derive(Deserialize)]
    struct Keys {
        format: Option<serde::de::IgnoredAny>,
        #[serde(rename = "Runs")]
        runs: Option<serde::de::IgnoredAny>,
        thread: Option<serde::de::IgnoredAny>,
    }
    let keys: Keys =
        serde_json::from_slice(text).map_err(|source| FormatError::Damaged { source })?;
    Ok(match keys {
        Keys { format: Some(_), .. } => Family::Run,
        Keys { runs: Some(_), .. } => Family::CapFrameX,
        Keys { thread: Some(_), .. } => Family::Cyclictest,
        Keys { .. } => Family::Unknown,
    })
}

/// A text as JSON writes it, with its quotes.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Machine and clock as the run file holds them, for people who want only those.
pub fn machine_json(machine: &Machine, clock: &ClockFacts) -> String {
    #[derive(Serialize)]
    struct Out<'a> {
        machine: MachineOut,
        #[serde(with = "ClockOut")]
        clock: &'a ClockFacts,
    }
    let out = Out { machine: MachineOut::from(machine), clock };
    serde_json::to_string_pretty(&out).unwrap_or_default()
}

/// Writes a record as a line of JSON.
pub(crate) fn write_line(record: &impl Serialize, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *to, record)?;
    to.write_all(b"\n")
}

/// Reads a record from a line of JSON, whatever else is in it; `None` where the line is none.
pub(crate) fn read_line<T: serde::de::DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

/// The format version in the first line of a journal, where the line has one; nothing else of it is read.
pub(crate) fn journal_version(line: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        format_version: u32,
    }
    #[derive(Deserialize)]
    struct Line {
        run: Version,
    }
    serde_json::from_slice::<Line>(line).ok().map(|line| line.run.format_version)
}

#[cfg(test)]
mod tests;
