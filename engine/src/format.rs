//! The run file, version 1: one JSON object, columns of integers, units in the keys. A missing value is
//! null; a column a test does not have is absent.
//!
//! A run derives its file, and an event its line of a journal: a field added there is in the file. Here stand
//! what reads JSON, what is exported with a run, and the JSON of other programs.

pub mod capframex;
pub mod checksum;
mod claims;
pub mod cyclictest;
pub mod exported;
pub(crate) mod index;
mod journal;
mod json;
mod measurement;
pub mod millis;
mod prior;
pub mod protocol;
mod safe_writer;
#[cfg(test)]
mod schema;

use std::io::{self, BufRead as _, BufReader, Cursor, Read, Seek, Write};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::machine::{ClockFacts, Machine};
use crate::run::Run;
use crate::units::shortened;

use json::{Json, Limits};

pub use crate::run::{FORMAT, FORMAT_VERSION};
pub(crate) use claims::is_plausible;
pub(crate) use journal::{Entry, journal_version, parse_entry, read_entry, write_lines};
pub use json::JsonError;
pub use measurement::{measurement_sum, shortened_sum};
pub use prior::{PriorError, PriorRecord};
pub(crate) use safe_writer::is_unsafe_char;
pub use safe_writer::{SafeWriter, safe_json};

/// Why a text is not a run.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The system cannot read it.
    #[error("{source}")]
    Unreadable {
        /// The system's error.
        #[from]
        source: io::Error,
    },
    /// It is no JSON, or not what a run holds.
    #[error("not a Jitterscope run, or damaged: {source} (line {line}, column {column})")]
    Damaged {
        /// What is wrong.
        #[source]
        source: JsonError,
        /// In which line, counted from 1.
        line: usize,
        /// After how many bytes of the line.
        column: usize,
    },
    /// It is JSON of something else.
    #[error("not a Jitterscope run: its format is '{}'", shortened(found))]
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

impl From<serde_json::Error> for FormatError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        Self::Damaged { source: error.into(), line, column }
    }
}

fn contradiction(what: impl Into<String>) -> FormatError {
    FormatError::Contradiction { what: what.into() }
}

/// What is read of a text that is no run, to report what it is instead.
#[derive(Deserialize)]
struct Preamble {
    #[serde(default)]
    format: String,
    #[serde(default)]
    format_version: u32,
}

/// Writes a run.
pub fn write(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    write_line(run, to)
}

/// Reads a run.
pub fn read(text: &[u8]) -> Result<Run, FormatError> {
    read_from(&mut Cursor::new(text))
}

/// Reads a run from a file; no more of the file is in memory at once than a piece of it.
pub fn read_from(from: &mut (impl Read + Seek)) -> Result<Run, FormatError> {
    let error = match json_of(from, Limits::RUN) {
        Err(error @ FormatError::Damaged { .. }) => error,
        read => return read,
    };
    // First whether it is JSON, then whose, then what does not fit.
    let preamble: Preamble = json_of(from, Limits::RUN)?;
    if preamble.format != FORMAT {
        return Err(FormatError::Foreign { found: preamble.format });
    }
    if FORMAT_VERSION < preamble.format_version {
        return Err(FormatError::Newer { found: preamble.format_version });
    }
    Err(error)
}

/// Reads a whole file of JSON from its beginning.
fn json_of<T: DeserializeOwned>(
    from: &mut (impl Read + Seek),
    limits: Limits,
) -> Result<T, FormatError> {
    from.rewind()?;
    let mut json = Json::new(from, None, limits);
    let value = T::deserialize(&mut json).and_then(|value| json.finish().map(|()| value));
    let offset = json.offset();
    match value {
        Ok(value) => Ok(value),
        Err(JsonError::Io(source)) => Err(FormatError::Unreadable { source }),
        Err(source) => {
            let (line, column) = place(from, offset)?;
            Err(FormatError::Damaged { source, line, column })
        }
    }
}

/// Line and column after this many bytes of a file.
fn place(from: &mut (impl Read + Seek), offset: u64) -> io::Result<(usize, usize)> {
    from.rewind()?;
    let mut before = BufReader::new(from.take(offset));
    let (mut line, mut column) = (1, 0);
    loop {
        let piece = before.fill_buf()?;
        if piece.is_empty() {
            return Ok((line, column));
        }
        let ends = piece.split(|&byte| byte == b'\n').count() - 1;
        let last = piece.iter().rposition(|&byte| byte == b'\n');
        column = last.map_or(column + piece.len(), |last| piece.len() - last - 1);
        line += ends;
        let length = piece.len();
        before.consume(length);
    }
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
pub fn family(from: &mut (impl Read + Seek)) -> Result<Family, FormatError> {
    #[derive(Deserialize)]
    struct Keys {
        format: Option<IgnoredAny>,
        #[serde(rename = "Runs")]
        runs: Option<IgnoredAny>,
        thread: Option<IgnoredAny>,
    }
    Ok(match json_of(from, Limits::RUN)? {
        Keys { format: Some(_), .. } => Family::Run,
        Keys { runs: Some(_), .. } => Family::CapFrameX,
        Keys { thread: Some(_), .. } => Family::Cyclictest,
        Keys { .. } => Family::Unknown,
    })
}

/// A text as JSON writes it, with its quotes.
pub fn quoted(text: &str) -> String {
    safe_json(&serde_json::to_string(text).unwrap_or_default())
}

/// Machine and clock as the run file holds them, for people who want only those.
pub fn machine_json(machine: &Machine, clock: &ClockFacts) -> String {
    #[derive(Serialize)]
    struct Facts<'a> {
        machine: &'a Machine,
        clock: &'a ClockFacts,
    }
    safe_json(&serde_json::to_string_pretty(&Facts { machine, clock }).unwrap_or_default())
}

/// Writes a record as a line of JSON.
pub(crate) fn write_line(record: &impl Serialize, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *to, record)?;
    to.write_all(b"\n")
}

/// Reads a record from a line of JSON, whatever else is in it; `None` where the line is none.
pub(crate) fn read_line<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests;
