//! A number of milliseconds in another program's JSON, where it may be missing or written as a text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};

/// Milliseconds; not a number where the file has none. Eight bytes, so that a list of them stays small.
#[derive(Clone, Copy, Debug)]
pub struct Millis(pub f64);

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Millis;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of milliseconds")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Millis, E> {
                Ok(Millis(value))
            }

            #[expect(clippy::cast_precision_loss, reason = "a time of this size is refused anyway")]
            fn visit_u64<E>(self, value: u64) -> Result<Millis, E> {
                Ok(Millis(value as f64))
            }

            #[expect(clippy::cast_precision_loss, reason = "a time of this size is refused anyway")]
            fn visit_i64<E>(self, value: i64) -> Result<Millis, E> {
                Ok(Millis(value as f64))
            }

            fn visit_str<E>(self, text: &str) -> Result<Millis, E> {
                Ok(Millis(text.trim().parse().unwrap_or(f64::NAN)))
            }

            fn visit_unit<E>(self) -> Result<Millis, E> {
                Ok(Millis(f64::NAN))
            }
        }
        deserializer.deserialize_any(Number)
    }
}
