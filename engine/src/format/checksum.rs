//! The checksum of an exported run: the SHA-256 of the text before the checksum. The checksum reveals whether a file
//! was edited.

use std::fmt::Write as _;
use std::io::{self, Read, Seek, SeekFrom, Write};

use sha2::{Digest as _, Sha256};

/// The text before and after the digits of the checksum in an exported run.
const RUN_MARK: ChecksumMark = [b",\"sha256\":\"", b"\"}"];
/// The same in an HTML page, after its last element.
const PAGE_MARK: ChecksumMark = [b"<!--sha256:", b"-->"];
/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;
/// Number of bytes at the end of a file in which the checksum is searched. The bytes may include trailing whitespace.
const TAIL_BYTES: u64 = 4 << 10;
/// Size of the checksum of a page with its marks.
const MAX_SUM_BYTES: usize = PAGE_MARK[0].len() + DIGITS + PAGE_MARK[1].len();
/// Size of the pieces in which a stream is read and hashed.
const PIECE_BYTES: usize = 64 << 10;

/// The text before and after the digits of a checksum.
type ChecksumMark = [&'static [u8]; 2];

/// The result of a check of a text against its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The text is as it was written.
    Intact,
    /// The text was changed after it was written.
    Edited,
    /// The text has no checksum.
    Absent,
}

/// Returns the SHA-256 of bytes, as hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-256 of a stream, as hexadecimal digits. Memory use does not depend on the length
/// of the stream.
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

/// A SHA-256 that is computed piece by piece.
#[derive(Default)]
pub(super) struct Sum(Sha256);

impl Sum {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// Compares the text of an exported run, or of an HTML page, with the checksum at its end.
///
/// The checksum is the SHA-256 of every byte before the last `,"sha256":"` or `<!--sha256:`. A page with something after
/// its checksum, and JSON with other whitespace around it, were written again by another program: they are edited, because
/// nothing shows what else was changed.
pub fn verify(text: &[u8]) -> Checked {
    match parts(text.trim_ascii()) {
        Some((body, digits)) if sha256(body).as_bytes() == digits => Checked::Intact,
        Some(_) => Checked::Edited,
        None if has_moved_sum(text) => Checked::Edited,
        None => Checked::Absent,
    }
}

/// Compares a file with the checksum at its end, like [`verify`], reading it piece by piece.
pub fn verify_file(from: &mut (impl Read + Seek)) -> io::Result<Checked> {
    let length = from.seek(SeekFrom::End(0))?;
    let tail_at = length.saturating_sub(TAIL_BYTES);
    from.seek(SeekFrom::Start(tail_at))?;
    let mut tail = Vec::new();
    from.by_ref().take(TAIL_BYTES).read_to_end(&mut tail)?;
    let Some((before, digits)) = parts(tail.trim_ascii_end()) else {
        let is_edited = has_moved_sum_in(from, &tail)?;
        return Ok(if is_edited { Checked::Edited } else { Checked::Absent });
    };
    let hashed = tail_at.saturating_add(u64::try_from(before.len()).unwrap_or(0));
    from.rewind()?;
    let is_intact = sha256_of(from.by_ref().take(hashed))?.as_bytes() == digits;
    Ok(if is_intact { Checked::Intact } else { Checked::Edited })
}

/// Returns whether a stream has a checksum that is not where it was written, like [`has_moved_sum`], reading it piece by
/// piece.
fn has_moved_sum_in(from: &mut (impl Read + Seek), tail: &[u8]) -> io::Result<bool> {
    from.rewind()?;
    let mut text = Vec::with_capacity(PIECE_BYTES + MAX_SUM_BYTES);
    let mut is_first = true;
    loop {
        let read = u64::try_from(PIECE_BYTES).unwrap_or(u64::MAX);
        if from.by_ref().take(read).read_to_end(&mut text)? == 0 {
            return Ok(false);
        }
        if is_first && !is_page(&text) {
            return Ok(has_last_member(tail));
        }
        is_first = false;
        if has_page_sum(&text) {
            return Ok(true);
        }
        // A checksum may begin in one piece and end in the next.
        text.drain(..text.len().saturating_sub(MAX_SUM_BYTES));
    }
}

/// Returns whether a text has a checksum that is not where it was written: anywhere in a page, and as the last member of a
/// JSON object, with other whitespace around it.
fn has_moved_sum(text: &[u8]) -> bool {
    if is_page(text) { has_page_sum(text) } else { has_last_member(text) }
}

fn is_page(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"<")
}

/// Returns whether there is a checksum of a page in the text. No text of a user looks like one: in a page, none has a `<`.
fn has_page_sum(text: &[u8]) -> bool {
    let [mark, end] = PAGE_MARK;
    text.windows(mark.len() + DIGITS + end.len()).any(|window| {
        let digits = window.strip_prefix(mark).and_then(|rest| rest.strip_suffix(end));
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Returns whether the last member of the JSON object with which the text ends is a checksum.
fn has_last_member(text: &[u8]) -> bool {
    let member = || {
        let value =
            text.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end().strip_suffix(b"\"")?;
        let (before, digits) = value.split_at_checked(value.len().checked_sub(DIGITS)?)?;
        let name = before.strip_suffix(b"\"")?.trim_ascii_end().strip_suffix(b":")?;
        let is_sum = name.trim_ascii_end().ends_with(b"\"sha256\"");
        Some(is_sum && digits.iter().all(u8::is_ascii_hexdigit))
    };
    member().unwrap_or(false)
}

/// Returns the hashed text and the expected checksum; `None` if the text does not end with a checksum.
fn parts(text: &[u8]) -> Option<(&[u8], &[u8])> {
    [RUN_MARK, PAGE_MARK].into_iter().find_map(|[mark, end]| {
        let at = text.len().checked_sub(mark.len() + DIGITS + end.len())?;
        let (body, last) = text.split_at(at);
        Some((body, last.strip_prefix(mark)?.strip_suffix(end)?))
    })
}

/// Writes a JSON object and adds the checksum of its text as the last member.
pub(super) struct Hashing<'a> {
    to: &'a mut dyn Write,
    hash: Sha256,
    /// The last byte so far, which is not yet written: the last byte of the object is the closing brace, and the
    /// checksum must be before this brace.
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

    /// Writes the checksum and the closing brace, and returns the checksum.
    pub(super) fn finish(self) -> io::Result<String> {
        let digits = hex(&self.hash.finalize());
        write_sum(RUN_MARK, &digits, self.to)?;
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

/// Writes an HTML page, and its checksum as a comment after its last element.
pub(crate) fn write_page(
    to: &mut dyn Write,
    page: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut hashing = HashingPage { to, hash: Sha256::new() };
    page(&mut hashing)?;
    write_sum(PAGE_MARK, &hex(&hashing.hash.finalize()), hashing.to)
}

struct HashingPage<'a> {
    to: &'a mut dyn Write,
    hash: Sha256,
}

impl Write for HashingPage<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.hash.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn write_sum([mark, end]: ChecksumMark, digits: &str, to: &mut dyn Write) -> io::Result<()> {
    for part in [mark, digits.as_bytes(), end, b"\n"] {
        to.write_all(part)?;
    }
    Ok(())
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
    fn a_changed_text_is_reported_from_an_intact_one() {
        let mut text = Vec::new();
        let mut hashing = Hashing::new(&mut text);
        hashing.write_all(b"{\"a\":1").unwrap();
        hashing.write_all(b"23").unwrap();
        hashing.write_all(b"}").unwrap();
        let digits = hashing.finish().unwrap();
        // The expected digest is that of `printf '{"a":123' | sha256sum`.
        assert_eq!(digits, sha256(b"{\"a\":123"));
        assert_eq!(
            String::from_utf8(text.clone()).unwrap(),
            format!("{{\"a\":123,\"sha256\":\"{digits}\"}}\n")
        );
        check(&text, Checked::Intact);
        let mut longer = text.clone();
        longer.extend(b" \r\n\n");
        check(&longer, Checked::Intact);
        text[5] = b'9';
        check(&text, Checked::Edited);
        check(b"{\"a\":123}", Checked::Absent);
        check(b"", Checked::Absent);
    }

    #[test]
    fn a_text_of_many_pieces_is_reported_from_an_edited_one() {
        let mut text = Vec::new();
        let mut hashing = Hashing::new(&mut text);
        hashing.write_all(b"{\"a\":\"").unwrap();
        hashing.write_all(&vec![b'a'; 3 * PIECE_BYTES]).unwrap();
        hashing.write_all(b"\"}").unwrap();
        hashing.finish().unwrap();
        check(&text, Checked::Intact);
        text[2 * PIECE_BYTES] = b'b';
        check(&text, Checked::Edited);
    }

    #[test]
    fn a_changed_page_is_reported_from_an_intact_one() {
        let mut text = Vec::new();
        write_page(&mut text, |to| to.write_all(b"<p>12 ms</p>\n")).unwrap();
        check(&text, Checked::Intact);
        text[3] = b'9';
        check(&text, Checked::Edited);
    }

    #[test]
    fn a_file_that_another_program_wrote_again_is_edited() {
        let digits = sha256(b"{\"a\":1");
        let check = |text: String, expected| check(text.as_bytes(), expected);
        check(format!("{{\"a\":1,\"sha256\":\"{digits}\"}}"), Checked::Intact);
        check(format!("{{\n  \"a\": 1,\n  \"sha256\": \"{digits}\"\n}}\n"), Checked::Edited);
        // A member with this name and another value, one of an inner object, and a text are no checksum.
        check("{\"sha256\":\"none\"}".to_owned(), Checked::Absent);
        check(format!("{{\"a\":{{\"sha256\":\"{digits}\"}}}}"), Checked::Absent);
        check(format!("{{\"note\":\"sha256 {digits}\"}}"), Checked::Absent);
        // An addition to a page is an edit, however long it is.
        let mut page = Vec::new();
        write_page(&mut page, |to| to.write_all(b"<p>12 ms</p>\n")).unwrap();
        let page = String::from_utf8(page).unwrap();
        check(format!("{page}<p>9 ms</p>\n"), Checked::Edited);
        for shift in 0..2 * MAX_SUM_BYTES {
            let before = "<p>".to_owned() + &"1".repeat(PIECE_BYTES - shift);
            let after = "1".repeat(PIECE_BYTES);
            check(format!("{before}<!--sha256:{digits}-->{after}"), Checked::Edited);
            check(format!("{before}<!--sha256:{after}"), Checked::Absent);
        }
    }

    #[track_caller]
    fn check(text: &[u8], expected: Checked) {
        assert_eq!(verify(text), expected);
        assert_eq!(verify_file(&mut io::Cursor::new(text)).unwrap(), expected);
    }

    #[test]
    fn the_sum_is_the_known_one() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        // A stream that is hashed in pieces has the same checksum.
        let long = vec![7; 3 * PIECE_BYTES + 5];
        assert_eq!(sha256_of(long.as_slice()).unwrap(), sha256(&long));
        assert_eq!(sha256_of(io::empty()).unwrap(), sha256(b""));
    }
}
