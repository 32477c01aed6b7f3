//! The type of times: a signed length of time, or an instant counted from a trial's start, in nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A time in whole nanoseconds, between about -292 and 292 years.
///
/// Arithmetic saturates instead of overflowing, so that extreme values in a file cannot cause a panic.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(i64);

impl Nanos {
    /// A length of zero.
    pub const ZERO: Self = Self(0);
    /// The longest representable time.
    pub const MAX: Self = Self(i64::MAX);
    /// Before all times.
    pub const MIN: Self = Self(i64::MIN);

    /// Creates a time from nanoseconds.
    pub const fn new(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Creates a time from microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// Creates a time from milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Creates a time from whole seconds.
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// Creates a time from fractional seconds, rounded to the nearest nanosecond. NaN becomes 0.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self::from_nanos_f64(secs * 1e9)
    }

    /// Creates a time from fractional nanoseconds, rounded to the nearest nanosecond. NaN becomes 0.
    ///
    /// `f64::round` is a call into the C library on every x86-64, and large files are full of times. Here, what is left of
    /// the whole number is exact: above 2^53, a float has no fraction.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "float to integer saturates, as promised, and what was a float is one again"
    )]
    pub const fn from_nanos_f64(nanos: f64) -> Self {
        let whole = nanos as i64;
        let rest = nanos - whole as f64;
        Self(whole.saturating_add((0.5 <= rest) as i64 - (rest <= -0.5) as i64))
    }

    /// Returns the number of nanoseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the number of nanoseconds as a float, which is exact below 2^53 ns, or 104 days.
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 ns")]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// Returns the number of microseconds, with a fraction.
    pub const fn as_micros(self) -> f64 {
        self.as_f64() / 1e3
    }

    /// Returns the number of milliseconds, with a fraction.
    pub const fn as_millis(self) -> f64 {
        self.as_f64() / 1e6
    }

    /// Returns the number of seconds, with a fraction.
    pub const fn as_secs(self) -> f64 {
        self.as_f64() / 1e9
    }

    /// Returns the absolute value.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// Converts to a duration of the standard library. A negative time becomes 0.
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
    /// Writes the shortest exact form that the command line can read: `250us`, `2ms`, `10s`, `16670us`.
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

    /// By hand: the C library of MinGW rounds the third of these up.
    #[test]
    fn nanoseconds_are_rounded_to_the_nearest_and_halves_away_from_zero() {
        for (nanos, expected) in [
            (0.0, 0),
            (0.25, 0),
            (0.499_999_999_999_999_94, 0),
            (0.5, 1),
            (0.500_000_000_000_000_1, 1),
            (1.5, 2),
            (2.5, 3),
            (4_503_599_627_370_495.5, 4_503_599_627_370_496),
            (9_007_199_254_740_992.0, 9_007_199_254_740_992),
            (1e300, i64::MAX),
            (f64::INFINITY, i64::MAX),
        ] {
            assert_eq!(Nanos::from_nanos_f64(nanos), Nanos::new(expected), "{nanos}");
            let negative = if expected == i64::MAX { i64::MIN } else { -expected };
            assert_eq!(Nanos::from_nanos_f64(-nanos), Nanos::new(negative), "-{nanos}");
        }
        assert_eq!(Nanos::from_nanos_f64(f64::NAN), Nanos::ZERO);
    }

    #[test]
    fn sixty_frames_a_second_are_not_16_67_ms() {
        assert_eq!(Nanos::from_secs_f64(1.0 / 60.0), Nanos::new(16_666_667));
    }
}
