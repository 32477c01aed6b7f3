//! A journal line: one event of a run. All lines of a journal together make the run.
//!
//! serde writes the kind of an event as the key of an object, `{"demoted":{"trial":2}}`. A journal line has the kind as
//! a field, `{"entry":"demoted","trial":2}`; the reader accepts this field at any position.

use std::io::{self, Cursor, Read as _, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{FormatError, Json, Limits, contradiction, json_of, quoted};
use crate::measure::Event;
use crate::run::{Ending, Health, Run};

/// The kind of the first line, which contains the run without its samples.
const BEGUN: &str = "begun";
/// The kind of the last line: the run has ended and is complete.
const FINISHED: &str = "finished";

/// The first and the last entry of a journal.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum End<'a> {
    Begun { run: &'a Run },
    Finished { ending: &'a Ending, health: &'a Health },
}

/// Maximum length of a line in bytes; a longer line is treated as damaged.
pub(crate) const MAX_LINE_BYTES: u64 = 16 << 20;
/// Maximum number of samples per line: a line with this number of samples is well below [`MAX_LINE_BYTES`].
const MAX_LINE_SAMPLES: usize = 1 << 16;

/// Maximum number of records of a recording's details per line, unless a single detail has more.
const MAX_LINE_RECORDS: usize = 1 << 17;

/// Writes an event as one journal line, or as several if it has more than [`MAX_LINE_SAMPLES`] samples, or more than
/// [`MAX_LINE_RECORDS`] records.
pub(crate) fn write_lines(event: &Event, to: &mut dyn Write) -> io::Result<()> {
    let mut line = |event: &Event| {
        write_entry(event, to)?;
        to.write_all(b"\n")
    };
    match event {
        Event::Samples { trial, samples, evidence, lost_count }
            if MAX_LINE_SAMPLES < samples.len() =>
        {
            let mut evidence = evidence.clone();
            for samples in samples.chunks(MAX_LINE_SAMPLES) {
                line(&Event::Samples {
                    trial: *trial,
                    samples: samples.to_vec(),
                    evidence: std::mem::take(&mut evidence),
                    lost_count: *lost_count,
                })?;
            }
            Ok(())
        }
        Event::Recorded { more, without } if 1 < more.details.len() => {
            let mut first = (**more).clone();
            let mut details = std::mem::take(&mut first.details).into_iter().peekable();
            let mut next = first;
            let mut without = without.clone();
            while let Some(detail) = details.next() {
                let mut count = detail.trace.len();
                next.details.push(detail);
                while let Some(detail) =
                    details.next_if(|detail| count + detail.trace.len() <= MAX_LINE_RECORDS)
                {
                    count += detail.trace.len();
                    next.details.push(detail);
                }
                let rest = next.without_lists();
                let more = Box::new(std::mem::replace(&mut next, rest));
                line(&Event::Recorded { more, without: std::mem::take(&mut without) })?;
            }
            Ok(())
        }
        event => line(event),
    }
}

/// Writes an event as a journal line, without the line end.
fn write_entry(event: &Event, to: &mut dyn Write) -> io::Result<()> {
    let text = match event {
        Event::Planned(run) => serde_json::to_string(&End::Begun { run }),
        Event::Finished(run) => {
            serde_json::to_string(&End::Finished { ending: &run.ending, health: &run.health })
        }
        event => serde_json::to_string(event),
    }?;
    let parts = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let (kind, fields) = parts.and_then(|text| text.split_once(":{")).unwrap_or_default();
    write!(to, "{{\"entry\":{kind},{fields}")
}

/// A line of a journal.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// The first line: the run without its samples.
    Begun(Box<Run>),
    /// A line between the first and the last line: an event of the run.
    Event(Box<Event>),
    /// The last line: the run is complete.
    Finished {
        /// How the run ended.
        ending: Ending,
        /// Facts about the reliability of the run.
        health: Box<Health>,
    },
}

/// Parses a journal line.
pub(crate) fn parse_entry(line: &[u8]) -> Result<Entry, FormatError> {
    #[derive(Deserialize)]
    struct Kind {
        entry: String,
    }
    #[derive(Deserialize)]
    struct Begun {
        run: Run,
    }
    #[derive(Deserialize)]
    struct Finished {
        ending: Ending,
        health: Box<Health>,
    }
    let Kind { entry } = fields(line)?;
    match entry.as_str() {
        BEGUN => Ok(Entry::Begun(Box::new(fields::<Begun>(line)?.run))),
        FINISHED => {
            let Finished { ending, health } = fields(line)?;
            Ok(Entry::Finished { ending, health })
        }
        kind => Ok(Entry::Event(Box::new(of_kind(kind, line)?))),
    }
}

/// Reads a journal line and applies it to `run`; the first line creates the run.
pub(crate) fn read_entry(line: &[u8], run: &mut Option<Run>) -> Result<(), FormatError> {
    let entry = parse_entry(line)?;
    let Some(run) = run else {
        let Entry::Begun(begun) = entry else {
            return Err(contradiction("a journal without a beginning"));
        };
        *run = Some(*begun);
        return Ok(());
    };
    match entry {
        Entry::Begun(_) => return Err(contradiction("a journal with two beginnings")),
        Entry::Finished { ending, health } => (run.ending, run.health) = (ending, *health),
        Entry::Event(event) => {
            event.apply_to(run).map_err(|error| contradiction(error.to_string()))?;
        }
    }
    Ok(())
}

/// Reads the fields of a line, without its kind.
fn fields<T: DeserializeOwned>(line: &[u8]) -> Result<T, FormatError> {
    json_of(&mut Cursor::new(line), Limits::RUN)
}

/// Reads an event of the kind `kind` from the fields of a line. If serde had to find the kind itself, serde would store
/// the whole line in memory.
fn of_kind(kind: &str, line: &[u8]) -> Result<Event, FormatError> {
    let begin = format!("{{{}:", quoted(kind));
    let mut text = begin.as_bytes().chain(line).chain(&b"}"[..]);
    let mut json = Json::new(&mut text, Some(line.len()), Limits::RUN);
    let event = Event::deserialize(&mut json).and_then(|event| json.finish().map(|()| event));
    let before = u64::try_from(begin.len()).unwrap_or_default();
    let column = usize::try_from(json.offset().saturating_sub(before)).unwrap_or_default();
    event.map_err(|source| FormatError::Damaged { source, line: 1, column })
}

/// Returns the format version in the first line of a journal, if it has one; the rest of the line
/// is skipped.
pub(crate) fn journal_version(line: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        format_version: u32,
    }
    #[derive(Deserialize)]
    struct Line {
        run: Version,
    }
    super::read_line::<Line>(line).map(|line| line.run.format_version)
}
