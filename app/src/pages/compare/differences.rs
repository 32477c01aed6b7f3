//! The table of differences: one row per metric and other run or group, with the value of the metric in each, the change,
//! and the result of the change.

use eframe::egui::Ui;
use jitterscope_engine::report::Table;
use jitterscope_engine::report::comparison::{ComparedRow, Delta};
use jitterscope_engine::stats::{LowDefinition, Outcome, Statistic};

use crate::session::ComparisonView;
use crate::text::compare::{self as words, Difference};
use crate::text::low;
use crate::theme::size;
use crate::widgets::{Card, ResultTable, TableLayout};

/// Maximum number of rows that are shown without scrolling.
const MAX_ROWS: usize = 24;

/// Returns the table of differences; `by` is the definition of the 1% low.
pub(super) fn table(compared: &ComparisonView, row: &ComparedRow, by: LowDefinition) -> Table {
    words::difference_table(&compared.comparison, row, &differences(compared, row, by))
}

/// Draws the table of differences.
pub(super) fn ui(ui: &mut Ui, table: &Table) {
    Card::new(table.title).note(&table.note).flush().show_plain(ui, |ui| {
        let rows = ResultTable::new("differences", table, TableLayout::of(&[]));
        ResultTable { max_rows: table.rows.len().min(MAX_ROWS), ..rows }
            .show_in_card(ui, f32::INFINITY);
    });
}

/// Returns the metrics with their changes. The 1% and 0.1% lows use the selected definition; all other metrics are as
/// compared.
fn differences(compared: &ComparisonView, row: &ComparedRow, by: LowDefinition) -> Vec<Difference> {
    let mut differences = Difference::all(row);
    for one in &mut differences {
        if !matches!(one.figure.metric.statistic, Statistic::Low(_)) {
            continue;
        }
        one.definition = format!("{} {}", one.definition, low::in_use(by));
        if by != LowDefinition::default() {
            let why = |delta: &Option<Delta>| {
                let evaluated = delta.filter(|delta| delta.result != Outcome::NotEvaluated);
                evaluated.map(|delta| low::why_not_evaluated(&words::result(&delta)))
            };
            one.why = one.figure.deltas.iter().map(why).collect();
            let baseline = compared.comparison.baseline;
            one.figure = low::compared(&one.figure, &compared.items(row), baseline, by);
        }
    }
    differences
}

/// Returns the minimum width at which the table of two runs is next to the conditions.
pub(super) const SIDE_BY_SIDE: f32 = 92.0 + 2.0 * 62.0 + 342.0 + 124.0 + 7.0 * size::GAP_SMALL;
