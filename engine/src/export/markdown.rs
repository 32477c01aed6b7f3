//! The report for a ticket: verdict, tables, machine, and the command that repeats it, as Markdown.

use std::io::{self, Write};

use super::document::{self, Block, Grid, Line, Piece, TextStyle};
use super::sanitize::{NOTE, markdown};
use super::{Headline, Options, facts, parts};
use crate::report::Report;
use crate::run::Run;
use crate::units::NARROW_SPACE;

/// The most rows of a table of events that are written.
const MAX_EVENTS: usize = 40;

/// Writes the report.
pub fn write(
    run: &Run,
    report: &Report,
    headline: &Headline,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    render(&document(run, report, headline, options), to)
}

/// Returns the blocks of the report.
pub fn document(run: &Run, report: &Report, headline: &Headline, options: &Options) -> Vec<Block> {
    let about = format!(" ({}, Jitterscope {})", headline.about, run.app_version);
    let words = [headline.sentence.as_str(), headline.evidence.as_str()];
    let words: Vec<&str> = words.into_iter().filter(|text| !text.is_empty()).collect();
    let mut blocks = vec![
        Block::Paragraph(vec![vec![Piece::strong(&headline.title), Piece::plain(about)]]),
        Block::Paragraph(vec![vec![
            Piece::plain("Verdict: "),
            Piece::strong(&headline.grade),
            Piece::plain(format!(" {}", words.join(" "))),
        ]]),
    ];
    let holds = options.parts;
    for (table, omitted) in parts::tables(report, holds, MAX_EVENTS) {
        blocks.extend(document::of_table(&table, omitted));
    }
    blocks.push(Block::Heading("Measurement quality".to_owned()));
    blocks.extend(parts::cautions(report, holds).map(|it| Block::item(it.to_string())));
    let machine = if holds.machine { facts::machine(run) } else { Vec::new() };
    let lines = facts::trust(run, report, holds.machine).into_iter().chain(machine);
    blocks.extend(lines.map(|(name, value)| Block::item(format!("{name}: {value}"))));
    if !run.note.is_empty() {
        let note: String = run.note.chars().take(NOTE).collect();
        blocks.push(Block::Quote(note.lines().map(str::to_owned).collect()));
    }
    let annotations = facts::annotations(run);
    if !annotations.is_empty() {
        blocks.push(Block::Heading("Annotations".to_owned()));
        blocks
            .extend(annotations.into_iter().map(|(at, text)| Block::item(format!("{at}: {text}"))));
    }
    let mut last: Vec<Line> = Vec::new();
    if let Some(plan) = run.plan().filter(|_| holds.repeat) {
        let command = plan.command();
        last.push(vec![Piece::plain("To run it again: "), Piece::code(command)]);
    }
    let skipped = options.included_names.sentence();
    if !skipped.is_empty() {
        last.push(vec![Piece::plain(format!("{skipped}."))]);
    }
    if !last.is_empty() {
        blocks.push(Block::Paragraph(last));
    }
    blocks
}

/// Returns blocks as Markdown; all text in them is shown as it is.
pub fn text(blocks: &[Block]) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ok = render(blocks, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes blocks as Markdown; all text in them is shown as it is.
pub fn render(blocks: &[Block], to: &mut dyn Write) -> io::Result<()> {
    let mut was_item = false;
    for (block, place) in blocks.iter().zip(0_usize..) {
        let is_item = matches!(block, Block::Item(_));
        if 0 < place && !(is_item && was_item) {
            writeln!(to)?;
        }
        was_item = is_item;
        match block {
            Block::Heading(text) => writeln!(to, "### {}", plain(text))?,
            Block::Paragraph(lines) => {
                for line in lines {
                    writeln!(to, "{}", inline(line))?;
                }
            }
            Block::Item(line) => writeln!(to, "- {}", inline(line))?,
            Block::Quote(lines) => {
                for line in lines {
                    writeln!(to, "> {}", plain(line))?;
                }
            }
            Block::Grid(grid) => render_grid(grid, to)?,
        }
    }
    Ok(())
}

/// A text that is shown as it is; narrow spaces become plain ones, which every reader has.
fn plain(text: &str) -> String {
    markdown(&text.replace(NARROW_SPACE, " "), NOTE)
}

fn inline(line: &[Piece]) -> String {
    let pieces = line.iter().map(|piece| {
        let text = match piece.look {
            TextStyle::Plain => plain(&piece.text),
            TextStyle::Strong if piece.text.is_empty() => String::new(),
            TextStyle::Strong => format!("**{}**", plain(&piece.text)),
            TextStyle::Code => format!("`{}`", piece.text.replace('`', "")),
        };
        // A space at the edge of a piece is one between two pieces.
        let space = |is_there| if is_there { " " } else { "" };
        let (before, after) = (piece.text.starts_with(' '), piece.text.ends_with(' '));
        format!("{}{text}{}", space(before), space(after))
    });
    pieces.collect::<String>().trim_end().to_owned()
}

/// The table, lined up so that it can be read as plain text, too.
fn render_grid(grid: &Grid, to: &mut dyn Write) -> io::Result<()> {
    let header = std::iter::once(&grid.header);
    let lines: Vec<Vec<String>> =
        header.chain(&grid.rows).map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
    let widths: Vec<usize> = (0..grid.header.len())
        .map(|column| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let columns = || widths.iter().zip(grid.is_right.iter().chain(std::iter::repeat(&false)));
    for (number, line) in lines.iter().enumerate() {
        for ((&width, &is_right), cell) in columns().zip(line) {
            if is_right {
                write!(to, "| {cell:>width$} ")?;
            } else {
                write!(to, "| {cell:<width$} ")?;
            }
        }
        writeln!(to, "|")?;
        if number == 0 {
            for (&width, &is_right) in columns() {
                write!(to, "|{}{}", "-".repeat(width + 1), if is_right { ":" } else { "-" })?;
            }
            writeln!(to, "|")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_written_as_markdown() {
        let blocks = [
            Block::Paragraph(vec![vec![Piece::strong("a*b"), Piece::plain(" (x, 1)")]]),
            Block::Heading("What | differs".to_owned()),
            Block::Grid(Grid {
                header: vec!["Name".to_owned(), "p99".to_owned()],
                is_right: vec![false, true],
                rows: vec![vec!["a|b".to_owned(), "1\u{202f}ms".to_owned()]],
            }),
            Block::item("one"),
            Block::item("two"),
            Block::Quote(vec!["<said>".to_owned()]),
            Block::Paragraph(vec![vec![Piece::plain("Run: "), Piece::code("cli `x` **y**")]]),
        ];
        let mut text = Vec::new();
        render(&blocks, &mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "**a\\*b** (x, 1)\n\n### What \\| differs\n\n\
             | Name |  p99 |\n|------|-----:|\n| a\\|b | 1 ms |\n\n- one\n- two\n\n> &lt;said\\>\n\n\
             Run: `cli x **y**`\n"
        );
    }
}
