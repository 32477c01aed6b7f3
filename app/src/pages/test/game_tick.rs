//! Game cycles: time, speedup and efficiency by threads, and the table.

use super::view::PlainView;
use crate::widgets::{Sketch, TableLayout};

/// How the result looks.
pub(super) const VIEW: PlainView = PlainView {
    key: "game-tick",
    // The table: one row per number of threads, one group of columns per workload.
    table: TableLayout {
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
    },
    sketch: Sketch::Falling,
    has_plots_first: true,
};
