//! Limits for data that another PC sends, checked before the data is stored in memory.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Maximum number of items in a list or an object: a run can have a trial per CPU.
const MAX_ITEMS: usize = 1 << 14;
/// Maximum size of a text in bytes.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// Whether a line is JSON whose lists and texts are within the limits.
pub(crate) fn is_plausible(line: &[u8]) -> bool {
    serde_json::from_slice::<Plausible>(line).is_ok()
}

/// Replaces the control characters in the texts of a line of JSON with spaces: a text of another PC with a line end could
/// forge lines of a result while it is measured.
pub(crate) fn without_controls(line: Vec<u8>) -> Vec<u8> {
    let is_control = |number: u32| {
        char::from_u32(number).is_some_and(char::is_control) || matches!(number, 0x2028 | 0x2029)
    };
    // In JSON, a control character of a text is an escape; those from U+0080 on may also stand for themselves.
    if !line.iter().any(|byte| matches!(byte, b'\\' | 0x7f | 0xc2 | 0xe2)) {
        return line;
    }
    let mut cleaned = Vec::with_capacity(line.len());
    let mut rest = line.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let length = match rest {
            [b'\\', b'n' | b'r' | b't' | b'b' | b'f', ..] | [0xc2, 0x80..=0x9f, ..] => 2,
            [b'\\', b'u', a, b, c, d, ..] => {
                let digits = [*a, *b, *c, *d];
                let digits = std::str::from_utf8(&digits).ok();
                let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                if number.is_some_and(is_control) { 6 } else { 0 }
            }
            [0x7f, ..] => 1,
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
            _ => 0,
        };
        if 0 < length {
            cleaned.push(b' ');
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        cleaned.push(*first);
        rest = after;
        // An escaped backslash begins no other escape.
        if *first == b'\\'
            && let Some((escaped, after)) = rest.split_first()
        {
            cleaned.push(*escaped);
            rest = after;
        }
    }
    cleaned
}

/// Any JSON within the limits; its values are not stored.
struct Plausible;

impl<'de> Deserialize<'de> for Plausible {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ClaimLimits)
    }
}

struct ClaimLimits;

impl<'de> Visitor<'de> for ClaimLimits {
    type Value = Plausible;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("lists and texts that a PC may have")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Plausible, E> {
        Ok(Plausible)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Plausible, E> {
        Ok(Plausible)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Plausible, E> {
        Ok(Plausible)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Plausible, E> {
        Ok(Plausible)
    }

    fn visit_unit<E>(self) -> Result<Plausible, E> {
        Ok(Plausible)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Plausible, E> {
        if text.len() <= MAX_TEXT_BYTES {
            Ok(Plausible)
        } else {
            Err(E::invalid_length(text.len(), &self))
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Plausible, A::Error> {
        let mut count = 0;
        while items.next_element::<Plausible>()?.is_some() {
            check_count::<A::Error>(&mut count)?;
        }
        Ok(Plausible)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Plausible, A::Error> {
        let mut count = 0;
        while entries.next_entry::<Plausible, Plausible>()?.is_some() {
            check_count::<A::Error>(&mut count)?;
        }
        Ok(Plausible)
    }
}

fn check_count<E: serde::de::Error>(count: &mut usize) -> Result<(), E> {
    *count += 1;
    if *count <= MAX_ITEMS { Ok(()) } else { Err(E::invalid_length(*count, &ClaimLimits)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_line_have_no_control_characters() {
        let text =
            "a\u{0}\u{7}\u{8}\t\n\u{c}\r\u{1b}[31m\u{7f}\u{85}\u{9b}\u{2028}é\u{202e}\\n\\\"{}";
        let line = serde_json::to_vec(&serde_json::json!({ "k": [text, 1] })).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&without_controls(line)).unwrap();
        let expected = ["a", &" ".repeat(8), "[31m", &" ".repeat(4), "é\u{202e}\\n\\\"{}"].concat();
        assert_eq!(read["k"][0], expected.as_str());
        let escaped = br#"{"k":"\u001b\u009B\u00e9\ud83d\ude00\\u001b\/x"}"#.to_vec();
        let read: serde_json::Value = serde_json::from_slice(&without_controls(escaped)).unwrap();
        assert_eq!(read["k"], "  é\u{1f600}\\u001b/x");
        for whole in [&b"{\"k\":\"plain\"}"[..], b"", b"\\", b"\\u00", b"\xc2", b"\xe2\x80"] {
            assert_eq!(without_controls(whole.to_vec()), whole);
        }
    }

    #[test]
    fn a_line_is_plausible_up_to_the_limits() {
        let list = |count: usize| format!("{{\"x\":[{}]}}", vec!["0"; count].join(","));
        let map = |count: usize| {
            let pairs: Vec<String> = (0..count).map(|at| format!("\"{at}\":null")).collect();
            format!("{{{}}}", pairs.join(","))
        };
        let text = |count: usize| format!("[{{\"k\":\"{}\"}}]", "x".repeat(count));
        let key = |count: usize| format!("{{\"{}\":1.5}}", "\\n".repeat(count));
        for (make, limit) in [
            (&list as &dyn Fn(usize) -> String, MAX_ITEMS),
            (&map, MAX_ITEMS),
            (&text, MAX_TEXT_BYTES),
            (&key, MAX_TEXT_BYTES),
        ] {
            assert!(is_plausible(make(limit).as_bytes()));
            assert!(!is_plausible(make(limit + 1).as_bytes()));
        }
        assert!(is_plausible(b"{\"a\":[true,-1,1e300,null,{\"b\":\"c\"}]}"));
        for wrong in [&b"{\"a\":"[..], b"", b"{} {}", &b"[".repeat(1 << 20)] {
            assert!(!is_plausible(wrong));
        }
    }
}
