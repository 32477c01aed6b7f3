//! Prints results: tables as text for users, JSON and CSV for programs.

pub(super) mod reference;
mod tables;

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use jitterscope_engine::export;
use jitterscope_engine::export::openmetrics::{self, Source};
use jitterscope_engine::format::exported;
use jitterscope_engine::platform::Refusal;
use jitterscope_engine::report::{Configuration, Delays, PacedFigures, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::units::{MAX_PADDING, count_text};

pub(super) use super::columns::columns;
use super::names::{self, Place};
use super::output::{Output, PrintError};
pub(super) use super::output::{print_message, print_output};
use super::{text, why};
use crate::text as words;

/// Maximum number of printed rows of an event table.
const MAX_EVENTS: usize = 40;
/// Maximum number of listed delay sources.
const MAX_SOURCES: usize = 4;

/// Writes the result of a run in the requested format.
pub(super) fn result(run: &Run, matches: &ArgMatches) -> Result<(), PrintError> {
    result_after(run, matches, &[])
}

/// Writes the result of a run. In the layout of a reference tool, the lines of `before`, collected
/// during the run, come first.
pub(super) fn result_after(
    run: &Run,
    matches: &ArgMatches,
    before: &[String],
) -> Result<(), PrintError> {
    let format = text(matches, "format").unwrap_or_default();
    let output = Output::of(matches);
    let place = output.place(&format);
    // On a terminal, the host name may be shown, because the user entered it.
    let host = run.host.as_deref().filter(|_| place == Place::Terminal);
    let (run, report) = names::evaluated(run, place);
    let all = all_figures(&run, matches);
    let content = match format.as_str() {
        "json" => {
            let sentence = report.sentence();
            return output.write(|to| exported::write(&run, &report, &sentence, to).map(drop));
        }
        "csv" => return output.write(|to| export::csv::table(report.tables.first(), to)),
        "openmetrics" => {
            let source = Source {
                measurement: None,
                run: &run,
                report: &report,
                has_programs: names::has_programs(),
            };
            openmetrics::text(&[source], None)
        }
        "reference-json" => reference::json(&run, &report)?,
        format if reference::FORMATS.contains(&format) => {
            if reference::print(&run, &report, &output, before)? {
                return Ok(());
            }
            print_message("the reference tool has no layout for these settings; this is the table");
            table(&run, host, &report, all.as_deref())
        }
        _ => match matches.try_get_one::<u32>("why").ok().flatten() {
            Some(frame) => why::account(&run, *frame),
            None => table(&run, host, &report, all.as_deref()),
        },
    };
    output.write(|to| to.write_all(export::for_terminal(&content).as_bytes()))
}

/// Returns the hint on how to print all figures, or `None` if all figures are being printed.
fn all_figures(run: &Run, matches: &ArgMatches) -> Option<String> {
    let is_set = |name: &str| matches.try_get_one::<bool>(name).ok().flatten().copied();
    let named = matches.try_get_one::<String>("run").ok().flatten();
    let is_of_store = named.is_some_and(|name| !Path::new(name).exists());
    let is_saved = is_of_store || is_set("no-save") == Some(false) || is_set("save") == Some(true);
    // With another data folder or a file as argument, `runs show <id>` would not find the run:
    // suggest adding `--all`.
    let is_elsewhere = matches.try_get_one::<PathBuf>("data-dir").ok().flatten().is_some();
    match is_set("all") {
        Some(true) => None,
        _ if is_saved && !is_elsewhere => {
            Some(format!("jitterscope-cli runs show {} --all", run.id))
        }
        _ => Some("add --all".to_owned()),
    }
}

/// Returns the result of a run as text: the key figures and the hint `all` on how to print all
/// figures, or all figures if there is no hint. The verdict comes last, where a terminal user looks
/// first.
fn table(run: &Run, host: Option<&str>, report: &Report, all: Option<&str>) -> String {
    let is_all = all.is_none();
    let on = host.map_or_else(String::new, |host| format!("{host}: "));
    let mut text = format!("{}\n{on}{}\n\n", words::full_run_name(run), run.machine.short());
    let width = tables::terminal_width();
    if is_all {
        all_tables(&mut text, report, width);
    } else {
        if let Some(table) = report.key_table(&["requested", "applied"]) {
            tables::write(&mut text, &table, width);
        }
        delayed_by(&mut text, report);
    }
    text.push_str(&why::source_lines(run));
    refusals(&mut text, report);
    rebasing(&mut text, report, is_all);
    if !report.cautions.is_empty() {
        text.push_str("\nMeasurement quality\n");
        for caution in &report.cautions {
            text.push_str(&format!("  {caution}\n"));
        }
    }
    if let Some(all) = all {
        text.push_str(&format!("All figures: {all}\n"));
    }
    text.push_str(&format!("\n{}: {}\n", report.word(), report.sentence()));
    let evidence = report.evidence();
    let to_do = report.what_to_do().filter(|to_do| !evidence.ends_with(to_do.as_str()));
    for line in [Some(evidence), to_do].into_iter().flatten().filter(|line| !line.is_empty()) {
        text.push_str(&line);
        text.push('\n');
    }
    // Some terminals cannot show the narrow space between a number and its unit.
    text.replace(words::NARROW_SPACE, " ")
}

fn all_tables(text: &mut String, report: &Report, width: usize) {
    for (table, position) in report.tables.iter().zip(0..) {
        // Only event tables are cut, because they may have thousands of rows; the first table, of
        // configurations, is complete.
        let most = if position == 0 { usize::MAX } else { MAX_EVENTS };
        let mut table = table.clone();
        let hidden = table.truncate(most);
        tables::write(text, &table, width);
        if 0 < hidden {
            text.push_str(&format!("{}\n\n", count_text(hidden, "more rows")));
        }
    }
}

/// Appends the sources of delay that cost the most time, each with its share of the total lateness.
fn delayed_by(text: &mut String, report: &Report) {
    let mut ranked = report.delays.ranked.clone();
    ranked.retain(|delay| 0.0005 <= delay.share);
    let (listed, others) = ranked.split_at(ranked.len().min(MAX_SOURCES));
    let mut rows = vec![["Delayed by", "Late", "Max", "Share"].map(str::to_owned).to_vec()];
    rows.extend(listed.iter().map(|delay| {
        vec![
            delay.title(),
            words::format_count(delay.sample_count),
            words::format_time(delay.worst),
            words::format_share(delay.share),
        ]
    }));
    if rows.len() == 1 {
        return;
    }
    columns(text, &rows);
    if !others.is_empty() {
        text.push_str(&format!("{}\n", Delays::describe_others(others)));
    }
    text.push('\n');
}

/// Appends, for each configuration, the lateness that a re-based schedule hid; with `is_all`, also
/// the lateness that re-basing would have hidden.
fn rebasing(text: &mut String, report: &Report, is_all: bool) {
    let hidden_of = |row: &Configuration| {
        let figures = row.figures.get::<PacedFigures>()?;
        let hidden = figures.rebasing_text().filter(|_| is_all || figures.is_rebased)?;
        Some((row.label.clone(), hidden))
    };
    let hidden: Vec<(String, String)> = report.rows.iter().filter_map(hidden_of).collect();
    if !hidden.is_empty() {
        text.push('\n');
        let width = hidden.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let width = width.min(MAX_PADDING);
        for (label, hidden) in hidden {
            text.push_str(&format!("{label:<width$}  {hidden}\n"));
        }
    }
}

/// Appends each denied request once, with the affected rows, the reason, and how to allow it.
fn refusals(text: &mut String, report: &Report) {
    let requests = report.rows.iter().flat_map(|row| {
        let refusals = row.granted.iter().flat_map(|granted| &granted.refusals);
        refusals.map(move |refusal| (row.label.as_str(), refusal))
    });
    write_denied(text, requests);
}

/// Appends each denied request once. A request comes with the label of its row.
fn write_denied<'a>(text: &mut String, requests: impl Iterator<Item = (&'a str, &'a Refusal)>) {
    let mut reported: Vec<(String, &Refusal, Vec<&str>)> = Vec::new();
    for (label, refusal) in requests {
        let line = match refusal.call.as_str() {
            "" => refusal.to_string(),
            call => format!("{refusal}, by {call}"),
        };
        match reported.iter_mut().find(|(known, _, _)| *known == line) {
            Some((_, _, labels)) => labels.push(label),
            None => reported.push((line, refusal, vec![label])),
        }
    }
    if reported.is_empty() {
        return;
    }
    text.push_str("Denied\n");
    for (line, Refusal { requested, remedy, .. }, labels) in reported {
        // The line begins with the request, which is also the name of its only row in a test of policies.
        let is_named = labels == [requested.as_str()];
        let labels = if is_named { String::new() } else { format!("{}: ", labels.join("; ")) };
        text.push_str(&format!("  {labels}{line}\n"));
        if !remedy.is_empty() {
            text.push_str(&format!("    {remedy}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denied_request_that_names_its_row_is_named_once() {
        let refusal = |requested: &str| Refusal {
            requested: requested.to_owned(),
            call: "sched_setscheduler".to_owned(),
            errno: Some(1),
            error_name: "EPERM".to_owned(),
            reason: "permission denied".to_owned(),
            remedy: "raise the limit".to_owned(),
        };
        let (fifo, pin) = (refusal("FIFO 5"), refusal("CPU 3"));
        let mut text = String::new();
        let rows = [("FIFO 5", &fifo), ("Normal, CPU 3", &pin), ("Highest, CPU 3", &pin)];
        write_denied(&mut text, rows.into_iter());
        let expected = "Denied
  FIFO 5: permission denied (EPERM, 1), by sched_setscheduler
    raise the limit
  Normal, CPU 3; Highest, CPU 3: CPU 3: permission denied (EPERM, 1), by sched_setscheduler
    raise the limit
";
        assert_eq!(text, expected);
    }
}
