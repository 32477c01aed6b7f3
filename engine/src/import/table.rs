//! The beginning of a table from another program, and a guess which column contains the frame times.

use super::known::{self, Quantity};
use super::lines::{cells_between, filled, lines};
use super::source::Source;
use super::text::name;
use super::time_unit::TimeUnit;

/// Number of lines at the beginning of a file in which the header is searched.
const MAX_LINES_BEFORE: usize = 100;
/// Number of lines that the user sees.
const LINES_SHOWN: usize = 5;
/// Maximum number of characters per cell that the user sees.
const LETTERS_SHOWN: usize = 40;
/// Separators of cells, the most likely one first.
const SEPARATORS: [u8; 3] = *b",;\t";

/// The column of frame times in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name of the column in upper or lower case, or the number of the column, counted from 1.
    pub name: String,
    /// The unit of the column; guessed from the name of the column if absent.
    pub unit: Option<TimeUnit>,
}

/// The beginning of a file with columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns; "Column 1" and so on if the file has none.
    pub columns: Vec<String>,
    /// The cells of the first lines.
    pub rows: Vec<Vec<String>>,
    /// The byte that separates the cells of a line.
    pub(super) separator: u8,
    /// The number of lines up to the header, including it; the lines before the first row if the table has no header.
    pub(super) header_line: u64,
    /// The header without blanks around it; empty if the table has none.
    header: Vec<u8>,
    /// The complete names of the columns in lower case; empty if the table has no header.
    pub(super) names: Vec<String>,
}

impl Table {
    /// Maximum number of cells per line that the user sees: HWiNFO writes up to 440 columns.
    pub const MAX_COLUMNS: usize = 1_000;

    /// Finds the table in the beginning of a file: the header with a known column wherever it is, else the first
    /// line that is not empty. `None` if this is not a table with a numeric column.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let known = lines(head).take(MAX_LINES_BEFORE).find_map(|(number, line)| {
            let line = line?.trim_ascii();
            let separators = SEPARATORS.into_iter().filter(|separator| line.contains(separator));
            let separator =
                separators.chain([b',']).find(|&separator| is_known(line, separator))?;
            Some((number, line, separator))
        });
        let Some((number, header, separator)) = known else { return Self::of_unknown(head) };
        let rows = filled(lines(head).skip(usize::try_from(number).unwrap_or(usize::MAX)));
        let rows = rows.filter_map(|(_, line)| line).take(LINES_SHOWN);
        let rows = rows.map(|line| cut(line, separator)).collect();
        Some(Self::with_header(number, header, separator, rows))
    }

    /// Returns the program whose columns the first line has; [`Source::Columns`] if none is known.
    pub(super) fn program_of_header(head: &[u8]) -> Source {
        let first = filled(lines(head)).find_map(|(_, line)| line).unwrap_or_default();
        let source = |separator| {
            let table = Self::with_header(1, first, separator, Vec::new());
            known::program_of(&table.names).source
        };
        let mut sources = SEPARATORS.into_iter().map(source);
        sources.find(|source| *source != Source::Columns).unwrap_or(Source::Columns)
    }

    fn of_unknown(head: &[u8]) -> Option<Self> {
        let is_text = |letter: char| !letter.is_control() || matches!(letter, '\t' | '\r' | '\n');
        let found = filled(lines(head)).filter_map(|(number, line)| Some((number, line?)));
        let mut found = found.skip_while(|(_, line)| is_before_table(line)).take(LINES_SHOWN + 1);
        let (number, first) = found.next()?;
        let rest: Vec<&[u8]> = found.map(|(_, line)| line).collect();
        for line in rest.iter().chain([&first]) {
            // Lines with control characters or bytes that are not text do not belong to a table.
            let text = String::from_utf8_lossy(line);
            if !text.chars().all(is_text) || text.contains(char::REPLACEMENT_CHARACTER) {
                return None;
            }
        }
        let separator = SEPARATORS
            .into_iter()
            .rev()
            .max_by_key(|&separator| cells_between(first, separator).count())?;
        let mut rows: Vec<Vec<String>> =
            rest.into_iter().map(|line| cut(line, separator)).collect();
        let names = cut(first, separator);
        let table = if names.iter().all(|name| number_of(name, separator).is_none()) {
            Self::with_header(number, first.trim_ascii(), separator, rows)
        } else {
            let columns = (1..=names.len()).map(|number| format!("Column {number}")).collect();
            rows.insert(0, names);
            rows.truncate(LINES_SHOWN);
            let header_line = number - 1;
            Self { columns, rows, separator, header_line, header: Vec::new(), names: Vec::new() }
        };
        (0..table.columns.len()).any(|column| table.is_number(column)).then_some(table)
    }

    fn with_header(header_line: u64, header: &[u8], separator: u8, rows: Vec<Vec<String>>) -> Self {
        let mut names: Vec<String> = cells_between(header, separator)
            .map(|cell| cell.trim().trim_start_matches('\u{feff}').to_owned())
            .collect();
        // A separator at the end of the header is no column.
        while names.last().is_some_and(String::is_empty) {
            names.pop();
        }
        let columns = names.iter().map(|name| shown(name)).collect();
        let names = names.iter().map(|name| name.to_lowercase()).collect();
        Self { columns, rows, separator, header_line, header: header.to_vec(), names }
    }

    /// Returns the position of a column; `name` is in lower case.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// Returns the position of the first column that holds this quantity.
    pub(super) fn place_of(&self, quantity: Quantity) -> Option<usize> {
        self.names.iter().position(|name| known::quantity(name) == Some(quantity))
    }

    /// Whether a column has the times of ticks of a server.
    pub(super) fn has_ticks(&self, place: usize) -> bool {
        self.names.get(place).is_some_and(|name| known::TICKS.contains(&name.as_str()))
    }

    /// Returns the position of the known column of frame times, or else of frame rates; `None` if there is none.
    pub(super) fn frame_column(&self) -> Option<usize> {
        let ranks = self
            .names
            .iter()
            .enumerate()
            .filter_map(|(place, name)| Some((frame_rank(name)?, place)));
        ranks.min().map(|(_, place)| place)
    }

    /// Whether a line repeats the header, as in files that were joined.
    pub(super) fn is_repeated_by(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        !self.header.is_empty() && line.eq_ignore_ascii_case(&self.header)
    }

    /// Returns the lines before the header.
    pub(super) fn lines_before<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let count = usize::try_from(self.header_line).unwrap_or(usize::MAX).saturating_sub(1);
        lines(text).take(count).filter_map(|(_, line)| line)
    }

    /// Returns the rows with their line numbers, without empty rows. A row that is too long is returned as `None`.
    pub(super) fn rows<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = (u64, Option<&'a [u8]>)> {
        filled(lines(text).skip(usize::try_from(self.header_line).unwrap_or(usize::MAX)))
    }

    /// Whether most of the shown cells of a column are numbers.
    pub fn is_number(&self, column: usize) -> bool {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let numbers = cells.filter(|cell| number_of(cell, self.separator).is_some()).count();
        self.rows.len() < numbers * 2
    }

    /// Whether the shown cells of a column count the lines: each number is one more than the number before.
    fn is_counter(&self, column: usize) -> bool {
        let number = |row: &Vec<String>| number_of(row.get(column)?, self.separator);
        let counts = |pair: &[Vec<String>]| match pair {
            [before, after] => {
                number(before).zip(number(after)).is_some_and(|(a, b)| (b - a - 1.0).abs() < 1e-9)
            }
            _ => false,
        };
        1 < self.rows.len() && self.rows.windows(2).all(counts)
    }

    /// Returns the position of the column that most likely contains the frame times, and its unit.
    pub fn guess(&self) -> (usize, TimeUnit) {
        let numbers = (0..self.columns.len()).filter(|&column| self.is_number(column));
        let detect_kind = |&column: &usize| {
            let name = self.columns.get(column).map(|name| name.to_lowercase()).unwrap_or_default();
            let words = ["frametime", "frame time", "frame_time", "ms", "delta", "fps", "time"];
            let place = words.iter().position(|word| name.contains(word));
            (!self.is_counter(column), place.map_or(0, |place| words.len() - place))
        };
        // Of equally likely columns, use the first.
        let column = numbers.rev().max_by_key(detect_kind).unwrap_or_default();
        (column, self.unit_of(column))
    }

    /// Returns the unit of a column by the name of the column; milliseconds if the name contains no unit.
    pub fn unit_of(&self, column: usize) -> TimeUnit {
        let name = self.columns.get(column).map(|name| name.to_lowercase()).unwrap_or_default();
        let mut words = name.split(|letter: char| !letter.is_alphanumeric() && letter != 'µ');
        let is = |wanted: &[&str]| {
            words.clone().any(|word| wanted.contains(&word))
                || wanted.iter().any(|unit| 1 < unit.len() && name.ends_with(unit))
        };
        if is(&["ns", "nanos", "nanoseconds"]) {
            TimeUnit::Nanos
        } else if is(&["us", "µs", "micros", "microseconds"]) {
            TimeUnit::Micros
        } else if is(&["fps"]) {
            TimeUnit::Fps
        } else if words.any(|word| matches!(word, "s" | "sec" | "secs" | "seconds")) {
            TimeUnit::Secs
        } else {
            TimeUnit::Millis
        }
    }

    /// Returns the position of a column by its name or its number, counted from 1; `None` if it does not exist.
    pub(super) fn position(&self, wanted: &str) -> Option<usize> {
        let full = wanted.trim().to_lowercase();
        let name = shown(wanted);
        let by_name = || self.columns.iter().position(|column| column.eq_ignore_ascii_case(&name));
        let by_number =
            || wanted.trim().parse().ok().and_then(|number: usize| number.checked_sub(1));
        let place = self.place(&full).or_else(by_name).or_else(by_number);
        place.filter(|&place| place < self.columns.len())
    }
}

/// Returns the rank of a column of frame times or frame rates, the lowest one first; `None` for other columns.
fn frame_rank(name: &str) -> Option<u8> {
    match known::quantity(name)? {
        Quantity::FrameTime(rank) => Some(rank),
        Quantity::Rate => Some(u8::MAX),
        _ => None,
    }
}

/// Whether a line names a known column of frame times or frame rates.
fn is_known(line: &[u8], separator: u8) -> bool {
    cells_between(line, separator)
        .any(|cell| frame_rank(&cell.trim_start_matches('\u{feff}').to_lowercase()).is_some())
}

/// Whether a line before a table is none of its lines: a prompt, a comment, or what spreadsheets and shells add.
fn is_before_table(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    [&b"#"[..], b"$ ", b"> ", b"sep=", b"PS "].iter().any(|start| line.starts_with(start))
}

fn cut(line: &[u8], separator: u8) -> Vec<String> {
    cells_between(line, separator).take(Table::MAX_COLUMNS).map(|cell| shown(&cell)).collect()
}

/// Returns a cell as the user sees it.
fn shown(cell: &str) -> String {
    name(cell).chars().take(LETTERS_SHOWN).collect()
}

/// Parses a cell as a number. If the separator is not a comma, or the cell is quoted, a comma may be the decimal mark;
/// with both marks in a number, the last one is the decimal mark.
pub(super) fn number_of(cell: &str, separator: u8) -> Option<f64> {
    let cell = cell.trim();
    let value: Option<f64> = match cell.rfind(',') {
        None => cell.parse().ok(),
        Some(comma) => {
            let after = cell.len() - comma - 1;
            match cell.rfind('.') {
                Some(point) if comma < point => cell.replace(',', "").parse().ok(),
                Some(_) => cell.replace('.', "").replacen(',', ".", 1).parse().ok(),
                // Between commas, "1,234" in quotes may be one or a thousand.
                None if separator == b',' && after == 3 && !cell.starts_with("0,") => None,
                None => cell.replacen(',', ".", 1).parse().ok(),
            }
        }
    };
    value.filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_column_is_guessed() {
        for (text, guess) in [
            ("time,frametime_ms\n1,16\n2,16\n", (1, TimeUnit::Millis)),
            ("name,fps\na,60\nb,60\n", (1, TimeUnit::Fps)),
            ("a,b\n1,2\n3,4\n", (0, TimeUnit::Millis)),
            ("frame,cost us\n1,16000\n2,16700\n", (1, TimeUnit::Micros)),
            ("time_ns\n1\n", (0, TimeUnit::Nanos)),
        ] {
            assert_eq!(Table::of(text.as_bytes()).unwrap().guess(), guess, "{text}");
        }
    }

    #[test]
    fn text_without_a_column_of_numbers_is_no_table() {
        for text in ["", "a,b,c\n", "only words\nand more\n", "x\u{1}y\n1\n", "a,b\nc,d\n"] {
            assert_eq!(Table::of(text.as_bytes()), None, "{text:?}");
        }
    }
}
