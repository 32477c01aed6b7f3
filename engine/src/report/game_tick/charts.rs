//! Charts of game cycles: scaling with threads, and the time per cycle.

use super::super::model::chart::{Axis, Chart, Limit, Marks, Series};
use super::super::model::table::Quantity;
use super::super::{Report, Scaling};
use crate::nanos::Nanos;
use crate::plan::work::CycleKind;
use crate::run::Run;
use crate::units::count_text;

/// Intervals are drawn up to this multiple of the highest mean.
const BEYOND: f64 = 4.0;

/// The lower and the upper end of an interval.
type ScoreInterval = (f64, f64);

/// Returns all charts of a run of game cycles.
pub(super) fn charts(run: &Run, report: &Report, budget: Nanos) -> Vec<Chart> {
    let cores = run.machine.physical_cores;
    let cores = cores.map(|it| Limit::vertical(f64::from(it), count_text(it, "physical cores")));
    [cycle_time(report, budget), speedup(report), efficiency(report)]
        .into_iter()
        .flatten()
        .map(|mut chart| {
            chart.limits.extend(cores.clone().filter(|one| one.at <= chart.x.to));
            chart
        })
        .collect()
}

/// Returns the axis of thread counts, logarithmic so that each doubling has the same length.
fn threads(report: &Report) -> Axis {
    let most = report.results::<Scaling>().iter().map(|one| one.threads).max().unwrap_or(1);
    Axis::log("Threads", Quantity::Count, 0.8, (f64::from(most) * 1.25).max(8.0))
}

fn chart(
    titles: (&'static str, &'static str),
    note: &str,
    axes: (Axis, Axis),
    curves: Vec<Series>,
) -> Option<Chart> {
    (!curves.is_empty()).then(|| Chart {
        note: note.to_owned(),
        is_half: true,
        ..Chart::new(titles, axes, Marks::Curves(curves))
    })
}

fn cycle_time(report: &Report, budget: Nanos) -> Option<Chart> {
    let mut times = by_threads(report, |one| {
        let ticks = one.ticks(report)?;
        let error = ticks.error_nanos;
        // On a logarithmic axis, an interval cannot reach zero or less: its lower end is limited to
        // 5% of the mean.
        let low = |error: f64| (ticks.mean_nanos - error).max(ticks.mean_nanos * 0.05);
        let interval = error.map(|error| (low(error), ticks.mean_nanos + error));
        Some((ticks.mean_nanos, interval))
    });
    let min = times.iter().flat_map(|one| &one.points).fold(f64::MAX, |min, it| it.1.min(min));
    // An interval of many times the mean would compress all curves into a line: such an interval
    // ends at the edge of the chart.
    let most = times.iter().flat_map(|one| &one.points).fold(0.0, |most, it| it.1.max(most));
    let (from, to) = (min / 2.5, highest(&times).min(most * BEYOND) * 1.6);
    for interval in times.iter_mut().flat_map(|one| &mut one.intervals) {
        *interval = (interval.0.max(from), interval.1.min(to));
    }
    let y = Axis::log("Time per cycle", Quantity::Time, from, to);
    let ideal = times.iter().filter_map(|one| {
        let (_, first) = *one.points.iter().find(|point| point.0 <= 1.0)?;
        let points = one.points.iter().map(|&(threads, _)| (threads, first / threads));
        Some(Series::new(format!("ideal, {}", one.label), points.collect()))
    });
    let ideal: Vec<Series> = ideal.collect();
    times.extend(ideal);
    let note = "with 99.9% confidence intervals; longer ones end at the edge";
    let mut chart =
        chart(("cycle-time", "Time per cycle by threads"), note, (threads(report), y), times)?;
    let limit = Limit::horizontal(budget.as_f64(), "budget");
    chart.limits.extend(Some(limit).filter(|one| one.at <= chart.y.to));
    Some(chart)
}

fn speedup(report: &Report) -> Option<Chart> {
    let mut speedups = by_threads(report, |one| Some((one.speed_up?, None)));
    if speedups.is_empty() {
        return None;
    }
    let most = speedups.iter().flat_map(|one| &one.points).fold(1.0, |most, it| it.0.max(most));
    let ideal = speedups.iter().max_by_key(|one| one.points.len())?;
    let ideal = ideal.points.iter().map(|point| (point.0, point.0)).collect();
    speedups.push(Series::new("ideal", ideal));
    let y = Axis::linear("Speedup", Quantity::Number, 0.0, most * 1.05);
    let note = "one-thread time divided by the time of each thread count";
    chart(("scaling", "Speedup by threads"), note, (threads(report), y), speedups)
}

fn efficiency(report: &Report) -> Option<Chart> {
    let curves = by_threads(report, |one| Some((one.efficiency?, None)));
    let y = Axis::linear(
        "Efficiency per core",
        Quantity::Number,
        0.0,
        highest(&curves).max(1.0) + 0.12,
    );
    let note = "speedup divided by the cores that the threads use";
    let mut chart =
        chart(("efficiency", "Efficiency per core"), note, (threads(report), y), curves)?;
    chart.limits.push(Limit::horizontal(1.0, "ideal"));
    Some(chart)
}

/// Returns one series per workload: for each number of threads, the value that `read` returns, and
/// its interval if every value has one.
fn by_threads(
    report: &Report,
    read: impl Fn(&Scaling) -> Option<(f64, Option<ScoreInterval>)>,
) -> Vec<Series> {
    let kinds = [CycleKind::Players, CycleKind::Npcs];
    let series = kinds.into_iter().map(|kind| {
        let mut found: Vec<(u32, f64, Option<ScoreInterval>)> = report
            .results::<Scaling>()
            .iter()
            .filter(|one| one.kind == kind)
            .filter_map(|one| read(one).map(|(value, interval)| (one.threads, value, interval)))
            .collect();
        found.sort_by_key(|one| one.0);
        let intervals: Option<Vec<ScoreInterval>> = found.iter().map(|one| one.2).collect();
        Series {
            label: kind.name().to_owned(),
            points: found.iter().map(|one| (f64::from(one.0), one.1)).collect(),
            intervals: intervals.unwrap_or_default(),
            ..Series::default()
        }
    });
    series.filter(|series| !series.points.is_empty()).collect()
}

fn highest(series: &[Series]) -> f64 {
    let points = series.iter().flat_map(|one| &one.points).map(|point| point.1);
    let ends = series.iter().flat_map(|one| &one.intervals).map(|interval| interval.1);
    points.chain(ends).fold(0.0, f64::max)
}
