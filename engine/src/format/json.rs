//! Reads JSON of any layout piece by piece, in bounded memory.
//!
//! serde_json reads a stream one byte at a time, which is slow for the hundreds of megabytes of numbers of an
//! hour-long run. This reader holds one piece of the stream. It follows the structure, takes the whole
//! numbers of columns directly from the piece, and leaves texts and other numbers to serde_json.

mod error;
mod limits;
mod number;
mod structure;

use std::io::{self, Read};

use serde::Deserializer;
use serde::de::{Error as _, IntoDeserializer as _, Visitor};
use serde::forward_to_deserialize_any;

pub(super) use self::limits::Limits;
use crate::sample::COLUMN;
use number::{MAX_NUMBER_BYTES, number, plain};
use structure::{Cells, Parts, Variant};

pub use error::JsonError;

/// Maximum bytes that are read at once.
const PIECE_BYTES: usize = 256 << 10;
/// Maximum nesting of lists and objects.
const MAX_DEPTH: u8 = 128;

type Result<T> = std::result::Result<T, JsonError>;

/// A JSON text that is being read.
pub(super) struct Json<'a> {
    from: &'a mut dyn Read,
    piece: Vec<u8>,
    /// Where the bytes of the piece begin that are not read yet.
    at: usize,
    /// Where the bytes of the piece end.
    end: usize,
    /// Bytes of the text before the piece.
    before: u64,
    /// The text or number at hand.
    token: Vec<u8>,
    depth: u8,
    limits: Limits,
    /// Bytes of the text whose memory is accounted for.
    counted: u64,
    /// Whether what is read takes no memory, or is counted as samples.
    is_uncounted: bool,
    /// Whether what is read is not used.
    is_ignored: bool,
}

impl<'a> Json<'a> {
    /// Reads a text of about this many bytes, or of unknown length.
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

    /// Bytes of the text that were read.
    pub(super) fn offset(&self) -> u64 {
        self.before.saturating_add(u64::try_from(self.at).unwrap_or(u64::MAX))
    }

    /// Checks that nothing but blanks follows.
    pub(super) fn finish(&mut self) -> Result<()> {
        match self.next_byte() {
            Err(JsonError::End) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(JsonError::Syntax),
        }
    }

    /// What is left of the piece, or of the next one; empty only at the end of the text.
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

    /// Counts the bytes since the last call, unless their memory is counted otherwise.
    fn count_others(&mut self) -> Result<()> {
        let bytes = self.offset() - self.counted;
        self.counted += bytes;
        if self.is_uncounted { Ok(()) } else { self.limits.take_others(bytes) }
    }

    /// Reads something that takes no memory, or is counted as samples.
    fn uncounted<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.count_others()?;
        let was_uncounted = std::mem::replace(&mut self.is_uncounted, true);
        let value = read(self)?;
        self.count_others()?;
        self.is_uncounted = was_uncounted;
        Ok(value)
    }

    /// The next byte that is not blank; it is not taken.
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

    /// Takes the next byte, which has to be this one.
    fn take(&mut self, expected: u8) -> Result<()> {
        if self.next_byte()? != expected {
            return Err(JsonError::Syntax);
        }
        self.at += 1;
        Ok(())
    }

    /// Takes the comma before the next part of a list or object; returns whether a part follows instead of the
    /// end, which is not taken.
    fn take_comma(&mut self, is_first: bool, end: u8) -> Result<bool> {
        if self.next_byte()? == end {
            return Ok(false);
        }
        if !is_first {
            self.take(b',')?;
        }
        Ok(true)
    }

    /// Takes a text; empty where it is not used.
    fn take_text(&mut self) -> Result<String> {
        self.take(b'"')?;
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

    /// Takes the letters and digits of a number or of `true`, `false`, `null`.
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

    /// Takes the next values of a column, missing ones included, and returns how many; 0 at its end, which stays.
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

    /// Reads a list or an object: its first byte, its parts, and its end.
    fn nested<T>(&mut self, end: u8, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        // Its first byte, which was seen.
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
            b'{' => self.nested(b'}', |json| visitor.visit_map(Parts::of(json, b'}'))),
            b'[' => self.nested(b']', |json| visitor.visit_seq(Parts::of(json, b']'))),
            b'"' => visitor.visit_string(self.take_text()?),
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
        self.uncounted(|json| json.nested(b']', |json| visitor.visit_seq(Cells::of(json))))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let was_ignored = std::mem::replace(&mut self.is_ignored, true);
        let value = self.uncounted(|json| json.deserialize_any(visitor))?;
        self.is_ignored = was_ignored;
        Ok(value)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

#[cfg(test)]
mod tests;
