//! The beginning of a table from another program, and a guess which column contains the frame times.

use super::lines::{cells_between, filled, lines};
use super::text::name;

/// Maximum number of columns from which the user can select one.
const MAX_COLUMNS: usize = 100;
/// Number of lines that the user sees.
const LINES_SHOWN: usize = 5;
/// Maximum number of characters per cell that the user sees.
const LETTERS_SHOWN: usize = 40;
/// Separators of cells, the most likely one first.
const SEPARATORS: [u8; 3] = *b",;\t";

/// Unit of the frame times in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Secs,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
    /// Nanoseconds.
    Nanos,
    /// Frames per second, the inverse of the frame time.
    Fps,
}

impl TimeUnit {
    /// Every unit.
    pub const ALL: [Self; 5] = [Self::Millis, Self::Micros, Self::Nanos, Self::Secs, Self::Fps];

    /// Returns the displayed symbol of the unit.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Secs => "s",
            Self::Millis => "ms",
            Self::Micros => "µs",
            Self::Nanos => "ns",
            Self::Fps => "FPS",
        }
    }

    /// Returns the name of the unit on the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Micros => "us",
            Self::Fps => "fps",
            other => other.symbol(),
        }
    }

    /// Converts a value in this unit to milliseconds; NaN for a frame rate that is not above 0.
    pub(super) fn millis(self, value: f64) -> f64 {
        match self {
            Self::Secs => value * 1e3,
            Self::Millis => value,
            Self::Micros => value / 1e3,
            Self::Nanos => value / 1e6,
            Self::Fps if 0.0 < value => 1e3 / value,
            Self::Fps => f64::NAN,
        }
    }
}

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
    /// Whether the first line contains the column names.
    pub(super) has_names: bool,
}

impl Table {
    /// Reads the beginning of a file; `None` if it is not a table with a numeric column.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let is_text = |letter: char| !letter.is_control() || matches!(letter, '\t' | '\r' | '\n');
        let mut found = filled(lines(head)).filter_map(|(_, line)| line).take(LINES_SHOWN + 1);
        let first = found.next()?;
        let rest: Vec<&[u8]> = found.collect();
        for line in rest.iter().chain([&first]) {
            // Lines with control characters or bytes that are not UTF-8 do not belong to a table.
            let text = String::from_utf8_lossy(line);
            if !text.chars().all(is_text) || text.contains(char::REPLACEMENT_CHARACTER) {
                return None;
            }
        }
        let separator = SEPARATORS
            .into_iter()
            .rev()
            .max_by_key(|&separator| cells_between(first, separator).count())?;
        let cut = |line: &[u8]| -> Vec<String> {
            cells_between(line, separator).take(MAX_COLUMNS).map(|cell| shown(&cell)).collect()
        };
        let names = cut(first);
        let has_names = names.iter().all(|name| number(name, separator).is_none());
        let columns = if has_names {
            names.clone()
        } else {
            (1..=names.len()).map(|number| format!("Column {number}")).collect()
        };
        let mut rows: Vec<Vec<String>> = rest.into_iter().map(cut).collect();
        if !has_names {
            rows.insert(0, names);
            rows.truncate(LINES_SHOWN);
        }
        let table = Self { columns, rows, separator, has_names };
        (0..table.columns.len()).any(|column| table.is_number(column)).then_some(table)
    }

    /// Whether most of the shown cells of a column are numbers.
    pub fn is_number(&self, column: usize) -> bool {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let numbers = cells.filter(|cell| number(cell, self.separator).is_some()).count();
        self.rows.len() < numbers * 2
    }

    /// Whether the shown cells of a column count the lines: each number is one more than the number before.
    fn is_counter(&self, column: usize) -> bool {
        let number = |row: &Vec<String>| number(row.get(column)?, self.separator);
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
        let name = shown(wanted);
        let by_name = || self.columns.iter().position(|column| column.eq_ignore_ascii_case(&name));
        let by_number = || wanted.parse().ok().and_then(|number: usize| number.checked_sub(1));
        by_name().or_else(by_number).filter(|&place| place < self.columns.len())
    }

    /// Parses a cell and converts it to milliseconds; `None` if it is not a number.
    pub(super) fn millis(&self, cell: &str, unit: TimeUnit) -> Option<f64> {
        number(cell, self.separator).map(|value| unit.millis(value))
    }
}

/// Returns a cell as the user sees it.
fn shown(cell: &str) -> String {
    name(cell).chars().take(LETTERS_SHOWN).collect()
}

/// Parses a cell as a number; if the separator is not a comma, a comma may be the decimal separator.
fn number(cell: &str, separator: u8) -> Option<f64> {
    let value: Option<f64> = match separator {
        b',' => cell.trim().parse().ok(),
        _ => cell.trim().replacen(',', ".", 1).parse().ok(),
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
