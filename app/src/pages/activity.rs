//! System activity around the measured CPU, such as interrupts, as counted by the system.

use eframe::egui::Ui;
use jitterscope_engine::report::Report;

use crate::widgets::{ResultTable, TableLayout};

/// The layout of the table of system activity.
const LAYOUT: TableLayout = TableLayout {
    varying: &["configuration"],
    ..TableLayout::of(&[
        "configuration",
        "kind",
        "name",
        "count",
        "per_second",
        "time_share",
        "advice",
    ])
};

/// Draws the system activity of one configuration or of all; draws nothing if none was recorded.
pub(in crate::pages) fn ui(
    ui: &mut Ui,
    id: &'static str,
    report: &Report,
    configuration: Option<usize>,
) {
    let table = report.tables.iter().find(|table| table.key == "activity");
    let Some(mut table) = table.cloned() else { return };
    table.rows.retain(|row| configuration.is_none() || row.configuration == configuration);
    if !table.rows.is_empty() {
        ResultTable::new(id, &table, LAYOUT).show(ui);
    }
}
