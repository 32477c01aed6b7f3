//! A report as one page: the run stands in an element of its own.

use super::imported::{ImportError, Imported, Source};
use super::json;

/// How the element begins.
const BEGINS: &[u8] = b"<script type=\"application/json\" id=\"jitterscope-run\">";
/// How it ends; the run has no such letters in it.
const ENDS: &[u8] = b"</script>";

/// Reads the run inside a page.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let begins = position(text, BEGINS).ok_or(ImportError::NoRun)? + BEGINS.len();
    let rest = text.get(begins..).unwrap_or_default();
    // A page that was cut off has no end; its run is told as damaged.
    let ends = position(rest, ENDS).unwrap_or(rest.len());
    json::own(rest.get(..ends).unwrap_or_default().trim_ascii(), Source::Html)
}

/// Where some bytes begin.
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
