//! Chart of spins: box plots of the overshoot, with one box per length, strategy, and load.

use super::super::model::chart::{BoxMark, Chart, of_boxes, trials};
use super::super::{Configuration, Report};
use super::place;
use crate::report::waits::WaitFigures;
use crate::run::{Run, TrialRun};
use crate::stats::Sorted;
use crate::stats::grade::SPIN_OVERSHOOT;

/// The left end of the overshoot axis, in nanoseconds.
const FROM: f64 = 1.0;

/// Returns every chart of a run of spins.
pub(super) fn charts(run: &Run, report: &Report) -> Vec<Chart> {
    let mut rows: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.figures.get::<WaitFigures>().is_some()).collect();
    rows.sort_by_key(|row| place(row));
    let boxes = rows.iter().filter_map(|row| {
        let values = trials(run, row).flat_map(TrialRun::values).collect();
        Some((row.label.clone(), BoxMark::of(&Sorted::of(values)?)))
    });
    let [_, good, fair] = SPIN_OVERSHOOT.upper;
    let chart =
        of_boxes(("box-plots", "Overshoot by strategy"), "Overshoot", FROM, boxes.collect());
    chart
        .map(|chart| Chart { x: chart.x.clone().graded(good, fair), ..chart })
        .into_iter()
        .collect()
}
