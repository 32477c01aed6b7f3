//! Writes blocks as Markdown that GitHub and GitLab render, and that is readable as plain text.

use std::io::{self, Write};

use super::sanitize::{NOTE, markdown};
use crate::report::document::{Block, Grid, Piece, TextStyle, simplified};
use crate::units::{MAX_PADDING, NARROW_SPACE};

/// Returns blocks as Markdown; special characters in texts are escaped.
pub fn text(blocks: &[Block]) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ok = render(blocks, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes blocks as Markdown; special characters in texts are escaped.
pub fn render(blocks: &[Block], to: &mut dyn Write) -> io::Result<()> {
    let blocks = simplified(blocks);
    let mut previous: Option<&Block> = None;
    for block in &blocks {
        // A list item needs no blank line before it; a table does.
        let is_joined = matches!(
            (previous, block),
            (Some(Block::Item(_) | Block::Paragraph(_) | Block::Heading(_)), Block::Item(_))
        );
        if previous.is_some() && !is_joined {
            writeln!(to)?;
        }
        previous = Some(block);
        match block {
            Block::Heading(text) => writeln!(to, "**{}**", plain(text))?,
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
            Block::Plot { title, finding, .. } => {
                let finding = plain(finding);
                let colon = if finding.is_empty() { "" } else { ": " };
                writeln!(to, "- {}{colon}{finding}", plain(title))?;
            }
            Block::Details(summary, blocks) => {
                writeln!(to, "<details>\n<summary>{}</summary>\n", plain(summary))?;
                render(blocks, to)?;
                writeln!(to, "\n</details>")?;
            }
            // Simplified blocks contain no other kinds.
            _ => {}
        }
    }
    Ok(())
}

/// Returns escaped text; narrow spaces become plain ones, since not every font has them.
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
        // Spaces at the edges of a piece must be outside its formatting marks.
        let space = |is_there| if is_there { " " } else { "" };
        let (before, after) = (piece.text.starts_with(' '), piece.text.ends_with(' '));
        format!("{}{text}{}", space(before), space(after))
    });
    pieces.collect::<String>().trim_end().to_owned()
}

/// Writes a table with columns aligned by spaces, so that it is also readable as plain text.
fn render_grid(grid: &Grid, to: &mut dyn Write) -> io::Result<()> {
    let header = std::iter::once(&grid.header);
    let lines: Vec<Vec<String>> =
        header.chain(&grid.rows).map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
    let widths: Vec<usize> = (0..grid.header.len())
        .map(|column| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(MAX_PADDING)
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
            Block::item("zero"),
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
            Block::Details("More".to_owned(), vec![Block::item("three")]),
        ];
        let mut text = Vec::new();
        render(&blocks, &mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "**a\\*b** (x, 1)\n- zero\n\n**What \\| differs**\n\n\
             | Name |  p99 |\n|------|-----:|\n| a\\|b | 1 ms |\n\n- one\n- two\n\n> &lt;said\\>\n\n\
             Run: `cli x **y**`\n\n<details>\n<summary>More</summary>\n\n- three\n\n</details>\n"
        );
    }
}
