//! The HTML report: one page with the verdict first. The page is readable without its script,
//! prints on A4, and contains the run, so that Jitterscope can import the page.

mod blocks;
mod compared;
mod drawn;
mod figures;
mod plot;
mod timeline;
mod verdict;

use std::io::{self, Write};

use super::sanitize::{NAME, NOTE, html, html_lines};
use super::svg::{self, fluid};
use super::{CheckFile, Headline, IncludedNames, Options, comparison_document, ticket};
use crate::format::checksum::write_page;
use crate::format::{KeptSamples, exported};
use crate::report::chart::default_row;
use crate::report::document::comparison::{self, ComparisonSet, RunNames};
use crate::report::document::{Block, Document, Head, Level, Sign, trend};
use crate::report::trend::Trend;
use crate::report::{Chart, Configuration, Report};
use crate::run::Run;

/// Maximum number of rows of a table of events.
const MAX_EVENTS: usize = 200;
/// The opening tag of the element that contains the run as JSON. The importer searches for this
/// tag.
const DATA_BEGINS: &str = "<script type=\"application/json\" id=\"jitterscope-run\">";
/// The only script of the page: it shows values at the pointer and opens all details for print.
const SCRIPT: &str = include_str!("html/script.js");
/// The hash of the script, by which the content security policy of the page permits it.
const SCRIPT_HASH: &str = "sha256-Mu4OKZR8vsSUU5qdHF+WuU+tijOByZTpZuEHZ8aEhwA=";
/// SVG definitions of the icons.
const DEFINITIONS: &str = include_str!("html/defs.html");

/// What the plots of a document show.
#[derive(Default)]
struct Drawings<'a> {
    charts: Vec<Chart>,
    /// The configuration whose frames the timeline shows, and its name if there are several.
    timeline: Option<(&'a Run, &'a Configuration, &'a str)>,
    sides: Option<compared::ComparisonPage<'a>>,
}

/// Writes the HTML report of a run.
pub fn write(
    run: &Run,
    report: &Report,
    headline: &Headline,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    let holds = options.parts;
    let charts = report.charts(run);
    let document =
        ticket::document(run, report, headline, holds, (MAX_EVENTS, true), Some(&charts));
    let row = default_row(report).and_then(|row| report.rows.get(row));
    let row = row.filter(|_| run.capture().is_none());
    let name = |row: &'_ Configuration| if report.rows.len() == 1 { 0 } else { row.label.len() };
    let timeline = row.map(|row| (run, row, row.label.get(..name(row)).unwrap_or_default()));
    let drawings = Drawings { charts, timeline, sides: None };
    let foot = format!("Jitterscope run {}, {}", run.id, headline.about);
    write_page(to, |to| {
        page(&document, &drawings, &foot, to)?;
        let kept = holds.samples;
        let sum = if holds.is_whole() {
            let exported = ticket::exported_run(run, report, headline, kept);
            Some(write_data(to, |to| exported::write(&exported, to))?)
        } else {
            None
        };
        let section = ticket::file_section(run, headline, sum.as_deref(), kept);
        blocks::closed(&section, &drawings, to)?;
        let inside = match kept {
            _ if sum.is_none() => "Parts of the run were omitted, so this file cannot be imported.",
            KeptSamples::All => "This file contains the run: drop it on Jitterscope to open it.",
            KeptSamples::Worst | KeptSamples::None => kept.statement(),
        };
        finish(inside, &headline.privacy, to)
    })
}

/// Writes the element that contains runs as JSON, and returns the checksum of the JSON.
fn write_data(
    to: &mut dyn Write,
    data: impl FnOnce(&mut dyn Write) -> io::Result<String>,
) -> io::Result<String> {
    writeln!(to, "{DATA_BEGINS}")?;
    let sum = data(to)?;
    writeln!(to, "</script>")?;
    Ok(sum)
}

/// Writes the page of a quick check; `privacy` states which names were redacted.
pub(super) fn write_check(
    file: &CheckFile<'_>,
    privacy: &str,
    to: &mut dyn Write,
) -> io::Result<()> {
    let document = file.document(privacy);
    let charts = file.chart.into_iter().cloned().collect();
    let foot = format!("Jitterscope, {}, {}", document.head.title, file.when());
    write_page(to, |to| {
        page(&document, &Drawings { charts, ..Drawings::default() }, &foot, to)?;
        write_data(to, |to| file.write_runs(to))?;
        let inside = match file.samples {
            KeptSamples::All => {
                "This file contains the check with its runs: drop it on Jitterscope to open it."
            }
            kept => kept.statement(),
        };
        finish(inside, privacy, to)
    })
}

/// Writes a comparison, or those of the parts of quick checks, as a page. Names that `included` excludes are already
/// removed from the runs.
pub fn write_comparison(
    sets: &[ComparisonSet<'_>],
    names: RunNames,
    included: IncludedNames,
    to: &mut dyn Write,
) -> io::Result<()> {
    let privacy = included.sentence_of_runs(sets.iter().flat_map(|set| set.runs).map(|it| it.0));
    let document = comparison_document(sets, names, included);
    let drawings = Drawings {
        charts: sets.first().map(comparison::charts).unwrap_or_default(),
        timeline: None,
        sides: sets.first().map(compared::ComparisonPage::new),
    };
    let foot = format!("Jitterscope comparison, {}", document.head.ids);
    write_page(to, |to| {
        page(&document, &drawings, &foot, to)?;
        finish("This page holds no run to open: attach the reports of the runs.", &privacy, to)
    })
}

/// Writes a trend as a page; `document` is that of the trend.
pub fn write_trend(trend: &Trend, document: &Document, to: &mut dyn Write) -> io::Result<()> {
    let drawings = Drawings { charts: vec![trend::chart(trend)], ..Drawings::default() };
    write_page(to, |to| {
        page(document, &drawings, "Jitterscope trend", to)?;
        finish("This page holds no run to open: export the runs as JSON.", "", to)
    })
}

/// Writes the page of a document up to the end of its closed sections, to which more can be added.
fn page(
    document: &Document,
    drawings: &Drawings<'_>,
    foot: &str,
    to: &mut dyn Write,
) -> io::Result<()> {
    let head = &document.head;
    begin(&head.title, foot, to)?;
    write_head(head, to)?;
    verdict::write(head, &document.summary.statement, to)?;
    let is_closed = |block: &&Block| matches!(block, Block::Section(part) if part.is_closed);
    let (closed, open): (Vec<&Block>, Vec<&Block>) =
        document.blocks(Level::All).partition(is_closed);
    blocks::page(&open, drawings, to)?;
    writeln!(to, "<div class=\"more\">")?;
    for block in closed {
        if let Block::Section(part) = block {
            blocks::closed(part, drawings, to)?;
        }
    }
    Ok(())
}

/// Writes the brand, the IDs, the button that prints the page with all details, the title, what was measured, the
/// user's notes, and the sides of a comparison.
fn write_head(head: &Head, to: &mut dyn Write) -> io::Result<()> {
    writeln!(
        to,
        "<header>\n<div class=\"kicker\"><span class=\"brand\">{}Jitterscope report</span><span \
         class=\"id\">{}</span><button type=\"button\" hidden>Print with details</button></div>\n<h1 \
         dir=\"auto\">{}</h1>",
        icon("logo", ""),
        html(&head.ids, NAME),
        html(&head.title, NAME),
    )?;
    for line in &head.about {
        let items = line.iter().filter(|text| !text.is_empty());
        let items = items.map(|text| format!("<li><bdi>{}</bdi></li>", html(text, NAME)));
        let items: String = items.collect();
        if !items.is_empty() {
            writeln!(to, "<ul class=\"facts\">{items}</ul>")?;
        }
    }
    for block in &head.notes {
        match block {
            Block::Facts(_, facts) => {
                for fact in facts {
                    let (name, text) = (html(&fact.name, NAME), html(&fact.value, NOTE));
                    writeln!(
                        to,
                        "<p class=\"note\"><span class=\"soft\">{name}:</span> <bdi>{text}</bdi></p>"
                    )?;
                }
            }
            Block::Quote(lines) => writeln!(
                to,
                "<div class=\"note\"><span class=\"soft\">Note:</span> <pre dir=\"auto\">{}</pre></div>",
                html_lines(&lines.join("\n"), NOTE)
            )?,
            _ => {}
        }
    }
    writeln!(to, "</header>")?;
    if head.sides.is_empty() {
        return Ok(());
    }
    writeln!(to, "<div class=\"runs\">")?;
    for (side, at) in head.sides.iter().zip(0..) {
        let baseline = if at == 0 { " <span class=\"soft\">baseline</span>" } else { "" };
        let grade = side.grade.as_ref().map_or_else(String::new, |(mark, word)| {
            let look = verdict::Look::of_sign(*mark);
            let color =
                if matches!(mark, Sign::Grade { grade: None, .. }) { "soft" } else { look.class };
            let (icon, word) = (icon(look.icon, ""), html(word, NAME));
            format!("<span class=\"tick {color}\">{icon}<b>{word}</b></span>")
        });
        writeln!(
            to,
            "<div class=\"run\">{}<div><b><bdi>{}</bdi></b>{baseline}<br><span class=\"soft\">{}</span></div>{grade}</div>",
            compared::chip(side.letter),
            html(&side.name, NAME),
            html(&side.about, NOTE),
        )?;
    }
    writeln!(to, "</div>")
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

/// Writes the footer, which states what the file contains and which names were redacted, the script of the page, and
/// the closing tags.
fn finish(inside: &str, privacy: &str, to: &mut dyn Write) -> io::Result<()> {
    let privacy = html(&sentence(privacy), NOTE);
    let footer = format!("{inside} {privacy}");
    writeln!(
        to,
        "</div>\n<footer><p>{}</p></footer>\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>",
        footer.trim_end()
    )
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

/// Returns a sign as SVG.
fn sign(sign: Sign) -> String {
    match sign {
        Sign::Cause(cause) => timeline::glyph(cause),
        Sign::Grade { .. } => icon(verdict::Look::of_sign(sign).icon, ""),
        sign => {
            let look = verdict::Look::of_sign(sign);
            icon(look.icon, look.class)
        }
    }
}

/// Returns the icon `name` as SVG; the CSS class `class` sets the color of the icon.
fn icon(name: &str, class: &str) -> String {
    format!("<svg class=\"ic {class}\" aria-hidden=\"true\"><use href=\"#i-{name}\"/></svg>")
}

#[cfg(test)]
mod tests;
