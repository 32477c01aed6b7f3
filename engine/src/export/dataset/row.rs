//! The rows of a dataset. A row consists of typed values, each with the description of its column.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::report::table::{Exact, Quantity, TableRow};
use crate::report::{Metric, Table};
use crate::run::Ending;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Signed integers.
    Whole,
    /// Floating-point numbers.
    Number,
    /// Timestamps: microseconds since 1970, UTC.
    Instant,
}

/// A column of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the column, which ends in the unit of its values, if they have one.
    pub key: Cow<'static, str>,
    /// The type of the values of the column.
    pub kind: Kind,
    /// A one-sentence description.
    pub definition: Cow<'static, str>,
}

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Absent,
    /// Text.
    Text(String),
    /// An integer, or a timestamp in microseconds since the start of 1970.
    Whole(i64),
    /// A floating-point number.
    Number(f64),
}

/// A row of a dataset: its values with their columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    cells: Vec<(Field, Value)>,
}

impl Row {
    /// Returns every value with its column.
    pub fn cells(&self) -> &[(Field, Value)] {
        &self.cells
    }

    /// Returns the value in the column with this key; `None` if the row has no such column.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.cells.iter().find(|(field, _)| field.key == key).map(|(_, value)| value)
    }

    /// Adds a column and its value, unless the row already has a column with this key.
    pub(super) fn add(
        &mut self,
        key: impl Into<Cow<'static, str>>,
        kind: Kind,
        definition: impl Into<Cow<'static, str>>,
        value: Value,
    ) {
        let key = key.into();
        if self.value(&key).is_none() {
            self.cells.push((Field { key, kind, definition: definition.into() }, value));
        }
    }

    /// Adds a column of text and its value; an empty text becomes [`Value::Absent`].
    pub(super) fn text(&mut self, key: &'static str, definition: &'static str, text: &str) {
        let value = if text.is_empty() { Value::Absent } else { Value::Text(text.to_owned()) };
        self.add(key, Kind::Text, definition, value);
    }

    pub(super) fn whole(
        &mut self,
        key: &'static str,
        definition: &'static str,
        value: impl Into<Option<i64>>,
    ) {
        let value = value.into().map_or(Value::Absent, Value::Whole);
        self.add(key, Kind::Whole, definition, value);
    }

    pub(super) fn number(
        &mut self,
        key: impl Into<Cow<'static, str>>,
        definition: impl Into<Cow<'static, str>>,
        value: Option<f64>,
    ) {
        self.add(key, Kind::Number, definition, value.map_or(Value::Absent, Value::Number));
    }

    pub(super) fn instant(&mut self, key: &'static str, definition: &'static str, at: Timestamp) {
        self.add(key, Kind::Instant, definition, Value::Whole(at.as_microsecond()));
    }

    /// Adds the columns of a report's table with the exact values of one of its rows, except the
    /// first column, which has the names of the rows.
    pub(super) fn table(&mut self, table: &Table, row: &TableRow) {
        let kinds = table.columns.iter().flat_map(|column| {
            let kind = kind(column.quantity);
            let definition = &column.definition;
            column.exact_keys().into_iter().map(move |key| (key, kind, definition.clone()))
        });
        for ((key, kind, definition), exact) in kinds.zip(table.exact_values(row)).skip(1) {
            self.add(key, kind, definition, value(kind, exact));
        }
    }
}

/// Returns the type of a table's column in a dataset.
const fn kind(quantity: Quantity) -> Kind {
    match quantity {
        Quantity::Text | Quantity::Grade => Kind::Text,
        Quantity::Count => Kind::Whole,
        Quantity::Time | Quantity::Share | Quantity::Rate | Quantity::Number | Quantity::Mixed => {
            Kind::Number
        }
    }
}

fn value(kind: Kind, exact: Exact) -> Value {
    match (kind, exact) {
        (Kind::Text, Exact::Text(text)) => Value::Text(text),
        (Kind::Number, Exact::Whole(whole)) => {
            Value::Number(crate::nanos::Nanos::new(whole).as_f64())
        }
        (Kind::Whole | Kind::Instant, Exact::Whole(whole)) => Value::Whole(whole),
        (Kind::Number, Exact::Fraction(number)) => Value::Number(number),
        _ => Value::Absent,
    }
}

/// Returns the column name of a metric: `metric_p99_nanos`, `metric_1_percent_low_fps`.
pub(super) fn metric_key(metric: &Metric) -> String {
    let name = metric.key.replace('%', "_percent").replace(['.', '-'], "_");
    let unit = match metric.unit {
        Quantity::Time => "_nanos",
        Quantity::Share => "_share",
        Quantity::Rate => "_fps",
        Quantity::Count => "_count",
        Quantity::Text | Quantity::Grade | Quantity::Number | Quantity::Mixed => "",
    };
    format!("metric_{name}{unit}")
}

/// Returns how a run ended, as one word.
pub(super) const fn ending(ending: &Ending) -> &'static str {
    match ending {
        Ending::Finished => "finished",
        Ending::Stopped => "stopped",
        Ending::Failed(_) => "failed",
        Ending::Recovered => "recovered",
    }
}
