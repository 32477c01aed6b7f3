//! A JSON reader that works piece by piece, with bounded memory.
//!
//! serde_json reads a stream one byte at a time, which is slow for an hour-long run with hundreds
//! of megabytes of numbers. This reader holds one piece of the stream. It parses the structure and
//! the integers of columns itself, and passes texts and other numbers to serde_json.

mod error;
mod limits;
mod number;
mod structure;

use std::io::{self, Read};

use serde::Deserializer;
use serde::de::{Error as _, IntoDeserializer as _, Visitor};
use serde::forward_to_deserialize_any;

pub(super) use self::limits::Limits;
pub(crate) use self::limits::MAX_OTHER_BYTES;
#[cfg(test)]
pub(crate) use self::limits::MAX_SAMPLES;
use super::decimal::PlainDecimal;
use crate::sample::COLUMN;
use number::{MAX_NUMBER_BYTES, number, plain};
use structure::{Cells, Parts, Variant};

pub use error::JsonError;

/// Size of a piece of the stream, in bytes.
const PIECE_BYTES: usize = 256 << 10;
/// Maximum nesting depth of lists and objects.
const MAX_DEPTH: u8 = 128;
/// What values need in memory in addition to their bytes in the file: a text, an element of a list (whose room is doubled
/// when it is full), an entry of a map, a column without values.
const TEXT_BYTES: u64 = 24;
const ELEMENT_BYTES: u64 = 16;
const ENTRY_BYTES: u64 = 100;
const COLUMN_BYTES: u64 = 64;

type Result<T> = std::result::Result<T, JsonError>;

/// A reader of JSON from a stream, with the piece of the stream that it currently holds.
pub(super) struct Json<'a> {
    from: &'a mut dyn Read,
    piece: Vec<u8>,
    /// The position of the next byte to read in the piece.
    at: usize,
    /// The end of the valid bytes in the piece.
    end: usize,
    /// Number of bytes of the text before the piece.
    before: u64,
    /// The current text or number.
    token: Vec<u8>,
    depth: u8,
    limits: Limits,
    /// Offset up to which the bytes of the text have been counted against the memory limit.
    counted: u64,
    /// Whether the current value is exempt from the memory limit: it needs no memory, or is counted
    /// as samples.
    is_uncounted: bool,
    /// Whether the current value is skipped.
    is_ignored: bool,
}

impl<'a> Json<'a> {
    /// Creates a reader of a text with about `length` bytes; `length` is `None` if it is unknown.
    pub(super) fn new(from: &'a mut dyn Read, length: Option<usize>, limits: Limits) -> Self {
        Self {
            from,
            piece: vec![0; length.unwrap_or(PIECE_BYTES).clamp(1, PIECE_BYTES)],
            at: 0,
            end: 0,
            before: 0,
            token: Vec::new(),
            depth: 0,
            limits,
            counted: 0,
            is_uncounted: false,
            is_ignored: false,
        }
    }

    /// Returns the number of bytes read so far.
    pub(super) fn offset(&self) -> u64 {
        self.before.saturating_add(u64::try_from(self.at).unwrap_or(u64::MAX))
    }

    /// Checks that only whitespace follows the value that was read.
    pub(super) fn finish(&mut self) -> Result<()> {
        match self.next_byte() {
            Err(JsonError::End) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(JsonError::Syntax),
        }
    }

    /// Returns the unread rest of the piece, or the next piece; empty only at the end of the text.
    fn rest(&mut self) -> Result<&[u8]> {
        if self.at == self.end {
            self.refill()?;
        }
        Ok(self.piece.get(self.at..self.end).unwrap_or_default())
    }

    #[cold]
    fn refill(&mut self) -> Result<()> {
        self.count_others()?;
        self.before = self.offset();
        (self.at, self.end) = (0, 0);
        self.end = loop {
            match self.from.read(&mut self.piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read.map_err(JsonError::Io)?,
            }
        };
        Ok(())
    }

    /// Counts the bytes since the last call against the memory limit, unless they are in a value
    /// that is exempt from this limit.
    fn count_others(&mut self) -> Result<()> {
        let bytes = self.offset() - self.counted;
        self.counted += bytes;
        self.count_memory(bytes)
    }

    /// Counts the memory that a value needs in addition to its bytes in the file: an empty text has two bytes there, and
    /// 24 in memory.
    fn count_memory(&mut self, bytes: u64) -> Result<()> {
        if self.is_uncounted { Ok(()) } else { self.limits.take_others(bytes) }
    }

    /// Reads a value that is exempt from the memory limit: the value needs no memory, or is counted
    /// as samples.
    fn uncounted<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.count_others()?;
        let was_uncounted = std::mem::replace(&mut self.is_uncounted, true);
        let value = read(self)?;
        self.count_others()?;
        self.is_uncounted = was_uncounted;
        Ok(value)
    }

    /// Returns the next byte that is not whitespace, without consuming it.
    fn next_byte(&mut self) -> Result<u8> {
        loop {
            let rest = self.rest()?;
            if rest.is_empty() {
                return Err(JsonError::End);
            }
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
            match rest.iter().position(|byte| !is_blank(byte)) {
                Some(blanks) => {
                    let byte = rest.get(blanks).copied();
                    self.at += blanks;
                    return byte.ok_or(JsonError::End);
                }
                None => self.at = self.end,
            }
        }
    }

    /// Consumes the next byte after whitespace; returns an error if this byte is not `expected`.
    fn take(&mut self, expected: u8) -> Result<()> {
        if self.next_byte()? != expected {
            return Err(JsonError::Syntax);
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes the comma before the next part of a list or object. Returns whether another part
    /// follows; the closing byte `end` is not consumed.
    fn take_comma(&mut self, is_first: bool, end: u8) -> Result<bool> {
        if self.next_byte()? == end {
            return Ok(false);
        }
        if !is_first {
            self.take(b',')?;
        }
        Ok(true)
    }

    /// Reads a string; returns an empty string if the value is skipped.
    fn take_text(&mut self) -> Result<String> {
        self.take(b'"')?;
        if !self.is_ignored
            && let Some(text) = self.take_plain_text()
        {
            return Ok(text);
        }
        self.token.clear();
        self.token.push(b'"');
        let (mut is_open, mut is_escaped) = (true, false);
        while is_open {
            self.rest()?;
            let rest = self.piece.get(self.at..self.end).unwrap_or_default();
            if rest.is_empty() {
                return Err(JsonError::End);
            }
            let mut count = 0;
            for &byte in rest {
                count += 1;
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' => is_escaped = true,
                    b'"' => {
                        is_open = false;
                        break;
                    }
                    _ => {}
                }
            }
            if !self.is_ignored {
                self.token.extend_from_slice(rest.get(..count).unwrap_or_default());
            }
            self.at += count;
        }
        if self.is_ignored {
            return Ok(String::new());
        }
        serde_json::from_slice(&self.token).map_err(|_not_a_text| JsonError::Syntax)
    }

    /// Reads the rest of a string that is whole in this piece, without escapes; `None` for any other string, whose bytes are
    /// not consumed. The keys of a histogram are such strings, and serde_json takes three times as long.
    fn take_plain_text(&mut self) -> Option<String> {
        let rest = self.piece.get(self.at..self.end)?;
        let is_end = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..b' ');
        let length = rest.iter().position(is_end)?;
        let text = std::str::from_utf8(rest.get(..length)?).ok()?;
        let text = (rest.get(length) == Some(&b'"')).then(|| text.to_owned())?;
        self.at += length + 1;
        Some(text)
    }

    /// Reads a number that is whole in this piece; `None` for an integer below zero, or a number in another form than
    /// [`PlainDecimal`], whose bytes are not consumed.
    #[inline]
    fn take_plain(&mut self) -> Option<PlainDecimal> {
        let rest = self.piece.get(self.at..self.end)?;
        let plain = PlainDecimal::of(rest)?;
        let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
        let is_whole = rest.get(plain.length).is_some_and(is_end);
        let is_float = 0 < plain.decimals;
        let plain = Some(plain).filter(|plain| is_whole && (is_float || !plain.is_negative))?;
        self.at += plain.length;
        Some(plain)
    }

    /// Reads the characters of a number or of `true`, `false`, `null`.
    fn take_word(&mut self) -> Result<&[u8]> {
        self.token.clear();
        let belongs = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        loop {
            self.rest()?;
            let rest = self.piece.get(self.at..self.end).unwrap_or_default();
            let word = rest.iter().position(|&byte| !belongs(byte)).unwrap_or(rest.len());
            self.token.extend_from_slice(rest.get(..word).unwrap_or_default());
            if MAX_NUMBER_BYTES < self.token.len() {
                return Err(JsonError::Syntax);
            }
            self.at += word;
            if word < rest.len() || rest.is_empty() {
                return Ok(&self.token);
            }
        }
    }

    /// Reads the next values of a column, including missing values, and returns the number of
    /// values; 0 at the end of the column, whose closing bracket is not consumed.
    fn take_cells(&mut self, values: &mut [i64], is_first: bool) -> Result<usize> {
        let rest = self.piece.get(self.at..self.end).unwrap_or_default();
        let (mut count, length) = plain(rest, is_first, values);
        self.at += length;
        if count == 0
            && let Some(value) = values.first_mut()
            && self.take_comma(is_first, b']')?
        {
            *value = match self.next_byte()? {
                b'-' | b'0'..=b'9' | b'n' => number(self.take_word()?)?,
                _ => return Err(JsonError::invalid()),
            };
            count = 1;
        }
        self.limits.take_values(count)?;
        Ok(count)
    }

    /// Reads a list or an object: its opening byte, its parts, and its closing byte.
    fn nested<T>(&mut self, end: u8, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        // Consume the opening byte, which the caller has checked.
        self.at += 1;
        self.depth += 1;
        if MAX_DEPTH <= self.depth {
            return Err(JsonError::custom("lists or objects are nested too deeply"));
        }
        let value = read(self)?;
        self.take(end)?;
        self.depth -= 1;
        Ok(value)
    }
}

impl<'de> Deserializer<'de> for &mut Json<'_> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next_byte()? {
            b'{' => self.nested(b'}', |json| visitor.visit_map(Parts::of(json, b'}', 0))),
            b'[' => {
                self.nested(b']', |json| visitor.visit_seq(Parts::of(json, b']', ELEMENT_BYTES)))
            }
            b'"' => visitor.visit_string(self.take_text()?),
            b'0'..=b'9' | b'-' if let Some(plain) = self.take_plain() => match plain.decimals {
                0 => visitor.visit_u64(plain.digits),
                _ => visitor.visit_f64(plain.value()),
            },
            _ => match self.take_word()? {
                b"null" => visitor.visit_unit(),
                b"true" => visitor.visit_bool(true),
                b"false" => visitor.visit_bool(false),
                word => {
                    let number: serde_json::Number =
                        serde_json::from_slice(word).map_err(|_no_number| JsonError::Syntax)?;
                    match (number.as_u64(), number.as_i64(), number.as_f64()) {
                        (Some(value), _, _) => visitor.visit_u64(value),
                        (_, Some(value), _) => visitor.visit_i64(value),
                        (_, _, Some(value)) => visitor.visit_f64(value),
                        (None, None, None) => Err(JsonError::Syntax),
                    }
                }
            },
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.count_memory(TEXT_BYTES)?;
        self.deserialize_any(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next_byte()? {
            b'{' => self.nested(b'}', |json| visitor.visit_map(Parts::of(json, b'}', ENTRY_BYTES))),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next_byte()? {
            b'n' if self.take_word()? == b"null" => visitor.visit_none(),
            b'n' => Err(JsonError::Syntax),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.next_byte()? {
            b'"' => visitor.visit_enum(self.take_text()?.into_deserializer()),
            b'{' => self.nested(b'}', |json| visitor.visit_enum(Variant::of(json))),
            _ => Err(JsonError::invalid()),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name != COLUMN {
            return visitor.visit_newtype_struct(self);
        }
        if self.next_byte()? != b'[' {
            return Err(JsonError::invalid());
        }
        self.count_memory(COLUMN_BYTES)?;
        self.uncounted(|json| json.nested(b']', |json| visitor.visit_seq(Cells::of(json))))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let was_ignored = std::mem::replace(&mut self.is_ignored, true);
        let value = self.uncounted(|json| json.deserialize_any(visitor))?;
        self.is_ignored = was_ignored;
        Ok(value)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf unit
        unit_struct seq tuple tuple_struct struct identifier
    }
}

#[cfg(test)]
mod tests;
