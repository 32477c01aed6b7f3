//! What only the page of a comparison has: tables of changes on one axis, and the timelines of all sides.

pub(super) mod forest;
pub(super) mod timelines;

use crate::nanos::Nanos;
use crate::report::comparison::Item;
use crate::report::document::comparison::ComparisonSet;

/// What the plots of a comparison show.
#[derive(Debug)]
pub(super) struct ComparisonPage<'a> {
    /// The runs or groups, the baseline first.
    pub sides: Vec<Side<'a>>,
    /// The name of the values in plots: `lateness`; empty if there are no plots.
    pub value_name: &'static str,
    /// The name of the configuration whose values the plots show; may be empty.
    pub drawn: String,
    /// The late threshold; absent if the values have none, or if it differs between the runs.
    pub late_limit: Option<Nanos>,
}

/// One side of the comparison: a run, or a group of runs.
#[derive(Debug)]
pub(super) struct Side<'a> {
    /// The letter of the side, `A` for the baseline.
    pub letter: char,
    /// The data to plot: one configuration of each run.
    pub items: Vec<Item<'a>>,
}

impl<'a> ComparisonPage<'a> {
    /// Returns what the plots of a comparison show.
    pub(super) fn new(set: &ComparisonSet<'a>) -> Self {
        let rows = &set.comparison.rows;
        let side = |(items, letter)| Side { letter, items };
        Self {
            sides: set.items().into_iter().zip('A'..).map(side).collect(),
            value_name: set.comparison.value_name,
            drawn: rows.first().filter(|_| 1 < rows.len()).map_or("", |row| &row.label).to_owned(),
            late_limit: rows.first().and_then(|row| row.late_limit),
        }
    }
}

/// Returns the letter of a side as HTML, in the color of the side.
pub(super) fn chip(letter: char) -> String {
    format!("<span class=\"chip {letter}\">{letter}</span>")
}
