//! Charts that several tests share: values over time, histograms, and tail distributions, which are the share of
//! values above each value.

use std::borrow::Borrow;

use super::super::configuration::Configuration;
use super::super::report::Report;
use super::super::table::Quantity;
use super::{Axis, Chart, Limit, Marks, Series};
use crate::nanos::Nanos;
use crate::run::{Run, TrialRun};
use crate::stats::{LogHistogram, Sorted, float, position, tail_points, thinned};

/// Columns of a chart over time: about one per pixel.
const COLUMNS: usize = 860;
/// Max number of configurations in one overlaid chart.
const MAX_ROWS: usize = 4;
/// The shortest time that logarithmic axes distinguish, in nanoseconds.
const MIN_NANOS: f64 = 100.0;
/// Lower end of the axis of counts. It is below 1, so that a bin with a single value is visible.
const MIN_COUNT: f64 = 0.6;
/// Max number of points of the curve of a tail distribution.
const TAIL_POINTS: usize = 200;
/// Lower limit of the axis of shares in tail distributions.
const MIN_SHARE: f64 = 0.000_5;

/// The titles of both axes of a distribution: of its values, and of their count or share.
type SeriesNames = (&'static str, &'static str);

/// Returns the position of the row to export if the user names none: the recommended one, or else the first with
/// samples; `None` if no row has samples.
pub fn default_row(report: &Report) -> Option<usize> {
    let best = report.best().map(|best| best.label.as_str());
    report
        .rows
        .iter()
        .position(|row| best == Some(row.label.as_str()))
        .or_else(|| report.rows.iter().position(|row| row.summary.is_some()))
}

/// Returns the trials of a configuration.
pub fn trials<'a>(
    run: &'a Run,
    row: &'a Configuration,
) -> impl Iterator<Item = &'a TrialRun> + Clone {
    row.trials.iter().filter_map(|&trial| run.trials.get(trial))
}

/// Returns up to [`MAX_ROWS`] configurations with samples to overlay in one chart: the recommended one, the worst,
/// and the first others.
pub(in crate::report) fn overlaid(report: &Report) -> Vec<&Configuration> {
    let mut rows: Vec<&Configuration> = Vec::new();
    let first = default_row(report).and_then(|row| report.rows.get(row));
    for row in first.into_iter().chain(report.worst()).chain(&report.rows) {
        let is_new = rows.iter().all(|known| known.label != row.label);
        if is_new && row.summary.is_some() && rows.len() < MAX_ROWS {
            rows.push(row);
        }
    }
    rows
}

/// Returns the values of a configuration over time as points (time, value) in nanoseconds. `read` returns times and
/// values of one trial; the time axis of a trial begins where the previous trial ended. Each of [`COLUMNS`] columns
/// retains its first, min, max, and last point.
pub(in crate::report) fn over_time(
    run: &Run,
    row: &Configuration,
    read: impl Fn(&TrialRun) -> Vec<(Nanos, Nanos)>,
) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut start = Nanos::ZERO;
    for trial in trials(run, row) {
        points.extend(read(trial).into_iter().map(|(at, value)| (start + at, value)));
        start += trial.samples.last().map_or(Nanos::ZERO, |last| last.woke);
    }
    thinned(points.iter().copied(), COLUMNS)
}

/// Returns the points of one series over time, in nanoseconds, thinned to [`COLUMNS`] columns like those of
/// [`over_time`].
pub(in crate::report) fn points_over_time(
    values: impl Iterator<Item = (Nanos, Nanos)>,
) -> Vec<(f64, f64)> {
    thinned(values, COLUMNS)
}

/// Returns the chart of lateness over time of a configuration; `None` if it has no samples.
pub(in crate::report) fn lateness(run: &Run, row: &Configuration) -> Option<Chart> {
    let points = over_time(run, row, |trial| {
        trial.samples.iter().map(|sample| (sample.woke, sample.late())).collect()
    });
    let late = &row.summary.as_ref()?.lateness;
    let x = Axis::linear("Time", Quantity::Time, points.first()?.0, points.last()?.0);
    let y = Axis::linear("Lateness", Quantity::Time, late.min.as_f64().min(0.0), late.max.as_f64());
    let late_limit = Limit::horizontal(row.late_limit.as_f64(), "late");
    let marks = Marks::Lines(vec![Series::new(&row.label, points)]);
    Some(Chart {
        note: format!("{}; every column shows its min and max", row.label),
        limits: std::iter::once(late_limit).chain(annotated(run, row)).collect(),
        ..Chart::new(("timeline", "Lateness over time"), (x, y), marks)
    })
}

/// Maximum number of annotations in a chart: more cannot be distinguished.
const MAX_ANNOTATIONS: usize = 200;

/// Returns a labeled line for the start of each annotation of a configuration, on the time axis of [`over_time`].
fn annotated(run: &Run, row: &Configuration) -> Vec<Limit> {
    let mut start = Nanos::ZERO;
    let mut limits = Vec::new();
    for &position in &row.trials {
        let Some(trial) = run.trials.get(position) else { continue };
        let own = run.annotations.iter().filter(|one| one.trial == position);
        let rest = MAX_ANNOTATIONS.saturating_sub(limits.len());
        limits.extend(
            own.take(rest).map(|one| Limit::vertical((start + one.from).as_f64(), &*one.text)),
        );
        start += trial.samples.last().map_or(Nanos::ZERO, |last| last.woke);
    }
    limits
}

/// Returns a histogram of values with logarithmic bins; `None` if there is no value.
pub(in crate::report) fn histogram(
    key: &'static str,
    title: &'static str,
    names: SeriesNames,
    values: &[(&str, impl Iterator<Item = i64> + Clone)],
) -> Option<Chart> {
    let counted: Vec<(&str, LogHistogram)> = values
        .iter()
        .map(|(label, values)| (*label, LogHistogram::of_values(values.clone())))
        .collect();
    of_histograms(key, title, names, &counted).map(fitted)
}

/// Shortens the axis of a histogram so that it begins at the decade of the smallest value. If there are values below
/// the first regular bin, the histogram is returned unchanged.
pub fn fitted(mut chart: Chart) -> Chart {
    let Marks::Steps(series) = &mut chart.marks else { return chart };
    let seen = series.iter().flat_map(Series::bins).filter(|bin| 0.0 < bin.count);
    let first = seen.map(|bin| bin.from).fold(f64::MAX, f64::min);
    // The axis begins slightly below the decade, so that the tick of the decade is visible.
    let from = 0.9 * 10_f64.powf((first * (1.0 + 1e-9)).log10().floor());
    if first < f64::MAX && chart.x.from < from.min(first) {
        for one in series {
            let before = one.bins().filter(|bin| bin.from < from).count();
            one.points.drain(..2 * before);
        }
        chart.x.from = from;
        // The note explains that the first step holds all shorter values. The loop above removes this step.
        chart.note.clear();
    }
    chart
}

/// Returns a chart of histograms with logarithmic bins; `None` if they contain no value.
pub fn of_histograms(
    key: &'static str,
    title: &'static str,
    (value, counted): SeriesNames,
    histograms: &[(impl AsRef<str>, impl Borrow<LogHistogram>)],
) -> Option<Chart> {
    let bins = |it: &LogHistogram| it.bins().map(|bin| bin.2).chain([it.below()]).max();
    let all = || histograms.iter().map(|(_, histogram)| histogram.borrow());
    let most = all().filter_map(bins).max().filter(|&most| 0 < most)?;
    let ends = all().filter_map(|it| it.bins().filter(|bin| 0 < bin.2).last());
    let to = decade_above_one(ends.map(|bin| bin.1).max().map_or(0.0, Nanos::as_f64));
    let below = MIN_NANOS / 2.0;
    let series = histograms.iter().map(|(label, histogram)| {
        let histogram = histogram.borrow();
        let below = (below, MIN_NANOS, histogram.below());
        let bins = histogram.bins().map(|(from, to, n)| (from.as_f64(), to.as_f64(), n));
        Series::of_bins(label.as_ref(), std::iter::once(below).chain(bins))
    });
    let x = Axis::log(value, Quantity::Time, below, to);
    let y = Axis::log(counted, Quantity::Count, MIN_COUNT, count(most) * 1.5);
    Some(Chart {
        note: "the first step holds all shorter ones".to_owned(),
        is_half: true,
        ..Chart::new((key, title), (x, y), Marks::Steps(series.collect()))
    })
}

/// Returns the histogram and the tail distribution of lateness, each with one series per configuration.
pub fn lateness_distributions<'a>(
    run: &Run,
    rows: impl IntoIterator<Item = &'a Configuration>,
) -> Vec<Chart> {
    let late: Vec<_> = rows
        .into_iter()
        .map(|row| (row.label.as_str(), trials(run, row).flat_map(TrialRun::values)))
        .collect();
    histogram("histogram", "Lateness histogram", ("Lateness", "Frames"), &late)
        .into_iter()
        .chain(tail(("Lateness", "Share of frames"), &late))
        .collect()
}

/// Returns a histogram with `bins` bins of equal width between `from` and `to` ns; values outside are not counted.
/// `None` if the range is empty or contains no value.
pub(in crate::report) fn linear_histogram(
    key: &'static str,
    title: &'static str,
    (value, counted): SeriesNames,
    values: &[(&str, Vec<i64>)],
    ((from, to), bins): ((f64, f64), usize),
) -> Option<Chart> {
    let width = (to - from) / float(bins.max(1));
    if !(0.0 < width && width.is_finite()) {
        return None;
    }
    let edge = |bin: usize| from + width * float(bin);
    let series = values.iter().map(|(label, values)| {
        let mut counts = vec![0_u64; bins];
        for &value in values {
            let place = (Nanos::new(value).as_f64() - from) / width;
            // A value at the upper end belongs to the last bin.
            let bin = position(place.floor()).min(bins - 1);
            if (0.0..=float(bins)).contains(&place)
                && let Some(count) = counts.get_mut(bin)
            {
                *count += 1;
            }
        }
        let counts = counts.into_iter().enumerate();
        Series::of_bins(*label, counts.map(|(bin, count)| (edge(bin), edge(bin + 1), count)))
    });
    let all: Vec<Series> = series.collect();
    let most = all.iter().flat_map(Series::bins).map(|bin| bin.count).fold(0.0, f64::max);
    let x = Axis::linear(value, Quantity::Time, from, to);
    let y = Axis::linear(counted, Quantity::Count, 0.0, most * 1.05);
    let chart = || Chart::new((key, title), (x, y), Marks::Steps(all));
    (0.0 < most).then(|| Chart { is_half: true, ..chart() })
}

/// Returns the tail distribution of values, which is the share of values above each value; `None` if there is no
/// value.
pub(in crate::report) fn tail(
    names: SeriesNames,
    values: &[(&str, impl Iterator<Item = i64> + Clone)],
) -> Option<Chart> {
    let curves = values
        .iter()
        .filter_map(|(label, values)| Some(tail_curve(label, &Sorted::of_values(values.clone())?)));
    of_tails("tail", "Tail distribution", names, curves.collect())
}

/// Returns the curve of the tail distribution of values, with this label.
pub fn tail_curve(label: &str, values: &Sorted) -> Series {
    Series::new(label, tail_points(values, TAIL_POINTS))
}

/// Returns a chart of the curves of tail distributions; `None` without a curve.
pub fn of_tails(
    key: &'static str,
    title: &'static str,
    (value, share): SeriesNames,
    curves: Vec<Series>,
) -> Option<Chart> {
    let shares = curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
    let lowest = shares.fold(1.0, f64::min);
    let values = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.0);
    let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
    // The axis begins at the decade of the smallest value.
    let from = 10_f64.powf(least.max(MIN_NANOS).log10().floor()).max(MIN_NANOS);
    let x = Axis::log(value, Quantity::Time, from, decade_above_one(most).max(from * 10.0));
    let y = Axis::log(share, Quantity::Share, lowest.clamp(MIN_SHARE, 0.1), 1.0);
    (!curves.is_empty()).then(|| Chart {
        limits: vec![Limit::horizontal(0.05, "p95"), Limit::horizontal(0.01, "p99")],
        is_half: true,
        ..Chart::new((key, title), (x, y), Marks::Lines(curves))
    })
}

/// Returns the lowest power of ten at or above a value in nanoseconds, but at least 1 000.
pub(in crate::report) fn decade_above_one(most: f64) -> f64 {
    10_f64.powf(most.max(MIN_NANOS * 10.0).log10().ceil())
}

#[expect(clippy::cast_precision_loss, reason = "a count is drawn, not computed with")]
pub(in crate::report) const fn count(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn a_histogram_counts_every_value_within_its_range_once() {
        let values = [("a", vec![0, 5, 10, 99, 100, 101])];
        let chart =
            linear_histogram("test", "Test", ("x", "y"), &values, ((0.0, 100.0), 10)).unwrap();
        check(&chart);
        let Marks::Steps(series) = &chart.marks else { panic!("{chart:?}") };
        let counts: Vec<f64> = series[0].points.iter().step_by(2).map(|point| point.1).collect();
        assert_eq!(counts, [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
        assert_eq!(linear_histogram("test", "Test", ("x", "y"), &values, ((5.0, 5.0), 10)), None);
    }

    #[test]
    fn the_axis_of_a_histogram_begins_at_the_decade_of_its_smallest_value() {
        let of = |values: &[i64]| {
            let values = [("a", values.iter().copied())];
            histogram("test", "Test", ("x", "y"), &values).unwrap()
        };
        let chart = of(&[16_000_000, 17_000_000, 30_000_000]);
        check(&chart);
        let is = |value: f64, expected: f64| (value / expected - 1.0).abs() < 1e-9;
        assert!(is(chart.x.from, 9e6) && is(chart.x.to, 1e8) && chart.note.is_empty(), "{chart:?}");
        let Marks::Steps(series) = &chart.marks else { panic!("{chart:?}") };
        let counts = series[0].points.iter().step_by(2).map(|point| point.1);
        assert!((counts.sum::<f64>() - 3.0).abs() < 1e-9, "{chart:?}");
        // If the smallest value is a power of ten, the axis begins just below it.
        assert!(is(of(&[1_000_000, 2_000_000]).x.from, 9e5));
        // A value below all regular bins is counted in the first step, so the axis and the note stay unchanged.
        let whole = of(&[-5, 16_000_000]);
        assert!(whole.x.from < 100.0 && !whole.note.is_empty());
    }

    #[test]
    fn no_value_is_no_chart() {
        assert_eq!(histogram("test", "Test", ("x", "y"), &[("a", std::iter::empty())]), None);
        assert_eq!(tail(("x", "y"), &[("a", std::iter::empty())]), None);
        let tail_of = |values: [i64; 2]| tail(("x", "y"), &[("a", values.into_iter())]).unwrap().x;
        let ends = |axis: Axis| (axis.from, axis.to);
        assert_eq!(ends(tail_of([50, 30_000_000])), (100.0, 1e8));
        assert_eq!(ends(tail_of([8_900_000, 11_400_000])), (1e6, 1e8), "frames of a game");
        assert_eq!(ends(tail_of([1_000_000, 1_000_000])), (1e6, 1e7));
        let values = [("a", [50, 2_000, 30_000_000].into_iter())];
        for chart in [histogram("test", "Test", ("x", "y"), &values), tail(("x", "y"), &values)] {
            check(&chart.unwrap());
        }
    }
}
