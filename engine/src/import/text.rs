//! Bytes as text: byte-order marks, UTF-16, and what is no text at all.

use std::borrow::Cow;

use super::imported::ImportError;
use crate::nanos::Nanos;

pub(super) use crate::format::millis::frame_time;

/// Letters of a name that are kept.
pub(super) const MAX_LETTERS: usize = 200;
/// Rows of one file: 23 hours at 240 frames per second.
const MAX_ROWS: u64 = 20_000_000;

/// Refuses a file with more rows than are read.
pub(super) const fn check_rows(count: u64) -> Result<(), ImportError> {
    if MAX_ROWS < count { Err(ImportError::TooManyRows { limit: MAX_ROWS }) } else { Ok(()) }
}

/// The text in UTF-8 without its byte-order mark. UTF-16 is told by its mark.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ImportError> {
    let units = |order: fn([u8; 2]) -> u16, rest: &[u8]| {
        let units = rest.chunks_exact(2).filter_map(|pair| Some(order(*pair.first_chunk()?)));
        let mut text = String::with_capacity(rest.len() / 2);
        text.extend(
            char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)),
        );
        text.into_bytes()
    };
    let text = if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        Cow::Owned(units(u16::from_le_bytes, rest))
    } else if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        Cow::Owned(units(u16::from_be_bytes, rest))
    } else {
        Cow::Borrowed(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
    };
    // Text begins with no zero byte; what does is a program, a picture or nothing.
    if text.iter().take(512).any(|&byte| byte == 0) { Err(ImportError::Unknown) } else { Ok(text) }
}

/// A name of one line and bearable length, without control characters.
pub(super) fn name(text: &str) -> String {
    let letters = text.chars().filter(|letter| !letter.is_control());
    letters.take(MAX_LETTERS).collect::<String>().trim().to_owned()
}

/// A name, where there is one.
pub(super) fn some_name(text: &str) -> Option<String> {
    Some(name(text)).filter(|name| !name.is_empty())
}

/// Whether a cell says that there is no value.
pub(super) fn is_missing(cell: &str) -> bool {
    let cell = cell.trim();
    cell.is_empty() || cell.eq_ignore_ascii_case("na") || cell.eq_ignore_ascii_case("n/a")
}

/// A frame time as a cell holds it.
pub(super) fn frame_time_cell(cell: &str) -> Result<Option<Nanos>, &'static str> {
    if is_missing(cell) {
        return Ok(None);
    }
    match cell.trim().parse::<f64>() {
        Ok(millis) if millis.is_finite() => frame_time(millis),
        Ok(_) => Err("a frame time that is not finite"),
        Err(_) => Err("a frame time that is no number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_off_and_utf_16_is_read() {
        let le: Vec<u8> = "\u{feff}fps,µ".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}fps,µ".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [&le[..], &be, b"\xef\xbb\xbffps,\xc2\xb5", b"fps,\xc2\xb5"] {
            assert_eq!(decode(bytes).unwrap(), "fps,µ".as_bytes());
        }
        assert!(decode(&[0; 100]).is_err());
    }

    #[test]
    fn a_cell_is_a_time_or_missing_or_bad() {
        for (cell, time) in [
            ("16.675", Ok(Some(Nanos::new(16_675_000)))),
            (" 4.18737 ", Ok(Some(Nanos::new(4_187_370)))),
            ("NA", Ok(None)),
            ("", Ok(None)),
            ("0.0000", Ok(None)),
            ("NaN", Err("a frame time that is not finite")),
            ("1e308", Err("a frame time above ten minutes")),
            ("-1", Err("a negative frame time")),
            ("16,6", Err("a frame time that is no number")),
        ] {
            assert_eq!(frame_time_cell(cell), time, "{cell}");
        }
    }
}
