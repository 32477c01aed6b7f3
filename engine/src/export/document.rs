//! A report as a list of blocks, such as headings and tables. It is written as Markdown, or shown
//! in the window as the preview of an export.

use crate::report::Table;
use crate::report::table::{Layout, TextColumn};
use crate::units::count_text;

/// The style of a piece of text.
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

/// A piece of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// The style of the text.
    pub look: TextStyle,
}

impl Piece {
    /// Returns plain text.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), look: TextStyle::Plain }
    }

    /// Returns emphasized text.
    pub fn strong(text: impl Into<String>) -> Self {
        Self { text: text.into(), look: TextStyle::Strong }
    }

    /// Returns a command.
    pub fn code(text: impl Into<String>) -> Self {
        Self { text: text.into(), look: TextStyle::Code }
    }
}

/// A line of text.
pub type Line = Vec<Piece>;

/// A table of text cells, as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The column names.
    pub header: Vec<String>,
    /// For each column, whether its cells are right-aligned.
    pub is_right: Vec<bool>,
    /// The rows, each with one cell per column.
    pub rows: Vec<Vec<String>>,
}

/// A part of a document, such as a heading or a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The heading of the blocks that follow.
    Heading(String),
    /// Lines of text.
    Paragraph(Vec<Line>),
    /// A list item.
    Item(Line),
    /// Lines of text that the user or another program wrote, shown as a quotation.
    Quote(Vec<String>),
    /// A table.
    Grid(Grid),
    /// A section that the reader can open and close: its text that is always visible, and the
    /// blocks that are hidden while it is closed.
    Details(String, Vec<Self>),
    /// A plot, of which this document has only the texts.
    Plot {
        /// The title of the plot.
        title: String,
        /// A sentence that describes what the plot shows; may be empty.
        finding: String,
    },
}

impl Block {
    /// Returns every text in the block, for modification.
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

    /// Returns a list item of plain text.
    pub fn item(text: impl Into<String>) -> Self {
        Self::Item(vec![Piece::plain(text)])
    }
}

/// Returns the title of a table, followed by its note if there is one, as in
/// `Scheduling gaps: gaps of 5 µs or longer`.
pub(super) fn title(table: &Table) -> String {
    if table.note.is_empty() {
        table.title.to_owned()
    } else {
        format!("{}: {}", table.title, table.note)
    }
}

/// Returns a table as blocks. They have its title, the values that all rows share, a grid per group
/// of columns, the number of `omitted` rows, the reasons for empty cells, and the cautions about
/// rows. A table of one row becomes grids of two columns: the heading and the value.
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
    let omitted = (0 < omitted).then(|| count_text(omitted, "more rows"));
    let cautions = table.cautions().into_iter();
    let cautions = cautions.map(|(name, caution)| format!("{name}: {caution}"));
    blocks.extend(omitted.into_iter().chain(table.reason_lines()).chain(cautions).map(Block::item));
    blocks
}

/// Splits a list of columns into parts. Each part has neighboring columns of the same group.
fn groups<'a, 'b>(columns: &'a [TextColumn<'b>]) -> impl Iterator<Item = &'a [TextColumn<'b>]> {
    columns.chunk_by(|one, next| one.column.group == next.column.group)
}
