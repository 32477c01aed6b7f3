//! Figures of a page: the key figures or a table of the configurations, and all figures in groups.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html};
use super::fluid::{Fluid, percent};
use crate::nanos::Nanos;
use crate::report::chart::Axis;
use crate::report::table::{Cell, Column, Quantity, TableRow};
use crate::report::{Configuration, KeyFigure, MAX_KEY_FIGURES, Report, Table};
use crate::stats::Summary;
use crate::units::{NARROW_SPACE, format_count, format_time};

/// Writes the key figures at the top of the page.
pub(super) fn keys(figures: &[KeyFigure], to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "<dl class=\"keys\">")?;
    for figure in figures.iter().take(MAX_KEY_FIGURES) {
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

/// Writes a table with a row per configuration. The row of the recommended configuration is bold,
/// and p99 lateness is drawn with its interval on an axis that all rows share.
pub(super) fn configurations(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let p99s = report.rows.iter().flat_map(|row| {
        let ends = row.p99_interval().map_or([None, None], |(low, high)| [Some(low), Some(high)]);
        ends.into_iter().chain([row.p99()]).flatten()
    });
    let p99s = p99s.map(|it| it.as_f64().max(1.0));
    let ends = p99s.fold(None, |ends: Option<(f64, f64)>, it| {
        let (low, high) = ends.unwrap_or((it, it));
        Some((low.min(it), high.max(it)))
    });
    // Configurations with short trials have no p99, and nothing is drawn for them.
    let axis = ends.map(|(low, high)| Axis::log("", Quantity::Time, low / 1.3, high * 1.3));
    let best = report.best().filter(|_| report.verdict.grade.is_some());
    let best = best.map(|row| row.label.as_str());
    let note = if best.is_some() { "the recommended one in bold" } else { "" };
    super::section("Configurations", note, "", to)?;
    writeln!(
        to,
        "<table class=\"rows\"><caption class=\"hide\">Configurations with their lateness</caption><thead><tr><th \
         scope=\"col\">Configuration</th><th scope=\"col\" class=\"n\">p50</th><th scope=\"col\" \
         class=\"n\">p99</th><th scope=\"col\" class=\"n opt\">Max</th><th scope=\"col\" class=\"n\">Missed</th><th \
         scope=\"col\" class=\"sc\">{}</th><th scope=\"col\" class=\"opt\">Applied</th></tr></thead><tbody>",
        axis.as_ref().map_or_else(String::new, axis_ends)
    )?;
    for row in &report.rows {
        configuration(row, axis.as_ref(), best == Some(row.label.as_str()), to)?;
    }
    writeln!(to, "</tbody></table></section>")
}

fn configuration(
    row: &Configuration,
    axis: Option<&Axis>,
    is_best: bool,
    to: &mut dyn Write,
) -> io::Result<()> {
    let summary = row.summary.as_ref();
    let late = |of: fn(&Summary) -> Option<Nanos>| {
        summary.and_then(of).map_or_else(|| "–".to_owned(), format_time)
    };
    let icon = if row.granted.is_some() && !row.is_as_requested() {
        super::icon("denied", "fair")
    } else {
        String::new()
    };
    let applied = match &row.skipped {
        Some(reason) => format!("skipped: {reason}"),
        None => row.applied_text(),
    };
    let missed = summary.map_or_else(|| "–".to_owned(), |it| format_count(it.missed_count()));
    writeln!(
        to,
        "<tr{}><th scope=\"row\"><bdi>{}</bdi><span class=\"sub\">{icon}{}</span></th><td class=\"n\">{}</td><td \
         class=\"n\">{}</td><td class=\"n opt\">{}</td><td class=\"n\">{missed}</td><td class=\"sc\">{}</td><td \
         class=\"soft opt\">{icon}{}</td></tr>",
        if is_best { " class=\"key\"" } else { "" },
        html(&row.label, NAME),
        html(&applied, NOTE),
        late(|it| Some(it.lateness.p50)),
        late(|it| it.lateness.p99),
        late(|it| Some(it.lateness.max)),
        axis.map_or_else(String::new, |axis| dot(row, axis)),
        html(&applied, NOTE),
    )
}

/// Returns the ends of an axis as labels for the header of its column.
fn axis_ends(axis: &Axis) -> String {
    let ends = [axis.from, axis.to].map(|end| format_time(Nanos::from_nanos_f64(end)));
    let [from, to] = ends;
    format!("<span class=\"ends\"><span>p99 from {from}</span><span>to {to}</span></span>")
}

/// Draws the p99 lateness of a configuration with its interval; empty if the configuration has no
/// p99.
fn dot(row: &Configuration, axis: &Axis) -> String {
    let Some(p99) = row.p99() else { return String::new() };
    let at = |time: Nanos| axis.place(time.as_f64());
    let mut fluid = Fluid::default();
    if let Some((low, high)) = row.p99_interval() {
        fluid.line("ci", (at(low), 7.0), (at(high), 7.0));
    }
    let text = format_time(p99);
    fluid.add(&format!("<circle class=\"pt\" cx=\"{}\" cy=\"7\" r=\"4\"/>", percent(at(p99))));
    fluid.finish(14.0, "p99 lateness", &text)
}

/// Returns the groups of a table with the positions of their columns.
pub(super) fn groups(table: &Table) -> Vec<(&'static str, Vec<usize>)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::conditions::Cell as Condition;
    use crate::plan::{CpuChoice, FrameLoop, Plan, Priority};
    use crate::report::Options;
    use crate::report::tests::test_run::run_of;
    use crate::sample::Sample;

    /// Returns the table of two configurations with `frames` frames each, as HTML.
    fn table(frames: i64) -> String {
        let cell = |priority| Condition { priority, cpu: CpuChoice::Any };
        let cells = vec![cell(Priority::Normal), cell(Priority::TimeCritical)];
        let plan = FrameLoop { fps: 100.0, cells, ..FrameLoop::default() };
        let run = run_of(Plan::FrameLoop(plan), |trial| {
            let frame = |k: i64| {
                let due = Nanos::from_millis(10 * k);
                let woke = due + Nanos::from_micros(k % 50);
                Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: None }
            };
            trial.samples = (1..=frames).map(frame).collect();
        });
        let mut page = Vec::new();
        configurations(&Report::of(&run, &Options::default()), &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn configurations_without_a_p99_have_no_axis_for_it() {
        let (long, short) = (table(1_000), table(20));
        assert!(long.contains("p99 from ") && long.contains("<circle"), "{long}");
        assert!(!short.contains("p99 from ") && !short.contains("<circle"), "{short}");
        assert_eq!(short.matches("<td class=\"sc\"></td>").count(), 2, "{short}");
    }
}
