//! A result as one value: blocks that every surface renders.
//!
//! A report computes numbers, and a reader needs sentences, an order, and a layout. If each surface made these
//! itself, a check would have "Frame rates under load" in its file, "Frame rates that this PC can pace under load" in
//! the terminal, and a preview that reads the HTML of the file back to find out what it contains. So a result becomes a
//! [`Document`] here, and a surface is a `match` on the kinds of blocks:
//!
//! ```text
//! Run, Report ─▶ run::document ───┐              ┌▶ Markdown, ticket
//! Scorecard   ─▶ check::document ─┴▶ Document ───┼▶ terminal
//!                                                └▶ preview of an export
//! ```
//!
//! A document begins with its [`Summary`], which fits in a ticket of 15 lines ([`Level::Short`]). Blocks with a level
//! follow. For example, a quick check has these:
//!
//! ```text
//! Short  Quick check (12 Nov 2026, Jitterscope 0.9) · Good: this PC paces frames well, even when busy. · five results
//! Page   Heading "Measurements", Grid · Heading "What to do", Steps · Heading "Measurement quality", Facts · Verdict
//! All    the blocks of a page, Heading "Machine", Facts · Quote (the user's note) · how to repeat the check
//! ```
//!
//! A terminal shows the page, with the verdict at its end, where a terminal user looks first. A file shows all, folded
//! below the summary. A block holds finished texts: a renderer only escapes and lays out. It names no test, and a
//! test names no surface.
//!
//! Why not a template per surface: the surfaces differ in how they draw a table, not in what they say, so a new
//! sentence would have as many places as there are surfaces. Why not one text for all: a table that is aligned for a
//! terminal is neither a table in Markdown nor one for a screen reader.

pub mod check;
pub(crate) mod facts;
pub(crate) mod requests;
pub(crate) mod run;

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

/// A name with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Whether the value is a reason to trust the result less.
    pub is_warning: bool,
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Fact {
    /// Returns a fact that is no warning.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { is_warning: false, name: name.into(), value: value.into() }
    }

    /// Returns the fact as a line, with a sign before a warning.
    pub fn line(&self) -> String {
        format!("{}{}: {}", if self.is_warning { "⚠ " } else { "" }, self.name, self.value)
    }
}

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was found.
    pub title: String,
    /// The recommended step, and the reason; may be empty.
    pub text: String,
}

impl Step {
    /// Returns the recommendation as a line, with the title emphasized.
    pub fn line(&self) -> Line {
        let text = if self.text.is_empty() { "" } else { ": " };
        vec![Piece::strong(&self.title), Piece::plain(format!("{text}{}", self.text))]
    }
}

/// The answer of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// The grade and the finding.
    pub answer: String,
    /// The numbers that support the finding; may be empty.
    pub evidence: String,
    /// What is likely to help; `None` if nothing is known to help.
    pub to_do: Option<String>,
}

impl Statement {
    /// Returns the lines after the answer.
    pub fn notes(&self) -> Vec<String> {
        let to_do = self.to_do.iter().map(|to_do| format!("What to do: {to_do}"));
        let lines = std::iter::once(self.evidence.clone()).chain(to_do);
        lines.filter(|line| !line.is_empty()).collect()
    }
}

/// How much of a document a surface shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// At most 15 lines, for a ticket or a chat: only the summary.
    Short,
    /// What a reader needs to use the result.
    Page,
    /// Everything, for a file.
    All,
}

/// The first lines of a document, to paste into a ticket or chat.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// What was measured, when, and with which version.
    pub title: Line,
    /// The grade and the finding.
    pub answer: String,
    /// The numbers that support the finding, the recommendation, and the most severe warning.
    pub notes: Vec<String>,
    /// The key figures.
    pub grid: Grid,
    /// The sources of delay, the machine, the measurement quality, and how to repeat the run.
    pub facts: Vec<Line>,
}

/// A result as blocks.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The lines for a ticket.
    pub summary: Summary,
    /// What the blocks contain, as the title of a section that hides them.
    pub contents: &'static str,
    /// The blocks, each with the levels that show it.
    pub blocks: Vec<(&'static [Level], Block)>,
}

/// Levels of blocks that only a page shows, because a file has more instead.
pub(crate) const PAGE: &[Level] = &[Level::Page];
/// Levels of blocks that only a file shows.
pub(crate) const ALL: &[Level] = &[Level::All];
/// Levels of blocks that both show.
pub(crate) const PAGE_AND_ALL: &[Level] = &[Level::Page, Level::All];

impl Document {
    /// Returns the blocks that a level shows, without the summary.
    pub fn blocks(&self, level: Level) -> impl Iterator<Item = &Block> {
        self.blocks
            .iter()
            .filter(move |(levels, _)| levels.contains(&level))
            .map(|(_, block)| block)
    }

    /// Returns everything except the summary as one section.
    pub fn details(&self) -> Block {
        Block::Details(self.contents.to_owned(), self.blocks(Level::All).cloned().collect())
    }

    /// Adds blocks that these levels show.
    pub(crate) fn extend(
        &mut self,
        levels: &'static [Level],
        blocks: impl IntoIterator<Item = Block>,
    ) {
        self.blocks.extend(blocks.into_iter().map(|block| (levels, block)));
    }
}

/// A part of a document, such as a heading or a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// The heading of the blocks that follow.
    Heading(String),
    /// Lines of text.
    Paragraph(Vec<Line>),
    /// A list item.
    Item(Line),
    /// Names with their values.
    Facts(Vec<Fact>),
    /// What to do, the most important first.
    Steps(Vec<Step>),
    /// A table of figures, and the number of rows that were removed from it.
    Table(Box<Table>, usize),
    /// The answer.
    Verdict(Statement),
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
            Self::Facts(facts) => facts.iter_mut().map(|fact| &mut fact.value).collect(),
            Self::Table(..) => Vec::new(),
            Self::Verdict(statement) => {
                let Statement { answer, evidence, to_do } = statement;
                [answer, evidence].into_iter().chain(to_do).collect()
            }
            Self::Steps(steps) => {
                steps.iter_mut().flat_map(|step| [&mut step.title, &mut step.text]).collect()
            }
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

    /// Returns a heading.
    pub fn heading(text: impl Into<String>) -> Self {
        Self::Heading(text.into())
    }

    /// Returns a line of plain text.
    pub fn paragraph(text: impl Into<String>) -> Self {
        Self::Paragraph(vec![vec![Piece::plain(text)]])
    }

    /// Returns a list item of plain text.
    pub fn item(text: impl Into<String>) -> Self {
        Self::Item(vec![Piece::plain(text)])
    }
}

/// Returns blocks as headings, paragraphs, list items, quotes, grids, plots, and sections, for a surface that has no
/// other layout for the further kinds. The blocks in a section are not changed.
pub fn simplified(blocks: &[Block]) -> Vec<Block> {
    let simplify = |block: &Block| match block {
        Block::Facts(facts) => facts.iter().map(|fact| Block::item(fact.line())).collect(),
        Block::Steps(steps) => steps.iter().map(|step| Block::Item(step.line())).collect(),
        Block::Table(table, omitted) => of_table(table, *omitted),
        Block::Verdict(statement) => {
            let answer = Block::Paragraph(vec![vec![Piece::strong(&statement.answer)]]);
            let notes = statement.notes().into_iter().map(Block::item);
            std::iter::once(answer).chain(notes).collect()
        }
        block => vec![block.clone()],
    };
    blocks.iter().flat_map(simplify).collect()
}

/// Returns the title of a table, followed by its note if there is one, as in
/// `Scheduling gaps: gaps of 5 µs or longer`.
pub(crate) fn title(table: &Table) -> String {
    if table.note.is_empty() {
        table.title.to_owned()
    } else {
        format!("{}: {}", table.title, table.note)
    }
}

/// Returns a table as blocks. They have its title, the values that all rows share, a grid per group
/// of columns, the number of `omitted` rows, the reasons for empty cells, and the cautions about
/// rows. A table of one row becomes grids of two columns: the heading and the value.
fn of_table(table: &Table, omitted: usize) -> Vec<Block> {
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
