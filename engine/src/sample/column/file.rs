//! Reads and writes a column in files: a list of whole numbers, with null for each missing value.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Column, MISSING};

/// Name under which serde passes a column to a reader. A reader that recognizes the name can parse a column
/// faster than other lists, and limit its number of values instead of its bytes.
pub(crate) const COLUMN: &str = "jitterscope column";

/// A type of the values that a column can have in a file.
pub(crate) trait Cell {
    /// Whether a column of this type can contain `value`, which can be [`MISSING`].
    fn fits(value: i64) -> bool;
}

impl Cell for i64 {
    fn fits(value: i64) -> bool {
        value != MISSING
    }
}

impl Cell for u64 {
    fn fits(value: i64) -> bool {
        0 <= value
    }
}

impl Cell for u32 {
    fn fits(value: i64) -> bool {
        Self::try_from(value).is_ok()
    }
}

impl Cell for Option<i64> {
    fn fits(_: i64) -> bool {
        true
    }
}

impl Cell for Option<u32> {
    fn fits(value: i64) -> bool {
        value == MISSING || u32::fits(value)
    }
}

/// Reads and writes a column whose values have type `T` in the file.
pub(crate) struct Cells<T>(PhantomData<T>);

impl<T: Cell> Cells<T> {
    pub(crate) fn serialize<S: Serializer>(
        column: &Column,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(column.values().map(|value| (value != MISSING).then_some(value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Column, D::Error> {
        deserializer.deserialize_newtype_struct(COLUMN, List(PhantomData::<T>))
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Cells::<Option<i64>>::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cells::<Option<i64>>::deserialize(deserializer)
    }
}

/// Reads a list of values of type `T` into a column.
struct List<T>(PhantomData<T>);

impl<'de, T: Cell> Visitor<'de> for List<T> {
    type Value = Column;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of whole numbers")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Column, D::Error> {
        deserializer.deserialize_seq(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Column, A::Error> {
        let mut column = Column::new();
        while let Some(Value(value)) = list.next_element()? {
            if !T::fits(value) {
                return Err(A::Error::invalid_value(Unexpected::Signed(value), &self));
            }
            column.push(value);
        }
        Ok(column)
    }
}

/// A number in a file, or [`MISSING`] for null.
struct Value(i64);

impl<'de> Deserialize<'de> for Value {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            #[inline]
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value(value))
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
                let invalid = |_| E::invalid_value(Unexpected::Unsigned(value), &self);
                i64::try_from(value).map(Value).map_err(invalid)
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value(MISSING))
            }
        }
        deserializer.deserialize_any(Number)
    }
}
