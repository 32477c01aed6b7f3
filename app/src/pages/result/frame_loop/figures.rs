//! The results of a frame loop as tables: one row per configuration, and all results of one
//! configuration.

use eframe::egui::Ui;
use jitterscope_engine::report::table::{Cell, Column, Format, TableRow};
use jitterscope_engine::report::{Report, Table};

use crate::pages::activity;
use crate::text::Unit;
use crate::widgets::{ResultTable, TableLayout, card::has_controls};

/// Layout of the table of configurations that differ only in priority and pinning.
const MATRIX: TableLayout = TableLayout {
    compared: Some(&[]),
    ..TableLayout::of(&[
        "priority",
        "pinning",
        "min_nanos",
        "p50_nanos",
        "p95_nanos",
        "p99_nanos",
        "p99_9_nanos",
        "max_nanos",
        "missed_count",
        "applied",
    ])
};
/// Layout of the table of configurations that also differ in other conditions.
const LIST: TableLayout = TableLayout {
    leading: &[
        "configuration",
        "min_nanos",
        "p50_nanos",
        "p95_nanos",
        "p99_nanos",
        "p99_9_nanos",
        "max_nanos",
        "missed_count",
        "applied",
    ],
    ..MATRIX
};

/// Maximum number of configurations of a matrix: each pair is compared, and each CPU has separate columns.
pub(super) const MAX_MATRIX: usize = 256;

/// Draws the table with one row per configuration; the rows of the configurations in `plotted` are
/// checked. Returns the configuration that the user opened.
pub(super) fn matrix_ui(
    ui: &mut Ui,
    report: &Report,
    plotted: &mut Vec<usize>,
    unit: Unit,
) -> Option<usize> {
    let table = report.tables.first()?;
    let configuration = |row: usize| table.rows.get(row)?.configuration;
    let of =
        |position: usize| table.rows.iter().position(|row| row.configuration == Some(position));
    let mut rows: Vec<usize> = plotted.iter().filter_map(|&position| of(position)).collect();
    let hint = if has_controls(ui) { "double-click a row to see its frames" } else { "" };
    let shown = ResultTable {
        note: hint,
        unit,
        plotted: Some(&mut rows),
        can_open: true,
        ..ResultTable::new("frame-loop", table, layout(report))
    };
    let response = shown.show(ui);
    *plotted = rows.into_iter().filter_map(configuration).collect();
    response.opened.and_then(configuration)
}

/// Draws the table of the configurations measured so far.
pub(super) fn live_ui(ui: &mut Ui, report: &Report, unit: Unit) {
    if let Some(table) = report.tables.first() {
        let table = ResultTable::new("frame-loop", table, layout(report));
        ResultTable { title: "Configurations so far", unit, ..table }.show(ui);
    }
}

/// Returns the table layout: `MATRIX` if priority and pinning identify every configuration, or
/// `LIST`.
fn layout(report: &Report) -> TableLayout {
    let key = |at: usize| {
        let conditions = report.rows.get(at)?.conditions;
        Some((conditions.priority, conditions.cpu))
    };
    let count = report.rows.len();
    let is_matrix =
        count <= MAX_MATRIX && (0..count).all(|one| (0..one).all(|other| key(one) != key(other)));
    if is_matrix { MATRIX } else { LIST }
}

/// Draws all results of one configuration, one per row.
pub(super) fn ui(ui: &mut Ui, report: &Report, configuration: usize) {
    let Some(table) = report.tables.first() else { return };
    let row = table.rows.iter().find(|row| row.configuration == Some(configuration));
    if let Some(row) = row {
        let table = transposed(table, row);
        ResultTable::new("frame-loop-figures", &table, TableLayout::of(&[])).show(ui);
    }
    activity::ui(ui, "frame-loop-activity", report, Some(configuration));
}

/// Returns one row of a table as a separate table, with one row per column of the original.
fn transposed(table: &Table, row: &TableRow) -> Table {
    let columns = vec![
        Column::text("figure", "Figure", "Name of the figure."),
        Column::mixed("value", "Value", "Value of the figure in this configuration."),
        Column::text("definition", "Definition", "What the figure is."),
    ];
    let rows = table
        .columns
        .iter()
        .zip(&row.cells)
        .map(|(column, cell)| {
            // The text of a time includes its unit; any other unit becomes part of the name.
            let is_time = matches!(column.format, Format::Time { .. });
            let name = if is_time { column.title.to_string() } else { column.heading() };
            let value = match cell {
                Cell::Absent(_) | Cell::Time(_) => cell.clone(),
                cell => Cell::Text(cell.text(&column.format)),
            };
            TableRow {
                cells: vec![Cell::Text(name), value, Cell::text_of(column.definition.as_ref())],
                is_key: column.is_key,
                ..TableRow::default()
            }
        })
        .collect();
    Table { key: "figures", title: "All figures", note: String::new(), columns, rows }
}
