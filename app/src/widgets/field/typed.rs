//! Parses entered numbers: digits with spaces, a comma or a point as decimal separator, an optional
//! unit.

/// Parses a number. Spaces of any kind are ignored, and a comma is a decimal point. `None` if the
/// text is not a finite number.
pub(super) fn number(text: &str) -> Option<f64> {
    let plain: String = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| match letter {
            ',' => '.',
            '\u{2212}' | '–' => '-',
            other => other,
        })
        .collect();
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Parses a duration such as `500 ms` to nanoseconds; `None` if the text is not a duration. A
/// number without a unit is in the unit of the field, which has `nanos_a_unit` nanoseconds.
pub(super) fn nanos(text: &str, nanos_a_unit: f64) -> Option<f64> {
    let text = text.trim();
    if text.contains(':') {
        return clock_secs(text).map(|secs| secs * 1e9);
    }
    let digits = text.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == 'µ');
    let unit = match text.get(digits.len()..)?.to_lowercase().as_str() {
        "" => nanos_a_unit,
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" | "sec" => 1e9,
        "min" | "m" => 60e9,
        "h" => 3_600e9,
        _ => return None,
    };
    number(digits).map(|value| value * unit)
}

/// Parses a duration in clock format to seconds: `5:00` is 5 minutes, `1:00:00` is one hour.
fn clock_secs(text: &str) -> Option<f64> {
    let mut secs = 0.0;
    for part in text.split(':') {
        secs = secs * 60.0 + number(part).filter(|value| *value >= 0.0)?;
    }
    Some(secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_meant() {
        for (text, value) in [
            ("30", Some(30.0)),
            (" 1\u{202f}800 ", Some(1_800.0)),
            ("2,5", Some(2.5)),
            ("\u{2212}3", Some(-3.0)),
            ("inf", None),
            ("", None),
            ("ten", None),
        ] {
            assert_eq!(number(text), value, "{text:?}");
        }
    }

    #[test]
    fn lengths_are_read_with_a_unit_or_without() {
        for (text, value) in [
            ("30", Some(30e9)),
            ("500 ms", Some(500e6)),
            ("2\u{202f}µs", Some(2e3)),
            ("0.5 s", Some(5e8)),
            ("5:00", Some(300e9)),
            ("1:00:00", Some(3_600e9)),
            ("24 h", Some(86_400e9)),
            ("3 parsecs", None),
        ] {
            assert_eq!(nanos(text, 1e9), value, "{text:?}");
        }
    }
}
