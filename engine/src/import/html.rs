//! A report as one page: the run is in a separate element.

use super::imported::{ImportError, Imported, Source};
use super::json;

/// How the element begins.
const BEGINS: &[u8] = b"<script type=\"application/json\" id=\"jitterscope-run\">";
/// How it ends; the run does not contain these letters.
const ENDS: &[u8] = b"</script>";

/// Reads the run inside a page.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let begins = position(text, BEGINS).ok_or(ImportError::NoRun)? + BEGINS.len();
    let rest = text.get(begins..).unwrap_or_default();
    // A truncated page has no end; its run is reported as damaged.
    let ends = position(rest, ENDS).unwrap_or(rest.len());
    json::own(rest.get(..ends).unwrap_or_default().trim_ascii(), Source::Html)
}

/// Position of some bytes.
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
