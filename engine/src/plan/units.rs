//! Reads durations in the syntax of the command line.

use crate::nanos::Nanos;

/// Parses a duration such as `1ns`, `250us`, `2.5ms`, `10s`, `5min` or `1h`; `None` unless the text is a number with
/// one of these units.
pub fn parse_nanos(text: &str) -> Option<Nanos> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic() || matches!(c, 'µ' | 'μ'))?;
    let (number, unit) = text.split_at(split);
    let nanos_a_unit = match unit {
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
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

/// Returns the durations that a text may mean which is none: `10` is any of `10s`, `10ms`, and so on, `10sec` is `10s`,
/// and `1m` is `1ms` or `1min`. Empty if the text does not begin with a number.
pub(super) fn meant_nanos(text: &str) -> Vec<String> {
    let text = text.trim().to_lowercase();
    let split = text.find(|c: char| !matches!(c, '0'..='9' | '.' | ',')).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let units: &[&str] = match unit.trim() {
        "" => &["s", "ms", "us", "ns"],
        "ns" | "nsec" | "nanos" | "nanosecond" | "nanoseconds" => &["ns"],
        "us" | "µs" | "μs" | "usec" | "micros" | "microsecond" | "microseconds" => &["us"],
        "ms" | "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => &["ms"],
        "s" | "sec" | "secs" | "second" | "seconds" => &["s"],
        "m" => &["ms", "min"],
        "min" | "mins" | "minute" | "minutes" => &["min"],
        "h" | "hr" | "hrs" | "hour" | "hours" => &["h"],
        _ => &[],
    };
    let number = number.replace(',', ".");
    let texts = units.iter().map(|unit| format!("{number}{unit}"));
    texts.filter(|text| parse_nanos(text).is_some()).collect()
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
            ("3μs", Some(Nanos::from_micros(3))),
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
    fn what_is_no_length_may_mean_one() {
        for (text, expected) in [
            ("10", vec!["10s", "10ms", "10us", "10ns"]),
            ("10sec", vec!["10s"]),
            ("1m", vec!["1ms", "1min"]),
            ("2,5 MS", vec!["2.5ms"]),
            ("3 hours", vec!["3h"]),
            ("fast", vec![]),
            ("10 parsecs", vec![]),
            ("1.2.3", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(meant_nanos(text), expected, "{text}");
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
