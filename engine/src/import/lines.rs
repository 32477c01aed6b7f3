//! Lines and cells of tables.

use std::borrow::Cow;

/// Maximum length of a line.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Removes empty lines; lines that are too long remain.
pub(super) fn filled<'a>(
    lines: impl Iterator<Item = (u64, Option<&'a [u8]>)>,
) -> impl Iterator<Item = (u64, Option<&'a [u8]>)> {
    lines.filter(|(_, line)| line.is_none_or(|line| !line.trim_ascii().is_empty()))
}

/// Returns the lines of a text without line ends, with their numbers, counted from 1. A line that
/// is too long is returned as `None`.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
    lines_from(text, 1)
}

/// Returns the lines of a part of a text as [`lines`] does; `first` is the number of its first line.
pub(super) fn lines_from(text: &[u8], first: u64) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
    let mut rest = Some(text);
    let lines = std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr(b'\n', text);
        rest = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    });
    lines.zip(first..).map(|(line, number)| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (number, (line.len() <= MAX_LINE_BYTES).then_some(line))
    })
}

/// Returns what follows a number of lines.
pub(super) fn after_lines(text: &[u8], count: u64) -> &[u8] {
    let last = usize::try_from(count).unwrap_or(usize::MAX).checked_sub(1);
    let Some(last) = last else { return text };
    let end = memchr::memchr_iter(b'\n', text).nth(last);
    end.and_then(|end| text.get(end + 1..)).unwrap_or_default()
}

/// Returns the parts of a text: each ends with a line, and each but the last has at least `length` bytes.
pub(super) fn parts(text: &[u8], length: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let after = rest.get(length..).unwrap_or_default();
        let end = memchr::memchr(b'\n', after).map_or(rest.len(), |end| length + end + 1);
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(part).filter(|part| !part.is_empty())
    })
}

/// Returns the number of line ends.
pub(super) fn line_count(text: &[u8]) -> u64 {
    u64::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u64::MAX)
}

/// Returns the number of quotes.
pub(super) fn quote_count(line: &[u8]) -> usize {
    memchr::memchr_iter(b'"', line).count()
}

/// Returns the cells of a line; a quoted cell may contain commas.
pub(super) fn cells(line: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    cells_between(line, b',')
}

/// Returns the cells of a line with any separator; a quoted cell may contain separators.
pub(super) fn cells_between(line: &[u8], separator: u8) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let (mut quoted, mut end) = (false, line.len());
        for (at, &byte) in line.iter().enumerate() {
            match byte {
                b'"' => quoted = !quoted,
                _ if byte == separator && !quoted => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        rest = line.get(end + 1..);
        let cell = line.get(..end).unwrap_or_default().trim_ascii();
        let inner = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\""));
        Some(String::from_utf8_lossy(inner.unwrap_or(cell)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas_and_line_ends_do_not_matter() {
        let text = b"a, \"b,c\" ,d\r\n\r\n1,,";
        let found: Vec<Vec<_>> =
            lines(text).map(|(_, line)| cells(line.unwrap()).collect()).collect();
        assert_eq!(found, [vec!["a", "b,c", "d"], vec![""], vec!["1", "", ""]]);
    }
}
