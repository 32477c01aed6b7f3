//! Imports an HTML report of this program, which contains the run in a `script` element.

use super::imported::{ImportError, Imported, Source};
use super::json;

/// The beginning of the element that contains the run.
const BEGINS: &[u8] = b"<script type=\"application/json\" id=\"jitterscope-run\">";
/// The end of the element that contains the run; the text of a run never contains these characters.
const ENDS: &[u8] = b"</script>";

/// Imports the run inside an HTML report.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let begins = position(text, BEGINS).ok_or(ImportError::NoRun)? + BEGINS.len();
    let rest = text.get(begins..).unwrap_or_default();
    // In a truncated page, the end is missing; the run is then reported as damaged.
    let ends = position(rest, ENDS).unwrap_or(rest.len());
    json::own(rest.get(..ends).unwrap_or_default().trim_ascii(), Source::Html)
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
