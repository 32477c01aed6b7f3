//! The report for a ticket: verdict, table, machine, settings, and the command that repeats it.

use std::io::{self, Write};

use super::harmless::{NAME, NOTE, markdown};
use super::{Headline, Options, facts, html, parts, settings};
use crate::report::Report;
use crate::run::Run;
use crate::stats::LowDefinition;

/// Columns of numbers, in the order of [`html::cells`].
const COLUMNS: [&str; 9] =
    ["min", "p50", "p95", "p99", "p99.9", "max", "std dev", "missed", "1 % low"];

/// Writes the report.
pub fn write(
    run: &Run,
    report: &Report,
    headline: &Headline,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        to,
        "**{}** ({}, Jitterscope {})",
        markdown(&headline.title, NAME),
        markdown(&headline.about, NAME),
        markdown(&run.app_version, NAME),
    )?;
    writeln!(to)?;
    let words = [&headline.sentence, &headline.evidence];
    let words: Vec<String> =
        words.iter().map(|text| markdown(text, NOTE)).filter(|text| !text.is_empty()).collect();
    writeln!(to, "Verdict: **{}** {}", markdown(&headline.grade, NAME), words.join(" "))?;
    writeln!(to)?;
    table(report, to)?;
    let low = LowDefinition::default().label();
    writeln!(to, "\nLateness in µs, 1 % low in FPS, by the {low}.")?;
    let holds = options.parts;
    for (number, caution) in parts::cautions(report, holds).enumerate() {
        if number == 0 {
            writeln!(to)?;
        }
        writeln!(to, "- {}", markdown(&caution.to_string(), NOTE))?;
    }
    writeln!(to)?;
    let machine = if holds.machine { facts::machine(run) } else { Vec::new() };
    for (name, value) in machine.into_iter().chain(facts::trust(run, report, holds.machine)) {
        writeln!(to, "- {name}: {}", markdown(&value, NOTE))?;
    }
    if !run.note.is_empty() {
        writeln!(to)?;
        for line in run.note.chars().take(NOTE).collect::<String>().lines() {
            writeln!(to, "> {}", markdown(line, NOTE))?;
        }
    }
    let left_out = options.left_in.sentence();
    let plan = run.plan().filter(|_| holds.repeat);
    if plan.is_some() || !left_out.is_empty() {
        writeln!(to)?;
    }
    if let Some(plan) = plan {
        writeln!(to, "To repeat it: `{}`", settings::command(plan).replace('`', ""))?;
    }
    if !left_out.is_empty() {
        writeln!(to, "{left_out}.")?;
    }
    Ok(())
}

/// The table, lined up so that it can be read as plain text, too.
fn table(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let header = ["Configuration"].into_iter().chain(COLUMNS).chain(["applied"]);
    lines.push(header.map(str::to_owned).collect());
    for row in &report.rows {
        let mut cells = vec![markdown(&row.label, NAME)];
        cells.extend(html::cells(row).iter().map(|cell| markdown(cell, NAME)));
        let granted = markdown(&row.granted_text(), NAME);
        cells.push(match (&row.skipped, row.is_as_asked()) {
            (Some(reason), _) => format!("left out: {}", markdown(reason, NAME)),
            (None, true) => granted,
            (None, false) => format!("{granted} (not as asked)"),
        });
        lines.push(cells);
    }
    let last = COLUMNS.len() + 1;
    let widths: Vec<usize> = (0..=last)
        .map(|column| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    for (number, line) in lines.iter().enumerate() {
        for ((cell, &width), column) in line.iter().zip(&widths).zip(0..) {
            if column == 0 || column == last {
                write!(to, "| {cell:<width$} ")?;
            } else {
                write!(to, "| {cell:>width$} ")?;
            }
        }
        writeln!(to, "|")?;
        if number == 0 {
            for (&width, column) in widths.iter().zip(0..) {
                let end = if column == 0 || column == last { "-" } else { ":" };
                write!(to, "|{}{end}", "-".repeat(width + 1))?;
            }
            writeln!(to, "|")?;
        }
    }
    Ok(())
}
