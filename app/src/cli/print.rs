//! Prints results: tables as text for users, JSON and CSV for programs.

pub(super) mod reference;
mod tables;

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use jitterscope_engine::export;
use jitterscope_engine::export::openmetrics::{self, Source};
use jitterscope_engine::format::KeptSamples;
use jitterscope_engine::format::exported::{self, ExportedRun};
use jitterscope_engine::report::Report;
use jitterscope_engine::report::document::{Block, Fact, Level, Piece, Step, flattened};
use jitterscope_engine::run::Run;
use jitterscope_engine::units::{MAX_PADDING, count_text};

pub(super) use super::columns::columns;
use super::names::{self, Place};
use super::output::{Output, PrintError};
pub(super) use super::output::{print_message, print_output};
use super::{capture_view, text, why};
use crate::text as words;

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
    capture_view::check(run, matches).map_err(PrintError::Option)?;
    let asked = capture_view::options(matches);
    let (run, report) = names::evaluated_as(run, place, &asked);
    let all = all_figures(&run, matches);
    let content = match format.as_str() {
        "json" => {
            let verdict = report.sentence().into();
            let kept = KeptSamples::All;
            let exported = ExportedRun { run: &run, report: &report, verdict, kept };
            return output.write(|to| exported::write(&exported, to).map(drop));
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
            if reference::print(&run, &report, matches, before)? {
                return Ok(());
            }
            print_message("the reference tool has no layout for these settings; this is the table");
            table(&run, host, &report, all.as_deref())
        }
        _ => match matches.try_get_one::<u32>("why").ok().flatten() {
            Some(frame) => why::account(&run, *frame)?,
            None => table(&run, host, &report, all.as_deref()),
        },
    };
    output.write(|to| to.write_all(export::for_terminal(&content).as_bytes()))
}

/// Returns the text of a value in a CSV cell; a list has its parts separated by semicolons.
pub(super) fn cell(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(all) => all.iter().map(cell).collect::<Vec<_>>().join("; "),
        value => value.to_string(),
    }
}

/// Writes the result of a recording that has just ended: as a table, in at most 15 lines.
pub(super) fn recorded(run: &Run, matches: &ArgMatches) -> Result<(), PrintError> {
    let is_short =
        text(matches, "format").is_none_or(|format| format == "table") && !matches.get_flag("all");
    if !is_short {
        return result(run, matches);
    }
    let output = Output::of(matches);
    let (run, report) = names::evaluated(run, output.place("table"));
    let when = words::local_date(run.started_at);
    let shown = export::run_document(&run, &report, when, Level::Short).summary.blocks();
    let content = blocks("", shown.iter(), "");
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
    let on = host.map_or_else(String::new, |host| format!("{host}: "));
    let head = format!("{}\n{on}{}\n\n", words::full_run_name(run), run.machine.short());
    let level = if all.is_none() { Level::All } else { Level::Page };
    let when = words::local_date(run.started_at);
    let document = export::run_document(run, report, when, level);
    let shown: Vec<Block> = if all.is_none() {
        let verdict = Block::Verdict(document.summary.statement.clone());
        document.everything().into_iter().chain([verdict]).collect()
    } else {
        document.blocks(Level::Page).cloned().collect()
    };
    let hint = all.map_or_else(String::new, |all| format!("All figures: {all}\n"));
    let before = format!("{}{hint}", why::source_lines(run));
    blocks(&head, shown.iter(), &before)
}

/// Returns the blocks of a document as text, after `head`. The verdict comes last, after the lines `before`, where a
/// terminal user looks first.
pub(super) fn blocks<'a>(
    head: &str,
    blocks: impl Iterator<Item = &'a Block>,
    before: &str,
) -> String {
    let width = tables::terminal_width();
    let mut text = head.to_owned();
    let mut verdict = String::new();
    for block in blocks.flat_map(|block| flattened(std::slice::from_ref(block))) {
        match &block {
            Block::Heading(title) => {
                end_paragraph(&mut text);
                text.push_str(&format!("{title}\n"));
            }
            Block::Paragraph(lines) => {
                for line in lines {
                    text.push_str(&format!("{}\n", plain(line)));
                }
            }
            Block::Item(line) => text.push_str(&format!("  {}\n", plain(line))),
            Block::Quote(lines) => {
                for line in lines {
                    text.push_str(&format!("  {line}\n"));
                }
            }
            Block::Grid(grid) => {
                let rows: Vec<_> =
                    std::iter::once(&grid.header).chain(&grid.rows).cloned().collect();
                columns(&mut text, &rows);
                text.push('\n');
            }
            Block::Facts(_, facts) => {
                let width = facts.iter().map(|fact| fact.name.chars().count()).max().unwrap_or(0);
                let width = width.min(MAX_PADDING);
                for fact in facts {
                    let mark = if fact.is_warning() { "!" } else { " " };
                    let Fact { name, value, .. } = fact;
                    text.push_str(&format!("{mark} {name:<width$}  {value}\n"));
                }
            }
            Block::Steps(steps) => {
                for Step { title, text: reason, .. } in steps {
                    text.push_str(&format!("  {title}\n"));
                    if !reason.is_empty() {
                        text.push_str(&format!("    {reason}\n"));
                    }
                }
            }
            Block::Table(table, omitted) => {
                tables::write(&mut text, table, width);
                if 0 < *omitted {
                    text.push_str(&format!("{}\n\n", count_text(*omitted, "more rows")));
                }
            }
            Block::Verdict(statement) => {
                let lines = std::iter::once(statement.answer()).chain(statement.notes());
                verdict = lines.fold(String::new(), |text, line| text + &line + "\n");
            }
            // A terminal shows neither plots nor sections that are closed at first. Flattened blocks contain no other
            // kinds.
            _ => {}
        }
    }
    end_paragraph(&mut text);
    text.push_str(before);
    end_paragraph(&mut text);
    // Some terminals cannot show the narrow space between a number and its unit.
    format!("{text}{verdict}").replace(words::NARROW_SPACE, " ")
}

/// Ends the text with an empty line.
fn end_paragraph(text: &mut String) {
    if !text.ends_with("\n\n") {
        text.push('\n');
    }
}

/// Returns the text of a line without its styles.
fn plain(line: &[Piece]) -> String {
    line.iter().map(|piece| piece.text.as_str()).collect()
}
