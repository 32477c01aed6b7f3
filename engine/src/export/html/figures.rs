//! Figures of a page: the key figures, and all figures in groups.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html};
use crate::report::table::{Cell, Column, TableRow};
use crate::report::{KeyFigure, Table};
use crate::units::NARROW_SPACE;

/// Writes the key figures at the top of the page.
pub(super) fn keys(figures: &[KeyFigure], to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "<dl class=\"keys\">")?;
    for figure in figures {
        let title = match html(&figure.definition, NOTE) {
            definition if definition.is_empty() => String::new(),
            definition => format!(" title=\"{definition}\""),
        };
        let unit = match html(&figure.unit, NAME) {
            unit if unit.is_empty() => String::new(),
            unit => format!("<small> {unit}</small>"),
        };
        let (value, context) = (html(&figure.value, NAME), html(&figure.context, NOTE));
        writeln!(
            to,
            "<div><dt{title}>{}</dt><dd class=\"v\">{value}{unit}</dd><dd>{context}</dd></div>",
            html(figure.title, NAME)
        )?;
    }
    writeln!(to, "</dl>")
}

/// Returns the groups of a table with the positions of their columns.
fn groups(table: &Table) -> Vec<(&'static str, Vec<usize>)> {
    let mut groups: Vec<(&'static str, Vec<usize>)> = Vec::new();
    for (column, position) in table.columns.iter().zip(0..) {
        match groups.iter_mut().find(|(title, _)| *title == column.group) {
            Some((_, positions)) => positions.push(position),
            None => groups.push((column.group, vec![position])),
        }
    }
    groups
}

/// Writes all figures of a table: as lists if it has one row, otherwise as one table per group.
pub(super) fn all(table: &Table, to: &mut dyn Write) -> io::Result<()> {
    if let [row] = table.rows.as_slice() {
        writeln!(to, "<div class=\"figs\">")?;
        for (title, columns) in groups(table) {
            list(table, row, title, &columns, to)?;
        }
        return writeln!(to, "</div>");
    }
    for (title, columns) in groups(table) {
        // The first column, which names the row, is in every group.
        let named: Vec<usize> =
            std::iter::once(0).chain(columns.into_iter().filter(|at| 0 < *at)).collect();
        rows(table, title, &named, to)?;
    }
    Ok(())
}

fn list(
    table: &Table,
    row: &TableRow,
    title: &str,
    columns: &[usize],
    to: &mut dyn Write,
) -> io::Result<()> {
    let title = html(if title.is_empty() { table.title } else { title }, NAME);
    writeln!(to, "<table><caption>{title}</caption><tbody>")?;
    pairs(table, row, columns, TABLE_TAGS, to)?;
    writeln!(to, "</tbody></table>")
}

/// The HTML tags before a name, between the name and its value, and after the value.
#[derive(Clone, Copy)]
struct Tags {
    name: &'static str,
    value: &'static str,
    end: &'static str,
}

const TABLE_TAGS: Tags =
    Tags { name: "<tr><th scope=\"row\"", value: "</th><td", end: "</td></tr>" };
const LIST_TAGS: Tags = Tags { name: "<div><dt", value: "</dt><dd", end: "</dd></div>" };

/// Writes the names of columns and their values in `row`, within the tags of a list or table.
fn pairs(
    table: &Table,
    row: &TableRow,
    columns: &[usize],
    Tags { name, value, end }: Tags,
    to: &mut dyn Write,
) -> io::Result<()> {
    let cells = columns.iter().filter_map(|&at| row.cells.get(at).zip(table.columns.get(at)));
    for (cell, column) in cells {
        writeln!(
            to,
            "{name} title=\"{}\">{}{value} data-key=\"{}\">{}{end}",
            html(&column.definition, NOTE),
            html(&column.title, NAME),
            column.key,
            text(cell, column, true),
        )?;
    }
    Ok(())
}

/// Returns the text of a cell, or the reason why it has no value.
fn text(cell: &Cell, column: &Column, has_unit: bool) -> String {
    if let Some(reason) = cell.reason() {
        return format!("<span class=\"why\"><bdi>{}</bdi></span>", html(reason, NOTE));
    }
    let value = html(&cell.text(&column.format), NOTE);
    match column.unit() {
        unit if has_unit && !unit.is_empty() => format!("<bdi>{value}</bdi>{NARROW_SPACE}{unit}"),
        _ => format!("<bdi>{value}</bdi>"),
    }
}

/// Writes columns of a table with all rows; columns that are equal in all rows become a line above
/// the table.
pub(super) fn rows(
    table: &Table,
    title: &str,
    columns: &[usize],
    to: &mut dyn Write,
) -> io::Result<()> {
    let texts: Vec<Vec<String>> = table.rows.iter().map(|row| table.texts(row)).collect();
    let is_shared = |at: usize| {
        let reason = |row: usize| Some(table.rows.get(row)?.cells.get(at)?.reason());
        let cell = |row: usize| texts.get(row).and_then(|row| row.get(at));
        (1..texts.len()).all(|row| cell(row) == cell(0) && reason(row) == reason(0))
    };
    let (shared, varying): (Vec<usize>, Vec<usize>) =
        columns.iter().partition(|&&at| is_shared(at) && !table.rows.is_empty());
    let caption = html(title, NAME);
    if !caption.is_empty() {
        writeln!(to, "<h3>{caption}</h3>")?;
    }
    let first = table.rows.first();
    if let Some(first) = first.filter(|_| !shared.is_empty()) {
        writeln!(to, "<dl class=\"same\">")?;
        pairs(table, first, &shared, LIST_TAGS, to)?;
        writeln!(to, "</dl>")?;
    }
    if varying.is_empty() || table.rows.is_empty() {
        return Ok(());
    }
    let label = html(if title.is_empty() { table.title } else { title }, NAME);
    writeln!(
        to,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table><thead><tr>"
    )?;
    // Secondary columns do not fit on a phone, unless the table is in a section that scrolls.
    let class = |column: &Column| match (column.is_left_aligned(), is_secondary(column)) {
        (true, false) => "",
        (true, true) => " class=\"far\"",
        (false, false) => " class=\"n\"",
        (false, true) => " class=\"n far\"",
    };
    for column in varying.iter().filter_map(|&at| table.columns.get(at)) {
        writeln!(
            to,
            "<th scope=\"col\" data-key=\"{}\"{} title=\"{}\">{}</th>",
            column.key,
            class(column),
            html(&column.definition, NOTE),
            html(&column.heading(), NAME),
        )?;
    }
    writeln!(to, "</tr></thead><tbody>")?;
    for row in &table.rows {
        write!(to, "<tr{}>", if row.is_key { " class=\"key\"" } else { "" })?;
        for (at, place) in varying.iter().zip(0..) {
            let Some((cell, column)) = row.cells.get(*at).zip(table.columns.get(*at)) else {
                continue;
            };
            let (open, close) = if place == 0 { ("th scope=\"row\"", "th") } else { ("td", "td") };
            write!(to, "<{open}{}>{}</{close}>", class(column), text(cell, column, false))?;
        }
        writeln!(to, "</tr>")?;
    }
    writeln!(to, "</tbody></table></div>")
}

/// Whether a phone hides a column in the tables at the top of the page. The section with all
/// figures shows the column on every screen.
const fn is_secondary(column: &Column) -> bool {
    column.is_optional || column.is_interval
}
