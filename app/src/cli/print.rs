//! Prints results: tables for people, JSON and CSV for programs.

mod source;
mod tables;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::ArgMatches;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::{Report, Row};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::LowDefinition;
use jitterscope_engine::{export, store};

use super::text;
use crate::text as words;

/// Says a sentence to the person at the terminal.
#[expect(clippy::print_stderr, reason = "the command line talks to a person here")]
pub(super) fn say(sentence: &str) {
    eprintln!("{}", export::for_terminal(sentence));
}

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum PrintError {
    /// The output cannot be written.
    #[error("the result cannot be written: {0}")]
    Output(#[from] io::Error),
    /// The file cannot be written.
    #[error("{0}")]
    File(#[from] store::SaveError),
}

/// Writes the result of a run as the options say.
pub(super) fn result(run: &Run, matches: &ArgMatches) -> Result<(), PrintError> {
    let format = text(matches, "format").unwrap_or_default();
    let content = match format.as_str() {
        "json" => {
            let mut json = Vec::new();
            store::format::write(run, &mut json)?;
            json
        }
        "csv" => {
            let mut csv = Vec::new();
            export::csv::summary(&Report::of(run), &mut csv)?;
            csv
        }
        "source" | "latency2" => {
            let report = Report::of(run);
            match source::layout(run, &report) {
                Some(text) => export::for_terminal(&text).into_bytes(),
                None => export::for_terminal(&table(run)).into_bytes(),
            }
        }
        _ => export::for_terminal(&table(run)).into_bytes(),
    };
    match matches.get_one::<PathBuf>("out") {
        Some(path) => store::write_whole(path, &content)?,
        None => output(&content)?,
    }
    Ok(())
}

/// Writes words for a person to the output: names and notes of others do nothing to the terminal.
pub(super) fn tell(words: &str) -> io::Result<()> {
    output(export::for_terminal(words).as_bytes())
}

/// Writes to the output; a reader that closed it early, such as `head`, is no failure.
pub(super) fn output(content: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(content).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// The result for a person.
pub(super) fn table(run: &Run) -> String {
    let report = Report::of(run);
    let mut text = format!("{}\n{}\n\n", words::run_name(run), run.machine.short());
    match &run.plan {
        Plan::FrameLoop(_) if report.rows.iter().any(|row| row.source.is_some()) => {
            source_table(&mut text, &report);
        }
        Plan::FrameLoop(_) => own_table(&mut text, &report),
        Plan::SleepAccuracy(_)
        | Plan::SpinStrategies(_)
        | Plan::SchedulingGaps(_)
        | Plan::RealTime(_)
        | Plan::GameTick(_) => tables::of(&mut text, run, &report),
    }
    refusals(&mut text, &report);
    let hidden: Vec<(String, String)> = report
        .rows
        .iter()
        .filter_map(|row| Some((row.label.clone(), words::verdict::rebasing(row)?)))
        .collect();
    if !hidden.is_empty() {
        text.push('\n');
        let width = hidden.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        for (label, hidden) in hidden {
            text.push_str(&format!("{label:<width$}  {hidden}\n"));
        }
    }
    let (grade, sentence): (String, String) =
        (words::verdict::grade_word(&report), words::verdict::sentence(&report));
    text.push_str(&format!("\n{grade}: {sentence}\n"));
    let evidence = words::verdict::evidence(&report);
    if !evidence.is_empty() {
        text.push_str(&evidence);
        text.push('\n');
    }
    if !report.cautions.is_empty() {
        text.push_str("\nHow far to trust this\n");
        for caution in &report.cautions {
            text.push_str(&format!("  {caution}\n"));
        }
    }
    // A terminal may lack the narrow space that keeps a number and its unit together.
    text.replace(words::NARROW_SPACE, " ")
}

/// The table of gdt-cpus' example: whole microseconds, and beside it what was granted.
fn source_table(text: &mut String, report: &Report) {
    let mut rows = vec![
        ["Configuration", "Min", "p50", "p95", "p99", "requested -> granted"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for row in &report.rows {
        let figures = |figure: Option<i64>| figure.map_or("–".to_owned(), |n| n.to_string());
        let source = row.source;
        rows.push(vec![
            row.label.clone(),
            figures(source.map(|source| source.min_micros)),
            figures(source.map(|source| source.p50_micros)),
            figures(source.map(|source| source.p95_micros)),
            figures(source.map(|source| source.p99_micros)),
            requested_and_granted(row),
        ]);
    }
    text.push_str("frame time less target in µs, by the source's own rules\n\n");
    columns(text, &rows);
}

fn own_table(text: &mut String, report: &Report) {
    let header = [
        "Configuration",
        "min",
        "p50",
        "p95",
        "p99",
        "p99.9",
        "max",
        "std dev",
        "missed",
        "1 % low",
        "requested -> granted",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for row in &report.rows {
        let mut cells = vec![row.label.clone()];
        if let Some(summary) = &row.summary {
            let late = &summary.lateness;
            let time = |value: Option<Nanos>| value.map_or("–".to_owned(), micros);
            cells.extend([
                micros(late.min),
                micros(late.p50),
                time(late.p95),
                time(late.p99),
                time(late.p99_9),
                micros(late.max),
                late.std_dev_nanos
                    .map_or("–".to_owned(), |nanos| micros(Nanos::from_nanos_f64(nanos))),
                format!("{} of {}", summary.missed_count(), summary.slot_count),
                summary.one_percent_low_fps.map_or("–".to_owned(), |fps| format!("{fps:.1}")),
            ]);
        } else {
            cells.extend(std::iter::repeat_n("–".to_owned(), 9));
        }
        cells.push(requested_and_granted(row));
        rows.push(cells);
    }
    let low = LowDefinition::default().label();
    text.push_str(&format!("lateness in µs, 1 % low in FPS, by the {low}\n\n"));
    columns(text, &rows);
}

/// Microseconds with one decimal, a sign where negative.
fn micros(value: Nanos) -> String {
    format!("{:.1}", value.as_micros())
}

pub(super) fn requested_and_granted(row: &Row) -> String {
    if let Some(reason) = &row.skipped {
        return format!("left out: {reason}");
    }
    let mark = if row.is_as_asked() { "" } else { "  (not as asked)" };
    format!("{} -> {}{mark}", row.conditions, row.granted_text())
}

/// Lines up cells: the first and the last column to the left, the others to the right.
pub(super) fn columns(text: &mut String, rows: &[Vec<String>]) {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let lengths =
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        lengths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for ((cell, &width), column) in row.iter().zip(&widths).zip(0..) {
            let gap = if column == 0 { "" } else { "  " };
            // Writing to a string cannot fail.
            let _ok = if column == 0 || column + 1 == count {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
        if number == 0 {
            let rule: usize = widths.iter().sum::<usize>() + (count.saturating_sub(1)) * 2;
            text.push_str(&"-".repeat(rule));
            text.push('\n');
        }
    }
}

/// Every refusal once, with the rows it concerns, its reason and what would grant it.
fn refusals(text: &mut String, report: &Report) {
    let mut told: Vec<(String, String, Vec<String>)> = Vec::new();
    for row in &report.rows {
        for refusal in row.granted.iter().flat_map(|granted| &granted.refusals) {
            let line = format!("{refusal}, by {}", refusal.call);
            match told.iter_mut().find(|(known, _, _)| *known == line) {
                Some((_, _, labels)) => labels.push(row.label.clone()),
                None => told.push((line, refusal.remedy.clone(), vec![row.label.clone()])),
            }
        }
    }
    if told.is_empty() {
        return;
    }
    text.push_str("\nRefused\n");
    for (line, remedy, labels) in told {
        text.push_str(&format!("  {}: {line}\n", labels.join("; ")));
        if !remedy.is_empty() {
            text.push_str(&format!("    {remedy}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut text = String::new();
        let rows = [["Name", "p99", "granted"], ["Normal", "3300.0", "nice 0"]];
        columns(&mut text, &rows.map(|row| row.map(str::to_owned).to_vec()));
        assert_eq!(
            text,
            "Name       p99  granted\n-----------------------\nNormal  3300.0  nice 0\n"
        );
    }
}
