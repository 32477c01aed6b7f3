//! Values in columns that no known program wrote: a person says which column is the frame time.

use super::csv::{cells_between, lines};
use super::text::{frame_time, name};
use super::{BadLines, Content, FrameTimes, ImportError, Imported, Source};
use crate::nanos::Nanos;

/// Columns that are offered.
const MOST_COLUMNS: usize = 100;
/// Lines that are shown.
const LINES_SHOWN: usize = 5;
/// Letters of a cell that are shown.
const LETTERS_SHOWN: usize = 40;
/// Between cells, the likeliest first.
const SEPARATORS: [u8; 3] = *b",;\t";

/// What a column counts in.
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
    /// Frames a second, of which a frame time is one over.
    Fps,
}

impl TimeUnit {
    /// Every unit.
    pub const ALL: [Self; 5] = [Self::Millis, Self::Micros, Self::Nanos, Self::Secs, Self::Fps];

    /// The symbol on screen.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Secs => "s",
            Self::Millis => "ms",
            Self::Micros => "µs",
            Self::Nanos => "ns",
            Self::Fps => "FPS",
        }
    }

    /// The word of the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Micros => "us",
            Self::Fps => "fps",
            other => other.symbol(),
        }
    }

    /// A value in milliseconds.
    fn millis(self, value: f64) -> f64 {
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

/// Which column of a file is the frame time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in any case, or its number from 1.
    pub name: String,
    /// What it counts in; guessed from the name where none is told.
    pub unit: Option<TimeUnit>,
}

/// The beginning of a file with columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns; "Column 1" and so on where the file tells none.
    pub columns: Vec<String>,
    /// The cells of the first lines.
    pub rows: Vec<Vec<String>>,
    separator: u8,
    has_names: bool,
}

impl Table {
    /// The beginning of a file; `None` where it is no table of which any column may be a number.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let is_text = |letter: char| !letter.is_control() || matches!(letter, '\t' | '\r' | '\n');
        let mut found = lines(head)
            .filter_map(|(_, line)| line)
            .filter(|line| !line.trim_ascii().is_empty())
            .take(LINES_SHOWN + 1);
        let first = found.next()?;
        let rest: Vec<&[u8]> = found.collect();
        for line in rest.iter().chain([&first]) {
            // What is cut off at the end of what was read may end within a letter.
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
            cells_between(line, separator)
                .take(MOST_COLUMNS)
                .map(|cell| name(&cell).chars().take(LETTERS_SHOWN).collect())
                .collect()
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

    /// Whether most of the cells shown of a column are numbers.
    pub fn is_number(&self, column: usize) -> bool {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let numbers = cells.filter(|cell| number(cell, self.separator).is_some()).count();
        self.rows.len() < numbers * 2
    }

    /// Whether the cells shown of a column count the lines.
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

    /// The column that is the frame time most likely, and its unit.
    pub fn guess(&self) -> (usize, TimeUnit) {
        let numbers = (0..self.columns.len()).filter(|&column| self.is_number(column));
        let likely = |&column: &usize| {
            let name = self.columns.get(column).map(|name| name.to_lowercase()).unwrap_or_default();
            let words = ["frametime", "frame time", "frame_time", "ms", "delta", "fps", "time"];
            let place = words.iter().position(|word| name.contains(word));
            (!self.is_counter(column), place.map_or(0, |place| words.len() - place))
        };
        // The first of those that are equally likely.
        let column = numbers.rev().max_by_key(likely).unwrap_or_default();
        (column, self.unit_of(column))
    }

    /// What a column counts in, by its name; milliseconds where the name does not tell.
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

    /// The position of a column.
    fn position(&self, wanted: &str) -> Result<usize, ImportError> {
        let by_name = || self.columns.iter().position(|name| name.eq_ignore_ascii_case(wanted));
        let by_number = || wanted.parse().ok().and_then(|number: usize| number.checked_sub(1));
        by_name().or_else(by_number).filter(|&place| place < self.columns.len()).ok_or_else(|| {
            ImportError::NoColumn { wanted: name(wanted), there: self.columns.clone() }
        })
    }
}

/// Reads the frame times of a column.
pub(super) fn read(text: &[u8], table: &Table, column: &Column) -> Result<Imported, ImportError> {
    let place = table.position(&column.name)?;
    let unit = column.unit.unwrap_or_else(|| table.unit_of(place));
    let (mut times, mut bad_lines) = (FrameTimes::default(), BadLines::default());
    let rows =
        lines(text).filter(|(_, line)| line.is_none_or(|line| !line.trim_ascii().is_empty()));
    for (number, line) in rows.skip(usize::from(table.has_names)) {
        let Some(line) = line else {
            bad_lines.add(number, "a line that is too long");
            continue;
        };
        match cells_between(line, table.separator).nth(place) {
            Some(cell) => match time(&cell, table.separator, unit) {
                Ok(time) => times.push(time),
                Err(reason) => bad_lines.add(number, reason),
            },
            None => bad_lines.add(number, "a line without this column"),
        }
    }
    if times.present().next().is_none() {
        return Err(ImportError::NoFrames { bad_count: bad_lines.count });
    }
    let shown = table.columns.get(place).map_or("", String::as_str);
    let notes =
        vec![format!("The column \"{shown}\" was read as frame times in {}.", unit.symbol())];
    Ok(Imported {
        bad_lines,
        notes,
        ..Imported::new(Source::Columns, Content::Frames(vec![times]))
    })
}

/// A frame time as a cell holds it.
fn time(cell: &str, separator: u8, unit: TimeUnit) -> Result<Option<Nanos>, &'static str> {
    let cell = cell.trim();
    if cell.is_empty() || cell.eq_ignore_ascii_case("na") || cell.eq_ignore_ascii_case("n/a") {
        return Ok(None);
    }
    match number(cell, separator) {
        Some(value) => frame_time(unit.millis(value)),
        None => Err("a frame time that is no number"),
    }
}

/// A cell as a number; between semicolons and tabs, a comma may stand for the dot.
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

    fn times(text: &str, name: &str, unit: Option<TimeUnit>) -> Vec<Option<i64>> {
        let table = Table::of(text.as_bytes()).unwrap();
        let column = Column { name: name.to_owned(), unit };
        let imported = read(text.as_bytes(), &table, &column).unwrap();
        imported.frame_times()[0].iter().map(|time| time.map(Nanos::get)).collect()
    }

    #[test]
    fn a_column_is_found_by_name_or_number_in_its_unit() {
        let text = "frame,cost us,note\n1,16667,a\n2,,b\n3,33333,c\n";
        let expected = vec![Some(16_667_000), None, Some(33_333_000)];
        assert_eq!(times(text, "Cost US", None), expected);
        assert_eq!(times(text, "2", Some(TimeUnit::Micros)), expected);
        let german = "Bild;Zeit ms\n1;16,5\n2;17\n";
        assert_eq!(times(german, "zeit ms", None), [Some(16_500_000), Some(17_000_000)]);
        assert_eq!(
            times("60\n50\n", "1", Some(TimeUnit::Fps)),
            [Some(16_666_667), Some(20_000_000)]
        );
        assert_eq!(times("t\tdt\n0\t0.5\n", "dt", Some(TimeUnit::Secs)), [Some(500_000_000)]);
    }

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
    fn what_is_no_table_of_numbers_is_none() {
        for text in ["", "a,b,c\n", "only words\nand more\n", "x\u{1}y\n1\n", "a,b\nc,d\n"] {
            assert_eq!(Table::of(text.as_bytes()), None, "{text:?}");
        }
        let table = Table::of(b"a,b\n1,2\n").unwrap();
        let column = Column { name: "c".to_owned(), unit: None };
        let error = read(b"a,b\n1,2\n", &table, &column).unwrap_err();
        assert_eq!(error.to_string(), "no column 'c' in it; there are: a, b");
    }

    #[test]
    fn bad_cells_are_counted() {
        let text = "dt\n16\nx\n-1\n1e300\n17\n";
        let table = Table::of(text.as_bytes()).unwrap();
        let column = Column { name: "dt".to_owned(), unit: None };
        let imported = read(text.as_bytes(), &table, &column).unwrap();
        let lines: Vec<u64> = imported.bad_lines.first.iter().map(|(line, _)| *line).collect();
        assert_eq!((imported.frame_times()[0].len(), lines), (2, vec![3, 4, 5]));
    }
}
