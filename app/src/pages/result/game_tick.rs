//! The result of the game cycle test: plots of cycle time, speedup, and efficiency by number of
//! threads, then a table.

use super::view::PlainView;
use crate::widgets::{Sketch, TableLayout};

/// The view that draws the result of this test.
pub(super) const VIEW: PlainView = PlainView {
    key: "game-tick",
    // The table has one row per number of threads, and one group of columns per workload.
    table: TableLayout {
        rows: &["threads_count"],
        compared: Some(&["workload"]),
        ..TableLayout::of(&[
            "threads_count",
            "cycle_average_nanos",
            "cycle_error_nanos",
            "speedup",
            "efficiency",
            "of_budget_share",
            "grade",
        ])
    },
    sketch: Sketch::Falling,
    has_plots_first: true,
};
