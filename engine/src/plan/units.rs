//! Reads durations in the syntax of the command line.

use crate::nanos::Nanos;

/// Parses a duration such as `1ns`, `250us`, `2.5ms`, `10s`, `5min` or `1h`; `None` unless the text is a number with
/// one of these units.
pub fn parse_nanos(text: &str) -> Option<Nanos> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic() || c == 'µ')?;
    let (number, unit) = text.split_at(split);
    let nanos_a_unit = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        "h" => 3_600e9,
        _ => return None,
    };
    let number = number.trim();
    if number.is_empty() || number.chars().any(|c| !matches!(c, '0'..='9' | '.' | '-')) {
        return None;
    }
    let value: f64 = number.parse().ok()?;
    Some(Nanos::from_nanos_f64(value * nanos_a_unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_needs_its_unit() {
        for (text, expected) in [
            ("250us", Some(Nanos::from_micros(250))),
            ("2.5ms", Some(Nanos::from_micros(2_500))),
            ("10s", Some(Nanos::from_secs(10))),
            ("5min", Some(Nanos::from_secs(300))),
            ("-1s", Some(Nanos::from_secs(-1))),
            ("1h", Some(Nanos::from_secs(3_600))),
            ("10", None),
            ("s", None),
            ("", None),
            ("infs", None),
            ("1e400s", None),
            ("10 parsecs", None),
        ] {
            assert_eq!(parse_nanos(text), expected, "{text}");
        }
    }

    #[test]
    fn what_display_writes_is_read_back() {
        for nanos in [1, 1_000, 1_500, 16_670_000, 2_000_000, 600_000_000_000] {
            let nanos = Nanos::new(nanos);
            assert_eq!(parse_nanos(&nanos.to_string()), Some(nanos));
        }
    }
}
