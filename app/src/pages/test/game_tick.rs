//! Game cycles: time, speedup and efficiency by threads, and the table.

use eframe::egui::Ui;
use jitterscope_engine::report::{Chart, Report};
use jitterscope_engine::run::Run;

use crate::plots::charts_ui;
use crate::text::Unit;
use crate::widgets::{ResultTable, TableLayout};

/// The table: one row per number of threads, one group of columns per workload.
const TABLE: TableLayout = TableLayout {
    leading: &[
        "threads_count",
        "cycle_average_nanos",
        "cycle_error_nanos",
        "speedup",
        "efficiency",
        "of_budget_share",
        "grade",
    ],
    varying: &[],
    rows: &["threads_count"],
    compared: Some(&["workload"]),
};

pub(super) fn ui(ui: &mut Ui, run: &Run, (report, charts): (&Report, &[Chart]), unit: Unit) {
    charts_ui(ui, ("game-tick", run.id.as_str()), charts);
    if let Some(table) = report.tables.first() {
        ResultTable::new("game-tick", table, TABLE).unit(unit).show(ui);
    }
}
