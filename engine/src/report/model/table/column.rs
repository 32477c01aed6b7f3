//! One column of a table: its key, its heading, what it means and how its cells are formatted.

use std::borrow::Cow;

use super::Cell;
use super::format::{Format, Quantity};
use crate::nanos::Nanos;
use crate::units::{Unit, choose_decimals};

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The lower value.
    Lower,
    /// The higher value.
    Higher,
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Names the column in files; ends in its unit and never changes its meaning.
    pub key: &'static str,
    /// The title, without unit.
    pub title: Cow<'static, str>,
    /// What it is, in one sentence with a period.
    pub definition: Cow<'static, str>,
    /// What the cells are.
    pub quantity: Quantity,
    /// How the cells are formatted.
    pub format: Format,
    /// Whether the cells are intervals: two exact values each.
    pub is_interval: bool,
    /// Which direction is better; absent where neither is.
    pub better: Option<Better>,
    /// Whether it is the figure that the test is about.
    pub is_key: bool,
    /// Whether it is the first to be hidden where there is little room.
    pub is_optional: bool,
    /// Title of the group of columns that it belongs to: `Lateness`; empty where it has none.
    pub group: &'static str,
    /// Key of the column whose values divide this one into several where the table is laid out wide:
    /// one group of columns per value, and one row per combination of the other columns.
    pub pivot: Option<&'static str>,
}

impl Column {
    fn new(
        quantity: Quantity,
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        definition: impl Into<Cow<'static, str>>,
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
        }
    }

    /// A column of words.
    pub fn text(
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        definition: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(Quantity::Text, key, title, definition)
    }

    /// A column of grades; `of` names the graded figure and its limits.
    pub fn grade(definition: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Quantity::Grade, "grade", "Grade", definition)
    }

    /// The same by the words for the steps of the real-time test.
    #[must_use]
    pub fn in_steps(self) -> Self {
        Self { format: Format::Steps, ..self }
    }

    /// A column of times in one unit.
    pub fn time(
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        definition: impl Into<Cow<'static, str>>,
    ) -> Self {
        let format = Format::Time { unit: Unit::Micros, decimals: 1 };
        Self { format, ..Self::new(Quantity::Time, key, title, definition) }
    }

    /// A column of requested times: each in its own unit.
    pub fn setting(
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        definition: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(Quantity::Time, key, title, definition)
    }

    /// A column of counts.
    pub fn count(
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        definition: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(Quantity::Count, key, title, definition)
    }

    /// A column of shares of 1, shown as percentages.
    pub fn share(
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        definition: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(Quantity::Share, key, title, definition)
    }

    /// A column of rates with one decimal; the heading names the unit, such as `FPS`.
    pub fn rate(
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        unit: &'static str,
        definition: impl Into<Cow<'static, str>>,
    ) -> Self {
        let format = Format::Decimal { unit, decimals: 1 };
        Self { format, ..Self::new(Quantity::Rate, key, title, definition) }
    }

    /// A column of numbers with this many decimals; the heading names the unit, if any.
    pub fn number(
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        unit: &'static str,
        decimals: u32,
        definition: impl Into<Cow<'static, str>>,
    ) -> Self {
        let format = Format::Decimal { unit, decimals };
        Self { format, ..Self::new(Quantity::Number, key, title, definition) }
    }

    /// A column whose rows say what each cell is.
    pub fn mixed(
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        definition: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(Quantity::Mixed, key, title, definition)
    }

    /// Its cells are intervals.
    #[must_use]
    pub fn interval(self) -> Self {
        Self { is_interval: true, ..self }
    }

    /// A lower value is better.
    #[must_use]
    pub fn lower_is_better(self) -> Self {
        Self { better: Some(Better::Lower), ..self }
    }

    /// A higher value is better.
    #[must_use]
    pub fn higher_is_better(self) -> Self {
        Self { better: Some(Better::Higher), ..self }
    }

    /// Neither direction is better.
    #[must_use]
    pub fn neutral(self) -> Self {
        Self { better: None, ..self }
    }

    /// It is the figure that the test is about.
    #[must_use]
    pub fn key_figure(self) -> Self {
        Self { is_key: true, ..self }
    }

    /// It is the first to be hidden where there is little room.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    /// It is divided by the values of this column where the table is laid out wide.
    #[must_use]
    pub fn pivot(self, by: &'static str) -> Self {
        Self { pivot: Some(by), ..self }
    }

    /// Whether its cells are aligned to the left.
    pub const fn is_left_aligned(&self) -> bool {
        matches!(self.quantity, Quantity::Text | Quantity::Grade)
    }

    /// Returns the unit that the cells do not carry themselves; empty where there is none.
    pub const fn unit(&self) -> &'static str {
        match self.format {
            Format::Own | Format::Steps => "",
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

    /// Returns the keys of its exact values: its own, or one per end of its intervals or grades.
    pub fn exact_keys(&self) -> Vec<Cow<'static, str>> {
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

    /// Chooses unit and decimals of a column of times by its cells.
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
