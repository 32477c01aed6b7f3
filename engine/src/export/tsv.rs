//! A table for the clipboard: tab-separated, with exact values and every column.

use crate::report::Table;
use crate::report::table::Exact;

use super::privacy::{self, Identity, IncludedNames};
use super::sanitize::cell;

/// Returns a table as tab-separated text with exact values: a line of column keys, then one line
/// per row. Text that a spreadsheet would run as a formula is escaped, and private names are
/// redacted as in files.
pub fn table(table: &Table) -> String {
    let mut text = table.exact_keys().join("\t");
    text.push('\n');
    let mut programs = 0;
    for row in &table.rows {
        let mut cells: Vec<String> = table
            .exact_values(row)
            .iter()
            .map(|value| match value {
                Exact::Text(words) => cell(words),
                value => value.to_string(),
            })
            .collect();
        if let Some(name) = cells.first_mut().filter(|_| row.is_private) {
            *name = privacy::program(programs);
            programs += 1;
        }
        let line = IncludedNames::NOTHING.redacted(&cells.join("\t"), Identity::here());
        text.push_str(&line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::{Cell, Column, Quantity, TableRow};

    #[test]
    fn every_cell_is_exact_and_stays_in_its_place() {
        let columns = vec![
            Column::text("label", "Label", "A name."),
            Column::time("p99_nanos", "p99", "A time."),
            Column::time("p99_ci_nanos", "p99 95% CI", "An interval.").interval(),
        ];
        let row = |label: &str, p99: Cell, interval: Cell| TableRow {
            cells: vec![Cell::text_of(label), p99, interval],
            ..TableRow::default()
        };
        let rows = vec![
            row("one\ttwo", Cell::Time(1_234_567.0), Cell::Interval(Quantity::Time, 1.0, 2.5)),
            row("=cmd()", Cell::Absent("too few".into()), Cell::Absent("too few".into())),
            TableRow {
                is_private: true,
                ..row("browser at 10.1.2.3", Cell::Time(2.0), Cell::Absent("too few".into()))
            },
            row("10.1.2.3", Cell::Time(3.0), Cell::Absent("too few".into())),
        ];
        let found = table(&Table { key: "t", title: "T", note: String::new(), columns, rows });
        assert_eq!(
            found,
            "label\tp99_nanos\tp99_ci_low_nanos\tp99_ci_high_nanos\n\
             one two\t1234567\t1\t2.5\n'=cmd()\t\t\t\nProgram A\t2\t\t\n[address]\t3\t\t\n"
        );
    }
}
