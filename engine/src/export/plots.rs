//! The plots of a report: lateness over time, histogram, and the share of frames later than each value.

use super::series;
use super::svg::{Axis, HALF, Plot, Scale, WIDE, legend};
use crate::nanos::Nanos;
use crate::report::{Report, Row};
use crate::run::Run;
use crate::stats::{LogHistogram, Pyramid, Sorted, tail_points};

/// Columns of a time line: about one a pixel.
const COLUMNS: usize = 860;
/// Rows that are laid over each other at most.
const MOST_ROWS: usize = 4;
/// The left end of the plots that show lengths as decades.
const LEAST_NANOS: f64 = 100.0;

/// Lateness of one row over time; `None` without samples. A spike never vanishes: each column shows
/// its min and max.
pub(super) fn timeline(run: &Run, row: &Row) -> Option<String> {
    let mut pyramid = Pyramid::default();
    let mut start = Nanos::ZERO;
    for trial in series::trials(run, Some(row)) {
        for sample in trial.samples.iter() {
            pyramid.push(start + sample.woke, sample.late());
        }
        start += trial.samples.last().map_or(Nanos::ZERO, |last| last.woke);
    }
    let (from, to) = (pyramid.point(0)?.0, pyramid.end().as_secs());
    let late = &row.summary.as_ref()?.lateness;
    let (least, most) = (late.min.as_micros().min(0.0), late.max.as_micros());
    let x = Axis { from, to: to.max(from + 1e-9), scale: Scale::Linear };
    let y = Axis { from: least, to: most.max(least + 0.1), scale: Scale::Linear };
    let mut plot =
        Plot::new(WIDE, x, y, |secs| format!("{} s", short(secs)), |micros| length(micros * 1e3));
    plot.level(row.late_limit.as_micros(), "late");
    let drawn = pyramid.query(from, to, COLUMNS).into_iter();
    plot.line(0, drawn.map(|(secs, nanos)| (secs, nanos / 1e3)));
    Some(plot.finish(&format!("Lateness over time: {}", row.label)))
}

/// The rows that are laid over each other: the one to recommend, the worst, and the first others.
pub(super) fn overlaid(report: &Report) -> Vec<&Row> {
    let mut rows: Vec<&Row> = Vec::new();
    let chosen = series::default_row(report).and_then(|row| report.rows.get(row));
    for row in chosen.into_iter().chain(report.worst()).chain(&report.rows) {
        let is_new = rows.iter().all(|known| known.label != row.label);
        if is_new && row.summary.is_some() && rows.len() < MOST_ROWS {
            rows.push(row);
        }
    }
    rows
}

/// How often each lateness was seen, by decades.
pub(super) fn histogram(run: &Run, rows: &[&Row]) -> Option<String> {
    let first = Nanos::from_nanos_f64(LEAST_NANOS);
    let histograms: Vec<LogHistogram> = rows
        .iter()
        .map(|row| LogHistogram::of(&series::lateness(run, Some(row)), first, 10))
        .collect();
    let most = histograms
        .iter()
        .flat_map(|histogram| histogram.bins().map(|bin| bin.2).chain([histogram.below()]))
        .max()
        .filter(|&most| 0 < most)?;
    let x = Axis { from: LEAST_NANOS / 2.0, to: longest(rows), scale: Scale::Log };
    let y = Axis { from: 0.7, to: count(most) * 1.5, scale: Scale::Log };
    let mut plot = Plot::new(HALF, x, y, length, short);
    for (histogram, series) in histograms.iter().zip(0..) {
        let below = (Nanos::new(50), first, histogram.below());
        let steps = std::iter::once(below)
            .chain(histogram.bins())
            .flat_map(|(from, to, n)| [(from.as_f64(), count(n)), (to.as_f64(), count(n))]);
        plot.line(series, steps);
    }
    Some(plot.finish("Lateness histogram"))
}

/// The share of frames later than each value.
pub(super) fn tail(run: &Run, rows: &[&Row]) -> Option<String> {
    let curves: Vec<Vec<(f64, f64)>> = rows
        .iter()
        .filter_map(|row| Some(tail_points(&Sorted::of(series::lateness(run, Some(row)))?, 200)))
        .collect();
    let least = curves.iter().flatten().map(|point| point.1).fold(1.0, f64::min);
    if curves.is_empty() {
        return None;
    }
    let x = Axis { from: LEAST_NANOS, to: longest(rows), scale: Scale::Log };
    let y = Axis { from: least.min(0.1), to: 1.0, scale: Scale::Log };
    let mut plot = Plot::new(HALF, x, y, length, |share| format!("{}%", short(share * 100.0)));
    for (curve, series) in curves.into_iter().zip(0..) {
        plot.line(series, curve.into_iter());
    }
    Some(plot.finish("Share of frames later than a value"))
}

/// The legend of what is laid over each other.
pub(super) fn names(rows: &[&Row]) -> String {
    legend(rows.iter().map(|row| row.label.as_str()))
}

/// The right end of an axis of lengths: the next whole decade.
fn longest(rows: &[&Row]) -> f64 {
    let most = rows
        .iter()
        .filter_map(|row| Some(row.summary.as_ref()?.lateness.max.as_f64()))
        .fold(LEAST_NANOS * 10.0, f64::max);
    10_f64.powf(most.log10().ceil())
}

/// A number with as few decimals as it needs.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A duration of this many nanoseconds in a suitable unit.
fn length(nanos: f64) -> String {
    let size = nanos.abs();
    let (value, unit) = if size < 999.5 {
        (nanos, "ns")
    } else if size < 999_500.0 {
        (nanos / 1e3, "µs")
    } else if size < 999_500_000.0 {
        (nanos / 1e6, "ms")
    } else {
        (nanos / 1e9, "s")
    };
    format!("{} {unit}", short(value))
}

#[expect(clippy::cast_precision_loss, reason = "a count is drawn, not computed with")]
fn count(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_in_their_own_unit() {
        for (nanos, text) in
            [(0.0, "0 ns"), (100.0, "100 ns"), (1e4, "10 µs"), (2.5e6, "2.5 ms"), (1e9, "1 s")]
        {
            assert_eq!(length(nanos), text);
        }
    }
}
