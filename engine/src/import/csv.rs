//! Comma-separated values of other programs: finds the header, tells whose it is, and hands lines on.

use std::borrow::Cow;

use super::{ImportError, Imported, Options, mangohud, presentmon};

/// Columns that hold frame times in milliseconds, the best one first.
const FRAME_TIMES: [&str; 3] = ["msbetweenpresents", "frametime", "msbetweenappstart"];
/// The longest line that is read.
const MOST_LINE_BYTES: usize = 64 << 10;
/// Lines within which the header must stand.
const MOST_LINES_BEFORE: usize = 100;

/// Where the columns are.
pub(super) struct Header {
    columns: Vec<String>,
    /// The position of the column of frame times.
    pub(super) frame_time: usize,
}

impl Header {
    /// The position of a column, by its name in lower case.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// Lines with their numbers, from 1, without their ends; a line that is too long is empty.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
    text.split(|&byte| byte == b'\n').zip(1_u64..).map(|(line, number)| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (number, (line.len() <= MOST_LINE_BYTES).then_some(line))
    })
}

/// The cells of a line; a cell in quotes may hold commas.
pub(super) fn cells(line: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    cells_between(line, b',')
}

/// The cells of a line between separators; a cell in quotes may hold them.
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

fn header_of(line: &[u8]) -> Option<Header> {
    let columns: Vec<String> = cells(line).map(|cell| cell.trim().to_ascii_lowercase()).collect();
    let frame_time =
        FRAME_TIMES.iter().find_map(|name| columns.iter().position(|column| column == name))?;
    Some(Header { columns, frame_time })
}

fn find_header(text: &[u8]) -> Option<(u64, Header)> {
    lines(text).take(MOST_LINES_BEFORE).find_map(|(number, line)| Some((number, header_of(line?)?)))
}

/// Whether the beginning of a file holds a header that is known.
pub(super) fn has_header(head: &[u8]) -> bool {
    find_header(head).is_some()
}

/// Reads frame times.
pub(super) fn read(text: &[u8], options: &Options) -> Result<Imported, ImportError> {
    let (number, header) = find_header(text).ok_or(ImportError::Unknown)?;
    let skipped = usize::try_from(number).unwrap_or(usize::MAX);
    let before = lines(text).take(skipped.saturating_sub(1)).filter_map(|(_, line)| line);
    let rows = lines(text).skip(skipped).filter(|(_, line)| {
        // An empty line is nothing; a line that is too long is bad.
        line.is_none_or(|line| !line.trim_ascii().is_empty())
    });
    if header.position("application").is_some() {
        presentmon::read(&header, rows, options)
    } else {
        mangohud::read(&header, before, rows)
    }
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
    fn the_best_column_of_frame_times_is_taken_whatever_its_case() {
        let header = header_of(b"Application,FrameTime,MSBetweenPresents").unwrap();
        assert_eq!(header.frame_time, 2);
        assert!(header_of(b"a,b,c").is_none());
    }
}
