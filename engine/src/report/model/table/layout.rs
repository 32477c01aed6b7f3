//! The layout of a table in little room: columns with equal cells are shown once, the others in blocks of columns.

use super::{Cell, Column, Table};
use crate::stats::distinct;

/// The heading and the cells of a column as text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextColumn<'a> {
    /// The column from which the texts were made.
    pub column: &'a Column,
    /// The title of the column with the unit.
    pub heading: String,
    /// One formatted cell per row.
    pub cells: Vec<String>,
    /// The position of the column in the table.
    pub position: usize,
}

impl TextColumn<'_> {
    /// Returns the text of the cells if it is the same in all rows; otherwise, and without rows, `None`.
    pub fn shared_text(&self) -> Option<&str> {
        let first = self.cells.first()?;
        self.cells.iter().all(|cell| cell == first).then_some(first)
    }
}

/// The columns of a table, divided into those whose cells differ and those whose cells are all the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout<'a> {
    /// Columns in which at least two rows differ.
    pub varying: Vec<TextColumn<'a>>,
    /// Columns with the same text in every row. If the table has one row, these are all columns.
    pub shared: Vec<TextColumn<'a>>,
}

impl<'a> Layout<'a> {
    /// Divides the columns of a table into varying and shared ones.
    pub fn of(table: &'a Table) -> Self {
        let rows: Vec<Vec<String>> = table.rows.iter().map(|row| table.texts(row)).collect();
        let columns = table.columns.iter().enumerate().map(|(position, column)| TextColumn {
            column,
            heading: column.heading(),
            cells: rows.iter().map(|row| row.get(position).cloned().unwrap_or_default()).collect(),
            position,
        });
        let (shared, varying) = columns.partition(|column| column.shared_text().is_some());
        Self { varying, shared }
    }

    /// Returns blocks of at most `most` varying columns (at least two if there are several). Each block starts with the
    /// first column. Optional columns are in the last blocks.
    pub fn blocks(&self, most: usize) -> Vec<Vec<&TextColumn<'a>>> {
        let Some((first, rest)) = self.varying.split_first() else { return Vec::new() };
        let (optional, main): (Vec<_>, Vec<_>) =
            rest.iter().partition(|column| column.column.is_optional);
        let size = most.saturating_sub(1).max(1);
        let mut blocks: Vec<Vec<&TextColumn<'a>>> = [main, optional]
            .iter()
            .flat_map(|columns| columns.chunks(size))
            .map(|chunk| std::iter::once(first).chain(chunk.iter().copied()).collect())
            .collect();
        if blocks.is_empty() {
            blocks.push(vec![first]);
        }
        blocks
    }
}

impl Table {
    /// Returns the reasons why cells are empty: each reason once, with the titles of the columns that have such cells.
    fn reasons(&self) -> Vec<(&str, Vec<&str>)> {
        let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
        for row in &self.rows {
            for (cell, column) in row.cells.iter().zip(&self.columns) {
                let Some(reason) = Cell::reason(cell) else { continue };
                let title = column.title.as_ref();
                match found.iter_mut().find(|(known, _)| *known == reason) {
                    Some((_, titles)) if titles.contains(&title) => {}
                    Some((_, titles)) => titles.push(title),
                    None => found.push((reason, vec![title])),
                }
            }
        }
        found
    }

    /// Returns one line per reason why cells are empty.
    pub fn reason_lines(&self) -> impl Iterator<Item = String> {
        let lines = self.reasons().into_iter();
        lines.map(|(reason, titles)| format!("No value for {}: {reason}", titles.join(", ")))
    }

    /// Returns the rows to read with care: the text of the first cell, and the reason. Equal pairs are returned once.
    pub fn cautions(&self) -> Vec<(String, &str)> {
        let name = |row| self.texts(row).into_iter().next().unwrap_or_default();
        let rows = self.rows.iter().filter(|row| !row.caution.is_empty());
        distinct(rows.map(|row| (name(row), row.caution.as_str())))
    }

    /// Removes all rows after the first `most` rows, and returns the number of removed rows.
    pub fn truncate(&mut self, most: usize) -> usize {
        let removed = self.rows.len().saturating_sub(most);
        self.rows.truncate(most);
        removed
    }

    /// Removes the column with this key and its cells; does nothing if there is no such column.
    pub fn remove(&mut self, key: &str) {
        let Some(position) = self.position(key) else { return };
        drop(self.columns.remove(position));
        for row in &mut self.rows {
            if position < row.cells.len() {
                row.cells.remove(position);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn equal_cells_are_shared_and_hidden_columns_come_last() {
        let mut table = sample();
        table.columns[1].is_optional = true;
        let layout = Layout::of(&table);
        let headings = |columns: &[&TextColumn<'_>]| -> Vec<String> {
            columns.iter().map(|column| column.heading.clone()).collect()
        };
        let shared: Vec<&TextColumn<'_>> = layout.shared.iter().collect();
        assert_eq!(headings(&shared), ["1% low (FPS)", "CPU", "Grade"]);
        let blocks = layout.blocks(2);
        let blocks: Vec<Vec<String>> = blocks.iter().map(|block| headings(block)).collect();
        assert_eq!(
            blocks,
            [["Requested", "p99 95% CI (ms)"], ["Requested", "Late"], ["Requested", "p99 (ms)"]]
        );
        let reasons: Vec<String> = table.reason_lines().collect();
        assert_eq!(reasons, ["No value for p99: needs 100 samples"]);
        table.rows[1].caution = "denied".to_owned();
        assert_eq!(table.cautions(), [("12.35\u{202f}ms".to_owned(), "denied")]);
        assert_eq!(table.truncate(1), 2);
        assert!(Layout::of(&table).blocks(5).is_empty(), "one row is a list");
        table.remove("late_count");
        assert_eq!((table.position("late_count"), table.rows[0].cells.len()), (None, 6));
    }
}
