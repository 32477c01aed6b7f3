//! Formats times as text: a single value in the unit that suits it, or all values of a column in one unit.

use serde::{Deserialize, Serialize};

use super::number::{fixed, has_value, scale, signed, signed_or_plain};
use super::{MINUS, NARROW_SPACE, format_count};
use crate::nanos::Nanos;

/// The time unit of a column or a plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// The unit depends on the values.
    #[default]
    Auto,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanos,
    /// Microseconds.
    #[serde(rename = "us")]
    Micros,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Millis,
}

impl Unit {
    /// All units, in the order in which a list shows them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Nanos, Self::Micros, Self::Millis];

    /// Returns the symbol of the unit, or the text `Auto`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Auto => "Auto",
            Self::Nanos => "ns",
            Self::Micros => "µs",
            Self::Millis => "ms",
        }
    }

    /// Returns this unit, or for `Auto` the unit that suits the values.
    #[must_use]
    pub fn or_for(self, values: &[Nanos]) -> Self {
        if self == Self::Auto { choose_unit(values) } else { self }
    }

    const fn nanos(self) -> u64 {
        match self {
            Self::Nanos => 1,
            Self::Auto | Self::Micros => 1_000,
            Self::Millis => 1_000_000,
        }
    }
}

/// The formats of single values: upper end in nanoseconds, nanoseconds per unit, decimals, and symbol.
///
/// A value has the first format whose upper end is above the rounded value: 9 996 ns is `10.0 µs`, not `10.00 µs`.
const FORMS: [(u64, u64, u32, &str); 8] = [
    (1_000, 1, 0, "ns"),
    (10_000, 1_000, 2, "µs"),
    (100_000, 1_000, 1, "µs"),
    (1_000_000, 1_000, 0, "µs"),
    (10_000_000, 1_000_000, 3, "ms"),
    (100_000_000, 1_000_000, 2, "ms"),
    (1_000_000_000, 1_000_000, 1, "ms"),
    (u64::MAX, 1_000_000_000, 2, "s"),
];

/// Formats a single value: `41 ns`, `8.70 µs`, `16.03 ms`, `1.20 s`.
pub fn format_time(length: Nanos) -> String {
    let (number, unit) = time_parts(length);
    format!("{number}{NARROW_SPACE}{unit}")
}

/// Formats a duration like a clock: `0:45`, `6:11`, `1:02:03`.
pub fn format_clock(length: Nanos) -> String {
    let secs = whole_secs(length);
    let (hours, minutes, secs) = (secs / 3_600, secs / 60 % 60, secs % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{secs:02}")
    } else {
        format!("{minutes}:{secs:02}")
    }
}

/// Formats a duration for a sentence: `6 min 11 s`, `1 h 12 min`, or `6 min` without seconds. A duration below a
/// second is formatted as a single value. From one hour, seconds are omitted.
pub fn format_long_time(length: Nanos) -> String {
    if length < Nanos::from_secs(1) {
        return format_time(length);
    }
    let secs = whole_secs(length);
    let (hours, minutes) = (secs / 3_600, secs / 60 % 60);
    match (hours, minutes, secs % 60) {
        (0, 0, secs) => format!("{secs} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, secs) => format!("{minutes} min {secs} s"),
        (hours, 0, _) => format!("{} h", format_count(hours)),
        (hours, minutes, _) => format!("{} h {minutes} min", format_count(hours)),
    }
}

/// Formats a single value; returns the number and the unit separately.
pub fn time_parts(length: Nanos) -> (String, &'static str) {
    let nanos = length.get().unsigned_abs();
    let mut found = (String::new(), "s");
    for (end, unit_nanos, decimals, unit) in FORMS {
        let scaled = scale(nanos, unit_nanos, decimals);
        if scaled < scale(end, unit_nanos, decimals) {
            found = (fixed(scaled, decimals), unit);
            break;
        }
    }
    (signed_or_plain(length < Nanos::ZERO, &found.0), found.1)
}

/// Formats a change of a time, with a sign unless the change is 0: `+1.940 ms`.
pub fn format_signed_time(change: Nanos) -> String {
    signed(change.cmp(&Nanos::ZERO), &format_time(change.abs()))
}

/// Formats a single value; if it is below the clock resolution of, for example, 100 ns, returns `< 100 ns`.
pub fn format_time_above(length: Nanos, clock_step: Nanos) -> String {
    if length.abs() < clock_step {
        format!("< {}", format_time(clock_step))
    } else {
        format_time(length)
    }
}

/// Formats a time in a unit with a fixed number of decimals; returns the number without the unit.
///
/// A value that is not 0 but rounds to 0 is formatted as `< 0.1`, or as `> −0.1` if it is negative.
pub fn format_time_in(length: Nanos, unit: Unit, decimals: u32) -> String {
    let unit = unit.or_for(&[length]);
    let text = fixed(scale(length.get().unsigned_abs(), unit.nanos(), decimals), decimals);
    let negative = length < Nanos::ZERO;
    if has_value(&text) || length == Nanos::ZERO {
        return signed_or_plain(negative, &text);
    }
    let min = fixed(1, decimals);
    if negative { format!("> {MINUS}{min}") } else { format!("< {min}") }
}

/// Formats a change of a time in a unit with a fixed number of decimals, with a sign unless the printed change is 0;
/// returns the number without the unit.
pub fn format_signed_time_in(change: Nanos, unit: Unit, decimals: u32) -> String {
    let unit = unit.or_for(&[change]);
    let text = fixed(scale(change.get().unsigned_abs(), unit.nanos(), decimals), decimals);
    signed(change.cmp(&Nanos::ZERO), &text)
}

/// Values of a column with more digits before the decimal point take the next larger unit.
const MAX_DIGITS: u32 = 6;

/// Returns the unit for a column of these values: the unit that suits their median, or a larger one if the largest value
/// had more than six digits in it.
pub fn choose_unit(values: &[Nanos]) -> Unit {
    let (middle, largest) = middle_and_largest(values);
    let of_middle = match middle {
        Some(0..1_000) => Unit::Nanos,
        None | Some(..1_000_000) => Unit::Micros,
        Some(_) => Unit::Millis,
    };
    let fits = |unit: &Unit| largest.unsigned_abs() / unit.nanos() < 10_u64.pow(MAX_DIGITS);
    let larger = [Unit::Nanos, Unit::Micros].into_iter().skip_while(|unit| *unit != of_middle);
    larger.into_iter().find(fits).unwrap_or(Unit::Millis)
}

/// Returns the number of decimals for all values of a column, so that the decimal points line up. It depends on the
/// largest value, and is the highest one of the unit if the median is below one unit.
pub fn choose_decimals(column: &[Nanos], unit: Unit) -> u32 {
    let unit = unit.or_for(column);
    let (middle, largest) = middle_and_largest(column);
    let is_small = middle.is_some_and(|middle| middle.unsigned_abs() < unit.nanos());
    // A column of milliseconds whose median is below 1 ms has all decimals, as if every value were.
    let is_below_unit = is_small && unit == Unit::Millis;
    let whole = if is_below_unit { 0 } else { largest.unsigned_abs() / unit.nanos() };
    match (unit, whole) {
        (Unit::Auto | Unit::Micros, 10..) if is_small => 2,
        (Unit::Nanos, _) | (Unit::Auto | Unit::Micros, 10..) => 0,
        (Unit::Auto | Unit::Micros, _) | (Unit::Millis, 100..) => 1,
        (Unit::Millis, 10..) => 2,
        (Unit::Millis, _) => 3,
    }
}

/// Returns the median and the largest of the sizes of the values, in nanoseconds; no median and 0 without values.
fn middle_and_largest(values: &[Nanos]) -> (Option<i64>, i64) {
    let mut sizes: Vec<i64> = values.iter().map(|value| value.abs().get()).collect();
    sizes.sort_unstable();
    (sizes.get(sizes.len() / 2).copied(), sizes.last().copied().unwrap_or(0))
}

/// Formats a period, or a mean of periods, in milliseconds with three decimals: `16.667 ms`.
pub fn format_period(length: Nanos) -> String {
    format!("{}{NARROW_SPACE}ms", format_time_in(length, Unit::Millis, 3))
}

/// Formats a time in milliseconds, exact to the nanosecond: `5.000 039 ms`.
pub fn format_exact_millis(length: Nanos) -> String {
    let nanos = length.get().unsigned_abs();
    let whole = fixed(nanos / 1_000_000, 0);
    let (micros, rest) = (nanos / 1_000 % 1_000, nanos % 1_000);
    let text = format!("{whole}.{micros:03}{NARROW_SPACE}{rest:03}{NARROW_SPACE}ms");
    signed_or_plain(length < Nanos::ZERO, &text)
}

/// Formats a mean and its error, both in milliseconds, without the unit: `11.544 ± 0.154`.
pub fn format_mean_error(mean: Nanos, error: Nanos) -> String {
    format!(
        "{} ± {}",
        format_time_in(mean, Unit::Millis, 3),
        format_time_in(error, Unit::Millis, 3)
    )
}

/// Formats a requested time with at most three decimals, without trailing zeros: `1 ms`, `16.67 ms`.
pub fn format_setting(length: Nanos) -> String {
    let (unit, size) = match length.abs().get() {
        0..1_000 => ("ns", 1.0),
        1_000..1_000_000 => ("µs", 1e3),
        1_000_000..1_000_000_000 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let number = format!("{:.3}", length.as_f64() / size);
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number} {unit}")
}

/// Returns a duration rounded to whole seconds; 0 if it is negative.
fn whole_secs(length: Nanos) -> u64 {
    u64::try_from(length.get()).unwrap_or(0).saturating_add(500_000_000) / 1_000_000_000
}

#[cfg(test)]
mod tests;
