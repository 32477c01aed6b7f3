//! A document as blocks: what Markdown is written from, and what the window shows of it.

use super::facts;
use crate::report::Table;
use crate::report::table::{Layout, TextColumn};

/// How a piece of a line looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextStyle {
    /// Plain text.
    #[default]
    Plain,
    /// Emphasized.
    Strong,
    /// A command.
    Code,
}

/// A piece of a line in one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// How it looks.
    pub look: TextStyle,
}

impl Piece {
    /// Plain text.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), look: TextStyle::Plain }
    }

    /// Emphasized text.
    pub fn strong(text: impl Into<String>) -> Self {
        Self { text: text.into(), look: TextStyle::Strong }
    }

    /// A command.
    pub fn code(text: impl Into<String>) -> Self {
        Self { text: text.into(), look: TextStyle::Code }
    }
}

/// A line of text.
pub type Line = Vec<Piece>;

/// Cells in rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The names of the columns.
    pub header: Vec<String>,
    /// Which columns are aligned to the right.
    pub is_right: Vec<bool>,
    /// The rows: as many cells each as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The title of what follows.
    Heading(String),
    /// Lines of text.
    Paragraph(Vec<Line>),
    /// A line of a list.
    Item(Line),
    /// Lines that somebody else wrote.
    Quote(Vec<String>),
    /// A table.
    Grid(Grid),
    /// What is folded under a summary.
    Details(String, Vec<Self>),
    /// A drawing of a page.
    Plot {
        /// Its name.
        title: String,
        /// What it shows; may be empty.
        finding: String,
    },
}

impl Block {
    /// Returns every text in it, to be changed.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Heading(text) => vec![text],
            Self::Paragraph(lines) => {
                lines.iter_mut().flatten().map(|piece| &mut piece.text).collect()
            }
            Self::Item(line) => line.iter_mut().map(|piece| &mut piece.text).collect(),
            Self::Quote(lines) => lines.iter_mut().collect(),
            Self::Grid(grid) => {
                grid.header.iter_mut().chain(grid.rows.iter_mut().flatten()).collect()
            }
            Self::Details(summary, blocks) => {
                let inside = blocks.iter_mut().flat_map(Self::texts_mut);
                std::iter::once(summary).chain(inside).collect()
            }
            Self::Plot { title, finding } => vec![title, finding],
        }
    }

    /// A list item of plain text.
    pub fn item(text: impl Into<String>) -> Self {
        Self::Item(vec![Piece::plain(text)])
    }
}

/// Returns the title of a table with its note: `Scheduling gaps: gaps of 5 µs or longer`.
pub(super) fn title(table: &Table) -> String {
    if table.note.is_empty() {
        table.title.to_owned()
    } else {
        format!("{}: {}", table.title, table.note)
    }
}

/// Returns a table as blocks: its title, what all rows share as a list, a grid for each group of columns, why
/// cells are empty, and what to be careful about. Of one row, each grid is a list of cells. `omitted` rows are counted.
pub(super) fn of_table(table: &Table, omitted: usize) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(title(table))];
    if table.rows.is_empty() {
        return blocks;
    }
    let Layout { varying, shared } = Layout::of(table);
    if table.rows.len() == 1 {
        blocks.extend(groups(&shared).map(|group| {
            let cell = |column: &TextColumn<'_>| {
                vec![column.heading.clone(), column.shared_text().unwrap_or_default().to_owned()]
            };
            let title = group.first().map_or("", |column| column.column.group);
            Block::Grid(Grid {
                header: vec![
                    if title.is_empty() { "Figure" } else { title }.to_owned(),
                    "Value".to_owned(),
                ],
                is_right: vec![false, true],
                rows: group.iter().map(cell).collect(),
            })
        }));
    } else {
        blocks.extend(shared.iter().map(|column| {
            Block::item(format!("{}: {}", column.heading, column.shared_text().unwrap_or_default()))
        }));
        let (first, rest) = varying.split_at(varying.len().min(1));
        let is_alone = rest.is_empty() && !first.is_empty();
        let groups = groups(rest).chain(is_alone.then_some(&[][..]));
        blocks.extend(groups.map(|group| {
            let columns = || first.iter().chain(group);
            let row = |row: usize| -> Vec<String> {
                columns().map(|column| column.cells.get(row).cloned().unwrap_or_default()).collect()
            };
            Block::Grid(Grid {
                header: columns().map(|column| column.heading.clone()).collect(),
                is_right: columns().map(|column| !column.column.is_left_aligned()).collect(),
                rows: (0..table.rows.len()).map(row).collect(),
            })
        }));
    }
    let omitted = (0 < omitted).then(|| format!("{} more rows", facts::count(omitted)));
    let cautions = table.cautions().into_iter();
    let cautions = cautions.map(|(name, caution)| format!("{name}: {caution}"));
    blocks.extend(omitted.into_iter().chain(table.reason_lines()).chain(cautions).map(Block::item));
    blocks
}

/// Neighboring columns of one group.
fn groups<'a, 'b>(columns: &'a [TextColumn<'b>]) -> impl Iterator<Item = &'a [TextColumn<'b>]> {
    columns.chunk_by(|one, next| one.column.group == next.column.group)
}
