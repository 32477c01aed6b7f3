//! The cells of a row, aligned with the header of its table. A row with more or fewer cells than the
//! header is repaired if only one reading is possible, else it is not read.
//!
//! Two kinds of rows have more cells than the header: a text has the separator in it without quotes
//! (`Fish, Chips.exe`), or numbers have a decimal comma in a file separated by commas (`60,16,650` for
//! the two columns `fps` and `frametime`). In the first, the cells are joined at the text that leaves a
//! number in every column of numbers. In the second, rate and frame time must agree: 60 FPS with
//! 16.650 ms, not 60.16 FPS with 650 ms.

use std::ops::Range;

use super::known::{self, Quantity};
use super::lines::quote_count;
use super::table::{Table, number_of};
use super::text::is_missing;
use crate::format::decimal::plain_decimal;
use crate::run::capture::FrameQuantity;

/// Rate × frame time in ms of a row is 1000; a row that is repaired must be this close to it.
const MAX_RATE_ERROR: f64 = 0.02;

/// Maximum number of columns of text that are tried in a row with too many cells: each takes the time of the row.
const MAX_TEXTS: usize = 8;

/// What a column accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowKind {
    Text,
    /// A number without a decimal mark, or an address.
    Whole,
    Number,
    Any,
}

/// How many cells a rate and a frame time with decimal commas have.
pub(super) type Widths = Option<(usize, usize)>;

/// The cells of the current row.
pub(super) struct Row {
    separator: u8,
    kinds: Vec<RowKind>,
    /// Number of leading columns that a row must have: the others are facts that only the first row has.
    min_cells: usize,
    is_growing: bool,
    frame_time: usize,
    rate: Option<usize>,
    /// The line: the block of the file that has it may be gone when the next one is read.
    line: Vec<u8>,
    /// Where in the line each cell is.
    cells: Vec<Range<usize>>,
    /// A frame time that was written with a decimal comma between commas: it spans two cells.
    repaired: Vec<(usize, String)>,
    /// What rows before the first one had in place of `single_widths`.
    pub(super) widths: Widths,
    /// How many cells rate and frame time had in the last row with a single reading.
    pub(super) single_widths: Widths,
    /// Whether a row could be read in several ways, while no other had a single reading: `widths` decided.
    pub(super) depends_on_widths: bool,
    /// Number of rows with more cells than the header that were repaired.
    pub(super) repaired_count: u64,
}

impl Row {
    pub(super) fn new(table: &Table, is_growing: bool, frame_time: usize) -> Self {
        let kind = |name: &String| match known::quantity(name) {
            Some(
                Quantity::Text
                | Quantity::Fact
                | Quantity::Process
                | Quantity::PerFrame(FrameQuantity::Origin),
            ) => RowKind::Text,
            Some(
                Quantity::ProcessId
                | Quantity::SwapChain
                | Quantity::PerFrame(FrameQuantity::Dropped),
            ) => RowKind::Whole,
            Some(Quantity::Clock) if name == "elapsed" => RowKind::Whole,
            Some(Quantity::TimeOfDay) | None => RowKind::Any,
            Some(_) => RowKind::Number,
        };
        let kinds: Vec<RowKind> = if table.names.is_empty() {
            vec![RowKind::Any; table.columns.len()]
        } else {
            table.names.iter().map(kind).collect()
        };
        let is_fact = |name: &&String| known::quantity(name) == Some(Quantity::Fact);
        let facts = table.names.iter().rev().take_while(is_fact).count();
        Self {
            separator: table.separator,
            min_cells: kinds.len() - facts,
            kinds,
            is_growing,
            frame_time,
            rate: table.place_of(Quantity::Rate).filter(|&rate| rate != frame_time),
            line: Vec::new(),
            cells: Vec::new(),
            repaired: Vec::new(),
            widths: None,
            single_widths: None,
            depends_on_widths: false,
            repaired_count: 0,
        }
    }

    /// Reads the cells of a line.
    pub(super) fn read(&mut self, line: &[u8]) -> Result<(), &'static str> {
        self.repaired.clear();
        self.line.clear();
        self.line.extend_from_slice(line);
        split(&self.line, self.separator, &mut self.cells);
        let wanted = self.kinds.len();
        while wanted < self.cells.len() && self.cells.last().is_some_and(Range::is_empty) {
            self.cells.pop();
        }
        let found = self.cells.len();
        if found == wanted || self.is_growing {
            return Ok(());
        }
        if found <= self.frame_time {
            return Err("a line without a frame time");
        }
        if found < wanted {
            let is_whole = self.min_cells <= found;
            return if is_whole { Ok(()) } else { Err("a line with fewer cells than the header") };
        }
        if self.join_text(found - wanted) || self.join_numbers() {
            self.repaired_count += 1;
            Ok(())
        } else {
            Err("a line with more cells than the header")
        }
    }

    /// Returns the number of cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the bytes of a cell without quotes; empty if the row has no such cell.
    pub(super) fn bytes(&self, place: usize) -> &[u8] {
        let cell = self.cells.get(place).and_then(|cell| self.line.get(cell.clone()));
        cell.unwrap_or_default()
    }

    /// Returns the text of a cell; empty if the row has no such cell.
    pub(super) fn text(&self, place: usize) -> &str {
        match self.repaired.iter().find(|(repaired, _)| *repaired == place) {
            Some((_, text)) => text,
            None => std::str::from_utf8(self.bytes(place)).unwrap_or_default(),
        }
    }

    /// Parses a cell as a number; `None` if the cell has none.
    pub(super) fn number(&self, place: usize) -> Option<f64> {
        let bytes = if self.repaired.is_empty() { self.bytes(place) } else { &[] };
        plain_decimal(bytes).or_else(|| self.other_number(place))
    }

    /// Like `number`, for a cell that is no plain decimal number.
    fn other_number(&self, place: usize) -> Option<f64> {
        number_of(self.text(place), self.separator)
    }

    /// Joins cells at the only text that leaves a number in every column of numbers.
    fn join_text(&mut self, extra: usize) -> bool {
        let fits = |place: usize| {
            self.kinds.iter().zip(0..).all(|(kind, column)| {
                let cell = match column {
                    column if column == place => return true,
                    column if column < place => column,
                    column => column + extra,
                };
                accepts(*kind, self.bytes(cell), self.separator)
            })
        };
        let texts =
            (0..self.kinds.len()).filter(|&place| self.kinds.get(place) == Some(&RowKind::Text));
        let mut possible = texts.take(MAX_TEXTS).filter(|&place| fits(place));
        let Some(place) = possible.next() else { return false };
        // Between two possible texts, only columns of text may shift: the numbers are the same in both readings.
        let last = possible.last().unwrap_or(place);
        let between = self.kinds.get(place + 1..=last).unwrap_or_default();
        if between.iter().any(|kind| *kind != RowKind::Text) {
            return false;
        }
        // Numbers are no part of a name: they are those of a row with decimal commas, whose values would shift.
        let is_number = |cell: usize| accepts(RowKind::Number, self.bytes(cell), self.separator);
        if (place..=place + extra).any(is_number) {
            return false;
        }
        let start = self.cells.get(place).map_or(0, |cell| cell.start);
        let end = self.cells.get(place + extra).map_or(start, |cell| cell.end);
        self.cells.splice(place..=place + extra, std::iter::once(start..end));
        true
    }

    /// Joins pairs of cells to numbers with a decimal comma. Only rate, frame time, and the cells from the end are
    /// certain: all others are empty afterwards, unless every one of them was joined.
    fn join_numbers(&mut self) -> bool {
        let Some(rate) = self.rate.filter(|_| self.separator == b',') else { return false };
        // Rate and frame time must be the first two columns, else too many readings are possible.
        if rate != 0 || self.frame_time != 1 {
            return false;
        }
        let columns = self.kinds.len();
        let is_whole = |kind: &&RowKind| **kind == RowKind::Whole;
        let whole_count = self.kinds.iter().skip(2).filter(is_whole).count();
        let joined = |at: usize, width: usize| -> Option<String> {
            self.cells.get(at..at + width)?;
            let cells = (at..at + width).map(|cell| self.bytes(cell));
            let parts: Vec<&str> =
                cells.filter_map(|cell| std::str::from_utf8(cell).ok()).collect();
            let is_whole =
                |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            (width == 1 || parts.iter().all(is_whole)).then(|| parts.join("."))
        };
        let mut found: Vec<(String, String, (usize, usize))> = Vec::new();
        for (of_rate, of_time) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            let rest = self.cells.len().saturating_sub(of_rate + of_time);
            let (Some(rate), Some(time)) = (joined(0, of_rate), joined(of_rate, of_time)) else {
                continue;
            };
            let product =
                rate.parse::<f64>().ok().zip(time.parse::<f64>().ok()).map(|(a, b)| a * b);
            let is_close = |product: f64| {
                [1.0, 1e3].iter().any(|unit| (product / (unit * 1e3) - 1.0).abs() < MAX_RATE_ERROR)
            };
            // A column of whole numbers has no decimal mark.
            let fits = columns - 2 <= rest && rest + whole_count <= 2 * (columns - 2);
            if fits && product.is_some_and(is_close) {
                found.push((rate, time, (of_rate, of_time)));
            }
        }
        // With several readings, the one of the rows before is taken: a program writes numbers of one kind.
        let is_single = found.len() == 1;
        let before = self.single_widths.or(self.widths);
        self.depends_on_widths |= 1 < found.len() && self.single_widths.is_none();
        let is_as_before =
            |(.., widths): &(String, String, (usize, usize))| Some(*widths) == before;
        let position = if is_single { Some(0) } else { found.iter().position(is_as_before) };
        let Some((rate, time, widths)) = position.map(|position| found.swap_remove(position))
        else {
            return false;
        };
        self.single_widths = Some(widths).filter(|_| is_single).or(self.single_widths);
        let first = widths.0 + widths.1;
        let rest = self.cells.split_off(first.min(self.cells.len()));
        let others = columns - 2;
        let is_last_whole = self.kinds.last() == Some(&RowKind::Whole);
        self.cells.clear();
        self.cells.resize(2, 0..0);
        if rest.len() == others {
            self.cells.extend(rest);
        } else {
            self.cells.resize(columns, 0..0);
            if let Some((last, to)) =
                rest.last().zip(self.cells.last_mut()).filter(|_| is_last_whole)
            {
                *to = last.clone();
            }
        }
        self.repaired.extend([(0, rate), (1, time)]);
        true
    }
}

fn accepts(kind: RowKind, cell: &[u8], separator: u8) -> bool {
    let text = std::str::from_utf8(cell).unwrap_or_default().trim();
    let is_address = |text: &str| {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    match kind {
        RowKind::Text | RowKind::Any => true,
        RowKind::Whole => is_missing(text) || is_address(text),
        RowKind::Number => is_missing(text) || number_of(text, separator).is_some(),
    }
}

/// Splits a line into its cells, without blanks and quotes around them. In a line with a quote that does not end,
/// quotes are letters.
fn split(line: &[u8], separator: u8, cells: &mut Vec<Range<usize>>) {
    cells.clear();
    let quote_count = quote_count(line);
    let has_quotes = 0 < quote_count && quote_count.is_multiple_of(2);
    let (mut start, mut quoted) = (0, false);
    for (at, &byte) in line.iter().enumerate() {
        if byte == separator && !quoted {
            cells.push(cell(line, start..at, has_quotes));
            start = at + 1;
        } else if has_quotes && byte == b'"' {
            quoted = !quoted;
        }
    }
    cells.push(cell(line, start..line.len(), has_quotes));
}

/// Returns where the content of a cell is, without blanks and, if it `may_be_quoted`, quotes around it.
fn cell(line: &[u8], part: Range<usize>, may_be_quoted: bool) -> Range<usize> {
    let text = line.get(part.clone()).unwrap_or_default();
    let begin = part.start + (text.len() - text.trim_ascii_start().len());
    let text = text.trim_ascii();
    let is_quoted =
        may_be_quoted && 1 < text.len() && text.starts_with(b"\"") && text.ends_with(b"\"");
    if is_quoted { begin + 1..begin + text.len() - 1 } else { begin..begin + text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(header: &str, line: &str) -> Result<Vec<String>, &'static str> {
        let table = Table::of(format!("{header}\n1\n").as_bytes()).unwrap();
        let mut row = Row::new(&table, false, table.frame_column().unwrap());
        row.read(line.as_bytes())?;
        Ok((0..row.len()).map(|place| row.text(place).to_owned()).collect())
    }

    #[test]
    fn a_name_with_the_separator_in_it_is_one_cell() {
        let header = "Application,ProcessID,SwapChainAddress,TimeInSeconds,MsBetweenPresents";
        let expected = ["Fish, Chips.exe", "7", "0x1", "0.1", "8.0"];
        assert_eq!(cells(header, "Fish, Chips.exe,7,0x1,0.1,8.0").unwrap(), expected);
        assert_eq!(cells(header, "\"Fish, Chips.exe\",7,0x1,0.1,8.0").unwrap(), expected);
        assert_eq!(cells(header, "a,b,c.exe,7,0x1,0.1,8.0").unwrap()[0], "a,b,c.exe");
        assert!(cells(header, "game.exe,7,0x1,0.1,8.0,9.0").is_err());
        assert!(cells(header, "game.exe,7,0x1,0.1").is_err());
        assert!(cells(header, "game.exe,7,0x1,0,1,8,0").is_err(), "no name, but decimal commas");
    }

    #[test]
    fn a_decimal_comma_between_commas_is_read_where_rate_and_frame_time_agree() {
        let header = "fps,frametime,cpu_load,elapsed";
        assert_eq!(
            cells(header, "60,16,650,5,16650000").unwrap(),
            ["60", "16.650", "5", "16650000"]
        );
        assert_eq!(cells(header, "62,5,16,5,16000000").unwrap(), ["62.5", "16", "5", "16000000"]);
        assert_eq!(
            cells(header, "62,5,16,0,5,3,16000000").unwrap(),
            ["62.5", "16.0", "", "16000000"]
        );
        assert!(cells(header, "1,2,3,4,5").is_err());
    }
}
