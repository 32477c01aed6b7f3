//! Writes comma-separated values (CSV): the rows of a table, or one row per sample. The name of a
//! column ends in its unit, if the column has one.

use std::borrow::Cow;
use std::io::{self, Write};

use super::sanitize::cell;
use crate::report::Table;
use crate::report::table::{Exact, TableRow};
use crate::run::Run;

/// The column names of a CSV file with one row per sample.
const SAMPLE_COLUMNS: [&str; 11] = [
    "trial",
    "label",
    "index",
    "began_nanos",
    "due_nanos",
    "slept_nanos",
    "woke_nanos",
    "done_nanos",
    "late_nanos",
    "spins",
    "cpu",
];

/// The header and the rows of a CSV file.
pub struct Sheet<'a> {
    /// The column names.
    pub header: Vec<Cow<'a, str>>,
    /// The rows, each with one field per column.
    pub rows: Box<dyn Iterator<Item = Vec<String>> + 'a>,
}

impl std::fmt::Debug for Sheet<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sheet").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> Sheet<'a> {
    /// Returns a sheet with the exact values of a table: one field per column, or two for the ends
    /// of an interval or a range of grades. A field without a value is empty; the last column,
    /// `absent`, contains the reasons.
    pub fn of_table(table: &'a Table) -> Self {
        let mut header = table.exact_keys();
        header.push(Cow::Borrowed("absent"));
        let rows = table.rows.iter().map(|row| {
            let values = table.exact_values(row).into_iter().map(|value| match value {
                Exact::Text(text) => cell(&text),
                number => number.to_string(),
            });
            values.chain([cell(&absent(table, row))]).collect()
        });
        Self { header, rows: Box::new(rows) }
    }

    /// Returns a sheet with every sample of every trial. Labels that a spreadsheet would run as a
    /// formula are escaped.
    pub fn of_samples(run: &'a Run) -> Self {
        let rows = run.trials.iter().zip(0_u32..).flat_map(|(trial, number)| {
            let label = cell(&trial.trial.label);
            trial.samples.iter().zip(0_u64..).map(move |(sample, index)| {
                vec![
                    number.to_string(),
                    label.clone(),
                    index.to_string(),
                    sample.began.get().to_string(),
                    sample.due.get().to_string(),
                    sample.slept.map_or(String::new(), |slept| slept.get().to_string()),
                    sample.woke.get().to_string(),
                    sample.done.get().to_string(),
                    sample.late().get().to_string(),
                    sample.spins.to_string(),
                    sample.cpu.map_or(String::new(), |cpu| cpu.to_string()),
                ]
            })
        });
        Self { header: SAMPLE_COLUMNS.map(Cow::Borrowed).to_vec(), rows: Box::new(rows) }
    }

    /// Writes the header and every row.
    pub fn write(self, to: &mut dyn Write) -> io::Result<()> {
        let mut csv =
            ::csv::WriterBuilder::new().terminator(::csv::Terminator::Any(b'\n')).from_writer(to);
        csv.write_record(self.header.iter().map(|name| name.as_bytes()))?;
        for row in self.rows {
            csv.write_record(row)?;
        }
        csv.flush()
    }
}

/// Returns the reasons why cells of a row are empty, such as `p99_nanos: needs 100 samples`. The
/// reasons are separated by semicolons; a semicolon within a reason becomes a comma.
fn absent(table: &Table, row: &TableRow) -> String {
    let reasons = row.cells.iter().zip(&table.columns).filter_map(|(cell, column)| {
        Some(format!("{}: {}", column.key, cell.reason()?.replace(';', ",")))
    });
    reasons.collect::<Vec<_>>().join("; ")
}

/// Writes a table; writes nothing if `table` is `None`.
pub fn table(table: Option<&Table>, to: &mut dyn Write) -> io::Result<()> {
    table.map_or(Ok(()), |table| Sheet::of_table(table).write(to))
}

/// Writes every sample of every trial.
pub fn samples(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    Sheet::of_samples(run).write(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_hold_what_separates_fields() {
        let rows = [["a, \"b\"", "1.5", ""], ["last", "", ""]];
        let sheet = Sheet {
            header: ["label", "value", "empty"].map(Cow::Borrowed).to_vec(),
            rows: Box::new(rows.iter().map(|row| row.map(str::to_owned).to_vec())),
        };
        let mut text = Vec::new();
        sheet.write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("label,value,empty\n\"a, \"\"b\"\"\",1.5,\n"), "{text}");
    }
}
