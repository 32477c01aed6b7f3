//! Paced loops: the tables that the frame loop and the real-time test share.

mod changes;
mod charts;
mod columns;
mod figures;
mod late;

pub(super) use changes::reductions;
pub(super) use charts::{frame_loop as frame_loop_charts, real_time as real_time_charts};
pub use figures::PacedFigures;
pub(super) use figures::{figures, grading};

use super::configuration::Configuration;
use super::table::{Positioned, Table, configurations};
use super::{Options, Report};
use crate::run::Run;
use crate::units::{format_count, format_setting};

/// The tables of a frame loop: the configurations, the recommended one first to look at; when the run has
/// ended, the causes of late frames and the worst of them.
pub(super) fn frame_loop(run: &Run, report: &Report, has_ended: bool) -> Vec<Table> {
    let best = report.best().map(|row| row.label.as_str());
    let own = configurations_table(&report.rows, &report.options, best);
    let late = has_ended.then(|| late::tables(run, report));
    std::iter::once(own).chain(late.into_iter().flatten()).collect()
}

/// The configurations of a paced run: one row each.
fn configurations_table(rows: &[Configuration], options: &Options, key: Option<&str>) -> Table {
    let positioned: Vec<Positioned<'_>> = rows.iter().enumerate().collect();
    let frames = rows.iter().filter_map(|row| Some(row.summary.as_ref()?.lateness.count)).max();
    let frames = format_count(u64::try_from(frames.unwrap_or(0)).unwrap_or(u64::MAX));
    let period = rows.first().map_or_else(String::new, |row| format_setting(row.period));
    let low = options.low.label();
    let note = format!("target frame time {period}, up to {frames} frames each, 1% low: {low}");
    let mut table = configurations(note, &positioned, |table| columns::own(table, rows, options));
    for line in &mut table.rows {
        let row = line.configuration.and_then(|position| rows.get(position));
        line.is_key = row.is_some_and(|row| Some(row.label.as_str()) == key);
    }
    table
}

/// The tables of a real-time run: the configurations, and what each policy changed.
pub(super) fn real_time(run: &Run, report: &Report, has_intervals: bool) -> Vec<Table> {
    vec![
        configurations_table(&report.rows, &report.options, None),
        changes::table(run, report, has_intervals),
    ]
}

#[cfg(test)]
mod tests;
