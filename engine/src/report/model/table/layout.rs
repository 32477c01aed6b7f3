//! How a table is laid out where there is little room: equal cells once, the others in blocks of columns.

use super::{Cell, Column, Table};

/// A column as text: its heading and its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct TextColumn<'a> {
    /// The column.
    pub column: &'a Column,
    /// Its title with the unit.
    pub heading: String,
    /// One formatted cell per row.
    pub cells: Vec<String>,
    /// Its position in the table.
    pub position: usize,
}

impl TextColumn<'_> {
    /// Returns the text of every row where it is the same in all of them.
    pub fn shared_text(&self) -> Option<&str> {
        let first = self.cells.first()?;
        self.cells.iter().all(|cell| cell == first).then_some(first)
    }
}

/// The columns of a table, divided by whether their rows differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout<'a> {
    /// Columns in which at least two rows differ.
    pub varying: Vec<TextColumn<'a>>,
    /// Columns with the same text in every row; all columns where there is one row.
    pub shared: Vec<TextColumn<'a>>,
}

impl<'a> Layout<'a> {
    /// Divides the columns of a table.
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
}

impl Table {
    /// Returns why cells are empty: each reason once, with the titles of its columns.
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

    /// Returns why cells are empty, a line for each reason.
    pub fn reason_lines(&self) -> impl Iterator<Item = String> {
        let lines = self.reasons().into_iter();
        lines.map(|(reason, titles)| format!("No value for {}: {reason}", titles.join(", ")))
    }

    /// Returns why to read rows with care, after the first cell of the row; each pair once.
    pub fn cautions(&self) -> Vec<(String, &str)> {
        let mut found: Vec<(String, &str)> = Vec::new();
        for row in self.rows.iter().filter(|row| !row.caution.is_empty()) {
            let name = self.texts(row).into_iter().next().unwrap_or_default();
            let pair = (name, row.caution.as_str());
            if !found.contains(&pair) {
                found.push(pair);
            }
        }
        found
    }

    /// Removes the rows after the first `most`, and returns how many those were.
    pub fn truncate(&mut self, most: usize) -> usize {
        let removed = self.rows.len().saturating_sub(most);
        self.rows.truncate(most);
        removed
    }

    /// Removes the column with this key.
    pub fn remove(&mut self, key: &str) {
        let Some(position) = self.position(key) else { return };
        self.columns.remove(position);
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
    fn equal_cells_are_shared() {
        let mut table = sample();
        let layout = Layout::of(&table);
        let headings = |columns: &[&TextColumn<'_>]| -> Vec<String> {
            columns.iter().map(|column| column.heading.clone()).collect()
        };
        let shared: Vec<&TextColumn<'_>> = layout.shared.iter().collect();
        assert_eq!(headings(&shared), ["1% low (FPS)", "CPU", "Grade"]);
        let varying: Vec<&TextColumn<'_>> = layout.varying.iter().collect();
        assert_eq!(headings(&varying), ["Requested", "p99 (ms)", "p99 95% CI (ms)", "Late"]);
        let reasons: Vec<String> = table.reason_lines().collect();
        assert_eq!(reasons, ["No value for p99: needs 100 samples"]);
        table.rows[1].caution = "denied".to_owned();
        assert_eq!(table.cautions(), [("12.35\u{202f}ms".to_owned(), "denied")]);
        assert_eq!(table.truncate(1), 2);
        assert!(Layout::of(&table).varying.is_empty(), "one row is a list");
        table.remove("late_count");
        assert_eq!((table.position("late_count"), table.rows[0].cells.len()), (None, 6));
    }
}
