//! Spins: the table, and the overshoot of each strategy.

use eframe::egui::Ui;
use jitterscope_engine::report::{Chart, Report};
use jitterscope_engine::run::Run;

use crate::plots::charts_ui;
use crate::text::Unit;
use crate::widgets::{ResultTable, TableLayout};

/// The table: one group of columns per condition; strategies for one duration are compared.
const TABLE: TableLayout = TableLayout {
    leading: &[
        "requested_nanos",
        "strategy",
        "iterations_per_wait",
        "average_nanos",
        "overshoot_average_nanos",
        "grade",
    ],
    varying: &[],
    rows: &["requested_nanos", "strategy"],
    compared: Some(&["requested_nanos", "condition"]),
};

pub(super) fn ui(ui: &mut Ui, run: &Run, (report, charts): (&Report, &[Chart]), unit: Unit) {
    if let Some(table) = report.tables.first() {
        ResultTable::new("spin-strategies", table, TABLE).unit(unit).show(ui);
    }
    charts_ui(ui, ("spin-strategies", run.id.as_str()), charts);
}
