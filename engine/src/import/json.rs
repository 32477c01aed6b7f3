//! Imports JSON: the keys of the outermost object identify the program that wrote the file.

use std::io::{Cursor, Read, Seek};

use super::imported::{Content, ImportError, Imported, Source};
use super::{capframex, cyclictest};
use crate::format::exported::CHECK_FORMAT;
use crate::format::{self, FORMAT, Family, FormatError};
use crate::report::Caution;

pub(super) const UNKNOWN: &str = "a JSON file of an unknown program; runs, and those of CapFrameX, cyclictest, oslat, and \
    jitterdebugger are read";

/// Returns the format of this program with which a file begins; `None` for another file.
pub(super) fn own_format(head: &[u8]) -> Option<Family> {
    let begins = |format: &str| head.starts_with(format!("{{\"format\":\"{format}\",").as_bytes());
    let formats = [(FORMAT, Family::Run), (CHECK_FORMAT, Family::Check)];
    formats.into_iter().find(|(format, _)| begins(format)).map(|(_, family)| family)
}

/// Returns the program whose JSON format a file has; `None` for another file. Reads it no further than necessary.
pub(super) fn find_family(from: &mut (impl Read + Seek)) -> Option<Family> {
    format::family(from).ok()
}

/// Imports a file of this program, a capture of CapFrameX, or a result of cyclictest.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let mut from = Cursor::new(text);
    let family = format::family(&mut from).map_err(|error| match error {
        FormatError::Damaged { line, .. } => {
            ImportError::Damaged { what: "a JSON file".to_owned(), line, limit: String::new() }
        }
        error => ImportError::Format(error),
    })?;
    match family {
        family @ (Family::Run | Family::Check) => Ok(own(family, &mut from, Source::Json)?),
        Family::CapFrameX => capframex::read(&mut from),
        Family::Cyclictest => cyclictest::read_json(&mut from, Source::Cyclictest),
        Family::Jitterdebugger => cyclictest::read_json(&mut from, Source::Jitterdebugger),
        Family::Unknown => Err(ImportError::Known(UNKNOWN)),
    }
}

/// Reads a run or a quick check of this program piece by piece.
pub(super) fn own(
    family: Family,
    from: &mut (impl Read + Seek),
    source: Source,
) -> Result<Imported, FormatError> {
    let content = match family {
        Family::Check => Content::Check(format::read_check(from)?),
        _ => Content::Run(Box::new(format::read_from(from)?)),
    };
    let mut imported = Imported::new(source, content);
    let runs = imported.own_runs();
    let name = runs.first().map(|run| run.name.clone()).unwrap_or_default();
    let started_at = runs.iter().map(|run| run.started_at).min();
    let is_edited = imported.is_edited();
    (imported.name, imported.started_at) = (name, started_at);
    imported.notes.extend(is_edited.then(|| Caution::EditedAfterExport.to_string()));
    Ok(imported)
}
