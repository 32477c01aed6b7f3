//! Text with a row per value and a column of counts per thread: the histograms of cyclictest and
//! rtla.

use std::sync::Arc;

use super::imported::{BadLines, ImportError};
use super::lines::{filled, lines};
use crate::nanos::Nanos;
use crate::run::capture::Distribution;

/// Columns of one file: three per CPU of the largest systems.
const MAX_COLUMNS: usize = 24_576;
/// Nonzero counts of one file.
const MAX_BINS: usize = 2_000_000;
/// The longest value that is believed: ten minutes.
pub(super) const MAX_VALUE_NANOS: i64 = 600_000_000_000;

/// A histogram in the text.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// One per column of counts.
    pub(super) columns: Vec<Distribution>,
    /// Rows that cannot be read.
    pub(super) bad_lines: BadLines,
}

/// Reads the rows of counts; `unit` is what a value of 1 means in nanoseconds. A line that does not
/// begin with a digit goes to `other`, which returns whether it is known.
pub(super) fn read(
    text: &[u8],
    unit: i64,
    mut other: impl FnMut(&str, &mut Vec<Distribution>) -> bool,
) -> Result<Counts, ImportError> {
    let (mut counts, mut bin_count) = (Counts::default(), 0);
    for (number, line) in filled(lines(text)) {
        let Some(line) = line.and_then(|line| std::str::from_utf8(line).ok()) else {
            counts.bad_lines.add(number, "a line that is not text, or too long");
            continue;
        };
        let line = line.trim();
        if !line.starts_with(|letter: char| letter.is_ascii_digit()) {
            if !other(line, &mut counts.columns) {
                counts.bad_lines.add(number, "a line of unknown kind");
            }
            continue;
        }
        match row(line, unit, &mut counts.columns) {
            Ok(filled) => bin_count += filled,
            Err(reason) => counts.bad_lines.add(number, reason),
        }
        if MAX_BINS < bin_count {
            return Err(ImportError::TooManyRows { limit: MAX_BINS as u64 });
        }
    }
    for column in &mut counts.columns {
        let bins = Arc::make_mut(&mut column.bins);
        bins.sort_unstable();
        // A repeated value is one bin, as in joined results.
        bins.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            first.1 = if is_same { first.1.saturating_add(later.1) } else { first.1 };
            is_same
        });
        bins.shrink_to_fit();
        column.max = column.max.max(column.bins.last().map(|&(value, _)| Nanos::new(value)));
    }
    counts.columns.retain(|column| 0 < column.count());
    if counts.columns.is_empty() {
        return Err(ImportError::NoValues { bad_count: counts.bad_lines.count });
    }
    Ok(counts)
}

/// Adds a value and its counts; returns the number of nonzero ones.
fn row(line: &str, unit: i64, columns: &mut Vec<Distribution>) -> Result<usize, &'static str> {
    let mut cells = line.split_ascii_whitespace();
    let value: i64 =
        cells.next().and_then(|cell| cell.parse().ok()).ok_or("a value that is not a number")?;
    let nanos = value.saturating_mul(unit);
    if MAX_VALUE_NANOS < nanos {
        return Err("a value above ten minutes");
    }
    // A row is read whole or not at all, so that what bad rows add is counted as well: nothing.
    let counts = cells.map(|cell| cell.parse::<u64>().ok());
    let (mut width, mut filled) = (0, 0);
    for count in counts.clone() {
        width += 1;
        filled += usize::from(0 < count.ok_or("a count that is not a number")?);
    }
    if MAX_COLUMNS < width {
        return Err("more columns than are read");
    }
    for (count, place) in counts.flatten().zip(0..).filter(|(count, _)| 0 < *count) {
        if let Some(column) = column(columns, place) {
            Arc::make_mut(&mut column.bins).push((nanos, count));
        }
    }
    Ok(filled)
}

/// A column of counts, with those before it; `None` beyond the maximum.
pub(super) fn column(columns: &mut Vec<Distribution>, place: usize) -> Option<&mut Distribution> {
    if MAX_COLUMNS <= place {
        return None;
    }
    if columns.len() <= place {
        columns.resize(place + 1, Distribution::default());
    }
    columns.get_mut(place)
}

/// The numbers after a word, one per column: `# Max Latencies: 00016 00020`.
pub(super) fn after<'a>(line: &'a str, words: &str) -> Option<impl Iterator<Item = u64> + 'a> {
    let rest = line.strip_prefix(words)?;
    Some(rest.split_ascii_whitespace().map(|cell| cell.parse().unwrap_or(0)))
}
