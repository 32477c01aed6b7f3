//! Parses plain decimal numbers fast: nearly all numbers in logs are of this form.

/// Powers of ten that a floating-point number holds exactly, one for each number of decimals.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
/// Maximum number of digits that a floating-point number always holds exactly.
const MAX_DIGITS: usize = 15;

/// A number such as `-12.345`, as JSON permits it, at the beginning of a text.
pub(crate) struct PlainDecimal {
    /// The digits without the point.
    pub(crate) digits: u64,
    /// Number of digits after the point.
    pub(crate) decimals: usize,
    pub(crate) is_negative: bool,
    /// Number of bytes of the number.
    pub(crate) length: usize,
}

impl PlainDecimal {
    /// Reads the number at the beginning of a text; `None` if it has more than 15 digits or another form, which a general
    /// parser has to read. What follows the number is not checked.
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let is_negative = text.first() == Some(&b'-');
        let sign = usize::from(is_negative);
        let (mut digits, mut length, mut point) = (0_u64, sign, None);
        // Digits, a sign, a point, and one byte more, which shows that the number is too long.
        for &byte in text.iter().take(MAX_DIGITS + 3).skip(sign) {
            match byte {
                b'0'..=b'9' => digits = digits * 10 + u64::from(byte - b'0'),
                b'.' if point.is_none() => point = Some(length),
                _ => break,
            }
            length += 1;
        }
        let decimals = point.map_or(0, |point| length - point - 1);
        let count = length - sign - usize::from(point.is_some());
        let whole_count = count - decimals;
        let has_leading_zero = 1 < whole_count && text.get(sign) == Some(&b'0');
        let ends_with_digit = point.is_none() || 0 < decimals;
        let is_plain =
            0 < whole_count && count <= MAX_DIGITS && !has_leading_zero && ends_with_digit;
        is_plain.then_some(Self { digits, decimals, is_negative, length })
    }

    /// Returns the value. Digits and power of ten are exact, so that their quotient is rounded once: to the nearest number,
    /// as a general parser rounds (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
    #[expect(clippy::cast_precision_loss, reason = "a number of 15 digits is below 2^53")]
    #[inline]
    pub(crate) fn value(&self) -> f64 {
        let power = POWERS.get(self.decimals).copied().unwrap_or(f64::NAN);
        let value = self.digits as f64 / power;
        if self.is_negative { -value } else { value }
    }
}

/// Returns the value of a text that is a [`PlainDecimal`] as a whole; `None` for any other text.
#[inline]
pub(crate) fn plain_decimal(text: &[u8]) -> Option<f64> {
    PlainDecimal::of(text).filter(|plain| plain.length == text.len()).map(|plain| plain.value())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_number_ends_where_another_byte_follows() {
        for (text, expected) in [
            ("8.125,9", Some((8_125, 3, 5))),
            ("-7]", Some((7, 0, 2))),
            ("123456789012345}", Some((123_456_789_012_345, 0, 15))),
            ("12345.6789012345 ", Some((123_456_789_012_345, 10, 16))),
            ("1.2.3", Some((12, 1, 3))),
            ("1.,", None),
            ("1234567890123456,", None),
        ] {
            let found = PlainDecimal::of(text.as_bytes());
            let found = found.map(|plain| (plain.digits, plain.decimals, plain.length));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn other_forms_are_left_to_a_general_parser() {
        for text in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "01",
            "00.5",
            "+1",
            "1e3",
            "1,5",
            "1.2.3",
            "NA",
            " 1",
            "inf",
            "1234567890123456",
            "12345678901234.56",
        ] {
            assert_eq!(plain_decimal(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_plain_number_is_the_one_of_the_standard_library(
            text in "-?(0|[1-9][0-9]{0,8})(\\.[0-9]{1,6})?",
        ) {
            let expected: f64 = text.parse().unwrap();
            let found = plain_decimal(text.as_bytes()).unwrap();
            prop_assert_eq!(found.to_bits(), expected.to_bits());
        }
    }
}
