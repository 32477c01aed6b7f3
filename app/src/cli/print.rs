//! Prints results: tables as text, JSON and CSV for programs.

pub(super) mod reference;
mod tables;

use clap::ArgMatches;
use jitterscope_engine::export::{self, Headline};
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::Run;

pub(super) use super::columns::columns;
use super::output::{Output, PrintError};
pub(super) use super::output::{print_message, print_output};
use super::{text, why};
use crate::text as words;

/// Maximum rows of a table of events.
const MAX_EVENTS: usize = 40;

/// Writes the result of a run in the requested format.
pub(super) fn result(run: &Run, matches: &ArgMatches) -> Result<(), PrintError> {
    result_after(run, matches, &[])
}

/// The same after lines of the reference layout that were due during the run.
pub(super) fn result_after(
    run: &Run,
    matches: &ArgMatches,
    before: &[String],
) -> Result<(), PrintError> {
    let format = text(matches, "format").unwrap_or_default();
    let content = match format.as_str() {
        "json" => {
            let report = Report::of(run, &Options::default());
            let headline = Headline::of(run, &report, words::local_date(run.started_at));
            let mut json = Vec::new();
            export::json::write(run, &report, &headline, &mut json)?;
            json
        }
        "csv" => {
            let mut csv = Vec::new();
            export::csv::table(Report::of(run, &Options::default()).tables.first(), &mut csv)?;
            csv
        }
        "reference-json" => reference::json(run)?,
        format if reference::FORMATS.contains(&format) => {
            if reference::print(run, matches, before)? {
                return Ok(());
            }
            print_message("the reference tool has no layout for these settings; this is the table");
            export::for_terminal(&table(run)).into_bytes()
        }
        _ => match matches.try_get_one::<u32>("why").ok().flatten() {
            Some(frame) => export::for_terminal(&why::account(run, *frame)).into_bytes(),
            None => export::for_terminal(&table(run)).into_bytes(),
        },
    };
    Output::of(matches).write(|to| to.write_all(&content))
}

/// The result as text.
pub(super) fn table(run: &Run) -> String {
    let report = Report::of(run, &Options::default());
    let mut text = format!("{}\n{}\n\n", words::full_run_name(run), run.machine.short());
    let width = tables::terminal_width();
    for (table, position) in report.tables.iter().zip(0..) {
        // A table of events may have thousands of rows; one of configurations is shown completely.
        let most = if position == 0 { usize::MAX } else { MAX_EVENTS };
        let mut table = table.clone();
        let hidden = table.truncate(most);
        tables::write(&mut text, &table, width);
        if 0 < hidden {
            text.push_str(&format!(
                "{} more rows\n\n",
                words::count(u64::try_from(hidden).unwrap_or(0))
            ));
        }
    }
    text.push_str(&why::source_lines(run));
    refusals(&mut text, &report);
    let hidden: Vec<(String, String)> = report
        .rows
        .iter()
        .filter_map(|row| Some((row.label.clone(), row.figures.paced()?.rebasing_text()?)))
        .collect();
    if !hidden.is_empty() {
        text.push('\n');
        let width = hidden.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        for (label, hidden) in hidden {
            text.push_str(&format!("{label:<width$}  {hidden}\n"));
        }
    }
    text.push_str(&format!("\n{}: {}\n", report.word(), report.sentence()));
    let evidence = report.evidence();
    if !evidence.is_empty() {
        text.push_str(&evidence);
        text.push('\n');
    }
    if !report.cautions.is_empty() {
        text.push_str("\nMeasurement quality\n");
        for caution in &report.cautions {
            text.push_str(&format!("  {caution}\n"));
        }
    }
    // A terminal may lack the narrow space that joins a number and its unit.
    text.replace(words::NARROW_SPACE, " ")
}

/// Every refusal once, with its rows, its reason, and what would allow it.
fn refusals(text: &mut String, report: &Report) {
    let mut reported: Vec<(String, String, Vec<String>)> = Vec::new();
    for row in &report.rows {
        for refusal in row.granted.iter().flat_map(|granted| &granted.refusals) {
            let line = format!("{refusal}, by {}", refusal.call);
            match reported.iter_mut().find(|(known, _, _)| *known == line) {
                Some((_, _, labels)) => labels.push(row.label.clone()),
                None => reported.push((line, refusal.remedy.clone(), vec![row.label.clone()])),
            }
        }
    }
    if reported.is_empty() {
        return;
    }
    text.push_str("Denied\n");
    for (line, remedy, labels) in reported {
        text.push_str(&format!("  {}: {line}\n", labels.join("; ")));
        if !remedy.is_empty() {
            text.push_str(&format!("    {remedy}\n"));
        }
    }
}
