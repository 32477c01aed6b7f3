//! The result of the spin wait test: a table, and plots of the overshoot of each strategy.

use super::view::PlainView;
use crate::widgets::{Sketch, TableLayout};

/// The view that draws the result of this test.
pub(super) const VIEW: PlainView = PlainView {
    key: "spin-strategies",
    // The table has one group of columns per condition. Strategies for the same duration are
    // compared with each other.
    table: TableLayout {
        rows: &["requested_nanos", "strategy"],
        compared: Some(&["requested_nanos", "condition"]),
        ..TableLayout::of(&[
            "requested_nanos",
            "strategy",
            "iterations_per_wait",
            "average_nanos",
            "overshoot_average_nanos",
            "grade",
        ])
    },
    sketch: Sketch::Lollipops,
    has_plots_first: false,
};
