//! Frame times in milliseconds from the JSON of other programs, where a value may be missing or
//! written as text.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::nanos::Nanos;
use crate::run::capture::CaptureSeries;
use crate::sample::{Column, MISSING};

/// Maximum plausible frame time: ten minutes.
const MAX_FRAME_MILLIS: f64 = 600_000.0;
/// Maximum number of invalid values whose reason is recorded.
const MAX_REASONS: usize = 10;

/// Converts a frame time from milliseconds. Returns `Ok(None)` if it is missing (NaN) or zero, and
/// the reason as an error if it is not plausible.
pub fn frame_time(millis: f64) -> Result<Option<Nanos>, &'static str> {
    match millis {
        millis if millis.is_nan() => Ok(None),
        millis if millis < 0.0 => Err("a negative frame time"),
        millis if MAX_FRAME_MILLIS < millis => Err("a frame time above ten minutes"),
        millis => Ok(Some(Nanos::from_nanos_f64(millis * 1e6)).filter(|time| Nanos::ZERO < *time)),
    }
}

/// A list of frame times, read value by value into a column, without a list of all values in memory.
#[derive(Debug, Default)]
pub struct FrameTimes {
    /// The frame times in nanoseconds; [`MISSING`] for a missing frame time.
    pub nanos: Column,
    /// Number of values that are omitted because they are not plausible frame times.
    pub bad_count: u64,
    /// The first omitted values: position in the list, counted from 1, and why the value is
    /// omitted.
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

/// The first and the last number of a list, read without a list of all numbers in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span(pub Option<(f64, f64)>);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut span = None::<(f64, f64)>;
        each_number(deserializer, |number| {
            if !number.is_nan() {
                span = Some((span.map_or(number, |(first, _)| first), number));
            }
        })?;
        Ok(Self(span))
    }
}

/// Values of a sensor in thousandths of their unit; [`MISSING`] for a missing value.
#[derive(Debug, Default)]
pub struct Thousandths(pub Column);

impl<'de> Deserialize<'de> for Thousandths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = Column::new();
        each_number(deserializer, |number| {
            values.push(CaptureSeries::thousandths(number).unwrap_or(MISSING));
        })?;
        Ok(Self(values))
    }
}

/// Times of each frame in nanoseconds, from a list in milliseconds; [`MISSING`] for a missing value.
#[derive(Debug, Default)]
pub struct EachNanos(pub Column);

impl<'de> Deserialize<'de> for EachNanos {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = Column::new();
        each_number(deserializer, |millis| {
            let is_time = millis.abs() <= MAX_FRAME_MILLIS;
            values.push(if is_time { Nanos::from_nanos_f64(millis * 1e6).get() } else { MISSING });
        })?;
        Ok(Self(values))
    }
}

/// A yes or no of each frame: 1, 0, or [`MISSING`]. Files have it as true and false, or as numbers.
#[derive(Debug, Default)]
pub struct Flags(pub Column);

impl<'de> Deserialize<'de> for Flags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut flags = Column::new();
        each_value(deserializer, |Flag(flag)| flags.push(flag.map_or(MISSING, i64::from)))?;
        Ok(Self(flags))
    }
}

/// Calls `read` for each number of a list; NaN for a value that is missing.
fn each_number<'de, D: Deserializer<'de>>(
    deserializer: D,
    mut read: impl FnMut(f64),
) -> Result<(), D::Error> {
    each_value(deserializer, |Millis(number)| read(number))
}

/// Calls `read` for each value of a list, without a list of all values in memory.
fn each_value<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    read: impl FnMut(T),
) -> Result<(), D::Error> {
    struct Values<T, F>(F, PhantomData<T>);
    impl<'de, T: Deserialize<'de>, F: FnMut(T)> Visitor<'de> for Values<T, F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of values")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
            while let Some(value) = list.next_element()? {
                (self.0)(value);
            }
            Ok(())
        }

        fn visit_unit<E>(self) -> Result<(), E> {
            Ok(())
        }
    }
    deserializer.deserialize_any(Values(read, PhantomData))
}

/// A yes or no; `None` if the file has neither.
struct Flag(Option<bool>);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not an untagged enum: serde would store each value before it decides, which takes ten times as long.
        struct Value;
        impl<'de> Visitor<'de> for Value {
            type Value = Flag;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a yes or no")
            }

            fn visit_bool<E>(self, flag: bool) -> Result<Flag, E> {
                Ok(Flag(Some(flag)))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Flag, E> {
                Ok(Flag(Some(number != 0)))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Flag, E> {
                Ok(Flag(Some(number != 0)))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Flag, E> {
                Ok(Flag(Some(number != 0.0)))
            }

            fn visit_str<E>(self, _: &str) -> Result<Flag, E> {
                Ok(Flag(None))
            }

            fn visit_unit<E>(self) -> Result<Flag, E> {
                Ok(Flag(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Flag, A::Error> {
                IgnoredAny.visit_seq(list).map(|_| Flag(None))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Flag, M::Error> {
                IgnoredAny.visit_map(map).map(|_| Flag(None))
            }
        }
        deserializer.deserialize_any(Value)
    }
}

/// A number of milliseconds; NaN if the file has null or a text that is not a number.
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

            fn visit_bool<E>(self, _: bool) -> Result<Millis, E> {
                Ok(Millis(f64::NAN))
            }

            fn visit_unit<E>(self) -> Result<Millis, E> {
                Ok(Millis(f64::NAN))
            }
        }
        deserializer.deserialize_any(Number)
    }
}
