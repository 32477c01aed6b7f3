//! The description of a result as typed columns and cells. The window, the command line, and the exports render it.

mod builder;
mod cell;
mod column;
mod configurations;
mod format;
mod layout;
mod spread;

pub(in crate::report) use builder::TableBuilder;
pub use cell::{Cell, Exact};
pub use column::{Better, Column};
pub(in crate::report) use configurations::{
    NOT_REPORTED, Positioned, absent, configurations, grade_cell, load_label, or_absent, part_cell,
    usage_columns,
};
pub use format::{Format, Quantity};
pub use layout::{Layout, TextColumn};
pub(in crate::report) use spread::{SpreadOf, average_frame_rate};

use std::borrow::Cow;

use crate::report::model::cause::Cause;
use crate::units::Unit;

/// A result as typed columns and cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name of the table in files: `configurations`, `changes`, `stalls`.
    pub key: &'static str,
    /// The title, in sentence case.
    pub title: &'static str,
    /// A note on all cells in a few words, such as `12 late frames`; empty without a note.
    pub note: String,
    /// The columns, from left to right.
    pub columns: Vec<Column>,
    /// The rows, from top to bottom; each has one cell per column.
    pub rows: Vec<TableRow>,
}

/// One row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// The cells: one per column, in the order of the columns.
    pub cells: Vec<Cell>,
    /// The position in the report of the configuration that the row is about; absent if it is not about exactly one.
    pub configuration: Option<usize>,
    /// The reason to read the row with care, such as `skipped: …`; empty if there is none.
    pub caution: String,
    /// Whether the row is to be highlighted as the most important one.
    pub is_key: bool,
    /// Whether the first cell names a program that neither the verdict nor its advice names. Exports redact it.
    pub is_private: bool,
    /// The cause that the row is about, whose mark is drawn before its name.
    pub cause: Option<Cause>,
}

impl Table {
    /// Returns the position of the column with this key; `None` without such a column.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.key == key)
    }

    /// Returns the cell in this row and in the column with this key; `None` without such a row or column.
    pub fn cell(&self, row: usize, key: &str) -> Option<&Cell> {
        self.rows.get(row)?.cells.get(self.position(key)?)
    }

    /// Returns the formatted cells of a row, in the order of the columns.
    pub fn texts(&self, row: &TableRow) -> Vec<String> {
        row.cells
            .iter()
            .zip(&self.columns)
            .map(|(cell, column)| cell.text(&column.format))
            .collect()
    }

    /// Returns the keys of the exact values of a row: one per column, or two for a column of intervals or grades.
    pub fn exact_keys(&self) -> Vec<Cow<'static, str>> {
        self.columns.iter().flat_map(Column::exact_keys).collect()
    }

    /// Returns the exact values of a row, in the order of [`exact_keys`](Self::exact_keys).
    pub fn exact_values(&self, row: &TableRow) -> Vec<Exact> {
        let pairs = row.cells.iter().zip(&self.columns);
        pairs.flat_map(|(cell, column)| cell.exact(column.has_ends())).collect()
    }

    /// Returns a table that has only the columns at these positions, in this order.
    #[must_use]
    pub fn of_columns(&self, positions: &[usize]) -> Self {
        let of = |row: &TableRow| TableRow {
            cells: positions.iter().filter_map(|at| row.cells.get(*at)).cloned().collect(),
            ..row.clone()
        };
        Self {
            columns: positions.iter().filter_map(|at| self.columns.get(*at)).cloned().collect(),
            rows: self.rows.iter().map(of).collect(),
            ..self.clone()
        }
    }

    /// Formats every column of times in this unit; `Auto` chooses a unit for each column.
    pub fn set_unit(&mut self, unit: Unit) {
        for (position, column) in self.columns.iter_mut().enumerate() {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(position));
            column.choose_format(unit, cells);
        }
    }
}

#[cfg(test)]
pub(in crate::report) mod tests;
