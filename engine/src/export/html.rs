//! The HTML report: one page with the verdict first. The page is readable without its script,
//! prints on A4, and contains the run, so that Jitterscope can import the page.

mod compared;
mod culprits;
mod details;
mod figures;
mod head;
mod page;
mod plot;
mod quality;
mod timeline;
mod verdict;

use std::io::{self, Write};

use super::sanitize::{NAME, NOTE, html};
use super::svg::{self, fluid};
use super::{Headline, Options, Parts};
use crate::format::{exported, measurement_sum};
use crate::report::chart::default_row;
use crate::report::document::run;
use crate::report::table::Column;
use crate::report::{Caution, Chart, Report, Table};
use crate::run::Run;

pub use compared::{Change, Changes, ComparisonPage, RelativeChange, Side, write_comparison};
pub(super) use page::write_page;

/// Maximum number of rows of a table of events.
const MAX_EVENTS: usize = 200;
/// Maximum number of full-width plots besides the timeline; further plots are in the collapsed
/// details.
const MAX_WIDE: usize = 2;
/// The opening tag of the element that contains the run as JSON. The importer searches for this
/// tag.
const DATA_BEGINS: &str = "<script type=\"application/json\" id=\"jitterscope-run\">";
/// The only script of the page: it shows values at the pointer and opens all details for print.
const SCRIPT: &str = include_str!("html/script.js");
/// The hash of the script, by which the content security policy of the page permits it.
const SCRIPT_HASH: &str = "sha256-Mu4OKZR8vsSUU5qdHF+WuU+tijOByZTpZuEHZ8aEhwA=";
/// SVG definitions of the icons.
const DEFINITIONS: &str = include_str!("html/defs.html");

/// Writes the HTML report of a run.
pub fn write(
    run: &Run,
    report: &Report,
    headline: &Headline,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    let holds = options.parts;
    begin(&headline.title, &format!("Jitterscope run {}, {}", run.id, headline.about), to)?;
    head::write(run, report, headline, holds, to)?;
    let cautions: Vec<&Caution> = run::cautions(report, holds.machine).collect();
    let (weakening, others): (Vec<&Caution>, Vec<&Caution>) =
        cautions.into_iter().partition(|caution| caution.is_weakening());
    let place = report.grade_place(run);
    // A capture never has a grade, so a missing grade of a capture is not shown as inconclusive.
    let verdict = &report.verdict;
    let look = verdict::Look::of(verdict.grade, run.plan().is_some() && verdict.is_open());
    verdict::write((verdict.grade, look), headline, place.as_ref(), &weakening, to)?;
    let hidden = weakening.into_iter().skip(verdict::MAX_CAUTIONS).chain(others);
    let hidden: Vec<&Caution> = hidden.collect();
    first_figures(run, report, to)?;
    let more = plots(run, report, holds, &hidden, to)?;
    quality::requested(run, report, to)?;
    writeln!(to, "<div class=\"more\">")?;
    for chart in &more {
        details::open(chart.title, &chart.note, "", to)?;
        writeln!(to, "{}", svg::legend(chart))?;
        plot::write_alone(chart, to)?;
        details::close(to)?;
    }
    let tables = run::tables(report, holds.machine, MAX_EVENTS);
    if let Some((first, _)) = tables.first() {
        details::all_figures("All figures", first, to)?;
    }
    for (table, omitted) in tables.iter().skip(1) {
        details::table(table, *omitted, to)?;
    }
    if holds.repeat {
        details::settings(run, to)?;
    }
    if holds.machine {
        details::machine(run, to)?;
    }
    details::definitions(tables.iter().map(|(table, _)| table), to)?;
    end(run, report, headline, holds, to)
}

/// Writes the key figures of the report. If it has none, writes a table of setting changes or of
/// several configurations.
fn first_figures(run: &Run, report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let keys = report.key_figures(run);
    if !keys.is_empty() {
        figures::keys(&keys, to)
    } else if let Some(table) = report.tables.first().filter(|table| is_of_changes(table)) {
        let columns = table.columns.iter().zip(0..);
        let is_shown =
            |column: &Column| column.key == "change" || report.key_columns.contains(&column.key);
        let columns: Vec<usize> =
            columns.filter(|(column, _)| is_shown(column)).map(|(_, at)| at).collect();
        section(table.title, &table.note, "", to)?;
        figures::rows(table, "", &columns, to)?;
        writeln!(to, "</section>")
    } else if 1 < report.rows.len() {
        figures::configurations(report, to)
    } else {
        Ok(())
    }
}

/// Whether the rows of a table are setting changes with their effects.
fn is_of_changes(table: &Table) -> bool {
    table.position("change").is_some()
}

/// Writes the timeline, the sources of delay, the worst frame, the other plots, and the measurement
/// quality. Returns the full-width plots beyond [`MAX_WIDE`], which belong in the collapsed
/// details.
fn plots(
    run: &Run,
    report: &Report,
    holds: Parts,
    hidden: &[&Caution],
    to: &mut dyn Write,
) -> io::Result<Vec<Chart>> {
    let mut charts = report.charts(run);
    let row = default_row(report).and_then(|row| report.rows.get(row));
    let is_paced = charts.first().is_some_and(|chart| chart.key == "timeline");
    if let Some(row) = row.filter(|_| is_paced && run.capture().is_none()) {
        charts.remove(0);
        let name = if report.rows.len() == 1 { "" } else { &row.label };
        timeline::write(run, row, name, to)?;
        if report.rows.len() == 1 {
            if let Some(worst) = culprits::worst(run, row) {
                writeln!(to, "<div class=\"cols a\">")?;
                culprits::ranking(&report.delays, run.subject.samples_name(), to)?;
                culprits::account(&worst, row, to)?;
                writeln!(to, "</div>")?;
            } else {
                section("No late frames", "none started later than the late threshold", "", to)?;
                writeln!(to, "</section>")?;
            }
        }
    }
    // Plots with row names need the full width of the page.
    let (halves, mut wide): (Vec<Chart>, Vec<Chart>) =
        charts.into_iter().partition(|it| it.is_half && it.y.names.is_empty());
    let more = wide.split_off(wide.len().min(MAX_WIDE));
    for chart in &wide {
        plot::write(chart, to)?;
    }
    let quality = |to: &mut dyn Write| quality::write(run, report, holds.machine, hidden, to);
    let has_sources = !is_paced && !report.delays.ranked.is_empty();
    if has_sources {
        writeln!(to, "<div class=\"cols a\">")?;
        culprits::ranking(&report.delays, run.subject.samples_name(), to)?;
        quality(to)?;
        writeln!(to, "</div>")?;
    }
    let is_third = halves.len() + usize::from(!has_sources) == 3;
    writeln!(to, "<div class=\"cols {}\">", if is_third { "c" } else { "b" })?;
    for chart in &halves {
        plot::write(chart, to)?;
    }
    if !has_sources {
        quality(to)?;
    }
    writeln!(to, "</div>")?;
    Ok(more)
}

/// Writes the end of the page: the run as JSON (unless parts of it are omitted), a collapsed
/// section about the file, and the footer.
fn end(
    run: &Run,
    report: &Report,
    headline: &Headline,
    holds: Parts,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut lines = vec![
        ("Program", format!("Jitterscope {}, method {}", run.app_version, run.method_version)),
        ("Run", run.id.to_string()),
    ];
    lines.push(("Measurement", format!("SHA-256 {}", measurement_sum(run))));
    let inside = if holds.is_whole() {
        writeln!(to, "{DATA_BEGINS}")?;
        let sum = exported::write(run, report, &headline.sentence, to)?;
        writeln!(to, "</script>")?;
        lines.push(("SHA-256", sum));
        "This file contains the run: drop it on Jitterscope to open it."
    } else {
        "Parts of the run were omitted, so this file cannot be imported."
    };
    if !headline.privacy.is_empty() {
        lines.push(("Names", sentence(&headline.privacy)));
    }
    details::open("This file", "open it in Jitterscope, checksum, privacy", "", to)?;
    details::pairs("three one", lines.into_iter(), to)?;
    details::close(to)?;
    let privacy = match headline.privacy.as_str() {
        "" => String::new(),
        names => format!(" {}", html(&sentence(names), NOTE)),
    };
    writeln!(to, "</div>\n<footer><p>{inside}{privacy}</p></footer>")?;
    finish(to)
}

/// Ends a text with a period, unless it is empty or already ends with a period or an ellipsis.
fn sentence(words: &str) -> String {
    let end = if words.is_empty() || words.ends_with(['.', '…']) { "" } else { "." };
    format!("{words}{end}")
}

/// Writes the page up to its content; `foot` is printed at the bottom of every sheet.
fn begin(title: &str, foot: &str, to: &mut dyn Write) -> io::Result<()> {
    let title = html(title, NAME);
    let is_plain = |letter: &char| letter.is_alphanumeric() || " .,:+-".contains(*letter);
    let foot: String = foot.chars().filter(is_plain).take(NAME).collect();
    writeln!(
        to,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"Jitterscope {}\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'; script-src '{SCRIPT_HASH}'\">\n<title>{title} – Jitterscope</title>\n<style>\n{}\
         @media print{{@page{{@bottom-left{{content:\"{foot}\";font:7pt system-ui,sans-serif;color:#4c5864}}}}}}\n\
         </style>\n</head>\n<body>\n{DEFINITIONS}{}<main>",
        env!("CARGO_PKG_VERSION"),
        include_str!("html/style.css"),
        svg::mark::definitions(),
    )
}

/// Writes the script of the page and the closing tags.
fn finish(to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>")
}

/// Writes the opening tag of a section, its title, and a note; `right` is HTML that is shown to the
/// right of title and note.
fn section(title: &str, note: &str, right: &str, to: &mut dyn Write) -> io::Result<()> {
    let title = html(title, NAME);
    let note = match html(note, NOTE) {
        note if note.is_empty() => note,
        note => format!("<small><output>{note}</output></small>"),
    };
    writeln!(
        to,
        "<section aria-label=\"{title}\"><div class=\"head\"><h2>{title}</h2>{note}{right}</div>"
    )
}

/// Returns the icon `name` as SVG; the CSS class `class` sets the color of the icon.
fn icon(name: &str, class: &str) -> String {
    format!("<svg class=\"ic {class}\" aria-hidden=\"true\"><use href=\"#i-{name}\"/></svg>")
}

#[cfg(test)]
mod tests;
