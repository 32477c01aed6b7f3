//! Frame times in milliseconds in another program's JSON, where one may be missing or written as a text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use crate::nanos::Nanos;
use crate::sample::{Column, MISSING};

/// The longest frame that is believed: ten minutes.
const MAX_FRAME_MILLIS: f64 = 600_000.0;
/// Maximum bad values whose reason is recorded.
const MAX_REASONS: usize = 10;

/// A frame time: `Ok(None)` if it is missing or no time passed, an error if it cannot be one.
pub fn frame_time(millis: f64) -> Result<Option<Nanos>, &'static str> {
    match millis {
        millis if millis.is_nan() => Ok(None),
        millis if millis < 0.0 => Err("a negative frame time"),
        millis if MAX_FRAME_MILLIS < millis => Err("a frame time above ten minutes"),
        millis => Ok(Some(Nanos::from_nanos_f64(millis * 1e6)).filter(|time| Nanos::ZERO < *time)),
    }
}

/// A list of frame times, read into a column as they come.
#[derive(Debug, Default)]
pub struct FrameTimes {
    /// In nanoseconds; [`MISSING`] if absent.
    pub nanos: Column,
    /// Number of values that are not frame times; they are omitted.
    pub bad_count: u64,
    /// The first of them: position from 1, and why.
    pub bad: Vec<(u64, &'static str)>,
}

impl<'de> Deserialize<'de> for FrameTimes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = FrameTimes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of frame times")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FrameTimes, A::Error> {
                let (mut times, mut number) = (FrameTimes::default(), 0);
                while let Some(Millis(millis)) = list.next_element()? {
                    number += 1;
                    match frame_time(millis) {
                        Ok(time) => times.nanos.push(time.map_or(MISSING, Nanos::get)),
                        Err(reason) => {
                            times.bad_count += 1;
                            if times.bad.len() < MAX_REASONS {
                                times.bad.push((number, reason));
                            }
                        }
                    }
                }
                Ok(times)
            }

            fn visit_unit<E>(self) -> Result<FrameTimes, E> {
                Ok(FrameTimes::default())
            }
        }
        deserializer.deserialize_any(List)
    }
}

/// Milliseconds; not a number if the file has none.
#[derive(Clone, Copy, Debug)]
struct Millis(f64);

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

            #[expect(
                clippy::cast_precision_loss,
                reason = "a time of this size is rejected anyway"
            )]
            fn visit_u64<E>(self, value: u64) -> Result<Millis, E> {
                Ok(Millis(value as f64))
            }

            #[expect(
                clippy::cast_precision_loss,
                reason = "a time of this size is rejected anyway"
            )]
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
