//! Imported recordings as a table of words: one line each.

use jitterscope_engine::report::Report;
use jitterscope_engine::run::Run;

use super::{Column, Line, ResultTable};

/// The least width of a column of numbers, in points.
const NUMBER: u16 = 76;
/// The least width of a column of words, in points.
const WORDS: u16 = 150;

/// The table of an imported run; `None` of a measured one.
pub(super) fn of(run: &Run, report: &Report) -> Option<ResultTable> {
    run.capture()?;
    let table = report.tables.first()?;
    let columns = table.columns.iter().map(|column| {
        let heading = column.heading();
        let shown = if column.is_left_aligned() {
            Column::text(&heading, WORDS)
        } else {
            Column::number(&heading, NUMBER)
        };
        if column.is_optional { shown.extra() } else { shown }
    });
    let lines = table.rows.iter().zip(0..).map(|(row, place)| Line {
        cells: table.texts(row),
        strong: table.columns.iter().position(|column| column.is_key),
        rows: vec![place],
        ..Line::default()
    });
    Some(ResultTable {
        title: table.title,
        note: format!("by {}", run.app_version),
        columns: columns.collect(),
        groups: Vec::new(),
        has_grades: false,
        lines: lines.collect(),
    })
}
