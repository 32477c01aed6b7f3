//! Writes comma-separated values (CSV): the rows of a table, or one row per sample. The name of a
//! column ends in its unit, if the column has one.

use std::borrow::Cow;
use std::io::{self, Write};

use super::captured;
use super::sanitize::cell;
use crate::report::table::{Exact, TableRow};
use crate::report::{Report, Table};
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

/// Writes the exact values of a table: one field per column, or two for the ends of an interval or a
/// range of grades. A field without a value is empty; the last column, `absent`, contains the
/// reasons. Writes nothing if `table` is `None`.
pub fn table(table: Option<&Table>, to: &mut dyn Write) -> io::Result<()> {
    let Some(table) = table else { return Ok(()) };
    let mut header = table.exact_keys();
    header.push(Cow::Borrowed("absent"));
    let row = |row: &TableRow| {
        let values = table.exact_values(row).into_iter().map(exact);
        values.chain([cell(&absent(table, row))]).collect()
    };
    write(&header, table.rows.iter().map(row), to)
}

/// The columns that name the run of a row, in a table of several runs.
const RUN_COLUMNS: [&str; 5] = ["run_id", "run_name", "began_at", "machine", "tags"];

/// Writes the first tables of several runs as one: each row begins with the run that it is of. A column that only some
/// of the tables have is empty in the rows of the others.
pub fn tables(runs: &[(&Run, &Report)], to: &mut dyn Write) -> io::Result<()> {
    let mut header: Vec<Cow<'_, str>> = RUN_COLUMNS.map(Cow::Borrowed).to_vec();
    let of_runs: Vec<_> =
        runs.iter().filter_map(|(run, report)| Some((run, report.tables.first()?))).collect();
    for key in of_runs.iter().flat_map(|(_, table)| table.exact_keys()) {
        if !header.contains(&key) {
            header.push(key);
        }
    }
    header.push(Cow::Borrowed("absent"));
    let rows = of_runs.iter().flat_map(|(run, table)| {
        let machine = run.machine.short();
        let began = super::wall_clock(run)
            .map_or_else(|| run.started_at.to_string(), |began| began.to_string());
        let own = [run.id.as_str(), &run.name, &began, &machine, &run.tags.join("; ")];
        let own: Vec<String> = own.map(cell).into();
        let keys = table.exact_keys();
        let places: Vec<Option<usize>> =
            header.iter().map(|key| keys.iter().position(|own| own == key)).collect();
        table.rows.iter().map(move |row| {
            let values: Vec<String> = table.exact_values(row).into_iter().map(exact).collect();
            let of_table = places.iter().skip(own.len()).map(|place| {
                place.and_then(|place| values.get(place)).cloned().unwrap_or_default()
            });
            let mut whole: Vec<String> = own.iter().cloned().chain(of_table).collect();
            if let Some(last) = whole.last_mut() {
                *last = cell(&absent(table, row));
            }
            whole
        })
    });
    write(&header, rows, to)
}

fn exact(value: Exact) -> String {
    match value {
        Exact::Text(text) => cell(&text),
        number => number.to_string(),
    }
}

/// Writes rows of text below the names of their columns. Text that a spreadsheet would run as a formula is escaped.
pub fn rows<const N: usize>(
    header: [&'static str; N],
    rows: impl Iterator<Item = [String; N]>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let escaped = rows.map(|row| row.iter().map(|text| cell(text)).collect());
    write(&header.map(Cow::Borrowed), escaped, to)
}

/// Writes every sample of every trial. Labels that a spreadsheet would run as a formula are escaped.
/// A capture has one row per frame, or per bin of a histogram.
pub fn samples(run: &Run, report: &Report, to: &mut dyn Write) -> io::Result<()> {
    if let Some(capture) = run.capture() {
        let (header, rows) = captured::rows(capture, report);
        return write(&header, rows, to);
    }
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
    write(&SAMPLE_COLUMNS.map(Cow::Borrowed), rows, to)
}

fn write(
    header: &[Cow<'_, str>],
    rows: impl Iterator<Item = Vec<String>>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut csv =
        ::csv::WriterBuilder::new().terminator(::csv::Terminator::Any(b'\n')).from_writer(to);
    csv.write_record(header.iter().map(|name| name.as_bytes()))?;
    for row in rows {
        csv.write_record(row)?;
    }
    csv.flush()
}

/// Returns the reasons why cells of a row are empty, such as `p99_nanos: needs 100 samples`. The
/// reasons are separated by semicolons; a semicolon within a reason becomes a comma.
fn absent(table: &Table, row: &TableRow) -> String {
    let reasons = row.cells.iter().zip(&table.columns).filter_map(|(cell, column)| {
        Some(format!("{}: {}", column.key, cell.reason()?.replace(';', ",")))
    });
    reasons.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_hold_what_separates_fields() {
        let rows = [["a, \"b\"", "1.5", ""], ["last", "", ""]];
        let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec());
        let mut text = Vec::new();
        write(&["label", "value", "empty"].map(Cow::Borrowed), rows, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("label,value,empty\n\"a, \"\"b\"\"\",1.5,\n"), "{text}");
    }
}
