//! The percentile listing of HdrHistogram, with lateness in microseconds, for the HdrHistogram plotter.

use std::io::{self, Write};

use crate::nanos::Nanos;
use crate::stats::{Sorted, Spread};

/// Number of rows per halving of the distance to 100%: from 0 to 50%, from 50% to 75%, and so on.
const TICKS: f64 = 5.0;

/// Writes the percentile listing of `lateness`, which is in nanoseconds. Values are exact, while HdrHistogram rounds
/// values to its buckets.
pub fn write(lateness: Vec<i64>, to: &mut dyn Write) -> io::Result<()> {
    writeln!(
        to,
        "{:>12} {:>14} {:>10} {:>14}",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    )?;
    writeln!(to)?;
    let Some(sorted) = Sorted::of(lateness) else { return Ok(()) };
    let count = sorted.count();
    let micros = |nanos: i64| Nanos::new(nanos).as_micros();
    let total = u32::try_from(count).unwrap_or(u32::MAX);
    // Each halving of the distance to 100% has five rows. Each row is computed from the halving instead of the previous
    // row, so that rounding errors do not accumulate.
    'rows: for halving in 0_i32..60 {
        let (from, step) = (1.0 - 0.5_f64.powi(halving), 0.5_f64.powi(halving + 1) / TICKS);
        for tick in 0..5_i32 {
            let share = from + step * f64::from(tick);
            // The smallest value such that at least this share of all values is at or below the value.
            let rank = whole((share * f64::from(total) - 1e-9).ceil()).clamp(1, count);
            let value = sorted.at(rank - 1);
            let up_to = sorted.count_while(|one| one <= value);
            if up_to == count {
                break 'rows;
            }
            let inverse = 1.0 / (1.0 - share);
            writeln!(to, "{:12.3} {share:2.12} {up_to:10} {inverse:14.2}", micros(value))?;
        }
    }
    writeln!(to, "{:12.3} {:2.12} {:10}", micros(sorted.max()), 1.0, count)?;
    let spread = Spread::of_sorted(&sorted);
    writeln!(
        to,
        "#[Mean    = {:12.3}, StdDeviation   = {:12.3}]",
        spread.mean_nanos / 1e3,
        spread.std_dev_nanos.unwrap_or(0.0) / 1e3
    )?;
    writeln!(to, "#[Max     = {:12.3}, Total count    = {:12}]", micros(sorted.max()), count)?;
    writeln!(to, "#[Buckets = {:12}, SubBuckets     = {:12}]", 1, count)
}

/// Returns the integer part of a rank.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rank is not negative and far below 2^53"
)]
fn whole(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_listing_is_the_one_of_hdr_histogram() {
        let mut text = Vec::new();
        write((1..=100).map(|k| k * 1_000).collect(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "       Value     Percentile TotalCount 1/(1-Percentile)");
        assert_eq!(lines[2], "       1.000 0.000000000000          1           1.00");
        assert_eq!(lines[3], "      10.000 0.100000000000         10           1.11");
        assert!(lines.contains(&"      50.000 0.500000000000         50           2.00"));
        assert!(lines.contains(&"      75.000 0.750000000000         75           4.00"));
        assert!(lines.contains(&"     100.000 1.000000000000        100"));
        assert!(text.contains("#[Mean    =       50.500, StdDeviation   =       29.011]"));
        let mut none = Vec::new();
        write(Vec::new(), &mut none).unwrap();
        assert!(none.ends_with(b"\n"));
    }
}
