//! One column of a table: its key, its heading, its definition, and the format of its cells.

use std::borrow::Cow;

use super::Cell;
use super::format::{Format, Quantity};
use crate::nanos::Nanos;
use crate::units::{Unit, choose_decimals};

/// Whether lower or higher values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Lower values are better.
    Lower,
    /// Higher values are better.
    Higher,
}

/// A text that is either fixed or composed.
type Words = Cow<'static, str>;

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Column {
    /// The name of the column in files. The name of a number ends in its unit, such as `_nanos`. Its meaning never
    /// changes, so that scripts can rely on it.
    pub key: &'static str,
    /// The title, without the unit.
    pub title: Words,
    /// The definition of the column, in one sentence with a period.
    pub definition: Words,
    /// The kind of value in the cells.
    pub quantity: Quantity,
    /// The format of the cells as text.
    pub format: Format,
    /// Whether the cells are intervals, which have two exact values each.
    pub is_interval: bool,
    /// Whether lower or higher values are better; absent if neither is.
    pub better: Option<Better>,
    /// Whether the column is the main figure of its table, which the window emphasizes.
    pub is_key: bool,
    /// Whether the column is hidden first if there is little room.
    pub is_optional: bool,
    /// The title of the group of columns that this column belongs to, such as `Lateness`; empty without a group.
    pub group: &'static str,
    /// The key of a second column. In the wide layout of the table, this column becomes one column per value of the
    /// second column, and rows that differ only in the second column become one row.
    pub pivot: Option<&'static str>,
    /// The position of the compared run whose values the column has; `None` in any other table.
    pub series: Option<usize>,
}

impl Column {
    /// Returns a column without a format, a better direction, or a group.
    fn new(
        quantity: Quantity,
        key: &'static str,
        title: impl Into<Words>,
        definition: impl Into<Words>,
    ) -> Self {
        Self {
            key,
            title: title.into(),
            definition: definition.into(),
            quantity,
            format: Format::Own,
            is_interval: false,
            better: None,
            is_key: false,
            is_optional: false,
            group: "",
            pivot: None,
            series: None,
        }
    }

    /// Returns a column of texts.
    pub fn text(key: &'static str, title: impl Into<Words>, definition: impl Into<Words>) -> Self {
        Self::new(Quantity::Text, key, title, definition)
    }

    /// Returns a column of grades. `definition` names the graded figure and its limits.
    pub fn grade(definition: impl Into<Words>) -> Self {
        Self::new(Quantity::Grade, "grade", "Grade", definition)
    }

    /// Returns the column with the words of the real-time test, such as Modest, instead of the grades.
    pub fn in_steps(self) -> Self {
        Self { format: Format::Steps, ..self }
    }

    /// Returns a column of times that are all in one unit.
    pub fn time(key: &'static str, title: impl Into<Words>, definition: impl Into<Words>) -> Self {
        let format = Format::Time { unit: Unit::Micros, decimals: 1 };
        Self { format, ..Self::new(Quantity::Time, key, title, definition) }
    }

    /// Returns a column of times from the settings, each in the unit that suits it.
    pub fn setting(
        key: &'static str,
        title: impl Into<Words>,
        definition: impl Into<Words>,
    ) -> Self {
        Self::new(Quantity::Time, key, title, definition)
    }

    /// Returns a column of counts.
    pub fn count(key: &'static str, title: impl Into<Words>, definition: impl Into<Words>) -> Self {
        Self::new(Quantity::Count, key, title, definition)
    }

    /// Returns a column of shares, shown as percentages: 1.0 is 100%.
    pub fn share(key: &'static str, title: impl Into<Words>, definition: impl Into<Words>) -> Self {
        Self::new(Quantity::Share, key, title, definition)
    }

    /// Returns a column of rates with one decimal; the heading shows `unit`, such as `FPS`.
    pub fn rate(
        key: &'static str,
        title: impl Into<Words>,
        unit: &'static str,
        definition: impl Into<Words>,
    ) -> Self {
        let format = Format::Decimal { unit, decimals: 1 };
        Self { format, ..Self::new(Quantity::Rate, key, title, definition) }
    }

    /// Returns a column of numbers with this many decimals; the heading shows `unit` unless it is empty.
    pub fn number(
        key: &'static str,
        title: impl Into<Words>,
        unit: &'static str,
        decimals: u32,
        definition: impl Into<Words>,
    ) -> Self {
        let format = Format::Decimal { unit, decimals };
        Self { format, ..Self::new(Quantity::Number, key, title, definition) }
    }

    /// Returns a column with a different kind of value in each row, as in a table with one row per figure.
    pub fn mixed(key: &'static str, title: impl Into<Words>, definition: impl Into<Words>) -> Self {
        Self::new(Quantity::Mixed, key, title, definition)
    }

    /// Returns the column as one whose cells are intervals.
    pub fn interval(self) -> Self {
        Self { is_interval: true, ..self }
    }

    /// Returns the column as one of changes, which have a sign.
    pub fn signed(self) -> Self {
        Self { format: Format::Signed, ..self }
    }

    /// Returns the column as one whose lower values are better.
    pub fn lower_is_better(self) -> Self {
        Self { better: Some(Better::Lower), ..self }
    }

    /// Returns the column as one whose higher values are better.
    pub fn higher_is_better(self) -> Self {
        Self { better: Some(Better::Higher), ..self }
    }

    /// Returns the column as one whose lower and higher values are equally good.
    pub fn neutral(self) -> Self {
        Self { better: None, ..self }
    }

    /// Returns the column as the main figure of its table.
    pub fn key_figure(self) -> Self {
        Self { is_key: true, ..self }
    }

    /// Returns the column as one that is hidden first if there is little room.
    pub fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    /// Returns whether the cells are aligned to the left, as texts and grades are.
    pub const fn is_left_aligned(&self) -> bool {
        matches!(self.quantity, Quantity::Text | Quantity::Grade)
    }

    /// Returns the unit that the heading shows for all cells; empty if each cell includes its unit or has none.
    pub const fn unit(&self) -> &'static str {
        match self.format {
            Format::Own | Format::Signed | Format::Steps => "",
            Format::Time { unit, .. } => unit.symbol(),
            Format::Decimal { unit, .. } => unit,
        }
    }

    /// Returns the title with the unit: `p99 overshoot (µs)`.
    pub fn heading(&self) -> String {
        match self.unit() {
            "" => self.title.clone().into_owned(),
            unit => format!("{} ({unit})", self.title),
        }
    }

    /// Returns whether a cell has two exact values: both ends of an interval, or the worst and the best grade.
    pub(super) fn has_ends(&self) -> bool {
        self.is_interval || self.quantity == Quantity::Grade
    }

    /// Returns the keys of the exact values of a cell: the key of the column, or two keys for the ends of an interval
    /// or for the worst and the best grade.
    pub fn exact_keys(&self) -> Vec<Words> {
        if self.quantity == Quantity::Grade {
            return vec![Cow::Borrowed(self.key), Cow::Owned(format!("{}_best", self.key))];
        }
        if !self.is_interval {
            return vec![Cow::Borrowed(self.key)];
        }
        let unit = ["_nanos", "_count", "_share", "_per_second", "_fps"]
            .into_iter()
            .find(|unit| self.key.ends_with(unit))
            .unwrap_or("");
        let name = self.key.strip_suffix(unit).unwrap_or(self.key);
        ["low", "high"].map(|end| Cow::Owned(format!("{name}_{end}{unit}"))).into()
    }

    /// Chooses the unit and decimals of a column of times to suit its cells; `unit` is used unless it is `Auto`.
    pub(super) fn choose_format<'a>(&mut self, unit: Unit, cells: impl Iterator<Item = &'a Cell>) {
        if !matches!(self.format, Format::Time { .. }) {
            return;
        }
        let values: Vec<Nanos> = cells
            .flat_map(|cell| match cell {
                Cell::Time(value) => vec![*value],
                Cell::Interval(_, low, high) => vec![*low, *high],
                _ => Vec::new(),
            })
            .filter(|value| value.is_finite())
            .map(Nanos::from_nanos_f64)
            .collect();
        let unit = unit.or_for(&values);
        self.format = Format::Time { unit, decimals: choose_decimals(&values, unit) };
    }
}
