//! The report as one page: read in any browser without a script, printed on A4, and imported again, because
//! it contains the run.

mod page;

use std::io::{self, Write};

use super::sanitize::{NAME, NOTE, html, html_lines};
use super::{Headline, Options, Parts, document, facts, json, parts, svg};
use crate::report::table::{Cell, Layout, TextColumn};
use crate::report::{Chart, Configuration, Report, Table};
use crate::run::Run;

pub use page::{Page, write_page};

/// The most columns side by side; a wider table becomes several below each other.
const MAX_COLUMNS: usize = 11;
/// The most rows of a table of events.
const MAX_EVENTS: usize = 200;
/// How the element that holds the run begins; the importer looks for it.
const DATA_BEGINS: &str = "<script type=\"application/json\" id=\"jitterscope-run\">";

/// Writes the page.
pub fn write(
    run: &Run,
    report: &Report,
    headline: &Headline,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    begin(&headline.title, to)?;
    top(run, report, headline, options, to)?;
    let holds = options.parts;
    let tables = parts::tables(report, holds, MAX_EVENTS);
    for (table, omitted) in &tables {
        table_section(table, *omitted, to)?;
    }
    plots(run, report, to)?;
    let trust = facts::trust(run, report, holds.machine);
    if holds.machine {
        writeln!(to, "<div class=\"pair\">")?;
        list("Machine", &facts::machine(run), to)?;
        list("Measurement quality", &trust, to)?;
        writeln!(to, "</div>")?;
    } else {
        list("Measurement quality", &trust, to)?;
    }
    cautions(report, holds, to)?;
    refusals(report, to)?;
    let plan = run.plan().filter(|_| holds.repeat);
    if let Some(plan) = plan {
        let lines: Vec<facts::Line<'_>> =
            plan.settings().into_iter().map(|one| (one.name, one.value)).collect();
        list("Settings", &lines, to)?;
    }
    definitions(&tables, to)?;
    if !run.note.is_empty() {
        let note = html_lines(&run.note, NOTE);
        writeln!(
            to,
            "<section class=\"card\"><h2>Note</h2><pre dir=\"auto\">{note}</pre></section>"
        )?;
    }
    let annotations = facts::annotations(run);
    if !annotations.is_empty() {
        list("Annotations", &annotations, to)?;
    }
    let inside = if holds.is_whole() {
        writeln!(to, "{DATA_BEGINS}")?;
        let sum = json::write(run, report, headline, to)?;
        writeln!(to, "</script>")?;
        format!("This file contains the run: open it with Jitterscope. SHA-256 <code>{sum}</code>")
    } else {
        "Parts of the run were omitted, so this file cannot be imported.".to_owned()
    };
    write!(to, "<footer class=\"soft small\">")?;
    if let Some(plan) = plan {
        let command = html(&plan.command(), NOTE);
        write!(to, "<p>To run it again: <code>{command}</code></p>")?;
    }
    writeln!(to, "<p>{inside}</p></footer>\n</main>\n</body>\n</html>")
}

/// Writes all up to the content of the page.
fn begin(title: &str, to: &mut dyn Write) -> io::Result<()> {
    let title = html(title, NAME);
    writeln!(
        to,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"Jitterscope {}\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\">\n<title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>",
        env!("CARGO_PKG_VERSION"),
        include_str!("html/style.css"),
    )
}

fn top(
    run: &Run,
    report: &Report,
    headline: &Headline,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    let skipped = match options.included_names.sentence() {
        "" => String::new(),
        sentence => format!("<br>{sentence}"),
    };
    let tags: Vec<String> = run.tags.iter().map(|tag| html(tag, NAME)).collect();
    let tags = if tags.is_empty() { String::new() } else { format!(" · {}", tags.join(", ")) };
    writeln!(
        to,
        "<header><div><h1 dir=\"auto\">{}</h1><p class=\"soft\">{} · {} · {} samples{tags}</p></div>\
         <p class=\"soft small\">Jitterscope {} report{skipped}</p></header>",
        html(&headline.title, NAME),
        html(&headline.about, NAME),
        match report.rows.len() {
            1 => "1 configuration".to_owned(),
            count => format!("{count} configurations"),
        },
        facts::count(run.sample_count()),
        html(&run.app_version, NAME),
    )?;
    let class = report.verdict.grade.map_or(String::new(), |grade| grade.word().to_lowercase());
    writeln!(
        to,
        "<section class=\"card verdict {class}\"><p>{}</p><p><b>{}</b></p><p \
         class=\"soft\">{}</p></section>",
        html(&headline.grade, NAME),
        html(&headline.sentence, NOTE),
        html(&headline.evidence, NOTE),
    )
}

/// A table: the columns that vary, the others as a list, why cells are empty, and what to be careful about.
fn table_section(table: &Table, omitted: usize, to: &mut dyn Write) -> io::Result<()> {
    let title = html(&document::title(table), NOTE);
    writeln!(to, "<section class=\"card wide\" data-table=\"{}\"><h2>{title}</h2>", table.key)?;
    let layout = Layout::of(table);
    for columns in layout.blocks(MAX_COLUMNS).iter().filter(|_| !table.rows.is_empty()) {
        columns_table(table, columns, to)?;
    }
    if !table.rows.is_empty() && !layout.shared.is_empty() {
        if 1 < table.rows.len() {
            writeln!(to, "<p class=\"soft small\">Same in every row</p>")?;
        }
        write!(to, "<dl class=\"shared\">")?;
        for column in &layout.shared {
            let heading = html(&column.heading, NAME);
            let text = html(column.shared_text().unwrap_or_default(), NOTE);
            let key = column.column.key;
            writeln!(to, "<dt>{heading}</dt><dd data-key=\"{key}\"><bdi>{text}</bdi></dd>")?;
        }
        writeln!(to, "</dl>")?;
    }
    if 0 < omitted {
        writeln!(to, "<p class=\"soft small\">{} more rows</p>", facts::count(omitted))?;
    }
    for line in table.reason_lines() {
        let line = html(&line, NOTE);
        writeln!(to, "<p class=\"soft small\">{line}</p>")?;
    }
    for (name, caution) in table.cautions() {
        let (name, caution) = (html(&name, NOTE), html(caution, NOTE));
        writeln!(to, "<p class=\"small\"><bdi>{name}</bdi>: {caution}</p>")?;
    }
    writeln!(to, "</section>")
}

fn columns_table(table: &Table, columns: &[&TextColumn<'_>], to: &mut dyn Write) -> io::Result<()> {
    let class = |column: &TextColumn<'_>| {
        if column.column.is_left_aligned() { " class=\"l\"" } else { "" }
    };
    write!(to, "<table><thead><tr>")?;
    for column in columns {
        let definition = html(&column.column.definition, NOTE);
        let heading = html(&column.heading, NAME);
        let key = column.column.key;
        write!(
            to,
            "<th data-key=\"{key}\"{} title=\"{definition}\">{heading}</th>",
            class(column)
        )?;
    }
    writeln!(to, "</tr></thead><tbody>")?;
    for (position, row) in table.rows.iter().enumerate() {
        write!(to, "<tr{}>", if row.is_key { " class=\"key\"" } else { "" })?;
        for column in columns {
            let text = html(column.cells.get(position).map_or("", String::as_str), NOTE);
            let reason = row.cells.get(column.position).and_then(Cell::reason);
            let reason =
                reason.map_or(String::new(), |reason| format!(" title=\"{}\"", html(reason, NOTE)));
            write!(to, "<td{}{reason}><bdi>{text}</bdi></td>", class(column))?;
        }
        writeln!(to, "</tr>")?;
    }
    writeln!(to, "</tbody></table>")
}

/// What each column is: every title once per definition.
fn definitions(tables: &[(Table, usize)], to: &mut dyn Write) -> io::Result<()> {
    let mut lines: Vec<facts::Line<'_>> = Vec::new();
    for column in tables.iter().flat_map(|(table, _)| &table.columns) {
        let line = (column.title.as_ref(), column.definition.clone().into_owned());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    list("Definitions", &lines, to)
}

/// The plots: those across the page alone, the others in pairs.
fn plots(run: &Run, report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let charts = report.charts(run);
    let mut rest = charts.as_slice();
    while let Some((first, others)) = rest.split_first() {
        let second = others.first().filter(|second| first.is_half && second.is_half);
        if let Some(second) = second {
            writeln!(to, "<div class=\"pair\">")?;
            plot(first, to)?;
            plot(second, to)?;
            writeln!(to, "</div>")?;
        } else {
            plot(first, to)?;
        }
        rest = others.get(usize::from(second.is_some())..).unwrap_or_default();
    }
    Ok(())
}

fn plot(chart: &Chart, to: &mut dyn Write) -> io::Result<()> {
    let note = html(&chart.note, NOTE);
    writeln!(
        to,
        "<section class=\"card\"><h2>{}</h2><figure>{}<figcaption class=\"small\"><bdi>{note}</bdi>\
         </figcaption></figure>{}</section>",
        html(chart.title, NAME),
        svg::in_page(chart),
        svg::legend(chart)
    )
}

fn list(title: &str, lines: &[(impl AsRef<str>, String)], to: &mut dyn Write) -> io::Result<()> {
    write!(to, "<section class=\"card\"><h2>{title}</h2><dl>")?;
    for (name, value) in lines {
        let (name, value) = (html(name.as_ref(), NAME), html(value, NOTE));
        write!(to, "<dt>{name}</dt><dd><bdi>{value}</bdi></dd>")?;
    }
    writeln!(to, "</dl></section>")
}

fn cautions(report: &Report, holds: Parts, to: &mut dyn Write) -> io::Result<()> {
    if parts::cautions(report, holds).next().is_none() {
        return Ok(());
    }
    write!(to, "<section class=\"card\"><h2>Warnings</h2><ul>")?;
    for caution in parts::cautions(report, holds) {
        write!(to, "<li>{}</li>", html(&caution.to_string(), NOTE))?;
    }
    writeln!(to, "</ul></section>")
}

fn refusals(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<&Configuration> = report
        .rows
        .iter()
        .filter(|row| row.granted.as_ref().is_some_and(|granted| !granted.refusals.is_empty()))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    write!(to, "<section class=\"card\"><h2>Denied by the system</h2><ul>")?;
    for row in rows {
        for refusal in row.granted.iter().flat_map(|granted| &granted.refusals) {
            write!(
                to,
                "<li><bdi>{}</bdi>: {}. {}</li>",
                html(&row.label, NAME),
                html(&refusal.to_string(), NOTE),
                html(&refusal.remedy, NOTE)
            )?;
        }
    }
    writeln!(to, "</ul></section>")
}
