//! A column of samples as the run file holds it: a list of whole numbers, some of which may be null.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::limits::{InColumn, MAX_SAMPLES};
use super::pieces::take_plain;
use crate::sample::{Column, MISSING};

/// Elements of a list.
pub(super) trait Cell: Serialize + for<'de> Deserialize<'de> {
    /// As a column holds it.
    fn value(self) -> i64;

    /// As the file holds it.
    fn of(value: i64) -> Self;

    /// Whether a list of such cells may hold a value.
    fn fits(value: i64) -> bool;
}

impl Cell for i64 {
    fn value(self) -> i64 {
        self
    }

    fn of(value: i64) -> Self {
        value
    }

    fn fits(value: i64) -> bool {
        value != MISSING
    }
}

impl Cell for Option<i64> {
    fn value(self) -> i64 {
        self.unwrap_or(MISSING)
    }

    fn of(value: i64) -> Self {
        (value != MISSING).then_some(value)
    }

    fn fits(_: i64) -> bool {
        true
    }
}

impl Cell for u64 {
    fn value(self) -> i64 {
        i64::try_from(self).unwrap_or(i64::MAX)
    }

    fn of(value: i64) -> Self {
        Self::try_from(value).unwrap_or_default()
    }

    fn fits(value: i64) -> bool {
        0 <= value
    }
}

impl Cell for u32 {
    fn value(self) -> i64 {
        i64::from(self)
    }

    fn of(value: i64) -> Self {
        Self::try_from(value).unwrap_or_default()
    }

    fn fits(value: i64) -> bool {
        Self::try_from(value).is_ok()
    }
}

impl Cell for Option<u32> {
    fn value(self) -> i64 {
        self.map_or(MISSING, i64::from)
    }

    fn of(value: i64) -> Self {
        u32::try_from(value).ok()
    }

    fn fits(value: i64) -> bool {
        value == MISSING || u32::fits(value)
    }
}

/// A column of such cells.
pub(super) struct ColumnOut<'a, T> {
    column: Cow<'a, Column>,
    cells: PhantomData<T>,
}

impl<'a, T> From<&'a Column> for ColumnOut<'a, T> {
    fn from(column: &'a Column) -> Self {
        Self { column: Cow::Borrowed(column), cells: PhantomData }
    }
}

impl<T> Default for ColumnOut<'_, T> {
    fn default() -> Self {
        Self { column: Cow::Owned(Column::new()), cells: PhantomData }
    }
}

impl<T: Cell> FromIterator<T> for ColumnOut<'_, T> {
    fn from_iter<I: IntoIterator<Item = T>>(cells: I) -> Self {
        let column = cells.into_iter().map(T::value).collect();
        Self { column: Cow::Owned(column), cells: PhantomData }
    }
}

impl<T> ColumnOut<'_, T> {
    /// The column; one that was read is handed over as it is.
    pub(super) fn into_column(self) -> Column {
        self.column.into_owned()
    }
}

impl<T: Cell> Serialize for ColumnOut<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.column.values().map(T::of))
    }
}

impl<'de, T: Cell> Deserialize<'de> for ColumnOut<'_, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let column = deserializer.deserialize_seq(List(PhantomData::<T>))?;
        Ok(Self { column: Cow::Owned(column), cells: PhantomData })
    }
}

/// Reads a list of such cells.
struct List<T>(PhantomData<T>);

impl<'de, T: Cell> Visitor<'de> for List<T> {
    type Value = Column;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Column, A::Error> {
        let in_column = InColumn::begin();
        let mut column = Column::new();
        while let Some(cell) = list.next_element::<T>()? {
            let before = column.len();
            column.push(cell.value());
            take_plain(&mut column, T::fits);
            if !in_column.count(column.len() - before) {
                return Err(A::Error::custom(format!("more than {MAX_SAMPLES} samples")));
            }
        }
        Ok(column)
    }
}
