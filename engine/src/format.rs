//! The run file, version 1: one JSON object with columns of integers, and units in the keys. A
//! missing value is null; a column that a test does not have is absent.
//!
//! Run files and journal lines are serialized directly from [`Run`] and `Event`: a field added to
//! those types is also in the files. This module has the JSON reader, the formats of exported
//! files, and the JSON formats of other programs.

pub mod capframex;
mod check_result;
pub mod checksum;
mod claims;
pub mod cyclictest;
pub(crate) mod decimal;
pub mod exported;
pub(crate) mod index;
mod journal;
mod json;
mod kept_samples;
mod measurement;
pub mod millis;
mod prior;
pub mod protocol;
mod recorder_status;
mod safe_writer;

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead as _, BufReader, Cursor, Read, Seek, Write};
use std::marker::PhantomData;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::machine::{ClockFacts, Machine};
use crate::run::Run;
use crate::units::shortened;

use checksum::{Checked, verify_file};
use json::{Json, Limits};

pub use crate::run::{FORMAT, FORMAT_VERSION};
pub use check_result::check_result;
pub(crate) use claims::{is_plausible, without_controls};
pub(crate) use journal::{
    Entry, MAX_LINE_BYTES, journal_version, parse_entry, read_entry, write_lines,
};
pub use json::JsonError;
pub(crate) use json::MAX_OTHER_BYTES;
#[cfg(test)]
pub(crate) use json::MAX_SAMPLES;
pub use kept_samples::KeptSamples;
pub use measurement::{measurement_sum, shortened_sum};
pub use prior::{PriorError, PriorRecord};
pub use recorder_status::RecordStatus;
pub(crate) use safe_writer::is_unsafe_char;
pub use safe_writer::{SafeWriter, safe_json};

/// Why a text cannot be read as a run.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The system cannot read the file.
    #[error("{source}")]
    Unreadable {
        /// The system's error.
        #[from]
        source: io::Error,
    },
    /// The text is not JSON, or not the content of a run.
    #[error("not a Jitterscope run, or damaged: {source} (line {line}, column {column})")]
    Damaged {
        /// The error of the JSON reader.
        #[source]
        source: JsonError,
        /// The number of the line, counted from 1.
        line: usize,
        /// The number of bytes before the error in that line.
        column: usize,
    },
    /// The text is JSON of another format.
    #[error("not a Jitterscope run: its format is '{}'", shortened(found))]
    Foreign {
        /// The format that the text states.
        found: String,
    },
    /// The file is a report without all samples.
    #[error(
        "a report with {}: its figures cannot be computed again, so it does not open as a run; \
         export the run again with all samples", kept.about()
    )]
    Reduced {
        /// Which samples the file holds.
        kept: KeptSamples,
    },
    /// The file is the result of a quick check without the runs of the check.
    #[error(
        "the result of a quick check without its runs; export the check as HTML or JSON to open it"
    )]
    NoRuns,
    /// The file was written by a newer version.
    #[error(
        "made by a newer version (format {found}, this version reads up to {FORMAT_VERSION}); \
         update Jitterscope to open it"
    )]
    Newer {
        /// The format version of the file.
        found: u32,
    },
    /// Values in the file contradict each other.
    #[error("damaged: {what}")]
    Contradiction {
        /// The contradiction.
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

/// The part of a file that identifies its format, to report why it is not a run.
#[derive(Deserialize)]
struct Preamble {
    #[serde(default)]
    format: String,
    #[serde(default)]
    format_version: u32,
    samples: Option<String>,
}

/// Writes a run as JSON in the format of the run file.
pub fn write(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    write_line(run, to)
}

/// Reads a run from the text of a run file.
pub fn read(text: &[u8]) -> Result<Run, FormatError> {
    read_from(&mut Cursor::new(text))
}

/// Reads a run from a file, piece by piece; only one piece of the text is in memory. An exported run whose checksum does
/// not match is one that was edited.
pub fn read_from(from: &mut (impl Read + Seek)) -> Result<Run, FormatError> {
    let mut run: Run = match json_of(from, Limits::RUN) {
        Ok(run) => run,
        Err(error) => return Err(explain(from, FORMAT, error)?),
    };
    mark_edited(from, [&mut run])?;
    Ok(run)
}

/// Reads the runs of an exported quick check from a file, like [`read_from`].
pub fn read_check(from: &mut (impl Read + Seek)) -> Result<Vec<Run>, FormatError> {
    #[derive(Deserialize)]
    struct Check {
        #[serde(default)]
        runs: Vec<Run>,
    }
    let mut runs = match json_of(from, Limits::RUN) {
        Ok(Check { runs }) if runs.is_empty() => {
            return Err(explain(from, exported::CHECK_FORMAT, FormatError::NoRuns)?);
        }
        Ok(Check { runs }) => runs,
        Err(error) => return Err(explain(from, exported::CHECK_FORMAT, error)?),
    };
    mark_edited(from, &mut runs)?;
    Ok(runs)
}

/// Marks the runs of a file whose checksum does not match. A file without a checksum makes no statement.
fn mark_edited<'a>(
    from: &mut (impl Read + Seek),
    runs: impl IntoIterator<Item = &'a mut Run>,
) -> io::Result<()> {
    if verify_file(from)? == Checked::Edited {
        runs.into_iter().for_each(|run| run.health.edited_after_export = true);
    }
    Ok(())
}

/// Returns the most basic error of a file that cannot be read in a format: not JSON, then another format, then invalid
/// content.
fn explain(
    from: &mut (impl Read + Seek),
    format: &str,
    error: FormatError,
) -> Result<FormatError, FormatError> {
    if !matches!(error, FormatError::Damaged { .. } | FormatError::NoRuns) {
        return Ok(error);
    }
    let preamble: Preamble = json_of(from, Limits::RUN)?;
    let kept = preamble.samples.as_deref().and_then(KeptSamples::of_key);
    Ok(match kept {
        Some(kept) => FormatError::Reduced { kept },
        None if preamble.format != format => FormatError::Foreign { found: preamble.format },
        None if FORMAT_VERSION < preamble.format_version => {
            FormatError::Newer { found: preamble.format_version }
        }
        None => error,
    })
}

/// Reads a whole JSON file from its beginning.
fn json_of<T: DeserializeOwned>(
    from: &mut (impl Read + Seek),
    limits: Limits,
) -> Result<T, FormatError> {
    json_with(from, limits, PhantomData::<T>)
}

/// Reads a whole JSON file from its beginning, as `seed` does.
fn json_with<'de, S: DeserializeSeed<'de>>(
    from: &mut (impl Read + Seek),
    limits: Limits,
    seed: S,
) -> Result<S::Value, FormatError> {
    from.rewind()?;
    let mut json = Json::new(from, None, limits);
    let value = seed.deserialize(&mut json).and_then(|value| json.finish().map(|()| value));
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

/// Returns the line and column of a byte offset in a file.
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

/// The program whose JSON format a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A run of this program.
    Run,
    /// A quick check of this program.
    Check,
    /// A capture of CapFrameX.
    CapFrameX,
    /// A result of cyclictest.
    Cyclictest,
    /// A result of jitterdebugger.
    Jitterdebugger,
    /// Any other JSON.
    Unknown,
}

/// Returns the program whose JSON format a file has, which the top-level keys of the file identify. Reads up to the first
/// key that decides, without storing a value.
pub fn family(from: &mut (impl Read + Seek)) -> Result<Family, FormatError> {
    /// Stores what the keys decide.
    struct Keys<'a>(&'a Cell<Option<Family>>);

    impl<'de> Visitor<'de> for Keys<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
            while let Some(key) = map.next_key::<String>()? {
                self.0.set(match key.as_str() {
                    "format" => match map.next_value::<Option<Value>>()? {
                        Some(format) if format == exported::CHECK_FORMAT => Some(Family::Check),
                        format => format.map(|_| Family::Run),
                    },
                    "Runs" => Some(Family::CapFrameX),
                    "thread" => Some(Family::Cyclictest),
                    "cpu" => Some(Family::Jitterdebugger),
                    _ => {
                        map.next_value::<IgnoredAny>()?;
                        None
                    }
                });
                if self.0.get().is_some() {
                    return Err(M::Error::custom("the rest decides nothing"));
                }
            }
            Ok(())
        }
    }

    impl<'de> DeserializeSeed<'de> for Keys<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_map(self)
        }
    }

    let found = Cell::new(None);
    let read = json_with(from, Limits::RUN, Keys(&found));
    match found.get() {
        Some(family) => Ok(family),
        None => read.map(|()| Family::Unknown),
    }
}

/// Returns a text as a JSON string with quotes.
pub fn quoted(text: &str) -> String {
    safe_json(&serde_json::to_string(text).unwrap_or_default())
}

/// Returns machine and clock as JSON in the format of the run file.
pub fn machine_json(machine: &Machine, clock: &ClockFacts) -> String {
    #[derive(Serialize)]
    struct Facts<'a> {
        format: &'static str,
        format_version: u32,
        app_version: &'static str,
        machine: &'a Machine,
        clock: &'a ClockFacts,
    }
    let facts = Facts {
        format: "jitterscope-machine",
        format_version: 1,
        app_version: env!("CARGO_PKG_VERSION"),
        machine,
        clock,
    };
    safe_json(&serde_json::to_string_pretty(&facts).unwrap_or_default())
}

/// Writes a record as a line of JSON.
pub(crate) fn write_line(record: &impl Serialize, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *to, record)?;
    to.write_all(b"\n")
}

/// Reads a record from a line of JSON, ignoring unknown keys; `None` if the line is not such a record.
pub(crate) fn read_line<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests;
