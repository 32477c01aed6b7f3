//! The checksum of an exported run: SHA-256 over the text before it, so that a reader sees an edit.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};

/// What stands between the text and its checksum.
const MARK: &[u8] = b",\"sha256\":\"";
/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;
/// What is read and hashed at once.
const PIECE_BYTES: usize = 64 << 10;

/// What the checksum of a text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The text is as it was written.
    Intact,
    /// The text was changed after it was written.
    Edited,
    /// The text has no checksum.
    Absent,
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The SHA-256 of all that can be read, in hexadecimal digits; takes no more memory for more bytes.
pub fn sha256_of(mut from: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(hex(&hash.finalize())),
            Ok(count) => hash.update(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Holds the text of an exported run against the checksum at its end.
///
/// The checksum is the SHA-256 of every byte before the last `,"sha256":"`.
pub fn verify(text: &[u8]) -> Checked {
    let text = text.trim_ascii();
    let length = MARK.len() + DIGITS + 2;
    let Some(at) = text.len().checked_sub(length) else { return Checked::Absent };
    let (body, end) = text.split_at(at);
    let Some(digits) = end.strip_prefix(MARK).and_then(|end| end.strip_suffix(b"\"}")) else {
        return Checked::Absent;
    };
    if sha256(body).as_bytes() == digits { Checked::Intact } else { Checked::Edited }
}

/// Writes an object and adds its checksum as the last member.
pub(super) struct Hashing<'a> {
    to: &'a mut dyn Write,
    hash: Sha256,
    /// The last byte so far: in the end the brace that closes the object.
    held: Option<u8>,
}

impl<'a> Hashing<'a> {
    pub(super) fn new(to: &'a mut dyn Write) -> Self {
        Self { to, hash: Sha256::new(), held: None }
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.to.write_all(bytes)
    }

    /// Writes checksum and brace, and gives the checksum back.
    pub(super) fn finish(self) -> io::Result<String> {
        let digits = hex(&self.hash.finalize());
        self.to.write_all(MARK)?;
        self.to.write_all(digits.as_bytes())?;
        self.to.write_all(b"\"}\n")?;
        Ok(digits)
    }
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some((&last, before)) = bytes.split_last() else { return Ok(0) };
        if let Some(held) = self.held.replace(last) {
            self.pass(&[held])?;
        }
        self.pass(before)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(DIGITS), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ok = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_text_is_told_from_an_intact_one() {
        let mut text = Vec::new();
        let mut hashing = Hashing::new(&mut text);
        hashing.write_all(b"{\"a\":1").unwrap();
        hashing.write_all(b"23").unwrap();
        hashing.write_all(b"}").unwrap();
        let digits = hashing.finish().unwrap();
        // printf '{"a":123' | sha256sum
        assert_eq!(digits, sha256(b"{\"a\":123"));
        assert_eq!(
            String::from_utf8(text.clone()).unwrap(),
            format!("{{\"a\":123,\"sha256\":\"{digits}\"}}\n")
        );
        assert_eq!(verify(&text), Checked::Intact);
        text[5] = b'9';
        assert_eq!(verify(&text), Checked::Edited);
        assert_eq!(verify(b"{\"a\":123}"), Checked::Absent);
        assert_eq!(verify(b""), Checked::Absent);
    }

    #[test]
    fn the_sum_is_the_known_one() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        // In pieces, too.
        let long = vec![7; 3 * PIECE_BYTES + 5];
        assert_eq!(sha256_of(long.as_slice()).unwrap(), sha256(&long));
        assert_eq!(sha256_of(io::empty()).unwrap(), sha256(b""));
    }
}
