//! A signed length of time, or an instant counted from a trial's start, in whole nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Whole nanoseconds, signed: 292 years either way.
///
/// The only number for times in the engine. Sums saturate, so that a hostile file cannot make an
/// addition panic.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(i64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest representable time.
    pub const MAX: Self = Self(i64::MAX);

    /// This many nanoseconds.
    pub const fn new(nanos: i64) -> Self {
        Self(nanos)
    }

    /// This many microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// This many milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// This many seconds.
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// Seconds with a fraction, to the nearest nanosecond; not a number is 0.
    #[expect(clippy::cast_possible_truncation, reason = "float to integer saturates, as promised")]
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1e9).round() as i64)
    }

    /// A fractional count of nanoseconds, to the nearest one.
    #[expect(clippy::cast_possible_truncation, reason = "float to integer saturates, as promised")]
    pub fn from_nanos_f64(nanos: f64) -> Self {
        Self(nanos.round() as i64)
    }

    /// The number of nanoseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Nanoseconds as a float: exact below 104 days.
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 ns")]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// Microseconds with a fraction.
    pub const fn as_micros(self) -> f64 {
        self.as_f64() / 1e3
    }

    /// Milliseconds with a fraction.
    pub const fn as_millis(self) -> f64 {
        self.as_f64() / 1e6
    }

    /// Seconds with a fraction.
    pub const fn as_secs(self) -> f64 {
        self.as_f64() / 1e9
    }

    /// The same length without its sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// As the standard library's duration; a negative length is 0.
    pub const fn to_duration(self) -> Duration {
        Duration::from_nanos(if self.0 < 0 { 0 } else { self.0.unsigned_abs() })
    }
}

impl From<Duration> for Nanos {
    fn from(duration: Duration) -> Self {
        Self(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<i64> for Nanos {
    type Output = Self;
    fn mul(self, times: i64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Neg for Nanos {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Display for Nanos {
    /// The shortest exact form that the command line reads back: `250us`, `2ms`, `10s`, `16670us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            0 => (0, "s"),
            n if n % 1_000_000_000 == 0 => (n / 1_000_000_000, "s"),
            n if n % 1_000_000 == 0 => (n / 1_000_000, "ms"),
            n if n % 1_000 == 0 => (n / 1_000, "us"),
            n => (n, "ns"),
        };
        write!(f, "{value}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_is_the_shortest_exact_form() {
        for (nanos, text) in [
            (Nanos::from_micros(250), "250us"),
            (Nanos::from_millis(2), "2ms"),
            (Nanos::from_secs(10), "10s"),
            (Nanos::from_micros(16_670), "16670us"),
            (Nanos::new(-7), "-7ns"),
            (Nanos::ZERO, "0s"),
        ] {
            assert_eq!(nanos.to_string(), text);
        }
    }

    #[test]
    fn sums_saturate() {
        assert_eq!(Nanos::MAX + Nanos::new(1), Nanos::MAX);
        assert_eq!(Nanos::new(i64::MIN) - Nanos::new(1), Nanos::new(i64::MIN));
        assert_eq!(-Nanos::new(i64::MIN), Nanos::MAX);
    }

    #[test]
    fn sixty_frames_a_second_are_not_16_67_ms() {
        assert_eq!(Nanos::from_secs_f64(1.0 / 60.0), Nanos::new(16_666_667));
    }
}
