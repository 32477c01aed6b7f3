//! A line of a journal: one event of a run. The sum of all lines of a journal is the run.
//!
//! serde writes the kind of an event around its fields, `{"demoted":{"trial":2}}`; a line has it among them,
//! `{"entry":"demoted","trial":2}`, and may have it anywhere when it is read.

use std::io::{self, Cursor, Read as _, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{FormatError, Json, Limits, contradiction, json_of, quoted};
use crate::measure::Event;
use crate::run::{Ending, Health, Run};

/// The kind of the first line, which holds the run without its samples.
const BEGUN: &str = "begun";
/// The kind of the last line: the run is over, and everything else of it is in the lines before.
const FINISHED: &str = "finished";

/// What begins and what ends a journal.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum End<'a> {
    Begun { run: &'a Run },
    Finished { ending: &'a Ending, health: &'a Health },
}

/// Writes an event as a line of a journal, without the end of the line.
pub(crate) fn write_entry(event: &Event, to: &mut dyn Write) -> io::Result<()> {
    let text = match event {
        Event::Planned(run) => serde_json::to_string(&End::Begun { run }),
        Event::Finished(run) | Event::Failed { run, .. } => {
            serde_json::to_string(&End::Finished { ending: &run.ending, health: &run.health })
        }
        event => serde_json::to_string(event),
    }?;
    let parts = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let (kind, fields) = parts.and_then(|text| text.split_once(":{")).unwrap_or_default();
    write!(to, "{{\"entry\":{kind},{fields}")
}

/// Adds a line of a journal to its run.
pub(crate) fn read_entry(line: &[u8], run: &mut Option<Run>) -> Result<(), FormatError> {
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
        health: Health,
    }
    let Kind { entry } = fields(line)?;
    if entry == BEGUN {
        if run.is_some() {
            return Err(contradiction("a journal with two beginnings"));
        }
        *run = Some(fields::<Begun>(line)?.run);
        return Ok(());
    }
    let run = run.as_mut().ok_or_else(|| contradiction("a journal without a beginning"))?;
    if entry == FINISHED {
        Finished { ending: run.ending, health: run.health } = fields(line)?;
        return Ok(());
    }
    let event: Event = of_kind(&entry, line)?;
    event.apply_to(run).map_err(|error| contradiction(error.to_string()))
}

/// What is in a line, whatever its kind.
fn fields<T: DeserializeOwned>(line: &[u8]) -> Result<T, FormatError> {
    json_of(&mut Cursor::new(line), Limits::RUN)
}

/// An event of this kind, with the fields of a line. serde would hold a whole line in memory before it knew
/// its kind.
fn of_kind(kind: &str, line: &[u8]) -> Result<Event, FormatError> {
    let begin = format!("{{{}:", quoted(kind));
    let mut text = begin.as_bytes().chain(line).chain(&b"}"[..]);
    let mut json = Json::new(&mut text, Some(line.len()), Limits::RUN);
    let event = Event::deserialize(&mut json).and_then(|event| json.finish().map(|()| event));
    let before = u64::try_from(begin.len()).unwrap_or_default();
    let column = usize::try_from(json.offset().saturating_sub(before)).unwrap_or_default();
    event.map_err(|source| FormatError::Damaged { source, line: 1, column })
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
    super::read_line::<Line>(line).map(|line| line.run.format_version)
}
