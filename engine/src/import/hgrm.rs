//! The percentile listing of HdrHistogram: each row has a value, and the number of samples up to that value.

use super::blocks::{Blocks, each_part};
use super::counts::MAX_VALUE_NANOS;
use super::decode::check_rows;
use super::imported::{BadLines, Content, ImportError, Imported, Options, Source};
use super::lines::{filled, lines, lines_from};
use super::time_unit::TimeUnit;
use crate::nanos::Nanos;
use crate::run::Capture;
use crate::run::capture::Distribution;
use crate::sample::CountedValues;

/// The words of the header line. The first one may have a unit: `Value(ms)`.
const HEADER: [&str; 4] = ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"];
/// Number of lines in which the header is searched.
const MAX_LINES_BEFORE: usize = 200;
/// The beginning of a line of wrk2 above its listing, whose values are in milliseconds.
const WRK2: &str = "Detailed Percentile spectrum";

/// Whether a file begins like a percentile listing, also after lines of other programs.
pub(super) fn is_listing(head: &[u8]) -> bool {
    header(head).is_some()
}

/// Returns the number of the header line, and the unit of the values as far as the file has one.
fn header(text: &[u8]) -> Option<(u64, Option<TimeUnit>)> {
    let mut is_wrk2 = false;
    lines(text).take(MAX_LINES_BEFORE).find_map(|(number, line)| {
        let line = std::str::from_utf8(line?).ok()?;
        is_wrk2 |= line.trim_start().starts_with(WRK2);
        let mut words = words(line);
        let first = words.next()?;
        let (name, unit) = match first.split_once('(') {
            Some((name, unit)) => (name, Some(unit.trim_end_matches(')'))),
            None => (first, None),
        };
        let own = TimeUnit::ALL.into_iter().find(|known| unit == Some(known.key()));
        let is_header = [name].into_iter().chain(words).eq(HEADER);
        is_header.then_some((number, own.or(is_wrk2.then_some(TimeUnit::Millis))))
    })
}

/// Returns the words of a line, which blanks or commas separate, without quotes.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split([' ', '\t', ',']).map(|word| word.trim().trim_matches('"'));
    words.filter(|word| !word.is_empty())
}

/// Imports a listing, which begins with `text` and continues with `rest`, as a histogram. A listing has no unit: unless `options` has one, microseconds are used.
pub(super) fn read(
    text: &[u8],
    rest: Option<Blocks<'_>>,
    options: &Options,
) -> Result<Imported, ImportError> {
    let (header_line, own) = header(text).unwrap_or((1, None));
    let wanted = options.unit.filter(|unit| *unit != TimeUnit::Fps);
    let unit = wanted.or(own).unwrap_or(TimeUnit::Micros);
    let (mut bad_lines, mut bins) = (BadLines::default(), CountedValues::default());
    let (mut total, mut highest) = (0_u64, i64::MIN);
    let mut has_ended = false;
    each_part(text, rest, |part, first| {
        let rows = lines_from(part, first).filter(|(number, _)| header_line < *number);
        for (number, line) in filled(rows) {
            check_rows(number)?;
            let Some(line) = line.and_then(|line| std::str::from_utf8(line).ok()) else {
                bad_lines.add(number, "a line that is not text, or too long");
                continue;
            };
            // After the lines of mean and maximum follow lines of other programs.
            let is_comment = line.trim_start().starts_with('#');
            has_ended |= is_comment && !bins.is_empty();
            if is_comment || has_ended {
                continue;
            }
            match row(line, unit) {
                Ok((value, up_to)) if total < up_to => {
                    if value < highest {
                        bad_lines.add(number, "values that fall");
                    }
                    highest = highest.max(value);
                    bins.push(value, up_to - total);
                    total = up_to;
                }
                // Rows of several percentiles can have the same total count: only the first of them adds a bin.
                Ok((_, up_to)) if up_to == total => {}
                Ok(_) => bad_lines.add(number, "a total count that falls"),
                Err(reason) => bad_lines.add(number, reason),
            }
        }
        Ok(())
    })?;
    if bins.is_empty() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    bins.sort();
    let distribution =
        Distribution { max: Some(Nanos::new(highest)), bins, ..Distribution::default() };
    let notes = match own.filter(|own| *own == unit) {
        Some(_) => Vec::new(),
        None => vec![format!("Values were read as {}; the file has no unit.", unit.symbol())],
    };
    Ok(Imported {
        bad_lines,
        notes,
        ..Imported::new(
            Source::HdrHistogram,
            Content::Capture(Capture::Histogram(vec![distribution])),
        )
    })
}

/// Returns the value of a row in nanoseconds, and the total count: the number of samples up to that value.
fn row(line: &str, unit: TimeUnit) -> Result<(i64, u64), &'static str> {
    let mut cells = words(line);
    let value: Option<f64> = cells.next().and_then(|cell| cell.parse().ok());
    let value = value.filter(|value| value.is_finite()).ok_or("a value that is not a number")?;
    let nanos = Nanos::from_nanos_f64(unit.millis(value) * 1e6).get();
    if MAX_VALUE_NANOS < nanos.saturating_abs() {
        return Err("a value above ten minutes");
    }
    let up_to = cells.nth(1).and_then(|cell| cell.parse().ok());
    Ok((nanos, up_to.ok_or("a total count that is not a number")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falling_values_have_a_line_and_the_max_of_all_bins() {
        let text = b"Value Percentile TotalCount 1/(1-Percentile)\n\
            10.0 0.5 1 2\n30.0 0.6 2 2.5\n20.0 1.0 3\n";
        let imported = read(text, None, &Options::default()).unwrap();
        assert_eq!(imported.bad_lines.first, [(4, "values that fall")]);
        let Some(Capture::Histogram(all)) = imported.capture() else { panic!("a histogram") };
        assert_eq!(all[0].max, Some(Nanos::new(30_000)));
    }
}
