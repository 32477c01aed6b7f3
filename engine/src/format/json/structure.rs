//! Iterators with which serde reads the parts of lists, objects, sample columns, and enum variants.

use serde::de::value::{I64Deserializer, StringDeserializer};
use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize as _, Deserializer as _};

use super::{Json, JsonError, Result};

/// Number of column values that are read at once.
const CELLS: usize = 256;

/// The elements of a list or the members of an object, which serde reads one after the other.
pub(super) struct Parts<'j, 'a> {
    json: &'j mut Json<'a>,
    end: u8,
    /// What each part needs in memory in addition to its bytes in the file.
    part_bytes: u64,
    is_first: bool,
}

impl<'j, 'a> Parts<'j, 'a> {
    pub(super) const fn of(json: &'j mut Json<'a>, end: u8, part_bytes: u64) -> Self {
        Self { json, end, part_bytes, is_first: true }
    }

    /// Returns whether another part follows, and consumes the comma before this part.
    fn advance(&mut self) -> Result<bool> {
        let is_more = self.json.take_comma(std::mem::take(&mut self.is_first), self.end)?;
        if is_more {
            self.json.count_memory(self.part_bytes)?;
        }
        Ok(is_more)
    }
}

impl<'de> SeqAccess<'de> for Parts<'_, '_> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.advance()? { seed.deserialize(&mut *self.json).map(Some) } else { Ok(None) }
    }
}

impl<'de> MapAccess<'de> for Parts<'_, '_> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        seed.deserialize(StringDeserializer::new(self.json.take_text()?)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.json.take(b':')?;
        seed.deserialize(&mut *self.json)
    }
}

/// The values of a column, which are read in blocks of [`CELLS`].
pub(super) struct Cells<'j, 'a> {
    json: &'j mut Json<'a>,
    values: [i64; CELLS],
    /// The position in `values` of the next value to return.
    at: usize,
    /// The end of the valid values in `values`.
    end: usize,
    is_first: bool,
}

impl<'j, 'a> Cells<'j, 'a> {
    pub(super) const fn of(json: &'j mut Json<'a>) -> Self {
        Self { json, values: [0; CELLS], at: 0, end: 0, is_first: true }
    }

    #[inline(never)]
    fn refill(&mut self) -> Result<()> {
        self.at = 0;
        self.end = self.json.take_cells(&mut self.values, std::mem::take(&mut self.is_first))?;
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for Cells<'_, '_> {
    type Error = JsonError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.at == self.end {
            self.refill()?;
        }
        let Some(&value) = self.values.get(self.at..self.end).and_then(<[i64]>::first) else {
            return Ok(None);
        };
        self.at += 1;
        seed.deserialize(I64Deserializer::new(value)).map(Some)
    }
}

/// A variant of an enum with its content.
pub(super) struct Variant<'j, 'a>(&'j mut Json<'a>);

impl<'j, 'a> Variant<'j, 'a> {
    pub(super) const fn of(json: &'j mut Json<'a>) -> Self {
        Self(json)
    }
}

impl<'de> EnumAccess<'de> for Variant<'_, '_> {
    type Error = JsonError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        self.0.next_byte()?;
        let name: StringDeserializer<JsonError> = StringDeserializer::new(self.0.take_text()?);
        let name = seed.deserialize(name)?;
        self.0.take(b':')?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, '_> {
    type Error = JsonError;

    fn unit_variant(self) -> Result<()> {
        <()>::deserialize(self.0)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.0.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.0.deserialize_any(visitor)
    }
}
