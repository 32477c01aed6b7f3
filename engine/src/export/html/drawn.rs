//! Tables with drawings in their cells, and bars of parts.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html};
use super::compared::chip;
use super::fluid::{Fluid, percent};
use super::sign;
use super::verdict::{Look, strip};
use crate::nanos::Nanos;
use crate::report::Cause;
use crate::report::chart::Axis;
use crate::report::document::{
    ColumnLook, Drawing, DrawnCell, DrawnColumn, DrawnRow, DrawnTable, Parts, Sign,
};
use crate::stats::GradeRange;
use crate::units::format_time;

/// A part of a bar has a label if it is longer than this share of the bar.
const WORDS_FROM: f64 = 0.18;

/// Writes a table with drawings.
pub(super) fn table(table: &DrawnTable, to: &mut dyn Write) -> io::Result<()> {
    let class =
        if table.class.is_empty() { String::new() } else { format!(" class=\"{}\"", table.class) };
    writeln!(
        to,
        "<table{class}><caption class=\"hide\">{}</caption><thead><tr>",
        html(&table.caption, NAME)
    )?;
    let columns = || table.columns.iter().filter(|column| column.look != ColumnLook::Below);
    for column in columns() {
        let title = html(&column.title, NAME);
        let words = match (&column.axis, column.side) {
            (Some(axis), _) => axis_ends(axis),
            (None, Some(letter)) => chip(letter),
            (None, None) if is_hidden(column) => format!("<span class=\"hide\">{title}</span>"),
            (None, None) => title,
        };
        let definition = html(&column.definition, NOTE);
        let definition =
            if definition.is_empty() { definition } else { format!(" title=\"{definition}\"") };
        let width = if column.look == ColumnLook::Bar { " style=\"width:31%\"" } else { "" };
        writeln!(to, "<th scope=\"col\"{}{width}{definition}>{words}</th>", class_of(column))?;
    }
    writeln!(to, "</tr></thead><tbody>")?;
    for row in &table.rows {
        write_row(table, row, to)?;
    }
    writeln!(to, "</tbody>")?;
    if let Some(total) = &table.total {
        writeln!(to, "<tfoot>")?;
        write_row(table, total, to)?;
        writeln!(to, "</tfoot>")?;
    }
    writeln!(to, "</table>")
}

/// Whether only screen readers read the name of a column.
fn is_hidden(column: &DrawnColumn) -> bool {
    matches!(column.look, ColumnLook::Drawing | ColumnLook::Remark)
}

fn class_of(column: &DrawnColumn) -> String {
    let class = match column.look {
        ColumnLook::Text | ColumnLook::Bar | ColumnLook::Below | ColumnLook::Grade => "",
        ColumnLook::Number | ColumnLook::Figure => "n",
        ColumnLook::Drawing => "sc",
        ColumnLook::Remark => "rem",
    };
    let class = format!("{class}{}", if column.is_optional { " opt" } else { "" });
    if class.is_empty() { class } else { format!(" class=\"{}\"", class.trim_start()) }
}

fn write_row(table: &DrawnTable, row: &DrawnRow, to: &mut dyn Write) -> io::Result<()> {
    write!(to, "<tr{}>", if row.is_key { " class=\"key\"" } else { "" })?;
    let below = |at: usize| {
        let mut after = table.columns.iter().zip(&row.cells).skip(at);
        after.find(|(column, _)| column.look == ColumnLook::Below).map(|(_, cell)| cell)
    };
    let mut narrow = row.narrow.as_str();
    for ((column, cell), at) in table.columns.iter().zip(&row.cells).zip(0..) {
        let content = match column.look {
            ColumnLook::Below => continue,
            ColumnLook::Drawing => drawing(cell, column.axis.as_ref()),
            ColumnLook::Bar => bar(cell),
            ColumnLook::Figure => figure(cell, below(at)),
            _ => text(cell),
        };
        if table.name == at {
            let content = if table.class == "five" { format!("<b>{content}</b>") } else { content };
            let denied = row.cells.iter().filter_map(|cell| cell.sign);
            let denied = denied.filter(|sign| *sign == Sign::Denied).map(sign).collect::<String>();
            let below = html(std::mem::take(&mut narrow), NOTE);
            let below = if below.is_empty() {
                below
            } else {
                format!("<span class=\"sub\">{denied}{below}</span>")
            };
            write!(to, "<th scope=\"row\">{content}{below}</th>")?;
        } else if let (ColumnLook::Grade, Some(Sign::Grade { grade, .. })) =
            (column.look, cell.sign)
        {
            let color = grade.map_or("soft", |grade| Look::of(Some(grade), false).class);
            write!(to, "<td class=\"tick {color}\">{content}</td>")?;
        } else {
            let is_soft = matches!(
                (column.look, column.is_optional),
                (ColumnLook::Text, true) | (ColumnLook::Remark, _)
            );
            let class = class_of(column);
            let class =
                if is_soft { class.replacen("class=\"", "class=\"soft ", 1) } else { class };
            write!(to, "<td{class}>{content}</td>")?;
        }
    }
    writeln!(to, "</tr>")
}

/// Returns a text after its sign.
fn text(cell: &DrawnCell) -> String {
    let content = html(&cell.text, NOTE);
    match cell.sign {
        Some(mark @ Sign::Grade { .. }) => format!("{}<b>{content}</b>", sign(mark)),
        Some(mark) => format!("{}<bdi>{content}</bdi>", sign(mark)),
        None if content.is_empty() => content,
        None => format!("<bdi>{content}</bdi>"),
    }
}

/// Returns a large number with its unit, and the text below it.
fn figure(cell: &DrawnCell, below: Option<&DrawnCell>) -> String {
    let below = below.map_or_else(String::new, |cell| {
        format!("<small class=\"blk\">{}</small>", html(&cell.text, NAME))
    });
    let (number, unit) = (html(&cell.text, NAME), html(&cell.unit, NAME));
    format!("<span class=\"big\">{number}</span><small> {unit}</small>{below}")
}

/// Returns a bar and its text.
fn bar(cell: &DrawnCell) -> String {
    let Some(Drawing::Bar(share, cause)) = &cell.drawing else { return text(cell) };
    let color = cause.map_or("unseen", |cause| cause.row().look.0);
    format!(
        "<div class=\"share\"><span><i class=\"bar k-{color}\" style=\"width:{:.1}%\"></i></span><span>{}</span></div>",
        share.clamp(0.0, 1.0) * 100.0,
        html(&cell.text, NAME),
    )
}

fn drawing(cell: &DrawnCell, axis: Option<&Axis>) -> String {
    match (&cell.drawing, axis) {
        (Some(Drawing::Scale(place, grade)), _) => {
            let stated = grade.filter(|grade| !grade.is_bound()).map(GradeRange::worst);
            format!("<div class=\"scale\">{}</div>", strip(place, stated, grade.is_some()))
        }
        (Some(Drawing::Interval { value, ends }), Some(axis)) => dot(axis, *value, *ends),
        _ => String::new(),
    }
}

/// Returns the ends of an axis as labels for the header of its column.
fn axis_ends(axis: &Axis) -> String {
    let ends = [axis.from, axis.to].map(|end| format_time(Nanos::from_nanos_f64(end)));
    let ([from, to], title) = (ends, axis.title);
    format!("<span class=\"ends\"><span>{title} from {from}</span><span>to {to}</span></span>")
}

/// Draws a value with its interval.
fn dot(axis: &Axis, value: f64, ends: Option<(f64, f64)>) -> String {
    let mut fluid = Fluid::default();
    if let Some((low, high)) = ends {
        fluid.line("ci", (axis.place(low), 7.0), (axis.place(high), 7.0));
    }
    let at = percent(axis.place(value));
    fluid.add(&format!("<circle class=\"pt\" cx=\"{at}\" cy=\"7\" r=\"4\"/>"));
    fluid.finish(14.0, axis.title, &format_time(Nanos::from_nanos_f64(value)))
}

/// Writes a time as a bar of its parts, each in the color of its cause.
pub(super) fn parts(bar: &Parts, to: &mut dyn Write) -> io::Result<()> {
    let mut fluid = Fluid::default();
    let mut from = 0.0;
    for (name, cause, share, length) in &bar.parts {
        let end = f64::min(from + share, 1.0);
        let kind = cause.map_or("unseen", |cause: Cause| cause.row().look.0);
        let is_seen = !matches!(kind, "none" | "unseen" | "hypervisor");
        let fill = if is_seen { "var(--k)" } else { "url(#hatch);stroke:var(--k)" };
        let look = format!("class=\"k-{kind}\" style=\"fill:{fill}\"");
        fluid.bar(&look, (from, end), (1.0, 28.0), &format!("{name}: {length}"));
        if 0.0 < from {
            fluid.line("gap", (from, 0.0), (from, 30.0));
        }
        if WORDS_FROM < end - from && is_seen {
            // Number of characters that fit into the part.
            let room = Nanos::from_nanos_f64((end - from) * 62.0).get().unsigned_abs();
            let short = name.split(" (").next().unwrap_or(name);
            let text = format!("{short} {length}");
            let is_short = text.chars().count() < usize::try_from(room).unwrap_or(0);
            let text = if is_short { &text } else { length };
            fluid.word("in", (f64::midpoint(from, end), 0.0), 19.0, "middle", text);
        }
        from = end;
    }
    let [first, last] = &bar.ends;
    fluid.word("", (0.0, 0.0), 43.0, "start", first);
    fluid.word("", (1.0, 0.0), 43.0, "end", last);
    writeln!(to, "<div class=\"acct\">{}</div>", fluid.finish(46.0, &bar.title, &bar.finding()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::Drawing;

    #[test]
    fn a_row_without_a_value_has_no_drawing() {
        let cell = |drawing| DrawnCell { drawing, ..DrawnCell::default() };
        let interval = Drawing::Interval { value: 2e6, ends: Some((1e6, 3e6)) };
        let rows = [Some(interval), None].map(|it| DrawnRow::new(vec!["A".into(), cell(it)]));
        let axis = Axis::log("p99", crate::report::table::Quantity::Time, 1e6, 1e7);
        let drawn = |axis| {
            let columns = vec![
                DrawnColumn::new("Configuration", ColumnLook::Text),
                DrawnColumn { axis, ..DrawnColumn::new("", ColumnLook::Drawing) },
            ];
            let rows = rows.to_vec();
            let mut page = Vec::new();
            table(&DrawnTable { columns, rows, ..DrawnTable::default() }, &mut page).unwrap();
            String::from_utf8(page).unwrap()
        };
        let (with, without) = (drawn(Some(axis)), drawn(None));
        assert_eq!(with.matches("<circle").count(), 1, "{with}");
        assert!(with.contains("p99 from ") && with.contains("<td class=\"sc\"></td>"), "{with}");
        assert!(!without.contains("p99 from ") && !without.contains("<circle"), "{without}");
    }
}
