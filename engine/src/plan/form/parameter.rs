//! Describes a number that a setting takes: its unit, its range, and how an input field shows it.

use crate::nanos::Nanos;
use crate::plan::CpuFacts;
use crate::plan::units::{meant_nanos, parse_nanos};
use crate::units::{format_count, format_cpus, format_setting, singular};

/// Unit and format in which an input field shows a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldUnit {
    /// A duration in nanoseconds below 1 µs, in microseconds below 1 ms, and otherwise in milliseconds.
    Time,
    /// A duration in whole nanoseconds: `1 666 666 ns`.
    Nanos,
    /// A duration in microseconds with two decimals: `1.00 µs`.
    Micros,
    /// A duration in milliseconds with two decimals: `2.00 ms`.
    Millis,
    /// A duration in seconds, with decimals only if needed: `30 s`.
    Secs,
    /// A whole number, followed by this unit: `4 threads`.
    Count(&'static str),
    /// A number with decimals only if needed, followed by this unit: `59.94 FPS`.
    Fraction(&'static str),
}

impl FieldUnit {
    /// Returns the unit in which the field shows this value. Only the unit of `Time` depends on the value.
    #[must_use]
    pub fn of(self, value: f64) -> Self {
        match self {
            Self::Time if value < 1e3 => Self::Nanos,
            Self::Time if value < 1e6 => Self::Micros,
            Self::Time => Self::Millis,
            unit => unit,
        }
    }

    /// Returns the number of nanoseconds in this unit, or 1.0 if the number is not a duration.
    pub const fn size(self) -> f64 {
        match self {
            Self::Time | Self::Nanos | Self::Count(_) | Self::Fraction(_) => 1.0,
            Self::Micros => 1e3,
            Self::Millis => 1e6,
            Self::Secs => 1e9,
        }
    }

    /// Converts a number in this unit for a form: a duration to whole nanoseconds, other numbers unchanged.
    const fn scaled(self, number: f64) -> f64 {
        if self.is_time() { (number * self.size()).round() } else { number }
    }

    /// Returns the text that follows the number in the field; empty for `Time`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Time => "",
            Self::Nanos => "ns",
            Self::Micros => "µs",
            Self::Millis => "ms",
            Self::Secs => "s",
            Self::Count(name) | Self::Fraction(name) => name,
        }
    }

    /// Returns whether the number is a duration.
    pub const fn is_time(self) -> bool {
        !matches!(self, Self::Count(_) | Self::Fraction(_))
    }
}

/// How the CPUs of a machine change the range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineLimit {
    /// The range is the same on every machine.
    None,
    /// Only the numbers of usable CPUs are allowed.
    UsableCpu,
    /// The maximum is four per logical CPU.
    FourPerCpu,
}

/// A number that a setting or one of its choices takes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Parameter {
    /// Name of the number in error messages, in lower case; if empty, messages use the name of the setting.
    pub label: &'static str,
    /// Unit in which the input field shows the number.
    pub unit: FieldUnit,
    /// Minimum: nanoseconds for a duration, otherwise the number itself.
    pub min: f64,
    /// Maximum, in the same unit as `min`.
    pub max: f64,
    /// How the CPUs of the machine change the range.
    pub limit: MachineLimit,
    /// Value of a newly selected choice if the user enters no number, in the same unit as `min`.
    pub default: f64,
    /// Increment of the input field per arrow key, in the same unit as `min`; `None` uses the default of the unit.
    pub step: Option<f64>,
    /// Common values, which the window shows as buttons before a custom field.
    pub common: &'static [f64],
    /// Label of the automatic value, which the app determines. It is 0 in a setting, and no number in a choice.
    pub automatic: Option<&'static str>,
}

impl Parameter {
    const fn new(min: f64, max: f64, unit: FieldUnit) -> Self {
        let (min, max) = (unit.scaled(min), unit.scaled(max));
        Self {
            label: "",
            unit,
            min,
            max,
            limit: MachineLimit::None,
            default: min,
            step: None,
            common: &[],
            automatic: None,
        }
    }

    /// Returns a parameter for a duration of `min` to `max` nanoseconds, shown in the unit that fits its length.
    pub const fn time(min: f64, max: f64) -> Self {
        Self::new(min, max, FieldUnit::Time)
    }

    /// Returns a parameter for a duration of `min` to `max` microseconds.
    pub const fn micros(min: f64, max: f64) -> Self {
        Self::new(min, max, FieldUnit::Micros)
    }

    /// Returns a parameter for a duration of `min` to `max` milliseconds.
    pub const fn millis(min: f64, max: f64) -> Self {
        Self::new(min, max, FieldUnit::Millis)
    }

    /// Returns a parameter for a duration of `min` to `max` seconds.
    pub const fn secs(min: f64, max: f64) -> Self {
        Self::new(min, max, FieldUnit::Secs)
    }

    /// Returns a parameter for a whole number in this range; `unit` names what is counted, such as "threads".
    pub const fn count(min: u32, max: u32, unit: &'static str) -> Self {
        Self::new(min as f64, max as f64, FieldUnit::Count(unit))
    }

    /// Returns a parameter for a number with decimals in this range, followed by `unit`.
    pub const fn fraction(min: f64, max: f64, unit: &'static str) -> Self {
        Self::new(min, max, FieldUnit::Fraction(unit))
    }

    /// Sets the name of the number in error messages, in lower case.
    pub const fn labeled(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    /// Sets the number that the field shows until the user enters another one; `default` is in the field's unit.
    pub const fn beginning_at(self, default: f64) -> Self {
        Self { default: self.unit.scaled(default), ..self }
    }

    /// Sets the increment of the input field per arrow key, in the same unit as `min`.
    pub const fn in_steps_of(self, step: f64) -> Self {
        Self { step: Some(step), ..self }
    }

    /// Sets the common values, which the window shows as buttons.
    pub const fn commonly(self, common: &'static [f64]) -> Self {
        Self { common, ..self }
    }

    /// Adds an automatic value, which the app determines, and its label.
    pub const fn or_automatic(self, label: &'static str) -> Self {
        Self { automatic: Some(label), ..self }
    }

    /// Sets how the CPUs of the machine change the range.
    pub const fn within(self, limit: MachineLimit) -> Self {
        Self { limit, ..self }
    }

    /// Returns the value, or the nearest end of the range if the value is out of range.
    pub fn nearest<T: Quantity>(&self, value: T) -> T {
        T::of(value.number().clamp(self.min, self.max))
    }

    /// Returns whether a value is between `min` and `max`, without regard to the machine.
    pub fn contains(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }

    /// Returns whether this value of a setting is the automatic one, which the app determines.
    pub fn is_automatic(&self, value: f64) -> bool {
        self.automatic.is_some() && value.abs() < 0.5
    }

    /// Formats a value for the screen. The unit of a count is omitted if `name` already contains it.
    pub fn words(&self, value: f64, name: &str) -> String {
        match self.unit {
            FieldUnit::Count(unit) => {
                let count = format_count(u32::of(value));
                // "Rounds: 3", not "Rounds: 3 rounds".
                let is_named = name.to_lowercase().contains(&unit.to_lowercase());
                let unit = if count == "1" { singular(unit) } else { unit };
                if is_named { count } else { with_unit(count, unit) }
            }
            FieldUnit::Fraction(unit) => with_unit((value * 1e6).round() / 1e6, unit),
            _ => format_setting(Nanos::of(value)),
        }
    }

    /// Formats a value in the syntax of the command line: `250us`.
    pub fn written(&self, value: f64) -> String {
        if self.unit.is_time() { Nanos::of(value).to_string() } else { value.to_string() }
    }

    /// Formats the range in the syntax of the command line: `100ms to 600s`.
    pub fn written_range(&self) -> String {
        let range = format!("{} to {}", self.written(self.min), self.written(self.max));
        if let FieldUnit::Fraction(unit) = self.unit { with_unit(range, unit) } else { range }
    }

    /// Parses a value in the syntax of the command line; `None` if the text is invalid or out of range.
    pub fn read(&self, text: &str) -> Option<f64> {
        let value = match self.unit {
            FieldUnit::Count(_) => f64::from(text.parse::<u32>().ok()?),
            FieldUnit::Fraction(_) => text.parse().ok()?,
            _ => parse_nanos(text)?.as_f64(),
        };
        Some(value).filter(|value| self.contains(*value))
    }

    /// Returns what a time that [`read`](Self::read) refuses may mean, as the end of a sentence: `did you mean 10s?`;
    /// `None` if nothing is likely.
    pub fn hint(&self, text: &str) -> Option<String> {
        if !self.unit.is_time() {
            return None;
        }
        if let Some(time) = parse_nanos(text) {
            let end =
                if self.max < time.as_f64() { "above the maximum" } else { "below the minimum" };
            let written = time.to_string();
            let in_seconds = if written == text { String::new() } else { format!("{written}, ") };
            return Some(format!("{text} is {in_seconds}{end}"));
        }
        let likely: Vec<String> = meant_nanos(text)
            .into_iter()
            .filter(|text| self.read(text).is_some())
            .take(2)
            .collect();
        (!likely.is_empty()).then(|| format!("did you mean {}?", likely.join(" or ")))
    }

    /// Returns an error message, in which the number is called `name`, if a machine with `cpus` does not allow the
    /// value; otherwise `None`.
    pub(super) fn problem(&self, value: f64, name: &str, cpus: &CpuFacts) -> Option<String> {
        let four_per_cpu = f64::from(cpus.logical_count()) * 4.0;
        let words = |value| self.words(value, name);
        let (is_allowed, expected) = match self.limit {
            MachineLimit::UsableCpu if cpus.usable.contains(&u32::of(value)) => return None,
            MachineLimit::UsableCpu => {
                let usable = format_cpus(&cpus.usable).replace('–', "-");
                return Some(format!("CPU {value} is not available; usable CPUs: {usable}"));
            }
            MachineLimit::FourPerCpu => (
                (self.min..=four_per_cpu).contains(&value),
                format!("{}, 4 per logical CPU of {}", words(four_per_cpu), cpus.logical_count()),
            ),
            MachineLimit::None => (self.contains(value), words(self.max)),
        };
        // The minimum of a count or fraction has no unit, because the maximum after it shows the unit.
        let min = match self.unit {
            FieldUnit::Count(_) => format_count(u32::of(self.min)),
            FieldUnit::Fraction(_) => self.min.to_string(),
            _ => words(self.min),
        };
        // Rounded, a value just out of range would read as if it were within.
        let given = match self.unit {
            FieldUnit::Fraction(unit) => with_unit(value, unit),
            _ => words(value),
        };
        (!is_allowed).then(|| format!("{name}: {given}; expected {min} to {expected}"))
    }
}

/// Returns a number with its unit: `60 FPS`, `5% of a frame`.
fn with_unit(value: impl std::fmt::Display, unit: &str) -> String {
    let space = if unit.is_empty() || unit.starts_with('%') { "" } else { " " };
    format!("{value}{space}{unit}")
}

/// A type that the number of a setting can have: a duration, a count, or a number with decimals.
pub trait Quantity: Copy {
    /// Converts the value to the number that a form uses; a duration becomes its nanoseconds.
    fn number(self) -> f64;
    /// Converts the number of a form to a value, rounded if the type has no decimals.
    fn of(number: f64) -> Self;
}

impl Quantity for Nanos {
    fn number(self) -> f64 {
        self.as_f64()
    }

    fn of(number: f64) -> Self {
        Self::from_nanos_f64(number)
    }
}

impl Quantity for u32 {
    fn number(self) -> f64 {
        f64::from(self)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer saturates, and the form stays in its range"
    )]
    fn of(number: f64) -> Self {
        number.round() as Self
    }
}

impl Quantity for u8 {
    fn number(self) -> f64 {
        f64::from(self)
    }

    fn of(number: f64) -> Self {
        Self::try_from(u32::of(number)).unwrap_or(Self::MAX)
    }
}

impl Quantity for f64 {
    fn number(self) -> f64 {
        self
    }

    fn of(number: f64) -> Self {
        number
    }
}
