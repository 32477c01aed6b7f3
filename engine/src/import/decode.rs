//! Decodes the bytes of a file as text: byte-order marks, UTF-16, and detection of binary data. Reads
//! the rows of a text, up to a maximum number.

use std::borrow::Cow;

use super::imported::{BadLines, ImportError};

/// Maximum number of rows per file: 23 hours at 240 frames per second.
const MAX_ROWS: u64 = 20_000_000;

/// Returns an error if the number of rows is above the maximum.
pub(super) const fn check_rows(count: u64) -> Result<(), ImportError> {
    if MAX_ROWS < count { Err(ImportError::TooManyRows { limit: MAX_ROWS }) } else { Ok(()) }
}

/// Calls `read` for every row, and adds rows that are too long or cannot be read to `bad_lines`.
pub(super) fn read_rows<'a>(
    rows: impl Iterator<Item = (u64, Option<&'a [u8]>)>,
    bad_lines: &mut BadLines,
    mut read: impl FnMut(&'a [u8]) -> Result<(), &'static str>,
) -> Result<(), ImportError> {
    for (number, row) in rows {
        check_rows(number)?;
        if let Err(reason) = row.ok_or("a line that is too long").and_then(&mut read) {
            bad_lines.add(number, reason);
        }
    }
    Ok(())
}

/// Returns the content of a file as UTF-8 without a byte-order mark. UTF-16 is recognized by its mark.
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
    // A zero byte near the beginning means that the file is not text, but a program or an image.
    if text.iter().take(512).any(|&byte| byte == 0) { Err(ImportError::Unknown) } else { Ok(text) }
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
}
