//! Charts of game cycles: how they scale with threads, and what a cycle takes.

use super::super::chart::{Axis, Chart, Limit, Marks, Series};
use super::super::table::Quantity;
use super::super::{Report, Scaling};
use crate::nanos::Nanos;
use crate::plan::work::CycleKind;

/// The low and the high end of an interval.
type Interval = (f64, f64);

/// Every chart of a run of game cycles.
pub(super) fn charts(report: &Report, budget: Nanos) -> Vec<Chart> {
    let most = report.scaling.iter().map(|one| one.threads).max().unwrap_or(1);
    let x = Axis::linear("threads", Quantity::Count, 0.0, f64::from(most) * 1.05);
    let ideal = Series::new("ideal", vec![(1.0, 1.0), (f64::from(most), f64::from(most))]);
    let mut speedups = by_threads(report, |one| Some((one.speed_up?, None)));
    let times = by_threads(report, |one| {
        let ticks = report.rows.get(one.row).and_then(|row| row.figures.ticks())?;
        let error = ticks.error_nanos;
        let interval = error.map(|error| (ticks.mean_nanos - error, ticks.mean_nanos + error));
        Some((ticks.mean_nanos, interval))
    });
    let longest = highest(&times);
    let has_speedups = !speedups.is_empty();
    speedups.push(ideal);
    let scaling = Chart {
        key: "scaling",
        title: "Speedup by threads",
        note: "one-thread time divided by the time of each thread count".to_owned(),
        x: x.clone(),
        y: Axis::linear("speedup", Quantity::Number, 0.0, highest(&speedups) * 1.05),
        marks: Marks::Curves(speedups),
        limits: Vec::new(),
        is_half: true,
    };
    let limit = Limit { at: budget.as_f64(), label: "budget".to_owned(), is_vertical: false };
    let cycle_time = Chart {
        key: "cycle-time",
        title: "Time per cycle by threads",
        note: "with 99.9% confidence intervals".to_owned(),
        x,
        y: Axis::linear("", Quantity::Time, 0.0, longest * 1.05),
        marks: Marks::Curves(times),
        limits: vec![limit],
        is_half: true,
    };
    let charts = [has_speedups.then_some(scaling), Some(cycle_time).filter(|it| !it.is_empty())];
    charts.into_iter().flatten().collect()
}

/// One series per workload: a value, and its interval where there is one, by the number of threads.
fn by_threads(
    report: &Report,
    read: impl Fn(&Scaling) -> Option<(f64, Option<Interval>)>,
) -> Vec<Series> {
    let kinds = [CycleKind::Players, CycleKind::Npcs];
    let series = kinds.into_iter().map(|kind| {
        let mut found: Vec<(u32, f64, Option<Interval>)> = report
            .scaling
            .iter()
            .filter(|one| one.kind == kind)
            .filter_map(|one| read(one).map(|(value, interval)| (one.threads, value, interval)))
            .collect();
        found.sort_by_key(|one| one.0);
        let intervals: Option<Vec<Interval>> = found.iter().map(|one| one.2).collect();
        Series {
            label: kind.name().to_owned(),
            points: found.iter().map(|one| (f64::from(one.0), one.1)).collect(),
            intervals: intervals.unwrap_or_default(),
        }
    });
    series.filter(|series| !series.points.is_empty()).collect()
}

fn highest(series: &[Series]) -> f64 {
    let points = series.iter().flat_map(|one| &one.points).map(|point| point.1);
    let ends = series.iter().flat_map(|one| &one.intervals).map(|interval| interval.1);
    points.chain(ends).fold(0.0, f64::max)
}
