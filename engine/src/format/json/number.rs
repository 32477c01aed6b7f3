//! Whole numbers of columns.

use super::{JsonError, Result};
use crate::sample::MISSING;

/// The longest number that is read.
pub(super) const MAX_NUMBER_BYTES: usize = 1_024;
/// A number of more digits may not fit.
const MAX_DIGITS: usize = 18;
/// What a number is multiplied by to append this many digits.
const POWERS: [i64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Reads a number or null that is a separate word.
pub(super) fn number(word: &[u8]) -> Result<i64> {
    if word == b"null" {
        return Ok(MISSING);
    }
    let number: serde_json::Number =
        serde_json::from_slice(word).map_err(|_no_number| JsonError::Syntax)?;
    number.as_i64().ok_or_else(JsonError::invalid)
}

/// Reads values of a column as this program writes them, each with the comma before it, until one is written
/// otherwise or may go on in the next piece; returns how many, and how many bytes they take.
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

/// One such value; only where a comma or the end of the column follows directly, so that it is whole.
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
        // `01` and `-0` are no whole numbers to JSON.
        2.. if digits.first() == Some(&b'0') => return None,
        1.. if sign == 1 && value == 0 => return None,
        1..=MAX_DIGITS => (if sign == 0 { value } else { -value }, sign + count),
        0 if sign == 0 && digits.starts_with(b"null") => (MISSING, 4),
        _ => return None,
    };
    let length = at + count;
    matches!(text.get(length)?, b',' | b']').then_some((value, length))
}

/// The number that a text begins with, and how many digits it has; wrong where it has more than
/// [`MAX_DIGITS`], and none where the text is about to end.
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

/// The number that eight bytes begin with, and how many digits it has, all at once: pairs, then fours, then
/// all digits are added up.
#[inline]
fn up_to_eight(text: [u8; 8]) -> (i64, usize) {
    let digits = u64::from_le_bytes(text).wrapping_sub(0x3030_3030_3030_3030);
    // The high bit of a byte is set where it is less than '0' or more than '9', up to the first such byte.
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() / 8;
    // The bytes after the number go, and as many zeros come before it.
    let digits = digits.checked_shl(64 - 8 * count).unwrap_or_default();
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    let value = low.wrapping_add(high) >> 32;
    (i64::try_from(value).unwrap_or_default(), usize::try_from(count).unwrap_or_default())
}
