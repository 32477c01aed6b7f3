//! The table of differences: one row per metric, with the value of the metric in each run, the
//! change, and the result of the change.

use eframe::egui::Ui;
use jitterscope_engine::report::comparison::ComparedRow;
use jitterscope_engine::stats::{LowDefinition, Outcome, Statistic};

use crate::session::ComparisonView;
use crate::text::compare::{self as words, Difference};
use crate::text::low;
use crate::theme::size;
use crate::widgets::{Card, ResultTable, TableLayout, segmented};

/// Draws the table of differences. `against` is the position of the run whose change from the
/// baseline is shown; `by` is the definition of the 1% low.
pub(super) fn ui(
    ui: &mut Ui,
    compared: &ComparisonView,
    row: &ComparedRow,
    against: &mut usize,
    by: LowDefinition,
) {
    let comparison = &compared.comparison;
    if *against == comparison.baseline || comparison.count <= *against {
        *against = 1;
    }
    let differences = differences(compared, row, *against, by);
    let table = words::difference_table(comparison, row, *against, &differences);
    Card::new(table.title).note(&table.note).flush().show(
        ui,
        |ui| {
            if 2 < comparison.count {
                let letters: Vec<(usize, String)> = (0..comparison.count)
                    .filter(|run| *run != comparison.baseline)
                    .map(|run| (run, words::letter(run).to_string()))
                    .collect();
                let options: Vec<(usize, &str)> =
                    letters.iter().map(|(run, letter)| (*run, letter.as_str())).collect();
                segmented(ui, "Change of", against, &options);
            }
        },
        |ui| {
            let rows = ResultTable::new("differences", &table, TableLayout::of(&[]));
            ResultTable { max_rows: table.rows.len(), ..rows }.show_in_card(ui, f32::INFINITY);
        },
    );
}

/// Returns the metrics with their changes. The 1% and 0.1% lows use the selected definition; all other metrics are as
/// compared.
fn differences(
    compared: &ComparisonView,
    row: &ComparedRow,
    run: usize,
    by: LowDefinition,
) -> Vec<Difference> {
    let mut differences = Difference::all(row);
    for one in &mut differences {
        if !matches!(one.figure.metric.statistic, Statistic::Low(_)) {
            continue;
        }
        one.definition = format!("{} {}", one.definition, low::in_use(by));
        if by != LowDefinition::default() {
            let delta = one.figure.deltas.get(run).copied().flatten();
            let evaluated = delta.filter(|delta| delta.result != Outcome::NotEvaluated);
            one.why = evaluated.map(|delta| low::why_not_evaluated(&words::result(&delta)));
            let baseline = compared.comparison.baseline;
            one.figure = low::compared(&one.figure, &compared.items(row), baseline, by);
        }
    }
    differences
}

/// Returns the minimum width at which the table of two runs is next to the conditions.
pub(super) const SIDE_BY_SIDE: f32 = 92.0 + 2.0 * 62.0 + 342.0 + 124.0 + 7.0 * size::GAP_SMALL;
