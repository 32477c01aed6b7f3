//! A result as one value: blocks that every surface renders.
//!
//! A report computes numbers, and a reader needs sentences, an order, and a layout. If each surface made these
//! itself, a check would have "Frame rates under load" in its file, "Frame rates that this PC can pace under load" in
//! the terminal, and a preview that reads the HTML of the file back to find out what it contains. So a result becomes a
//! [`Document`] here, and a surface is a `match` on the kinds of blocks:
//!
//! ```text
//! Run, Report ─▶ run::document ───┐              ┌▶ Markdown, ticket
//! Scorecard   ─▶ check::document ─┼▶ Document ───┼▶ terminal
//! Comparison  ─▶ comparison::… ───┘              ├▶ HTML
//!                                                └▶ preview of an export
//! ```
//!
//! A document begins with its [`Summary`], which fits in a ticket of 15 lines ([`Level::Short`]). Blocks with a level
//! follow. For example, a quick check has these:
//!
//! ```text
//! Short  Quick check (12 Nov 2026, Jitterscope 0.9) · Good: this PC paces frames well, even when busy. · five results
//! Page   Heading "Measurements", Grid · Heading "What to do", Steps · Heading "Measurement quality", Facts · Verdict
//! All    the same with drawings, Plot, "Machine", Facts · all figures and definitions, closed · how to repeat the check
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
pub mod comparison;
mod drawn;
pub(crate) mod facts;
mod plain;
pub(crate) mod requests;
pub(crate) mod run;
pub mod trend;

use crate::report::table::{Cell, Column, TableRow};
use crate::report::{Chart, GradePlace, KeyFigure, Table};

pub use comparison::Changes;
pub use drawn::{ColumnLook, Drawing, DrawnCell, DrawnColumn, DrawnRow, DrawnTable, Parts, Sign};
pub use plain::{flattened, simplified};
pub use requests::Request;
pub use run::quality::{quality_notes, refused};

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

impl Grid {
    /// Returns the table as typed columns, for a surface that sorts and selects rows.
    pub fn table(&self, title: &'static str) -> Table {
        /// The keys of the columns, one letter each.
        const KEYS: &str = "abcdefghijklmnopqrstuvwxyz";
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0).max(self.header.len());
        let column = |at: usize| {
            let title = self.header.get(at).cloned().unwrap_or_default();
            let is_right = self.is_right.get(at) == Some(&true);
            let make: fn(&'static str, String, String) -> Column =
                if is_right { Column::mixed } else { Column::text };
            make(KEYS.get(at..=at).unwrap_or_default(), title, String::new())
        };
        let row = |cells: &Vec<String>| TableRow {
            cells: cells.iter().map(Cell::text_of).collect(),
            ..TableRow::default()
        };
        Table {
            key: "texts",
            title,
            note: String::new(),
            columns: (0..count).map(column).collect(),
            rows: self.rows.iter().map(row).collect(),
        }
    }

    /// Returns the table as one in which columns can have drawings.
    pub fn drawn(&self) -> DrawnTable {
        let column = |(title, is_right): (&String, &bool)| {
            let look = if *is_right { ColumnLook::Number } else { ColumnLook::Text };
            DrawnColumn::new(title, look)
        };
        let row =
            |row: &Vec<String>| DrawnRow::new(row.iter().map(|it| it.as_str().into()).collect());
        DrawnTable {
            class: "rates",
            columns: self.header.iter().zip(&self.is_right).map(column).collect(),
            rows: self.rows.iter().map(row).collect(),
            ..DrawnTable::default()
        }
    }
}

/// A name with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The sign before the value.
    pub sign: Option<Sign>,
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Fact {
    /// Returns a fact without a sign.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { sign: None, name: name.into(), value: value.into() }
    }

    /// Returns a fact with a sign: whether it is a reason to trust the result less.
    pub fn judged(is_good: bool, name: impl Into<String>, value: impl Into<String>) -> Self {
        let sign = Some(if is_good { Sign::Good } else { Sign::Warning });
        Self { sign, ..Self::new(name, value) }
    }

    /// Whether the value is a reason to trust the result less.
    pub fn is_warning(&self) -> bool {
        self.sign == Some(Sign::Warning)
    }

    /// Returns the fact as a line, with a sign before a warning.
    pub fn line(&self) -> String {
        format!("{}{}: {}", if self.is_warning() { "! " } else { "" }, self.name, self.value)
    }
}

/// A recommendation.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The sign before a request that was denied; recommendations have none.
    pub sign: Option<Sign>,
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
    /// The grade; may be empty.
    pub grade: String,
    /// How many values changed for the better and for the worse; may be empty.
    pub count: String,
    /// The finding, without the grade.
    pub sentence: String,
    /// The numbers that support the finding; may be empty.
    pub evidence: String,
    /// What is likely to help; `None` if nothing is known to help.
    pub to_do: Option<String>,
}

impl Statement {
    /// Returns the grade and the finding. A finding that begins with the grade does not repeat it.
    pub fn answer(&self) -> String {
        match self.grade.as_str() {
            grade if self.sentence.starts_with(grade) => self.sentence.clone(),
            grade => format!("{grade}: {}", self.sentence),
        }
    }

    /// Returns the lines after the answer.
    pub fn notes(&self) -> Vec<String> {
        let to_do = self.to_do.iter().map(|to_do| format!("What to do: {to_do}"));
        let lines = [self.count.clone(), self.evidence.clone()].into_iter().chain(to_do);
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
    /// The answer.
    pub statement: Statement,
    /// The lines after the answer: the numbers that support it, the recommendation, and the most severe warning.
    pub notes: Vec<String>,
    /// The key figures.
    pub grid: Grid,
    /// The sources of delay, the machine, the measurement quality, and how to repeat the run.
    pub facts: Vec<Line>,
}

/// The top of a page: what was measured, and the answer with its scale and warnings.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The name of the result.
    pub title: String,
    /// The IDs of the runs: `Run 0a1b2c3d`; may be empty.
    pub ids: String,
    /// What was measured, with which settings, and on which machine: lines of short texts.
    pub about: Vec<Vec<String>>,
    /// Tags, notes, and annotations of the user.
    pub notes: Vec<Block>,
    /// The sides of a comparison.
    pub sides: Vec<Side>,
    /// The sign of the answer.
    pub sign: Option<Sign>,
    /// The position of the graded value on the scale of grades; of a comparison, of every side with its letter. Empty
    /// without a scale.
    pub places: Vec<(Option<char>, GradePlace)>,
    /// Warnings to read before the numbers: whether it is about a denied request, and the text.
    pub warnings: Vec<(bool, String)>,
    /// The title of the section that contains the warnings for which there is no room here.
    pub more_warnings: &'static str,
}

/// Maximum number of warnings next to the answer.
pub const MAX_WARNINGS: usize = 3;

/// One side of a comparison: a run, or a group of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The letter of the side, `A` for the baseline.
    pub letter: char,
    /// The name of the side.
    pub name: String,
    /// When the run was measured, and the settings that were applied.
    pub about: String,
    /// The sign and the text of the grade; absent for a group.
    pub grade: Option<(Sign, String)>,
}

impl Side {
    /// Returns the side as a line of text.
    fn line(&self) -> String {
        let Self { letter, name, about, grade } = self;
        let grade = grade.as_ref().map_or_else(String::new, |(_, grade)| format!(", {grade}"));
        format!("{letter}: {name}, {about}{grade}")
    }
}

/// A result as blocks.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The lines for a ticket.
    pub summary: Summary,
    /// The top of a page.
    pub head: Head,
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
        Block::Details(self.contents.to_owned(), self.everything())
    }

    /// Returns everything except the summary, beginning with the top of a page.
    pub fn everything(&self) -> Vec<Block> {
        let Head { about, notes, sides, warnings, .. } = &self.head;
        let line = |line: &Vec<String>| vec![Piece::plain(line.join(" · "))];
        let about: Vec<Line> = about.iter().filter(|it| !it.is_empty()).map(line).collect();
        let about = (!about.is_empty()).then_some(Block::Paragraph(about));
        let sides = sides.iter().map(|side| Block::item(side.line()));
        let warnings = warnings.iter().take(MAX_WARNINGS).map(|(_, text)| Block::item(text));
        let head = about.into_iter().chain(notes.iter().cloned()).chain(sides).chain(warnings);
        head.chain(self.blocks(Level::All).cloned()).collect()
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

/// How a page arranges names and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FactsLook {
    /// One below the other.
    #[default]
    Pairs,
    /// In columns.
    Columns,
    /// In columns on a screen, and in one column in a narrow section.
    WideColumns,
    /// Definitions of names.
    Definitions,
}

/// The width of a section on a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// The width of the page.
    #[default]
    Full,
    /// A half: two of them are side by side, or three of them.
    Half,
    /// Two of them are side by side, the first of which is wider.
    Uneven,
}

/// Blocks with a title.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Section {
    /// The title.
    pub title: String,
    /// What the section contains, or how to read it; may be empty.
    pub note: String,
    /// Whether a page shows only the title and the note until the reader opens the section.
    pub is_closed: bool,
    /// Whether a page is printed without the section, because a printed page has no room for it.
    pub is_on_screen_only: bool,
    /// The width on a page.
    pub width: Width,
    /// The contents.
    pub blocks: Vec<Block>,
}

impl Section {
    /// Returns an open section as wide as the page.
    pub fn new(title: impl Into<String>, note: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { title: title.into(), note: note.into(), blocks, ..Self::default() }
    }

    /// Returns the section with a width.
    pub const fn width(mut self, width: Width) -> Self {
        self.width = width;
        self
    }

    /// Returns the section as one that is closed at first.
    pub const fn closed(mut self) -> Self {
        self.is_closed = true;
        self
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
    /// Names with their values, and how a page arranges them.
    Facts(FactsLook, Vec<Fact>),
    /// The figures that a reader needs first.
    Keys(Vec<KeyFigure>),
    /// Settings, as requested and as applied.
    Requests(Vec<Request>),
    /// A table with drawings in its cells.
    Drawn(DrawnTable),
    /// The changes between two sides of a comparison.
    Changes(Changes),
    /// A time as a bar of its parts.
    Parts(Parts),
    /// Blocks with a title.
    Section(Section),
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
        /// The name of the plot, by which a page finds the drawing.
        key: &'static str,
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
            Self::Facts(_, facts) => facts.iter_mut().map(|fact| &mut fact.value).collect(),
            Self::Section(section) => section.blocks.iter_mut().flat_map(Self::texts_mut).collect(),
            Self::Verdict(Statement { sentence, evidence, to_do, .. }) => {
                [sentence, evidence].into_iter().chain(to_do).collect()
            }
            Self::Table(..)
            | Self::Keys(_)
            | Self::Requests(_)
            | Self::Drawn(_)
            | Self::Changes(_)
            | Self::Parts(_) => Vec::new(),
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
            Self::Plot { title, finding, .. } => vec![title, finding],
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

    /// Returns a plot.
    pub(crate) fn plot(chart: &Chart) -> Self {
        Self::Plot { key: chart.key, title: chart.title.to_owned(), finding: chart.note.clone() }
    }

    /// Returns a list item of plain text.
    pub fn item(text: impl Into<String>) -> Self {
        Self::Item(vec![Piece::plain(text)])
    }
}
