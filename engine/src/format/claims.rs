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

/// Any JSON within the limits; its values are not stored.
struct Plausible;

impl<'de> Deserialize<'de> for Plausible {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Limits)
    }
}

struct Limits;

impl<'de> Visitor<'de> for Limits {
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
    if *count <= MAX_ITEMS { Ok(()) } else { Err(E::invalid_length(*count, &Limits)) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
