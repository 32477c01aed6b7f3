//! Charts of spins: one box of overshoot per length, strategy and condition.

use super::super::chart::{Axis, BoxMark, Chart, Marks, decade_above_one, trials};
use super::super::table::Quantity;
use super::super::{Configuration, Report};
use super::place;
use crate::run::{Run, TrialRun};
use crate::stats::{PercentileRule, Quantile, Sorted};

/// The left end of the axis, in nanoseconds.
const FROM: f64 = 1.0;

/// Every chart of a run of spins.
pub(super) fn charts(run: &Run, report: &Report) -> Vec<Chart> {
    let mut rows: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.figures.waits().is_some()).collect();
    rows.sort_by_key(|row| place(row));
    let (names, boxes): (Vec<String>, Vec<BoxMark>) = rows
        .iter()
        .filter_map(|row| {
            let values = trials(run, row).flat_map(TrialRun::values).collect();
            Some((row.label.clone(), box_of(&Sorted::of(values)?)))
        })
        .unzip();
    let most = boxes.iter().map(|one| one.max).fold(0.0, f64::max);
    let chart = Chart {
        key: "box-plots",
        title: "Overshoot by strategy",
        note: "box: middle half, with the median; line: 1st to 99th percentile; dot: maximum"
            .to_owned(),
        x: Axis::log("", Quantity::Time, FROM, decade_above_one(most)),
        y: Axis::rows(names),
        marks: Marks::Boxes(boxes),
        limits: Vec::new(),
        is_half: false,
    };
    if chart.is_empty() { Vec::new() } else { vec![chart] }
}

fn box_of(sorted: &Sorted) -> BoxMark {
    let at = |quantile| sorted.percentile(quantile, PercentileRule::R7);
    BoxMark {
        p1: at(Quantile::new(1_000)),
        q1: at(Quantile::new(25_000)),
        median: at(Quantile::P50),
        q3: at(Quantile::new(75_000)),
        p99: at(Quantile::P99),
        max: at(Quantile::new(100_000)),
    }
}
