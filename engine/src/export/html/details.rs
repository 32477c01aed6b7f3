//! Collapsed sections at the end of the page: all figures, tables of events, settings, machine,
//! definitions, and information about the file.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html};
use super::figures;
use crate::report::Table;
use crate::report::document::{self, facts};
use crate::run::Run;
use crate::stats::distinct;
use crate::units::count_text;

/// Writes the opening tags of a collapsed section. `about` is text next to the title, and
/// `attributes` is HTML for the first tag.
pub(super) fn open(
    title: &str,
    about: &str,
    attributes: &str,
    to: &mut dyn Write,
) -> io::Result<()> {
    let (title, about) = (html(title, NAME), html(about, NOTE));
    writeln!(
        to,
        "<details{attributes}><summary><h2>{title}</h2><small>{about}</small></summary><div>"
    )
}

/// Closes the most recently opened section.
pub(super) fn close(to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "</div></details>")
}

/// Writes a section with every figure of every configuration, in groups.
pub(super) fn all_figures(title: &str, table: &Table, to: &mut dyn Write) -> io::Result<()> {
    let (figures, groups) = (table.columns.len(), figures::groups(table).len());
    let note = if table.note.is_empty() { String::new() } else { format!("; {}", table.note) };
    let plural = if groups == 1 { "" } else { "s" };
    let about = format!("{figures} figures in {groups} group{plural}{note}; hover for definitions");
    open(title, &about, &format!(" data-table=\"{}\"", table.key), to)?;
    figures::all(table, to)?;
    cautions(table, to)?;
    close(to)
}

/// Writes a section with all columns and rows of a table. `omitted` is the number of rows that were
/// removed before; a line states this number.
pub(super) fn table(table: &Table, omitted: usize, to: &mut dyn Write) -> io::Result<()> {
    let title = document::title(table);
    let (title, about) = title.split_once(": ").unwrap_or((&title, ""));
    let rows = count_text(table.rows.len() + omitted, "rows");
    let about = if about.is_empty() { rows } else { format!("{rows}: {about}") };
    open(title, &about, &format!(" data-table=\"{}\"", table.key), to)?;
    let columns: Vec<usize> = (0..table.columns.len()).collect();
    figures::rows(table, "", &columns, to)?;
    if 0 < omitted {
        writeln!(to, "<p class=\"soft small\">{}</p>", count_text(omitted, "more rows"))?;
    }
    cautions(table, to)?;
    close(to)
}

/// Writes a line for each caution about a row of the table.
fn cautions(table: &Table, to: &mut dyn Write) -> io::Result<()> {
    for (name, caution) in table.cautions() {
        let (name, caution) = (html(&name, NOTE), html(caution, NOTE));
        writeln!(to, "<p class=\"small\"><bdi>{name}</bdi>: {caution}</p>")?;
    }
    Ok(())
}

/// Writes a section with the settings and the command that repeats the run; nothing for a capture.
pub(super) fn settings(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    let Some(plan) = run.plan() else { return Ok(()) };
    let settings = plan.settings();
    let about = format!("{} settings and the command that repeats the run", settings.len());
    open("Settings", &about, " class=\"half\"", to)?;
    let lines = settings.into_iter().map(|one| (one.name, one.value));
    pairs("three", lines, to)?;
    let command = html(&plan.command(), NOTE);
    writeln!(to, "<p>To run it again:<code class=\"cmd\">{command}</code></p>")?;
    if let Some(cells) = plan.partial_matrix() {
        let cells = html(&cells, NOTE);
        writeln!(to, "<p>The command measures each combination; this run measured: {cells}.</p>")?;
    }
    close(to)
}

/// Writes a section with the facts about the machine.
pub(super) fn machine(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    open("Machine", "hardware, system, clock", " class=\"half\"", to)?;
    pairs("three one", facts::machine(run).into_iter(), to)?;
    close(to)
}

/// Writes a section with the definitions of all columns; columns with the same title and definition
/// appear once.
pub(super) fn definitions<'a>(
    tables: impl Iterator<Item = &'a Table>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let columns = tables.flat_map(|table| &table.columns);
    let lines: Vec<(&str, &str)> =
        distinct(columns.map(|column| (column.title.as_ref(), column.definition.as_ref())));
    open("Definitions", "what each figure is", " data-print=\"no\"", to)?;
    pairs("defs", lines.into_iter().map(|(name, text)| (name, text.to_owned())), to)?;
    close(to)
}

/// Writes a list of names and values.
pub(super) fn pairs<'a>(
    class: &str,
    lines: impl Iterator<Item = (&'a str, String)>,
    to: &mut dyn Write,
) -> io::Result<()> {
    write!(to, "<dl class=\"{class}\">")?;
    for (name, value) in lines {
        let (name, value) = (html(name, NAME), html(&value, NOTE));
        write!(to, "<div><dt>{name}</dt><dd><bdi>{value}</bdi></dd></div>")?;
    }
    writeln!(to, "</dl>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::conditions::Cell;
    use crate::plan::{FrameLoop, Plan};
    use crate::report::tests::test_run::run_of;

    #[test]
    fn cells_that_no_command_selects_are_listed_beside_the_command() {
        let plan = Plan::FrameLoop(FrameLoop::default());
        let preset = plan.presets().into_iter().find(|preset| preset.key == "under-load").unwrap();
        let page = |plan: Plan| {
            let mut page = Vec::new();
            settings(&run_of(plan, |_| ()), &mut page).unwrap();
            String::from_utf8(page).unwrap()
        };
        let about_cells = "this run measured: Normal; ";
        assert!(!page(preset.plan.clone()).contains(about_cells));
        let Plan::FrameLoop(mut settings) = preset.plan else { panic!("a frame loop") };
        settings.cells[3] = Cell { cpu: settings.cells[3].cpu, ..settings.cells[0] };
        let page = page(Plan::FrameLoop(settings));
        assert!(page.contains(about_cells), "{page}");
    }
}
