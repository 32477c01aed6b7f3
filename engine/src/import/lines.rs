//! Lines and cells of tables, and the header that names their columns.

use std::borrow::Cow;

/// Names of the columns of frame times in milliseconds, in lower case, the preferred one first.
const FRAME_TIMES: [&str; 3] = ["msbetweenpresents", "frametime", "msbetweenappstart"];
/// Maximum length of a line.
const MAX_LINE_BYTES: usize = 64 << 10;
/// Number of lines at the beginning of a file in which the header is searched.
const MAX_LINES_BEFORE: usize = 100;

/// The header of a table: the line of column names.
pub(super) struct Header {
    /// The line number of the header.
    pub(super) line: u64,
    columns: Vec<String>,
    /// The position of the column of frame times.
    pub(super) frame_time: usize,
}

impl Header {
    /// Finds the header among the first lines of a text; `None` if no line has a known column of
    /// frame times.
    pub(super) fn find(text: &[u8]) -> Option<Self> {
        lines(text).take(MAX_LINES_BEFORE).find_map(|(number, line)| Self::of(number, line?))
    }

    fn of(number: u64, line: &[u8]) -> Option<Self> {
        let columns: Vec<String> =
            cells(line).map(|cell| cell.trim().to_ascii_lowercase()).collect();
        let frame_time =
            FRAME_TIMES.iter().find_map(|name| columns.iter().position(|column| column == name))?;
        Some(Self { line: number, columns, frame_time })
    }

    /// Returns the column names in lower case.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(String::as_str)
    }

    /// Returns the position of a column; `name` is in lower case.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// Whether a line repeats this header, as in files that were joined.
    pub(super) fn is_repeated_by(&self, line: &[u8]) -> bool {
        let mut cells = cells(line);
        self.columns
            .iter()
            .all(|column| cells.next().is_some_and(|cell| cell.trim().eq_ignore_ascii_case(column)))
    }

    /// Returns the lines before the header.
    pub(super) fn lines_before<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let count = usize::try_from(self.line).unwrap_or(usize::MAX).saturating_sub(1);
        lines(text).take(count).filter_map(|(_, line)| line)
    }

    /// Returns the rows after the header with their line numbers, without empty rows. A row that is
    /// too long is returned as `None`.
    pub(super) fn rows<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = (u64, Option<&'a [u8]>)> {
        filled(lines(text).skip(usize::try_from(self.line).unwrap_or(usize::MAX)))
    }
}

/// Removes empty lines; lines that are too long remain.
pub(super) fn filled<'a>(
    lines: impl Iterator<Item = (u64, Option<&'a [u8]>)>,
) -> impl Iterator<Item = (u64, Option<&'a [u8]>)> {
    lines.filter(|(_, line)| line.is_none_or(|line| !line.trim_ascii().is_empty()))
}

/// Returns the lines of a text without line ends, with their numbers, counted from 1. A line that
/// is too long is returned as `None`.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
    text.split(|&byte| byte == b'\n').zip(1_u64..).map(|(line, number)| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (number, (line.len() <= MAX_LINE_BYTES).then_some(line))
    })
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

    #[test]
    fn header_takes_the_best_column_of_frame_times_in_any_case() {
        let line = b"Application,FrameTime,MSBetweenPresents";
        let header = Header::of(1, line).unwrap();
        assert_eq!(header.frame_time, 2);
        assert!(header.is_repeated_by(line) && !header.is_repeated_by(b"Application,1,2"));
        assert!(Header::of(1, b"a,b,c").is_none());
    }
}
