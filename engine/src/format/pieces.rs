//! Reads a run file piece by piece, and the long columns in it without serde's detours.
//!
//! serde_json reads a file one byte at a time, which is slow for the hundreds of megabytes of
//! numbers of an hour-long run, and reads a text only when all of it is in memory. So it reads
//! through [`Pieces`], and after each number of a column, [`take_plain`] takes the plain numbers
//! that follow directly from the current piece. Anything else (the last number of a piece, a text
//! where a number should be, a fraction) is left to serde_json, which accepts or rejects it.
//!
//! serde cannot pass the piece to what reads a column, so it is in a thread-local variable.

use std::cell::RefCell;
use std::io::{self, Read};

use crate::sample::{Column, MISSING};

/// What is read at once.
const PIECE_BYTES: usize = 256 << 10;
/// More digits than this may not fit, and are left to serde_json.
const MAX_DIGITS: usize = 18;

thread_local! {
    static PIECE: RefCell<Piece> = const { RefCell::new(Piece::NONE) };
}

/// The piece of a file that is being read.
struct Piece {
    bytes: Vec<u8>,
    /// Where the bytes begin that nobody took yet.
    at: usize,
    /// Where they end.
    end: usize,
    /// The last byte that serde_json took.
    last: u8,
    /// Whether serde_json asks for a byte at a time, as it does: then it holds at most the last one back.
    is_byte_by_byte: bool,
}

impl Piece {
    const NONE: Self = Self { bytes: Vec::new(), at: 0, end: 0, last: 0, is_byte_by_byte: false };
}

/// A file that is read in pieces; one at a time in a thread.
pub(super) struct Pieces<R> {
    from: R,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(from: R) -> Self {
        Self::of_line(from, PIECE_BYTES)
    }

    /// Pieces of a text that is as long.
    pub(super) fn of_line(from: R, length: usize) -> Self {
        let bytes = vec![0; length.clamp(1, PIECE_BYTES)];
        PIECE.replace(Piece { bytes, is_byte_by_byte: true, ..Piece::NONE });
        Self { from }
    }

    /// Pieces of which [`take_plain`] takes nothing: serde_json then reports where an error is.
    pub(super) fn untouched(from: R) -> Self {
        let pieces = Self::new(from);
        PIECE.with_borrow_mut(|piece| piece.is_byte_by_byte = false);
        pieces
    }
}

impl<R> Drop for Pieces<R> {
    fn drop(&mut self) {
        PIECE.replace(Piece::NONE);
    }
}

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        PIECE.with_borrow_mut(|piece| {
            if piece.at == piece.end {
                (piece.at, piece.end) = (0, 0);
                piece.end = self.from.read(&mut piece.bytes)?;
            }
            piece.is_byte_by_byte &= to.len() == 1;
            let mut rest = piece.bytes.get(piece.at..piece.end).unwrap_or_default();
            let count = rest.read(to)?;
            piece.at += count;
            piece.last = to.get(..count).and_then(<[u8]>::last).copied().unwrap_or_default();
            Ok(count)
        })
    }
}

/// Takes plain numbers of a column whose last number was read a moment ago, as many as the piece at hand
/// holds and as fit the column.
pub(super) fn take_plain(column: &mut Column, fits: fn(i64) -> bool) {
    PIECE.with_borrow_mut(|piece| {
        if !piece.is_byte_by_byte {
            return;
        }
        let rest = piece.bytes.get(piece.at..piece.end).unwrap_or_default();
        // After a number serde_json holds back the byte that ended it, after a null it holds none back.
        let is_comma_held = match piece.last {
            b',' => true,
            b'l' => false,
            _ => return,
        };
        let mut at = 0;
        while let Some(text) = rest.get(at..) {
            let (comma_before, comma_after) = if is_comma_held { (0, 1) } else { (1, 0) };
            if !is_comma_held && text.first() != Some(&b',') {
                break;
            }
            let Some((number, length)) = plain(text.get(comma_before..).unwrap_or_default()) else {
                break;
            };
            let end = comma_before + length;
            if (is_comma_held && text.get(end) != Some(&b',')) || !fits(number) {
                break;
            }
            column.push(number);
            at += end + comma_after;
        }
        piece.at += at;
    });
}

/// The whole number or null that a text begins with, a space before it taken along, and how many bytes it
/// takes; only where a comma or a bracket follows, so that it is whole, and where JSON allows it.
fn plain(text: &[u8]) -> Option<(i64, usize)> {
    let spaces = usize::from(text.first() == Some(&b' '));
    let text = text.get(spaces..)?;
    if text.starts_with(b"null") {
        return ends(text, 4).then_some((MISSING, spaces + 4));
    }
    let signs = usize::from(text.first() == Some(&b'-'));
    let mut number = 0_i64;
    let mut count = 0;
    for byte in text.get(signs..)?.iter().take(MAX_DIGITS) {
        let digit = byte.wrapping_sub(b'0');
        if 9 < digit {
            break;
        }
        number = number * 10 + i64::from(digit);
        count += 1;
    }
    // `-0` is a fraction to serde_json, and `01` is none of JSON's.
    let has_zero_first = text.get(signs) == Some(&b'0') && 1 < count + signs;
    let is_whole = 0 < count && !has_zero_first && ends(text, signs + count);
    let number = if signs == 0 { number } else { -number };
    is_whole.then_some((number, spaces + signs + count))
}

/// Whether what ends here is followed by a comma or a bracket.
fn ends(text: &[u8], at: usize) -> bool {
    matches!(text.get(at), Some(b',' | b']'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::column::ColumnOut;
    use super::*;

    /// Returns this many bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(to.len());
            self.0.read(to.get_mut(..count).unwrap_or_default())
        }
    }

    /// What is read in pieces is what is read at once; errors have the same words, their place aside.
    #[track_caller]
    fn check(text: &str, step: usize) {
        type Both = (ColumnOut<'static, i64>, ColumnOut<'static, Option<u32>>);
        type Plain = (Vec<i64>, Vec<Option<u32>>);
        let words = |error: serde_json::Error| {
            let words = error.to_string();
            words.split(" at line").next().unwrap_or_default().to_owned()
        };
        let pieces = serde_json::from_reader::<_, Both>(Pieces::new(Slow(text.as_bytes(), step)));
        let found = pieces.map(|(one, other)| {
            let other = other.into_column();
            let numbers: Vec<_> = other.values().map(|value| u32::try_from(value).ok()).collect();
            (one.into_column().values().collect::<Vec<_>>(), numbers)
        });
        let expected = serde_json::from_str::<Plain>(text);
        assert_eq!(found.map_err(words), expected.map_err(words), "{text} by {step}");
    }

    #[test]
    fn numbers_are_taken_as_serde_takes_them() {
        for (one, other) in [
            ("", ""),
            ("1", "null"),
            ("0,-1,2", "null,null,3,4,null"),
            ("1, 2 ,3\n,\t4,5 ", " null , 1, null,2 ,3"),
            ("9223372036854775807,-9223372036854775808,1", "4294967295,0"),
            ("1,9223372036854775808,2", ""),
            ("1,2", "1,4294967296"),
            ("1,2", "1,-1"),
            ("1,null,2", ""),
            ("1,2,3.5,4", ""),
            ("1,2,3e2,4", ""),
            ("1,-0,4", ""),
            ("1,0,00,4", ""),
            ("1,-01,4", ""),
            ("1,+1,4", ""),
            ("1,2,]", ""),
            ("1,,2", ""),
            ("1,2 3,4", ""),
            ("1,\"2\",3", ""),
            ("1,[2],3", ""),
            ("1,2", "null,nul,1"),
            ("1,2", "null,nullnull,1"),
            ("1,-", ""),
            ("1,2", "1,true"),
        ] {
            for step in [1, 2, 3, 7, 1_000] {
                check(&format!("[[{one}],[{other}]]"), step);
                check(&format!("[[{one}],[{other}"), step);
                check(&format!("[[{one}"), step);
            }
        }
    }

    #[test]
    fn a_column_outside_of_pieces_is_read_by_serde_alone() {
        drop(Pieces::new(&b"[1,2,3]"[..]));
        let column: ColumnOut<'_, i64> = serde_json::from_str("[1,2,3]").unwrap();
        assert_eq!(column.into_column().values().collect::<Vec<_>>(), [1, 2, 3]);
    }

    proptest! {
        #[test]
        fn any_spelling_is_read_as_serde_reads_it(
            one in "([-0-9]{1,20}|null| |,|[0-9]{1,3}[.eE][0-9]{0,2}|,[1-9]{1,4}){0,30}",
            other in "(,null|,[0-9]{1,5}|, ?[0-9]{1,2}|[-a-z\" ]|\\]){0,30}",
            step in 1..40_usize,
        ) {
            check(&format!("[[{one}],[1{other}]]"), step);
        }

        #[test]
        fn numbers_come_back(
            one in proptest::collection::vec(any::<i64>(), 0..400),
            other in proptest::collection::vec(any::<Option<u32>>(), 0..400),
            step in 1..4_000_usize,
        ) {
            check(&serde_json::to_string(&(one, other)).unwrap(), step);
        }
    }
}
