//! Tables with drawings in their cells: what a surface without drawings shows of them is a [`Grid`].

use super::{Grid, Line};
use crate::report::chart::Axis;
use crate::report::{Cause, GradePlace};
use crate::stats::{GradeRange, Outcome};

/// A sign before a text, in a color.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sign {
    /// Nothing is wrong.
    Good,
    /// For information.
    Info,
    /// A reason to trust the result less.
    Warning,
    /// A denied request.
    Denied,
    /// A grade. Without one, the result waits for more data if `is_doubtful`, otherwise it never has a grade.
    Grade {
        /// The grade or its bound.
        grade: Option<GradeRange>,
        /// Whether a missing grade is a reason to measure again.
        is_doubtful: bool,
    },
    /// Whether a change is for the better or for the worse; `None` if it is neither.
    Direction(Option<Outcome>),
    /// The cause of lateness.
    Cause(Cause),
}

/// A drawing in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// A value on the scale of grades. Only an exact grade highlights its zone.
    Scale(Box<GradePlace>, Option<GradeRange>),
    /// A value with its interval on the axis of the column.
    Interval {
        /// The value.
        value: f64,
        /// The ends of the interval; `None` if it is not known.
        ends: Option<(f64, f64)>,
    },
    /// A bar, as a share of the longest bar of the column, in the color of a cause; `None` for several causes.
    Bar(f64, Option<Cause>),
}

/// What a column contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnLook {
    /// Text.
    #[default]
    Text,
    /// Numbers, right-aligned.
    Number,
    /// Drawings, of which a surface without drawings shows the text.
    Drawing,
    /// Bars, and their texts.
    Bar,
    /// Grades with their marks.
    Grade,
    /// Large numbers.
    Figure,
    /// Text that a page shows below the number in the column before.
    Below,
    /// Sentences.
    Remark,
}

/// A column of a table with drawings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnColumn {
    /// The name of the column, which only a screen reader reads if the column has drawings or remarks.
    pub title: String,
    /// The definition of the values; may be empty.
    pub definition: String,
    /// What the column contains.
    pub look: ColumnLook,
    /// Whether a narrow page omits the column.
    pub is_optional: bool,
    /// The axis of the drawings, if they share one.
    pub axis: Option<Axis>,
    /// The letter of the side of a comparison that the column shows; replaces the title.
    pub side: Option<char>,
}

impl DrawnColumn {
    /// Returns a column that every page shows.
    pub fn new(title: impl Into<String>, look: ColumnLook) -> Self {
        Self { title: title.into(), look, ..Self::default() }
    }

    /// Returns the column as one that a narrow page omits.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.is_optional = true;
        self
    }

    /// Returns the column with the definition of its values.
    #[must_use]
    pub fn defined(mut self, definition: impl Into<String>) -> Self {
        self.definition = definition.into();
        self
    }
}

/// A cell of a table with drawings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnCell {
    /// The sign before the text.
    pub sign: Option<Sign>,
    /// The text.
    pub text: String,
    /// The unit of the text, if it is a number; may be empty.
    pub unit: String,
    /// The drawing, which a page shows instead of the text, or next to the text of a bar.
    pub drawing: Option<Drawing>,
}

impl<T: Into<String>> From<T> for DrawnCell {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl DrawnCell {
    /// Returns a text after a sign.
    pub fn signed(sign: Option<Sign>, text: impl Into<String>) -> Self {
        Self { sign, ..Self::from(text) }
    }

    /// Returns the text with its unit.
    fn whole(&self) -> String {
        format!("{} {}", self.text, self.unit).trim_end().to_owned()
    }
}

/// A row of a table with drawings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnRow {
    /// Whether the row is highlighted.
    pub is_key: bool,
    /// The cells, one per column.
    pub cells: Vec<DrawnCell>,
    /// What a narrow page shows below the name of the row, because it omits columns.
    pub narrow: String,
}

impl DrawnRow {
    /// Returns a row that is not highlighted.
    pub fn new(cells: Vec<DrawnCell>) -> Self {
        Self { cells, ..Self::default() }
    }
}

/// A table with drawings in its cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnTable {
    /// What the table contains, for screen readers.
    pub caption: String,
    /// The name of the look of the table on a page.
    pub class: &'static str,
    /// The columns.
    pub columns: Vec<DrawnColumn>,
    /// The position of the column that names the rows.
    pub name: usize,
    /// The rows.
    pub rows: Vec<DrawnRow>,
    /// The row with the sums.
    pub total: Option<DrawnRow>,
}

impl DrawnTable {
    /// Returns what a surface without drawings shows of the table: columns without a text are omitted.
    pub fn grid(&self) -> Grid {
        let rows = || self.rows.iter().chain(&self.total);
        let text = |row: &DrawnRow, at: usize| row.cells.get(at).map(DrawnCell::whole);
        let is_shown = |at: &usize| {
            *at == 0 || rows().any(|row| text(row, *at).is_some_and(|text| !text.is_empty()))
        };
        let shown: Vec<usize> = (0..self.columns.len()).filter(is_shown).collect();
        let columns = || shown.iter().filter_map(|at| self.columns.get(*at));
        let title = |column: &DrawnColumn| {
            column.side.map_or_else(|| column.title.clone(), |letter| letter.to_string())
        };
        Grid {
            header: columns().map(title).collect(),
            is_right: columns()
                .map(|it| {
                    matches!(it.look, ColumnLook::Number | ColumnLook::Figure | ColumnLook::Bar)
                })
                .collect(),
            rows: rows()
                .map(|row| shown.iter().map(|at| text(row, *at).unwrap_or_default()).collect())
                .collect(),
        }
    }

    /// Returns the table without a column.
    #[must_use]
    pub fn without(mut self, title: &str) -> Self {
        if let Some(at) = self.columns.iter().position(|column| column.title == title) {
            self.columns.remove(at);
            for row in self.rows.iter_mut().chain(&mut self.total) {
                if at < row.cells.len() {
                    row.cells.remove(at);
                }
            }
        }
        self
    }
}

/// A time as a bar of its parts, one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// What the bar shows.
    pub title: String,
    /// The texts at both ends of the bar.
    pub ends: [String; 2],
    /// The parts: name, cause (`None` if it is not known), share of the whole, and length.
    pub parts: Vec<(String, Option<Cause>, f64, String)>,
}

impl Parts {
    /// Returns the parts with their lengths in one line.
    pub fn finding(&self) -> String {
        let parts = self.parts.iter().map(|(name, _, _, length)| format!("{name} {length}"));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Returns the bar as a line of text.
    pub(super) fn line(&self) -> Line {
        vec![super::Piece::plain(format!("{}: {}", self.title, self.finding()))]
    }
}
