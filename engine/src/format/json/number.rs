//! A fast parser for the integers of sample columns.

use super::{JsonError, Result};
use crate::sample::MISSING;

/// Maximum length of a number in bytes.
pub(super) const MAX_NUMBER_BYTES: usize = 1_024;
/// Maximum number of digits that always fit into an `i64`.
const MAX_DIGITS: usize = 18;
/// Powers of 10, by which a number is multiplied to append up to eight digits.
const POWERS: [i64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Parses a complete word as an integer, or `null` as [`MISSING`].
pub(super) fn number(word: &[u8]) -> Result<i64> {
    if word == b"null" {
        return Ok(MISSING);
    }
    let number: serde_json::Number =
        serde_json::from_slice(word).map_err(|_no_number| JsonError::Syntax)?;
    number.as_i64().ok_or_else(JsonError::invalid)
}

/// Parses column values in the format that this program writes, with the comma before each value.
/// Stops at a value in another format, or at one that may continue in the next piece. Returns the
/// number of values, and the number of bytes that these values take.
pub(super) fn plain(text: &[u8], is_first: bool, values: &mut [i64]) -> (usize, usize) {
    let (mut at, mut count) = (0, 0);
    for value in values {
        let has_comma = !is_first || 0 < count;
        let Some((next, length)) = text.get(at..).and_then(|text| one_plain(text, has_comma))
        else {
            break;
        };
        *value = next;
        at += length;
        count += 1;
    }
    (count, at)
}

/// Parses the first value of a piece of a JSON array, an integer or `null`, and returns the value and the
/// number of bytes read. `None` unless a comma or `]` follows: the rest of the value may then be missing.
#[inline]
fn one_plain(text: &[u8], has_comma: bool) -> Option<(i64, usize)> {
    let mut at = 0;
    if has_comma {
        if *text.first()? != b',' {
            return None;
        }
        at = 1 + usize::from(text.get(1) == Some(&b' '));
    }
    let sign = usize::from(*text.get(at)? == b'-');
    let digits = text.get(at + sign..)?;
    let (value, count) = whole(digits);
    let (value, count) = match count {
        // JSON does not permit leading zeros; `-0` is not an integer in JSON.
        2.. if digits.first() == Some(&b'0') => return None,
        1.. if sign == 1 && value == 0 => return None,
        1..=MAX_DIGITS => (if sign == 0 { value } else { -value }, sign + count),
        0 if sign == 0 && digits.starts_with(b"null") => (MISSING, 4),
        _ => return None,
    };
    let length = at + count;
    matches!(text.get(length)?, b',' | b']').then_some((value, length))
}

/// Returns the number at the beginning of a text, and the number of its digits. The number is wrong
/// if it has more than [`MAX_DIGITS`] digits; up to seven bytes at the end of the text are ignored.
#[inline]
fn whole(text: &[u8]) -> (i64, usize) {
    let (mut value, mut count) = (0_i64, 0);
    for eight in text.as_chunks().0.iter().take(3) {
        let (next, digits) = up_to_eight(*eight);
        value = value.wrapping_mul(POWERS.get(digits).copied().unwrap_or(1)).wrapping_add(next);
        count += digits;
        if digits < 8 {
            break;
        }
    }
    (value, count)
}

/// Returns the number at the beginning of eight bytes, and the number of its digits. All digits are
/// processed in parallel: they are combined to pairs, then to fours, then to the whole number.
#[inline]
fn up_to_eight(text: [u8; 8]) -> (i64, usize) {
    let digits = u64::from_le_bytes(text).wrapping_sub(0x3030_3030_3030_3030);
    // Sets the high bit of each byte that is not a digit, reliably up to the first such byte.
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() / 8;
    // Remove the bytes after the number, and add as many zero bytes before the number.
    let digits = digits.checked_shl(64 - 8 * count).unwrap_or_default();
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    let value = low.wrapping_add(high) >> 32;
    (i64::try_from(value).unwrap_or_default(), usize::try_from(count).unwrap_or_default())
}
