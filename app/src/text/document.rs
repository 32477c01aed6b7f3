//! Markdown and CSV as blocks for rendering: only the subset that this program writes.

use std::iter::Peekable;
use std::str::Chars;

use jitterscope_engine::export;

/// Maximum rows of a CSV that are rendered as a table.
pub const MOST_ROWS: usize = 100;

/// Style of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Plain text.
    #[default]
    Plain,
    /// It matters.
    Strong,
    /// A command.
    Code,
}

/// A span of a line with one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its letters.
    pub text: String,
    /// Its style.
    pub look: Look,
}

/// A line, or the cell of a table.
pub type Line = Vec<Piece>;

/// A table: its header, and as many cells in each row or fewer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns.
    pub header: Vec<Line>,
    /// Which columns are aligned to the right.
    pub is_right: Vec<bool>,
    /// The rows.
    pub rows: Vec<Vec<Line>>,
}

/// A part of a document, over its full width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading(Line),
    /// Lines of text.
    Paragraph(Vec<Line>),
    /// A line of a list.
    Item(Line),
    /// A quotation.
    Quote(Vec<Line>),
    /// A table.
    Table(Table),
}

/// The text of a line without styles.
pub fn plain(line: &[Piece]) -> String {
    line.iter().map(|piece| piece.text.as_str()).collect()
}

/// The blocks of Markdown.
pub fn of_markdown(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let is_more = std::mem::replace(&mut goes_on, true);
        let trimmed = line.trim_start();
        if trimmed.is_empty() {
            goes_on = false;
        } else if let Some(cells) = row_of(trimmed) {
            match blocks.last_mut() {
                Some(Block::Table(table)) if is_more => add_row(table, &cells),
                _ => blocks.push(Block::Table(Table {
                    header: cells.iter().map(|cell| inline(cell)).collect(),
                    ..Table::default()
                })),
            }
        } else if let Some(title) = trimmed.strip_prefix('#') {
            blocks.push(Block::Heading(inline(title.trim_start_matches('#').trim())));
        } else if let Some(item) = trimmed.strip_prefix("- ") {
            blocks.push(Block::Item(inline(item)));
        } else if let Some(words) = trimmed.strip_prefix('>') {
            match blocks.last_mut() {
                Some(Block::Quote(lines)) if is_more => lines.push(inline(words.trim_start())),
                _ => blocks.push(Block::Quote(vec![inline(words.trim_start())])),
            }
        } else {
            match blocks.last_mut() {
                Some(Block::Paragraph(lines)) if is_more => lines.push(inline(trimmed)),
                _ => blocks.push(Block::Paragraph(vec![inline(trimmed)])),
            }
        }
    }
    blocks
}

/// The cells of a line of a table; `None` if it is not one.
fn row_of(line: &str) -> Option<Vec<String>> {
    let rest = line.trim_end().strip_prefix('|')?;
    let mut cells = vec![String::new()];
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        if letter == '|' {
            cells.push(String::new());
            continue;
        }
        if let Some(cell) = cells.last_mut() {
            cell.push(letter);
            if letter == '\\' {
                cell.extend(letters.next());
            }
        }
    }
    // The line ends with a bar, without a cell after it.
    cells.pop_if(|cell| cell.trim().is_empty());
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

/// Adds a line to a table: a row, or the line below the header that aligns the columns.
fn add_row(table: &mut Table, cells: &[String]) {
    let is_rule = |cell: &String| !cell.is_empty() && cell.chars().all(|it| "-:".contains(it));
    if table.rows.is_empty() && table.is_right.is_empty() && cells.iter().all(is_rule) {
        table.is_right = cells.iter().map(|cell| cell.ends_with(':')).collect();
    } else {
        table.rows.push(cells.iter().map(|cell| inline(cell)).collect());
    }
}

/// The pieces of a line of Markdown.
fn inline(text: &str) -> Line {
    let mut line = Line::new();
    let mut look = Look::Plain;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '`' if look == Look::Code => look = Look::Plain,
            letter if look == Look::Code => add(&mut line, look, letter),
            '`' => look = Look::Code,
            '*' if letters.next_if_eq(&'*').is_some() => {
                look = if look == Look::Strong { Look::Plain } else { Look::Strong };
            }
            '\\' => {
                let next = letters.next_if(char::is_ascii_punctuation).unwrap_or('\\');
                add(&mut line, look, next);
            }
            '&' => add(&mut line, look, entity(&mut letters)),
            letter => add(&mut line, look, letter),
        }
    }
    line
}

fn add(line: &mut Line, look: Look, letter: char) {
    match line.last_mut() {
        Some(piece) if piece.look == look => piece.text.push(letter),
        _ => line.push(Piece { text: letter.to_string(), look }),
    }
}

/// The character of the entity between `&` and `;`, else the `&` itself.
fn entity(letters: &mut Peekable<Chars<'_>>) -> char {
    for (name, letter) in
        [("lt;", '<'), ("gt;", '>'), ("amp;", '&'), ("quot;", '"'), ("#64;", '@'), ("#39;", '\'')]
    {
        let mut ahead = letters.clone();
        if name.chars().all(|wanted| ahead.next() == Some(wanted)) {
            *letters = ahead;
            return letter;
        }
    }
    '&'
}

/// CSV as one table of at most this many rows; `None` without a line.
pub fn of_csv(text: &str, most_rows: usize) -> Vec<Block> {
    let mut rows = export::csv::rows(text, most_rows + 1).into_iter();
    let Some(header) = rows.next() else { return Vec::new() };
    let rows: Vec<Vec<String>> = rows.collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0).max(header.len());
    let is_number = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column)).filter(|it| !it.is_empty());
        cells.clone().next().is_some() && cells.all(|cell| cell.parse::<f64>().is_ok())
    };
    let is_right = (0..columns).map(is_number).collect();
    let lines = |cells: Vec<String>| -> Vec<Line> {
        cells.into_iter().map(|text| vec![Piece { text, look: Look::Plain }]).collect()
    };
    let header = lines(header);
    vec![Block::Table(Table { header, is_right, rows: rows.into_iter().map(lines).collect() })]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_read_as_it_is_written() {
        let text = "**a\\*b** (x, 1)\n\nVerdict: **Good** ok &lt;b&gt; &#64;me & c\nsecond\n\n\
                    | Name | p99 |\n|:---|---:|\n| a\\|b | 12 |\n| c | < 0.01 |\n\n- one\n- two\n\n\
                    > said\n> more\n\n### What differs\n\nTo repeat it: `cli --fps 144 **x**`\n";
        let piece = |text: &str, look| Piece { text: text.to_owned(), look };
        let blocks = of_markdown(text);
        assert_eq!(
            blocks[0],
            Block::Paragraph(vec![vec![piece("a*b", Look::Strong), piece(" (x, 1)", Look::Plain)]])
        );
        let Block::Paragraph(lines) = &blocks[1] else { panic!("{blocks:?}") };
        assert_eq!(plain(&lines[0]), "Verdict: Good ok <b> @me & c");
        assert_eq!((lines.len(), plain(&lines[1]).as_str()), (2, "second"));
        let Block::Table(table) = &blocks[2] else { panic!("{blocks:?}") };
        assert_eq!(table.is_right, [false, true]);
        let rows: Vec<String> = table.rows.iter().flatten().map(|cell| plain(cell)).collect();
        assert_eq!(rows, ["a|b", "12", "c", "< 0.01"]);
        assert_eq!(blocks[3..5].iter().filter(|it| matches!(it, Block::Item(_))).count(), 2);
        assert!(matches!(&blocks[5], Block::Quote(lines) if lines.len() == 2));
        assert_eq!(blocks[6], Block::Heading(vec![piece("What differs", Look::Plain)]));
        let command = piece("cli --fps 144 **x**", Look::Code);
        assert_eq!(
            blocks[7],
            Block::Paragraph(vec![vec![piece("To repeat it: ", Look::Plain), command]])
        );
        assert_eq!(blocks.len(), 8);
    }

    #[test]
    fn a_sheet_is_a_table_of_its_first_rows() {
        let text = "label,value\r\n\"a, \"\"b\"\"\",1.5\nlast,\nnot shown,3\n";
        let blocks = of_csv(text, 2);
        let [Block::Table(table)] = blocks.as_slice() else { panic!("{blocks:?}") };
        assert_eq!(table.is_right, [false, true]);
        let cells: Vec<String> = table.rows.iter().flatten().map(|cell| plain(cell)).collect();
        assert_eq!(cells, ["a, \"b\"", "1.5", "last", ""]);
        assert!(of_csv("", 9).is_empty());
    }
}
