//! The percentile listing of HdrHistogram: each row has a value, and the number of samples up to that value.

use super::counts::MAX_VALUE_NANOS;
use super::decode::check_rows;
use super::imported::{BadLines, Content, ImportError, Imported, Options, Source};
use super::lines::{filled, lines};
use super::table::TimeUnit;
use crate::nanos::Nanos;
use crate::run::Capture;
use crate::run::capture::Distribution;

/// The words of the header line.
const HEADER: [&str; 4] = ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"];

/// Whether a file begins like a percentile listing.
pub(super) fn is_listing(head: &[u8]) -> bool {
    let first = filled(lines(head)).find_map(|(_, line)| line);
    let words = first.and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
    words.split_ascii_whitespace().eq(HEADER)
}

/// Imports a listing as a histogram. A listing has no unit: unless `options` has one, microseconds are used.
pub(super) fn read(text: &[u8], options: &Options) -> Result<Imported, ImportError> {
    let unit = options.unit.filter(|unit| *unit != TimeUnit::Fps).unwrap_or(TimeUnit::Micros);
    let (mut bad_lines, mut bins) = (BadLines::default(), Vec::new());
    let (mut total, mut highest) = (0_u64, i64::MIN);
    for (number, line) in filled(lines(text)).skip(1) {
        check_rows(number)?;
        let Some(line) = line.and_then(|line| std::str::from_utf8(line).ok()) else {
            bad_lines.add(number, "a line that is not text, or too long");
            continue;
        };
        if line.starts_with('#') {
            continue;
        }
        match row(line, unit) {
            Ok((value, up_to)) if total < up_to => {
                if value < highest {
                    bad_lines.add(number, "values that fall");
                }
                highest = highest.max(value);
                bins.push((value, up_to - total));
                total = up_to;
            }
            // Rows of several percentiles can have the same total count: only the first of them adds a bin.
            Ok((_, up_to)) if up_to == total => {}
            Ok(_) => bad_lines.add(number, "a total count that falls"),
            Err(reason) => bad_lines.add(number, reason),
        }
    }
    if bins.is_empty() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    bins.sort_unstable();
    let distribution = Distribution {
        max: Some(Nanos::new(highest)),
        bins: bins.into(),
        ..Distribution::default()
    };
    let notes = vec![format!("Values were read as {}; the file has no unit.", unit.symbol())];
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
    let mut cells = line.split_ascii_whitespace();
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
        let imported = read(text, &Options::default()).unwrap();
        assert_eq!(imported.bad_lines.first, [(4, "values that fall")]);
        let Some(Capture::Histogram(all)) = imported.capture() else { panic!("a histogram") };
        assert_eq!(all[0].max, Some(Nanos::new(30_000)));
    }
}
