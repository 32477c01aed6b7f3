//! Charts of sleeps: actual durations, overshoot by requested duration, and the share of sleeps above each
//! overshoot.

use super::super::model::chart::{
    Axis, BoxMark, Chart, Limit, Marks, Series, decade_above_one, histogram, of_boxes, overlaid,
    shorten, tail, trials,
};
use super::super::model::table::{Quantity, load_label};
use super::super::{Configuration, Report};
use crate::nanos::Nanos;
use crate::report::waits::WaitFigures;
use crate::run::{Run, TrialRun};
use crate::stats::Sorted;
use crate::units::format_setting;

/// Maximum number of configurations whose histograms are overlaid, and of curves by requested duration.
const MAX_SERIES: usize = 4;
const MAX_CURVES: usize = 64;

/// Returns every chart of a run of sleeps.
pub(super) fn charts(run: &Run, report: &Report) -> Vec<Chart> {
    let average = |row: &Configuration| row.lateness().map(|it| it.mean_nanos);
    let p99 = |row: &Configuration| row.lateness().and_then(|it| it.p99).map(Nanos::as_f64);
    let values: Vec<_> = overlaid(report)
        .into_iter()
        .map(|row| (row.label.as_str(), trials(run, row).flat_map(TrialRun::values)))
        .collect();
    durations(run, report)
        .into_iter()
        .chain(by_request(report, "overshoot", "Mean overshoot by requested duration", average))
        .chain(by_request(report, "overshoot-p99", "p99 overshoot by requested duration", p99))
        .chain(tail(("Overshoot", "Share of sleeps"), &values))
        .collect()
}

/// Returns box plots of the actual durations, one per configuration, with a mark at the requested duration.
fn durations(run: &Run, report: &Report) -> Option<Chart> {
    let rows = report.rows.iter().filter(|row| row.figures.get::<WaitFigures>().is_some());
    let rows = rows.filter_map(|row| {
        let actual = trials(run, row).flat_map(|trial| trial.samples.actual_nanos()).collect();
        let one = BoxMark::of(&Sorted::of(actual)?);
        let requested = row.period.as_f64();
        Some((row.label.clone(), BoxMark { reference: Some(requested), ..one }))
    });
    let rows: Vec<(String, BoxMark)> = rows.collect();
    let shortest = rows.iter().map(|(_, one)| one.p1).fold(f64::MAX, f64::min);
    let from = 10_f64.powf(shortest.max(1.0).log10().floor());
    let chart = of_boxes(("durations", "Actual sleep duration"), "Duration", from, rows)?;
    Some(Chart { note: format!("{}; dashed: requested", chart.note), ..chart })
}

/// Returns a histogram of the actual durations of the sleeps of one requested duration, with a series for each of the
/// first four configurations.
pub fn sleep_histogram(run: &Run, report: &Report, requested: Nanos) -> Option<Chart> {
    let rows = report.rows.iter().filter(|row| row.period == requested).take(MAX_SERIES);
    let values: Vec<_> = rows
        .map(|row| {
            let actual = trials(run, row).flat_map(|trial| trial.samples.actual_nanos());
            (row.label.split_once(", ").map_or(row.label.as_str(), |(_, rest)| rest), actual)
        })
        .collect();
    let names = ("Duration", "Sleeps");
    let mut chart = histogram("distribution", "Distribution", names, &values)?;
    // The axis includes the requested duration, even if all sleeps took much longer.
    chart.x.from = chart.x.from.min(0.9 * requested.as_f64());
    let label = format!("requested {}", format_setting(requested));
    Some(Chart { limits: vec![Limit::vertical(requested.as_f64(), label)], ..chart })
}

/// Returns the label of a series: method, timers, and load of a configuration, without the requested duration.
fn series_label(row: &Configuration) -> String {
    let method = super::method_label(row.wait);
    let is_finest = row.conditions.timer_slack != Nanos::ZERO || row.conditions.fine_timer;
    let timers = if is_finest { "finest timers" } else { "default timers" };
    format!("{method}, {timers}, {}", load_label(&row.load))
}

fn by_request(
    report: &Report,
    key: &'static str,
    title: &'static str,
    read: impl Fn(&Configuration) -> Option<f64>,
) -> Option<Chart> {
    let mut series: Vec<Series> = Vec::new();
    for row in report.rows.iter().filter(|row| row.figures.get::<WaitFigures>().is_some()) {
        let Some(overshoot) = read(row) else { continue };
        let (label, point) = (series_label(row), (row.period.as_f64(), overshoot));
        match series.iter_mut().find(|series| series.label == label) {
            Some(series) => series.points.push(point),
            None => series.push(Series::new(label, vec![point])),
        }
    }
    let end_of_note = shorten(&mut series, MAX_CURVES, "curves");
    for one in &mut series {
        one.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let all = || series.iter().flat_map(|series| &series.points);
    let (shortest, longest) =
        all().fold((f64::MAX, 0.0_f64), |(low, high), point| (low.min(point.0), high.max(point.0)));
    let (min, most) = all()
        .filter(|point| 0.0 < point.1)
        .fold((f64::MAX, 0.0_f64), |(low, high), point| (low.min(point.1), high.max(point.1)));
    let slack = report.rows.iter().find_map(|row| {
        let granted = row.granted.as_ref()?;
        granted.timer_resolution.or(granted.timer_slack)
    });
    let limit = |slack: Nanos| Limit::horizontal(slack.as_f64(), "timer resolution");
    let x = Axis::log("Requested", Quantity::Time, shortest / 2.0, longest * 2.0);
    let lowest = (min / 2.0).min(10_000.0);
    let y = Axis::log("Overshoot", Quantity::Time, lowest, decade_above_one(most));
    (!series.is_empty()).then(|| Chart {
        note: format!(
            "both axes by decades; what is not above 0 is at the lower edge{end_of_note}"
        ),
        limits: slack.map(limit).into_iter().collect(),
        is_half: true,
        ..Chart::new((key, title), (x, y), Marks::Curves(series))
    })
}
