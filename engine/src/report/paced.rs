//! Paced loops: tables, charts, and figures of the frame loop and the real-time test.

mod basis;
mod charts;
mod columns;
mod figures;
mod key;
mod late;

pub use basis::rare_words;
pub(super) use basis::{basis, missed_words, rare_interval, rare_interval_of, rare_sentence};
pub(super) use charts::{frame_loop as frame_loop_charts, real_time as real_time_charts};
pub use figures::PacedFigures;
pub(super) use figures::{figures, grading, is_graded_by_missed, is_rebased};
pub(super) use key::{grade_place, key_figures};

use super::Report;
use super::model::configuration::Configuration;
use super::model::table::{Positioned, Table, configurations};
use crate::run::Run;
use crate::stats::LowDefinition;
use crate::units::{format_count, format_setting};

/// Keys of the table columns that a short report shows.
pub(super) const KEY_COLUMNS: &[&str] = &[
    "p50_nanos",
    "p99_nanos",
    "p99_ci_nanos",
    "max_nanos",
    "late_count",
    "missed_count",
    "one_percent_low_fps",
];

/// Returns the tables of a frame loop: the configurations, with the row of the recommended one marked. If the run has
/// ended, two tables follow: the causes of late frames, and the worst frames.
pub(super) fn frame_loop(run: &Run, report: &Report, has_ended: bool) -> Vec<Table> {
    let best = report.best().map(|row| row.label.as_str());
    let own = configurations_table(&report.rows, best);
    let late = has_ended.then(|| late::tables(run, report));
    std::iter::once(own).chain(late.into_iter().flatten()).collect()
}

/// Returns a table with one row per configuration of a paced run. The row with the label `key` is marked.
pub(super) fn configurations_table(rows: &[Configuration], key: Option<&str>) -> Table {
    let positioned: Vec<Positioned<'_>> = rows.iter().enumerate().collect();
    let frames = rows.iter().filter_map(|row| Some(row.summary.as_ref()?.lateness.count)).max();
    let frames = format_count(frames.unwrap_or(0));
    let period = rows.first().map_or_else(String::new, |row| format_setting(row.period));
    let low = LowDefinition::default().label();
    let note = format!("target frame time {period}, up to {frames} frames each, 1% low: {low}");
    let mut table = configurations(note, &positioned, |table| columns::own(table, rows));
    for line in &mut table.rows {
        let row = line.configuration.and_then(|position| rows.get(position));
        line.is_key = row.is_some_and(|row| Some(row.label.as_str()) == key);
    }
    table
}

#[cfg(test)]
mod tests;
