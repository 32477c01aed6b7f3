//! Histograms of cyclictest and rtla as text: a row per value, with a column of counts per thread.

use super::imported::{BadLines, ImportError};
use crate::nanos::Nanos;
use crate::run::capture::Distribution;
use crate::stats::{float, nanos_float};

/// Maximum number of columns per file: three per CPU on the largest systems, which have 8192 CPUs.
const MAX_COLUMNS: usize = 24_576;
/// Maximum chance at which values of bins of one unit would have the divisor that is taken for the width of the bins: n
/// values have a given divisor d with a chance of d to the power of −n. 3 values are enough for bins 10 units wide, 10 for
/// bins 2 units wide.
const MAX_CHANCE: f64 = 1.5e-3;
/// Maximum number of values that are compared for it.
const MAX_COMPARED: usize = 64;
/// Maximum number of nonzero counts per file.
const MAX_BINS: usize = 2_000_000;
/// Maximum plausible latency in nanoseconds: ten minutes.
pub(super) const MAX_VALUE_NANOS: i64 = 600_000_000_000;
/// Why a row with a higher value is not read.
pub(super) const TOO_HIGH_VALUE: &str = "a value above ten minutes";

/// The histograms in a text.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// One histogram per column of counts.
    pub(super) columns: Vec<Distribution>,
    /// Rows that cannot be read.
    pub(super) bad_lines: BadLines,
}

/// A line of a text with its number; `None` if it is too long.
pub(super) type NumberedLine<'a> = (u64, Option<&'a [u8]>);

/// Reads the rows of a histogram, line by line.
#[derive(Debug, Default)]
pub(super) struct CountsReader {
    pub(super) counts: Counts,
    bin_count: usize,
}

impl CountsReader {
    /// Reads a line that is not empty, whose value is in units of `unit` nanoseconds. A line that does not begin with a
    /// digit is passed to `other` with the columns so far; `other` returns whether it recognizes the line.
    pub(super) fn read_line(
        &mut self,
        (number, line): NumberedLine<'_>,
        unit: i64,
        other: impl FnOnce(&str, &mut Vec<Distribution>) -> bool,
    ) -> Result<(), ImportError> {
        let Counts { columns, bad_lines } = &mut self.counts;
        let Some(line) = line.and_then(|line| std::str::from_utf8(line).ok()) else {
            bad_lines.add(number, "a line that is not text, or too long");
            return Ok(());
        };
        let line = line.trim();
        if !line.starts_with(|letter: char| letter.is_ascii_digit()) {
            if !other(line, columns) {
                bad_lines.add(number, "a line of unknown kind");
            }
            return Ok(());
        }
        match row(line, unit, columns) {
            Ok(filled) => self.bin_count += filled,
            Err(reason) => bad_lines.add(number, reason),
        }
        match self.bin_count {
            ..=MAX_BINS => Ok(()),
            _ => Err(ImportError::TooManyRows { limit: MAX_BINS as u64 }),
        }
    }

    /// Returns the histograms of all lines. `label` returns the label of the column at a position.
    pub(super) fn finish(self, label: impl Fn(usize) -> String) -> Result<Counts, ImportError> {
        let mut counts = self.counts;
        for (column, place) in counts.columns.iter_mut().zip(0..) {
            // A value may occur in several rows, as in files that were joined: its counts are added up in one bin.
            column.bins.sort();
            column.max = column.max.max(column.bins.last().map(|(value, _)| Nanos::new(value)));
            column.label = label(place);
        }
        counts.columns.retain(|column| 0 < column.count());
        if counts.columns.is_empty() {
            return Err(ImportError::NoValues { bad_count: counts.bad_lines.count });
        }
        Ok(counts)
    }
}

/// Parses a row, and adds its value with one count to each column. Returns the number of nonzero counts.
fn row(line: &str, unit: i64, columns: &mut Vec<Distribution>) -> Result<usize, &'static str> {
    let mut cells = line.split_ascii_whitespace();
    let value: i64 =
        cells.next().and_then(|cell| cell.parse().ok()).ok_or("a value that is not a number")?;
    let nanos = value.saturating_mul(unit);
    if MAX_VALUE_NANOS < nanos {
        return Err(TOO_HIGH_VALUE);
    }
    // A bad row adds nothing: check all of its cells first.
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
            column.bins.push(nanos, count);
        }
    }
    Ok(filled)
}

/// Sets the highest value of each column, in units of `unit` nanoseconds; omits implausible values.
pub(super) fn set_max(columns: &mut Vec<Distribution>, unit: i64, all: impl Iterator<Item = u64>) {
    for (max, place) in all.zip(0..) {
        let nanos = i64::try_from(max).unwrap_or(i64::MAX).saturating_mul(unit);
        if let Some(column) = column(columns, place).filter(|_| nanos <= MAX_VALUE_NANOS) {
            column.max = Some(Nanos::new(nanos));
        }
    }
}

/// Sets the minimum that the file states for each column.
pub(super) fn set_min(columns: &mut Vec<Distribution>, unit: i64, all: impl Iterator<Item = u64>) {
    for (min, place) in all.zip(0..) {
        let nanos = i64::try_from(min).unwrap_or(i64::MAX).saturating_mul(unit);
        if let Some(column) = column(columns, place).filter(|_| nanos <= MAX_VALUE_NANOS) {
            column.stated_min = Some(Nanos::new(nanos));
        }
    }
}

/// Sets the mean that the file states for each column.
pub(super) fn set_mean(columns: &mut Vec<Distribution>, unit: i64, all: impl Iterator<Item = u64>) {
    for (mean, place) in all.zip(0..) {
        let nanos = i64::try_from(mean).unwrap_or(i64::MAX).saturating_mul(unit);
        if let Some(column) = column(columns, place).filter(|_| nanos <= MAX_VALUE_NANOS) {
            column.stated_mean = Some(Nanos::new(nanos));
        }
    }
}

/// Widens the bins of histograms whose rows are more than one unit apart: a value in a bin is shown as the end of it. Rows
/// are that far apart by chance if they are few, unless a stated maximum is within the last bin.
/// Returns the width in nanoseconds; `None` for bins of one unit.
pub(super) fn widen(columns: &mut [Distribution], unit: i64) -> Option<i64> {
    let values = || columns.iter().flat_map(|column| column.bins.iter().map(|(value, _)| value));
    let width = values().fold(0, common_divisor);
    let distinct: std::collections::BTreeSet<i64> =
        values().filter(|value| *value != 0).take(MAX_COMPARED).collect();
    let chance = (nanos_float(unit) / nanos_float(width.max(1))).powf(float(distinct.len()));
    let ends_in_bin = |column: &Distribution| {
        let last = column.bins.last().map_or(0, |(value, _)| value);
        let is_within = |max: Nanos| last < max.get() && max.get() < last + width;
        column.above_count == 0 && column.max.is_some_and(is_within)
    };
    if width <= unit || MAX_CHANCE < chance && !columns.iter().any(ends_in_bin) {
        return None;
    }
    for column in columns {
        let wider = column.bins.iter().map(|(value, count)| (value + width - unit, count));
        column.bins = wider.collect();
    }
    Some(width)
}

const fn common_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Sets the number of values above the histogram of each column.
pub(super) fn set_above(columns: &mut Vec<Distribution>, all: impl Iterator<Item = u64>) {
    for (above, place) in all.zip(0..) {
        if let Some(column) = column(columns, place) {
            column.above_count = above;
        }
    }
}

/// Returns the column of counts at a position, and creates all columns up to it; `None` if the
/// position is not below `MAX_COLUMNS`.
fn column(columns: &mut Vec<Distribution>, place: usize) -> Option<&mut Distribution> {
    if MAX_COLUMNS <= place {
        return None;
    }
    if columns.len() <= place {
        columns.resize(place + 1, Distribution::default());
    }
    columns.get_mut(place)
}

/// Returns the numbers in a line such as `# Max Latencies: 00016 00020` after its first `words`,
/// one per column. `None` if the line does not begin with these words.
pub(super) fn after<'a>(line: &'a str, words: &str) -> Option<impl Iterator<Item = u64> + 'a> {
    let rest = line.strip_prefix(words)?;
    Some(rest.split_ascii_whitespace().map(|cell| cell.parse().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_divisor_is_the_width_of_bins_only_where_it_is_no_chance() {
        let widened = |micros: &[i64]| {
            let bins = micros.iter().map(|micros| (micros * 1_000, 1)).collect();
            let mut columns = [Distribution { bins, ..Distribution::default() }];
            let width = widen(&mut columns, 1_000);
            (width, columns[0].bins.last().map(|bin| bin.0))
        };
        assert_eq!(widened(&[4, 6, 12]), (None, Some(12_000)), "an eighth of three values do");
        assert_eq!(widened(&[10, 20, 40]), (Some(10_000), Some(49_000)));
        let even: Vec<i64> = (1..=10).map(|value| value * 2).collect();
        assert_eq!(widened(&even[..9]), (None, Some(18_000)));
        assert_eq!(widened(&even), (Some(2_000), Some(21_000)));
        // The stated maximum is 25 µs: the last bin is longer than 1 µs.
        let bins = [(0, 9), (20_000, 1)].into_iter().collect();
        let max = Some(Nanos::from_micros(25));
        let mut columns = [Distribution { bins, max, ..Distribution::default() }];
        assert_eq!(widen(&mut columns, 1_000), Some(20_000));
    }
}
