//! Builds a table: a column and how its cells follow from what a row is about, in one place.

use super::{Cell, Column, Table, TableRow};
use crate::units::Unit;

/// Builds a table whose rows are about `items`, one each.
#[derive(Debug)]
pub(in crate::report) struct TableBuilder<'a, T> {
    items: &'a [T],
    table: Table,
    group: &'static str,
}

impl<'a, T> TableBuilder<'a, T> {
    /// Starts a table with one row per item and without columns.
    pub(in crate::report) fn new(
        key: &'static str,
        title: &'static str,
        note: String,
        items: &'a [T],
    ) -> Self {
        let rows = items.iter().map(|_| TableRow::default()).collect();
        Self { items, table: Table { key, title, note, columns: Vec::new(), rows }, group: "" }
    }

    /// Puts the columns that are added next into the group with this title.
    #[must_use]
    pub(in crate::report) fn group(self, title: &'static str) -> Self {
        Self { group: title, ..self }
    }

    /// Adds a column and its cell of each item.
    #[must_use]
    pub(in crate::report) fn column(mut self, column: Column, cell: impl Fn(&T) -> Cell) -> Self {
        self.table.columns.push(Column { group: self.group, ..column });
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            row.cells.push(cell(item));
        }
        self
    }

    /// Fills in the rest of each row: configuration, caution, key.
    #[must_use]
    pub(in crate::report) fn each_row(mut self, fill: impl Fn(&T, &mut TableRow)) -> Self {
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            fill(item, row);
        }
        self
    }

    /// Chooses unit and decimals of every column, and returns the table.
    #[must_use]
    pub(in crate::report) fn finish(mut self) -> Table {
        self.table.set_unit(Unit::Auto);
        self.table
    }
}
