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

/// Number of bytes at the beginning that decide whether a file is text.
const TEXT_HEAD: usize = 512;
/// The letters of Windows-1252 for the bytes 0x80 to 0x9F; a zero marks an unused byte.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\0', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\0', '\u{17d}', '\0', '\0',
    '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}',
    '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\0', '\u{17e}', '\u{178}',
];
/// The first bytes of files that are no text, and what each of them is.
const NO_TEXT: [(&[u8], &str); 16] = [
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"7z\xbc\xaf", "a 7-Zip archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive; unpack it first"),
    (b"\xd0\xcf\x11\xe0", EXCEL),
    (b"\x89PNG", "an image; open the log that it shows"),
    (b"\xff\xd8\xff", "an image; open the log that it shows"),
    (b"%PDF", "a PDF; open the log that it shows"),
    (b"PERFILE2", "a recording of perf; it has no frame times"),
    (b"\x17\x08\x44tracing", "a recording of trace-cmd; it has no frame times"),
    (b"PAR1", "a Parquet file; export it as CSV"),
    (b"\x7fELF", "a program; open the log that it wrote"),
    (b"MZ", "a program; open the log that it wrote"),
];
const BINARY: &str =
    "unsupported file: no text; export it as text or CSV from the program that wrote it";
const EXCEL: &str = "an Excel workbook; save it as CSV";
/// Bytes of ZIP archives that are documents, and what each of them is.
const DOCUMENTS: [(&[u8], &str); 3] = [
    (b"xl/", EXCEL),
    (
        b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
        "an OpenDocument spreadsheet; save it as CSV",
    ),
    (b"word/", "a Word document; save the log in it as text"),
];

/// Returns the content of a file as UTF-8 without a byte-order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ImportError> {
    // The names of programs begin with letters, but text has no zero bytes.
    let head = bytes.get(..TEXT_HEAD.min(bytes.len())).unwrap_or_default();
    let is_text = |start: &[u8]| start.is_ascii() && start.len() < 4 && !head.contains(&0);
    let known = NO_TEXT.iter().find(|(start, _)| bytes.starts_with(start) && !is_text(start));
    if let Some((_, what)) = known {
        let has = |words: &[u8]| bytes.windows(words.len()).any(|part| part == words);
        let mut documents = DOCUMENTS.iter().filter(|_| bytes.starts_with(b"PK"));
        let document = documents.find(|(words, _)| has(words));
        return Err(ImportError::Known(document.map_or(what, |(_, document)| document)));
    }
    let text = Encoding::of(bytes).decode(bytes);
    // A zero byte near the beginning means that the file is not text, but a program or an image.
    if text.iter().take(TEXT_HEAD).any(|&byte| byte == 0) {
        Err(ImportError::Known(BINARY))
    } else {
        Ok(text)
    }
}

/// How the letters of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8; bytes that are no UTF-8 are read as Windows-1252.
    EightBit,
    /// UTF-16 with the lower byte first.
    LittleEndian,
    /// UTF-16 with the higher byte first.
    BigEndian,
}

impl Encoding {
    /// Returns the encoding by the first bytes of a file: UTF-16 is recognized by its mark or by its zero bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        if bytes.starts_with(b"\xff\xfe") {
            return Self::LittleEndian;
        }
        if bytes.starts_with(b"\xfe\xff") {
            return Self::BigEndian;
        }
        let head = bytes.get(..TEXT_HEAD.min(bytes.len())).unwrap_or_default();
        let zeros = |first| head.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
        let (high_first, low_first) = (zeros(0), zeros(1));
        // Nearly all letters of a log are ASCII: one byte of each pair is zero, the other never.
        let is_utf_16 = |zero: usize, other: usize| other == 0 && head.len() < zero * 3;
        if is_utf_16(low_first, high_first) {
            Self::LittleEndian
        } else if is_utf_16(high_first, low_first) {
            Self::BigEndian
        } else {
            Self::EightBit
        }
    }

    /// Returns a text as UTF-8, without a byte-order mark.
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let (mark, order): (_, fn([u8; 2]) -> u16) = match self {
            Self::EightBit => {
                return eight_bit(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
            }
            Self::LittleEndian => (b"\xff\xfe", u16::from_le_bytes),
            Self::BigEndian => (b"\xfe\xff", u16::from_be_bytes),
        };
        let rest = bytes.strip_prefix(mark).unwrap_or(bytes);
        let units = rest.chunks_exact(2).filter_map(|pair| Some(order(*pair.first_chunk()?)));
        let mut text = String::with_capacity(rest.len() / 2);
        text.extend(
            char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)),
        );
        Cow::Owned(text.into_bytes())
    }

    /// Returns the length of the complete lines at the beginning; 0 if there is none. The bytes begin with a letter.
    pub(super) fn lines_length(self, bytes: &[u8]) -> usize {
        let line_end = match self {
            Self::EightBit => {
                return bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            }
            Self::LittleEndian => *b"\n\0",
            Self::BigEndian => *b"\0\n",
        };
        let (pairs, _) = bytes.as_chunks::<2>();
        pairs.iter().rposition(|pair| *pair == line_end).map_or(0, |at| 2 * (at + 1))
    }
}

/// Returns a text as UTF-8: bytes that are no UTF-8 are letters of Windows-1252.
fn eight_bit(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_utf_8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // The beginning of a file may end within a letter.
        Err(error) => error.error_len().is_none(),
    };
    if is_utf_8 {
        return Cow::Borrowed(bytes);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| match byte {
            0x80..0xa0 => {
                let letter = WINDOWS_1252.get(usize::from(byte - 0x80)).copied();
                letter.filter(|letter| *letter != '\0').unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            byte => char::from(byte),
        }));
    }
    Cow::Owned(text.into_bytes())
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
        for unmarked in [&le[2..], &be[2..]] {
            assert_eq!(decode(&unmarked.repeat(40)).unwrap(), "fps,µ".repeat(40).as_bytes());
        }
        assert_eq!(decode(b"Core [\xb0C] \x80 \xc2\xb5").unwrap(), "Core [°C] € µ".as_bytes());
        assert_eq!(
            decode(b"PK\x03\x04").unwrap_err().to_string(),
            "a ZIP archive; unpack it first"
        );
        assert_eq!(decode(b"PK\x03\x04\0\0xl/workbook").unwrap_err().to_string(), EXCEL);
        assert_eq!(decode(b"MZ,fps\n1,60\n").unwrap(), &b"MZ,fps\n1,60\n"[..]);
        assert!(
            matches!(decode(b"MZ\x90\0\x03\0"), Err(ImportError::Known(what)) if what != BINARY)
        );
    }
}
