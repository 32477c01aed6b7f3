//! How a result is graded, as help next to its verdict.

use eframe::egui::Ui;
use jitterscope_engine::report::Report;
use jitterscope_engine::report::table::{Column, Quantity};

use crate::widgets::{Help, help::help_mark};

/// The grading rules that apply to all tests.
const METHOD: &str = "A grade is what the 95% confidence interval of the measure covers (99.9% for the game tick). \
                      Over several grades it is a bound, such as Good or better, which counts as the worst of them; \
                      from Good or better into Poor, there is not enough data. The longest gap is graded as observed. \
                      While other programs disturb a test, Fair and Poor are inconclusive. Configurations that did not run as requested are not graded, except probes of scheduling gaps.";

/// Shows a question mark that explains how results of this test are graded.
pub(super) fn grading_ui(ui: &mut Ui, report: &Report) {
    let changes = report.tables.iter().filter(|table| table.key == "changes");
    let is_grade = |column: &&Column| column.quantity == Quantity::Grade;
    let mut columns = changes.chain(&report.tables).flat_map(|table| &table.columns);
    if let Some(column) = columns.find(is_grade) {
        let help = Help::new("How is this graded?", &column.definition).method(METHOD);
        help_mark(ui, &help);
    }
}
