//! Imports an HTML report of this program, which contains the run in a `script` element.

use std::io::Cursor;

use super::imported::{ImportError, Imported, Source};
use super::json;
use crate::format::Family;
use crate::format::checksum::{Checked, verify};

/// The beginning of the element that contains the run.
const BEGINS: &[u8] = b"<script type=\"application/json\" id=\"jitterscope-run\">";
/// The end of the element that contains the run; the text of a run never contains these characters.
const ENDS: &[u8] = b"</script>";

const XML: &str = "an XML file; export it as text or CSV from the program that wrote it";

/// The note if only the page around the data was changed.
const PAGE_EDITED: &str = "The page was edited after export; the measured values in it were not.";

/// Imports the run or the quick check inside an HTML report.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let begins = position(text, BEGINS).ok_or(match text.trim_ascii_start() {
        text if text.starts_with(b"<?xml") => ImportError::Known(XML),
        _ => ImportError::NoRun,
    })? + BEGINS.len();
    let rest = text.get(begins..).unwrap_or_default();
    // In a truncated page, the end is missing; the run is then reported as damaged.
    let ends = position(rest, ENDS).unwrap_or(rest.len());
    let data = rest.get(..ends).unwrap_or_default().trim_ascii();
    let family = json::own_format(data).unwrap_or(Family::Run);
    let mut imported = json::own(family, &mut Cursor::new(data), Source::Html)?;
    if verify(text) == Checked::Edited && !imported.is_edited() {
        imported.notes.push(PAGE_EDITED.to_owned());
    }
    Ok(imported)
}

/// Returns the position in `text` at which `wanted` first occurs.
fn position(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(at) = text.get(from..)?.iter().position(|&byte| byte == first) {
        if text.get(from + at..)?.starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}
