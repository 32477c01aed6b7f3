//! The blocks of a document as HTML. A block that belongs to no other is a section of the page; inside a section, it
//! is a list, a table, or a paragraph.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html, html_lines};
use super::super::svg;
use super::compared::forest;
use super::drawn::{parts, table};
use super::{Drawings, figures, icon, plot, section, sign, timeline};
use crate::report::document::{
    Block, Fact, FactsLook, Piece, Request, Section, Step, TextStyle, Width,
};
use crate::report::{Chart, Table};
use crate::units::count_text;

/// Writes the open blocks of a page: narrow ones side by side.
pub(super) fn page(
    blocks: &[&Block],
    drawings: &Drawings<'_>,
    to: &mut dyn Write,
) -> io::Result<()> {
    for group in blocks.chunk_by(|one, next| drawings.width(one) == drawings.width(next)) {
        let width = group.first().map_or(Width::Full, |block| drawings.width(block));
        let columns = match (width, group.len()) {
            (Width::Full, _) => None,
            (Width::Uneven, _) => Some("a"),
            (Width::Half, 3) => Some("c"),
            (Width::Half, _) => Some("b"),
        };
        if let Some(columns) = columns {
            writeln!(to, "<div class=\"cols {columns}\">")?;
        }
        for block in group {
            match block {
                Block::Section(section) => open(section, drawings, to)?,
                block => write(block, false, drawings, to)?,
            }
        }
        if columns.is_some() {
            writeln!(to, "</div>")?;
        }
    }
    Ok(())
}

fn open(part: &Section, drawings: &Drawings<'_>, to: &mut dyn Write) -> io::Result<()> {
    // The section of changes has a legend.
    if let [Block::Changes(changes)] = part.blocks.as_slice() {
        return forest::write(changes, to);
    }
    section(&part.title, &part.note, "", to)?;
    for block in &part.blocks {
        write(block, false, drawings, to)?;
    }
    writeln!(to, "</section>")
}

/// Writes a section that is closed at first.
pub(super) fn closed(
    part: &Section,
    drawings: &Drawings<'_>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let attributes = match part.blocks.as_slice() {
        [Block::Table(table, _)] => format!(" data-table=\"{}\"", table.key),
        _ if part.width == Width::Half => " class=\"half\"".to_owned(),
        _ if part.is_on_screen_only => " data-print=\"no\"".to_owned(),
        _ => String::new(),
    };
    let (title, note) = (html(&part.title, NAME), html(&part.note, NOTE));
    writeln!(
        to,
        "<details{attributes}><summary><h2>{title}</h2><small>{note}</small></summary><div>"
    )?;
    for block in &part.blocks {
        write(block, true, drawings, to)?;
    }
    writeln!(to, "</div></details>")
}

fn write(
    block: &Block,
    is_closed: bool,
    drawings: &Drawings<'_>,
    to: &mut dyn Write,
) -> io::Result<()> {
    match block {
        Block::Heading(text) => writeln!(to, "<h3>{}</h3>", html(text, NAME)),
        Block::Paragraph(lines) => {
            let class = if is_closed { "" } else { " class=\"soft small\"" };
            lines.iter().try_for_each(|line| writeln!(to, "<p{class}>{}</p>", inline(line)))
        }
        Block::Item(line) => writeln!(to, "<p class=\"small\">{}</p>", inline(line)),
        Block::Facts(look, facts) => write_facts(*look, facts, to),
        Block::Keys(keys) => figures::keys(keys, to),
        Block::Requests(requests) => write_requests(requests, to),
        Block::Steps(steps) => write_steps(steps, to),
        Block::Table(table, omitted) => write_table(table, *omitted, is_closed, to),
        Block::Drawn(drawn) => table(drawn, to),
        Block::Changes(changes) => forest::table(changes, to),
        Block::Parts(bar) => parts(bar, to),
        Block::Grid(grid) => table(&grid.drawn(), to),
        Block::Verdict(statement) => {
            writeln!(to, "<p>{}</p>", html(&statement.answer(), NOTE))
        }
        Block::Quote(lines) => {
            writeln!(to, "<pre dir=\"auto\">{}</pre>", html_lines(&lines.join("\n"), NOTE))
        }
        Block::Section(section) => open(section, drawings, to),
        Block::Details(title, blocks) => {
            writeln!(to, "<details><summary>{}</summary>", html(title, NAME))?;
            blocks.iter().try_for_each(|block| write(block, is_closed, drawings, to))?;
            writeln!(to, "</details>")
        }
        Block::Plot { key, .. } => match drawings.chart(key) {
            Some(chart) if is_closed => {
                writeln!(to, "{}", svg::legend(chart))?;
                plot::write_alone(chart, to)
            }
            Some(chart) => plot::write(chart, to),
            None => drawings.write(to),
        },
    }
}

/// Returns a line of text as HTML.
fn inline(line: &[Piece]) -> String {
    let piece = |piece: &Piece| {
        let text = html(&piece.text, NOTE);
        match piece.look {
            TextStyle::Plain => text,
            TextStyle::Strong => format!("<b>{text}</b>"),
            TextStyle::Code => format!("<code class=\"cmd\">{text}</code>"),
        }
    };
    line.iter().map(piece).collect()
}

fn write_facts(look: FactsLook, facts: &[Fact], to: &mut dyn Write) -> io::Result<()> {
    let class = match look {
        FactsLook::Pairs => "pairs",
        FactsLook::Columns => "three",
        FactsLook::WideColumns => "three one",
        FactsLook::Definitions => "defs",
    };
    writeln!(to, "<dl class=\"{class}\">")?;
    for fact in facts {
        let (name, value) = (html(&fact.name, NAME), html(&fact.value, NOTE));
        let sign = fact.sign.map_or_else(String::new, sign);
        if look == FactsLook::Pairs {
            writeln!(to, "<dt>{name}</dt><dd>{sign}{value}</dd>")?;
        } else {
            writeln!(to, "<div><dt>{name}</dt><dd>{sign}<bdi>{value}</bdi></dd></div>")?;
        }
    }
    writeln!(to, "</dl>")
}

fn write_requests(requests: &[Request], to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "<dl class=\"req\">")?;
    for one in requests {
        let icon = if one.is_granted { icon("good", "good") } else { icon("denied", "fair") };
        writeln!(
            to,
            "<div><dt>{}</dt><dd><span class=\"hide\">requested </span>{}<span class=\"arrow\" \
             aria-hidden=\"true\">→</span><span class=\"nw\">{icon}<span class=\"hide\">applied </span>{}</span></dd></div>",
            one.name,
            html(&one.requested, NAME),
            html(&one.applied, NAME),
        )?;
    }
    writeln!(to, "</dl>")
}

/// Writes what to do as a numbered list, and denied requests as lines after their signs.
fn write_steps(steps: &[Step], to: &mut dyn Write) -> io::Result<()> {
    let (found, to_do): (Vec<&Step>, Vec<&Step>) = steps.iter().partition(|it| it.sign.is_some());
    for Step { sign: mark, title, text } in found {
        let mark = mark.map_or_else(String::new, sign);
        let (title, text) = (html(title, NOTE), html(text, NOTE));
        writeln!(to, "<p class=\"small\">{mark} <bdi>{title}</bdi>. {text}</p>")?;
    }
    if to_do.is_empty() {
        return Ok(());
    }
    writeln!(to, "<ol class=\"do\">")?;
    for Step { title, text, .. } in to_do {
        let (title, text) = (html(title, NOTE), html(text, NOTE));
        writeln!(to, "<li><b>{title}</b><br><span class=\"soft\">{text}</span></li>")?;
    }
    writeln!(to, "</ol>")
}

/// Writes a table of figures: in a section that is closed at first, in groups and with the warnings about its rows.
fn write_table(
    table: &Table,
    omitted: usize,
    is_closed: bool,
    to: &mut dyn Write,
) -> io::Result<()> {
    if !is_closed {
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        return figures::rows(table, "", &columns, to);
    }
    figures::all(table, to)?;
    if 0 < omitted {
        writeln!(to, "<p class=\"soft small\">{}</p>", count_text(omitted, "more rows"))?;
    }
    for (name, caution) in table.cautions() {
        let (name, caution) = (html(&name, NOTE), html(caution, NOTE));
        writeln!(to, "<p class=\"small\"><bdi>{name}</bdi>: {caution}</p>")?;
    }
    Ok(())
}

impl Drawings<'_> {
    /// Returns the plot with a key; `None` if it has a separate drawing.
    fn chart(&self, key: &str) -> Option<&Chart> {
        let is_own = key == "timelines" || (key == "timeline" && self.timeline.is_some());
        self.charts.iter().find(|chart| chart.key == key && !is_own)
    }

    /// Returns the width of a block.
    fn width(&self, block: &Block) -> Width {
        match block {
            Block::Section(section) => section.width,
            Block::Plot { key, .. } => match self.chart(key) {
                // Plots with row names need the full width of the page.
                Some(chart) if chart.is_half && chart.y.names.is_empty() => Width::Half,
                _ => Width::Full,
            },
            _ => Width::Full,
        }
    }

    /// Writes the plot that no chart describes.
    fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        match (&self.timeline, &self.sides) {
            (Some((run, row, name)), _) => timeline::write(run, row, name, to),
            (None, Some(sides)) => super::compared::timelines::write(sides, to),
            (None, None) => Ok(()),
        }
    }
}
