//! The percentile listing of HdrHistogram, with lateness in microseconds, for the HdrHistogram plotter.

use std::io::{self, Write};

use crate::nanos::Nanos;

/// Number of rows per halving of the distance to 100%: from 0 to 50%, from 50% to 75%, and so on.
const TICKS: f64 = 5.0;

/// Writes the percentile listing of `lateness`, which is in nanoseconds. Values are exact, while HdrHistogram rounds
/// values to its buckets.
pub fn write(mut lateness: Vec<i64>, to: &mut dyn Write) -> io::Result<()> {
    lateness.sort_unstable();
    let bins = lateness.chunk_by(|a, b| a == b);
    let bins = bins
        .filter_map(|same| Some((*same.first()?, u64::try_from(same.len()).unwrap_or(u64::MAX))));
    write_counted(&bins.collect::<Vec<_>>(), to)
}

/// Writes the percentile listing of values in nanoseconds, ascending, each with its count.
pub(super) fn write_counted(bins: &[(i64, u64)], to: &mut dyn Write) -> io::Result<()> {
    writeln!(
        to,
        "{:>12} {:>14} {:>10} {:>14}",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    )?;
    writeln!(to)?;
    let up_to: Vec<u64> = bins
        .iter()
        .scan(0_u64, |sum, (_, count)| {
            *sum = sum.saturating_add(*count);
            Some(*sum)
        })
        .collect();
    let Some(((max, _), &count)) = bins.last().zip(up_to.last()) else { return Ok(()) };
    let micros = |nanos: i64| Nanos::new(nanos).as_micros();
    let total = float(count);
    // Each halving of the distance to 100% has five rows. Each row is computed from the halving instead of the previous
    // row, so that rounding errors do not accumulate.
    'rows: for halving in 0_i32..60 {
        let (from, step) = (1.0 - 0.5_f64.powi(halving), 0.5_f64.powi(halving + 1) / TICKS);
        for tick in 0..5_i32 {
            let share = from + step * f64::from(tick);
            // The smallest value such that at least this share of all values is at or below the value.
            let rank = whole((share * total - 1e-9).ceil()).clamp(1, count);
            let place = up_to.partition_point(|&up_to| up_to < rank);
            let (Some((value, _)), Some(&up_to)) = (bins.get(place), up_to.get(place)) else {
                break 'rows;
            };
            if up_to == count {
                break 'rows;
            }
            let inverse = 1.0 / (1.0 - share);
            writeln!(to, "{:12.3} {share:2.12} {up_to:10} {inverse:14.2}", micros(*value))?;
        }
    }
    writeln!(to, "{:12.3} {:2.12} {:10}", micros(*max), 1.0, count)?;
    let mean =
        bins.iter().map(|(value, count)| micros(*value) * float(*count)).sum::<f64>() / total;
    let squares = bins.iter().map(|(value, count)| (micros(*value) - mean).powi(2) * float(*count));
    let deviation = if 1 < count { (squares.sum::<f64>() / (total - 1.0)).sqrt() } else { 0.0 };
    writeln!(to, "#[Mean    = {mean:12.3}, StdDeviation   = {deviation:12.3}]")?;
    writeln!(to, "#[Max     = {:12.3}, Total count    = {:12}]", micros(*max), count)?;
    writeln!(to, "#[Buckets = {:12}, SubBuckets     = {:12}]", 1, count)
}

#[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
const fn float(count: u64) -> f64 {
    count as f64
}

/// Returns the integer part of a rank.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rank is not negative and far below 2^53"
)]
fn whole(value: f64) -> u64 {
    value as u64
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
