//! Spins: the table, and the overshoot of each strategy.

use super::view::PlainView;
use crate::widgets::{Sketch, TableLayout};

/// How the result looks.
pub(super) const VIEW: PlainView = PlainView {
    key: "spin-strategies",
    // The table: one group of columns per condition; strategies for one duration are compared.
    table: TableLayout {
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
    },
    sketch: Sketch::Lollipops,
    has_plots_first: false,
};
