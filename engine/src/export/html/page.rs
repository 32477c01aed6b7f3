//! A page of blocks and plots that belongs to no single run.

use std::io::{self, Write};

use super::super::document::{Block, Grid, Piece, TextStyle};
use super::super::sanitize::{NAME, NOTE, html};
use super::{begin, plot};
use crate::report::Chart;
use crate::stats::Grade;

/// What a page shows.
#[derive(Debug)]
pub struct Page<'a> {
    /// The title.
    pub title: &'a str,
    /// The grade that colors the first block after the title.
    pub grade: Option<Grade>,
    /// The first block is the title line, the second the verdict.
    pub blocks: &'a [Block],
    /// Plots below the blocks.
    pub charts: &'a [Chart],
}

/// Writes a page.
pub fn write_page(page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
    begin(page.title, to)?;
    let mut is_open = false;
    let mut was_item = false;
    for (block, place) in page.blocks.iter().zip(0..) {
        let is_item = matches!(block, Block::Item(_));
        if was_item && !is_item {
            writeln!(to, "</ul>")?;
        }
        match block {
            Block::Heading(text) => {
                if is_open {
                    writeln!(to, "</section>")?;
                }
                is_open = true;
                writeln!(to, "<section class=\"card wide\"><h2>{}</h2>", html(text, NOTE))?;
            }
            Block::Paragraph(lines) if place == 0 => {
                writeln!(to, "<header><h1 dir=\"auto\">{}</h1></header>", joined(lines))?;
            }
            Block::Paragraph(lines) if place == 1 => {
                let grade = page.grade.map_or(String::new(), |grade| grade.word().to_lowercase());
                let lines = joined(lines);
                writeln!(to, "<section class=\"card verdict {grade}\"><p>{lines}</p></section>")?;
            }
            Block::Paragraph(lines) => writeln!(to, "<p>{}</p>", joined(lines))?,
            Block::Item(line) => {
                let start = if was_item { "" } else { "<ul>" };
                writeln!(to, "{start}<li>{}</li>", inline(line))?;
            }
            Block::Quote(lines) => {
                writeln!(to, "<pre dir=\"auto\">{}</pre>", html(&lines.join("\n"), NOTE))?;
            }
            Block::Grid(grid) => table(grid, to)?,
        }
        was_item = is_item;
    }
    writeln!(
        to,
        "{}{}",
        if was_item { "</ul>" } else { "" },
        if is_open { "</section>" } else { "" }
    )?;
    for chart in page.charts {
        plot(chart, to)?;
    }
    writeln!(to, "</main>\n</body>\n</html>")
}

fn joined(lines: &[Vec<Piece>]) -> String {
    lines.iter().map(|line| inline(line)).collect::<Vec<_>>().join("<br>")
}

fn inline(line: &[Piece]) -> String {
    let piece = |piece: &Piece| {
        let text = html(&piece.text, NOTE);
        match piece.look {
            TextStyle::Plain => text,
            TextStyle::Strong => format!("<b>{text}</b>"),
            TextStyle::Code => format!("<code>{text}</code>"),
        }
    };
    line.iter().map(piece).collect()
}

fn table(grid: &Grid, to: &mut dyn Write) -> io::Result<()> {
    let class = |column: usize| {
        if grid.is_right.get(column) == Some(&true) { "" } else { " class=\"l\"" }
    };
    write!(to, "<table><thead><tr>")?;
    for (cell, column) in grid.header.iter().zip(0..) {
        write!(to, "<th{}>{}</th>", class(column), html(cell, NAME))?;
    }
    writeln!(to, "</tr></thead><tbody>")?;
    for row in &grid.rows {
        write!(to, "<tr>")?;
        for (cell, column) in row.iter().zip(0..) {
            write!(to, "<td{}><bdi>{}</bdi></td>", class(column), html(cell, NOTE))?;
        }
        writeln!(to, "</tr>")?;
    }
    writeln!(to, "</tbody></table>")
}
