//! Charts of gaps: a heat map over time by CPU, a histogram of the lengths, and the share of gaps above each length.

use std::cmp::Reverse;

use super::super::model::chart::{Axis, Chart, Heat, Limit, Marks, histogram, tail, trials};
use super::super::model::table::Quantity;
use super::super::{Configuration, Report};
use super::GapFigures;
use crate::nanos::Nanos;
use crate::run::{Run, TrialRun};
use crate::stats::float;

/// Number of columns of the heat map.
const COLUMNS: usize = 150;
/// Gap lengths of the lightest and the darkest cell of the heat map, in nanoseconds.
const RANGE: (f64, f64) = (1e3, 30e6);
/// Maximum number of CPUs whose distributions are overlaid.
const MAX_OVERLAID: usize = 4;

/// Returns every chart of a run of gap probes.
pub(super) fn charts(run: &Run, report: &Report) -> Vec<Chart> {
    let mut longest: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.figures.get::<GapFigures>().is_some()).collect();
    longest.sort_by_key(|row| Reverse(row.figures.get::<GapFigures>().map(|gaps| gaps.longest)));
    let lengths: Vec<_> = longest
        .iter()
        .take(MAX_OVERLAID)
        .map(|row| (row.label.as_str(), trials(run, row).flat_map(TrialRun::values)))
        .collect();
    let histogram = histogram("histogram", "Gap histogram", ("Gap length", "Gaps"), &lengths);
    let tail = tail(("Gap length", "Share of gaps"), &lengths);
    let of_lengths = histogram.into_iter().chain(tail).map(|chart| with_limits(chart, report));
    heat_map(run, report).into_iter().chain(of_lengths).collect()
}

/// Returns a histogram of the gap lengths of the configuration at `row`, or of all configurations if `row` is `None`.
pub fn gap_histogram(run: &Run, report: &Report, row: Option<usize>) -> Option<Chart> {
    let shown = report.rows.iter().enumerate().filter(|(at, _)| row.is_none_or(|row| row == *at));
    let values = shown.flat_map(|(_, row)| trials(run, row)).flat_map(TrialRun::values);
    let names = ("Gap length", "Gaps");
    histogram("histogram", "Gap histogram", names, &[("Gaps", values)])
        .map(|chart| with_limits(chart, report))
}

/// Adds lines to a chart at the upper limit of Good and the lower limit of Poor.
fn with_limits(mut chart: Chart, report: &Report) -> Chart {
    let limits = report.rows.iter().find_map(|row| Some(row.figures.get::<GapFigures>()?.limits));
    if let Some((typical, bad)) = limits {
        chart.limits.push(Limit::vertical(typical.as_f64(), "Good limit"));
        chart.limits.push(Limit::vertical(bad.as_f64(), "Poor limit"));
    }
    chart
}

/// Returns a heat map with a row per CPU. Each cell shows the longest gap that started in its part of the runtime.
fn heat_map(run: &Run, report: &Report) -> Option<Chart> {
    let rows: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.granted.is_some()).collect();
    let ends =
        rows.iter().flat_map(|row| trials(run, row)).filter_map(|trial| trial.samples.last());
    let runtime = rows
        .iter()
        .filter_map(|row| row.figures.get::<GapFigures>())
        .map(|gaps| gaps.runtime)
        .max();
    let end = ends.map(|gap| gap.woke).chain(runtime).max()?.as_f64().max(1.0);
    let cells = rows.iter().map(|row| {
        let mut cells = vec![0.0_f64; COLUMNS];
        for gap in trials(run, row).flat_map(|trial| trial.samples.iter()) {
            // A gap colors every cell that it covers.
            let [first, last] = [gap.due, gap.woke].map(|time| {
                let place = time.as_f64().max(0.0) / end * float(COLUMNS);
                let column = usize::try_from(Nanos::from_nanos_f64(place.floor()).get());
                column.unwrap_or(0).min(COLUMNS - 1)
            });
            for cell in cells.get_mut(first..=last).into_iter().flatten() {
                *cell = cell.max(gap.late().as_f64());
            }
        }
        cells
    });
    let cells: Vec<Vec<f64>> = cells.collect();
    let x = Axis::linear("Time", Quantity::Time, 0.0, end);
    let y = Axis::rows(rows.iter().map(|row| row.label.clone()).collect());
    (!cells.is_empty()).then(|| Chart {
        note: "darker: longer, from 1 µs to 30 ms by decades".to_owned(),
        ..Chart::new(
            ("heat-map", "Longest gap over time, by CPU"),
            (x, y),
            Marks::Heat(Heat { columns: COLUMNS, cells, range: RANGE }),
        )
    })
}
