//! Paced loops: the tables that the frame loop and the real-time test share.

mod charts;
mod columns;
mod figures;
mod key;
mod late;

pub(super) use charts::{frame_loop as frame_loop_charts, real_time as real_time_charts};
pub use figures::PacedFigures;
pub(super) use figures::{figures, grading};
pub(super) use key::{grade_place, key_figures};

use super::model::configuration::Configuration;
use super::model::table::{Positioned, Table, configurations};
use super::{Options, Report};
use crate::run::Run;
use crate::units::{format_count, format_setting};

/// What a short report shows of each configuration.
pub(super) const KEY_COLUMNS: &[&str] = &[
    "p50_nanos",
    "p99_nanos",
    "p99_ci_nanos",
    "max_nanos",
    "late_count",
    "missed_count",
    "one_percent_low_fps",
];

/// The tables of a frame loop: the configurations, the recommended one first to look at; when the run has
/// ended, the causes of late frames and the worst of them.
pub(super) fn frame_loop(run: &Run, report: &Report, has_ended: bool) -> Vec<Table> {
    let best = report.best().map(|row| row.label.as_str());
    let own = configurations_table(&report.rows, &report.options, best);
    let late = has_ended.then(|| late::tables(run, report));
    std::iter::once(own).chain(late.into_iter().flatten()).collect()
}

/// The configurations of a paced run: one row each.
pub(super) fn configurations_table(
    rows: &[Configuration],
    options: &Options,
    key: Option<&str>,
) -> Table {
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

#[cfg(test)]
mod tests;
