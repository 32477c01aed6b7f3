//! A builder of tables: each call of `column` adds a column and the function that computes its cells from an item.

use super::{Cell, Column, Table, TableRow};
use crate::units::Unit;

/// Builds a table with one row per item of `items`.
#[derive(Debug)]
#[must_use]
pub(in crate::report) struct TableBuilder<'a, T> {
    items: &'a [T],
    table: Table,
    group: &'static str,
    pivot: Option<&'static str>,
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
        let table = Table { key, title, note, columns: Vec::new(), rows };
        Self { items, table, group: "", pivot: None }
    }

    /// Sets the title of the group that all columns added later belong to, up to the next call.
    pub(in crate::report) fn group(self, title: &'static str) -> Self {
        Self { group: title, ..self }
    }

    /// In the wide layout of the table, replaces each column added later, up to the next call, by one
    /// column per value of the column with the key `by`. With `None`, columns stay as they are.
    pub(in crate::report) fn pivot(self, by: Option<&'static str>) -> Self {
        Self { pivot: by, ..self }
    }

    /// Adds a column; `cell` returns the cell of an item.
    pub(in crate::report) fn column(mut self, column: Column, cell: impl Fn(&T) -> Cell) -> Self {
        self.table.columns.push(Column { group: self.group, pivot: self.pivot, ..column });
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            row.cells.push(cell(item));
        }
        self
    }

    /// Calls `fill` for each row, to set the fields of the row that are not cells, such as its caution.
    pub(in crate::report) fn each_row(mut self, fill: impl Fn(&T, &mut TableRow)) -> Self {
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            fill(item, row);
        }
        self
    }

    /// Chooses the unit and decimals of every column of times, and returns the table.
    pub(in crate::report) fn finish(mut self) -> Table {
        self.table.set_unit(Unit::Auto);
        self.table
    }
}
