//! The report as one page: read in any browser without a script, printed on A4, and imported again, for the
//! run stands in it.

use std::io::{self, Write};

use super::harmless::{NAME, NOTE, html, html_lines};
use super::{Headline, Options, Parts, facts, json, parts, plots, series, settings};
use crate::nanos::Nanos;
use crate::report::{Report, Row};
use crate::run::Run;
use crate::stats::{LowDefinition, Summary};

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
    let title = html(&headline.title, NAME);
    writeln!(
        to,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"Jitterscope {}\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\">\n<title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>",
        env!("CARGO_PKG_VERSION"),
        include_str!("html/style.css"),
    )?;
    top(run, report, headline, options, to)?;
    table(report, to)?;
    figures(run, report, to)?;
    let holds = options.parts;
    let trust = facts::trust(run, report, holds.machine);
    if holds.machine {
        writeln!(to, "<div class=\"pair\">")?;
        list("Machine", &facts::machine(run), to)?;
        list("How far to trust this", &trust, to)?;
        writeln!(to, "</div>")?;
    } else {
        list("How far to trust this", &trust, to)?;
    }
    cautions(report, holds, to)?;
    refusals(report, to)?;
    let plan = run.plan().filter(|_| holds.repeat);
    if let Some(plan) = plan {
        let lines: Vec<facts::Line> =
            settings::of(plan).into_iter().map(|one| (one.label, one.value)).collect();
        list("Settings", &lines, to)?;
    }
    if !run.note.is_empty() {
        let note = html_lines(&run.note, NOTE);
        writeln!(
            to,
            "<section class=\"card\"><h2>Note</h2><pre dir=\"auto\">{note}</pre></section>"
        )?;
    }
    let inside = if holds.is_whole() {
        writeln!(to, "{DATA_BEGINS}")?;
        let sum = json::write(run, report, headline, to)?;
        writeln!(to, "</script>")?;
        format!("The run is inside this file: open it with Jitterscope. SHA-256 <code>{sum}</code>")
    } else {
        "Parts of the run were left out, so it is not inside this file.".to_owned()
    };
    write!(to, "<footer class=\"soft small\">")?;
    if let Some(plan) = plan {
        let command = html(&settings::command(plan), NOTE);
        write!(to, "<p>To repeat it: <code>{command}</code></p>")?;
    }
    writeln!(to, "<p>{inside}</p></footer>\n</main>\n</body>\n</html>")
}

fn top(
    run: &Run,
    report: &Report,
    headline: &Headline,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    let left_out = match options.left_in.sentence() {
        "" => String::new(),
        sentence => format!("<br>{sentence}"),
    };
    let tags: Vec<String> = run.tags.iter().map(|tag| html(tag, NAME)).collect();
    let tags = if tags.is_empty() { String::new() } else { format!(" · {}", tags.join(", ")) };
    writeln!(
        to,
        "<header><div><h1 dir=\"auto\">{}</h1><p class=\"soft\">{} · {} · {} frames{tags}</p></div>\
         <p class=\"soft small\">Jitterscope {} report{left_out}</p></header>",
        html(&headline.title, NAME),
        html(&headline.about, NAME),
        match report.rows.len() {
            1 => "1 configuration".to_owned(),
            count => format!("{count} configurations"),
        },
        run.sample_count(),
        html(&run.app_version, NAME),
    )?;
    let class = report.verdict.grade.map_or(String::new(), |grade| grade.word().to_lowercase());
    writeln!(
        to,
        "<section class=\"card verdict {class}\"><p>{}</p><p><b>{}</b></p><p class=\"soft\">{}</p></section>",
        html(&headline.grade, NAME),
        html(&headline.sentence, NOTE),
        html(&headline.evidence, NOTE),
    )
}

fn table(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    writeln!(
        to,
        "<section class=\"card wide\"><table><thead><tr><th>Configuration</th><th>Min</th><th>p50</th>\
         <th>p95</th><th>p99</th><th>p99.9</th><th>Max</th><th>Std dev</th><th>Missed</th>\
         <th>1 % low</th><th>Applied by the system</th></tr></thead><tbody>"
    )?;
    for row in &report.rows {
        write!(to, "<tr><td><bdi>{}</bdi></td>", html(&row.label, NAME))?;
        for cell in cells(row) {
            write!(to, "<td>{}</td>", html(&cell, NAME))?;
        }
        let mark = match (&row.skipped, row.is_as_asked()) {
            (Some(reason), _) => format!("left out: {}", html(reason, NAME)),
            (None, true) => html(&row.granted_text(), NAME),
            (None, false) => format!("{} (not as asked)", html(&row.granted_text(), NAME)),
        };
        writeln!(to, "<td>{mark}</td></tr>")?;
    }
    writeln!(
        to,
        "</tbody></table><p class=\"soft small\">Lateness against the schedule, in µs; 1 % low in FPS, by \
         the {}. p99: 99 of 100 frames were at most this late. – : too few frames.</p></section>",
        LowDefinition::default().label()
    )
}

/// The numbers of a row, in µs.
pub(super) fn cells(row: &Row) -> Vec<String> {
    let none = || "–".to_owned();
    let Some(summary) = &row.summary else { return vec![none(); 9] };
    let late = &summary.lateness;
    let time = |value: Option<Nanos>| value.map_or_else(none, facts::micros);
    vec![
        facts::micros(late.min),
        facts::micros(late.p50),
        time(late.p95),
        time(late.p99),
        time(late.p99_9),
        facts::micros(late.max),
        time(late.std_dev_nanos.map(Nanos::from_nanos_f64)),
        missed(summary),
        summary.one_percent_low_fps.map_or_else(none, |fps| format!("{fps:.1}")),
    ]
}

fn missed(summary: &Summary) -> String {
    format!("{} of {}", summary.missed_count(), summary.slot_count)
}

fn figures(run: &Run, report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let chosen = series::default_row(report).and_then(|row| report.rows.get(row));
    if let Some((row, plot)) = chosen.and_then(|row| Some((row, plots::timeline(run, row)?))) {
        writeln!(
            to,
            "<section class=\"card\"><h2>Lateness over time</h2><figure>{plot}<figcaption class=\"small\">\
             <bdi>{}</bdi>, seconds since its start; every column keeps its least and greatest value\
             </figcaption></figure></section>",
            html(&row.label, NAME)
        )?;
    }
    let rows = plots::overlaid(report);
    let (histogram, tail) = (plots::histogram(run, &rows), plots::tail(run, &rows));
    if let (Some(histogram), Some(tail)) = (histogram, tail) {
        let names = plots::names(&rows);
        writeln!(
            to,
            "<div class=\"pair\"><section class=\"card\"><h2>Lateness histogram</h2><figure>{histogram}\
             </figure>{names}</section><section class=\"card\"><h2>Share of frames later than</h2><figure>\
             {tail}</figure>{names}</section></div>"
        )?;
    }
    Ok(())
}

fn list(title: &str, lines: &[facts::Line], to: &mut dyn Write) -> io::Result<()> {
    write!(to, "<section class=\"card\"><h2>{title}</h2><dl>")?;
    for (name, value) in lines {
        write!(to, "<dt>{name}</dt><dd><bdi>{}</bdi></dd>", html(value, NOTE))?;
    }
    writeln!(to, "</dl></section>")
}

fn cautions(report: &Report, holds: Parts, to: &mut dyn Write) -> io::Result<()> {
    if parts::cautions(report, holds).next().is_none() {
        return Ok(());
    }
    write!(to, "<section class=\"card\"><h2>Cautions</h2><ul>")?;
    for caution in parts::cautions(report, holds) {
        write!(to, "<li>{}</li>", html(&caution.to_string(), NOTE))?;
    }
    writeln!(to, "</ul></section>")
}

fn refusals(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<&Row> = report
        .rows
        .iter()
        .filter(|row| row.granted.as_ref().is_some_and(|granted| !granted.refusals.is_empty()))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    write!(to, "<section class=\"card\"><h2>Refused by the system</h2><ul>")?;
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
