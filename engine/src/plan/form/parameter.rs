//! What a number of a setting means: its unit, its range, and how a field offers it.

use crate::nanos::Nanos;
use crate::plan::CpuFacts;
use crate::plan::units::{list, parse_nanos};
use crate::units::{format_count, format_setting};

/// How a number is shown in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldUnit {
    /// A duration in nanoseconds, microseconds, or milliseconds, as its length suggests.
    Time,
    /// A duration in whole nanoseconds: `1 666 666 ns`.
    Nanos,
    /// A duration in microseconds with two decimals: `1.00 µs`.
    Micros,
    /// A duration in milliseconds with two decimals: `2.00 ms`.
    Millis,
    /// A duration in seconds, with decimals only if needed: `30 s`.
    Secs,
    /// A whole number of something: `4 threads`.
    Count(&'static str),
    /// A number with decimals only if needed: `59.94 FPS`.
    Fraction(&'static str),
}

impl FieldUnit {
    /// The unit in which the field shows this value.
    #[must_use]
    pub fn of(self, value: f64) -> Self {
        match self {
            Self::Time if value < 1e3 => Self::Nanos,
            Self::Time if value < 1e6 => Self::Micros,
            Self::Time => Self::Millis,
            unit => unit,
        }
    }

    /// What a value of 1 in this unit is: nanoseconds, or itself.
    pub const fn size(self) -> f64 {
        match self {
            Self::Time | Self::Nanos | Self::Count(_) | Self::Fraction(_) => 1.0,
            Self::Micros => 1e3,
            Self::Millis => 1e6,
            Self::Secs => 1e9,
        }
    }

    /// A number of this unit as the form has it: whole nanoseconds, or itself.
    const fn scaled(self, number: f64) -> f64 {
        if self.is_time() { (number * self.size()).round() } else { number }
    }

    /// The text after the number.
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

    /// Whether the number is a duration.
    pub const fn is_time(self) -> bool {
        !matches!(self, Self::Count(_) | Self::Fraction(_))
    }
}

/// How a machine narrows a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineLimit {
    /// Not at all.
    None,
    /// To the numbers of its usable CPUs.
    UsableCpu,
    /// To four per logical CPU.
    FourPerCpu,
}

/// A number that a setting or one of its choices takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// What it is, in lower case, where the setting has other choices; empty if its field shows it.
    pub label: &'static str,
    /// The unit of its field.
    pub unit: FieldUnit,
    /// The smallest allowed value: nanoseconds or a count.
    pub min: f64,
    /// The largest allowed value.
    pub max: f64,
    /// How the machine narrows the range.
    pub limit: MachineLimit,
    /// The value when a choice is made without one.
    pub default: f64,
    /// The increment of an arrow key, where it is not the unit's own.
    pub step: Option<f64>,
    /// The most common values.
    pub common: &'static [f64],
    /// What leaving it to the app is called: 0 in a setting, no number in a choice.
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

    /// A duration in this range of nanoseconds, shown in the unit that its length suggests.
    pub const fn time(min: f64, max: f64) -> Self {
        Self::new(min, max, FieldUnit::Time)
    }

    /// A duration in this range of microseconds.
    pub const fn micros(min: f64, max: f64) -> Self {
        Self::new(min, max, FieldUnit::Micros)
    }

    /// A duration in this range of milliseconds.
    pub const fn millis(min: f64, max: f64) -> Self {
        Self::new(min, max, FieldUnit::Millis)
    }

    /// A duration in this range of seconds.
    pub const fn secs(min: f64, max: f64) -> Self {
        Self::new(min, max, FieldUnit::Secs)
    }

    /// A whole number in this range; `unit` names what it counts, such as "threads".
    pub const fn count(min: u32, max: u32, unit: &'static str) -> Self {
        Self::new(min as f64, max as f64, FieldUnit::Count(unit))
    }

    /// A number with a fraction in this range.
    pub const fn fraction(min: f64, max: f64, unit: &'static str) -> Self {
        Self::new(min, max, FieldUnit::Fraction(unit))
    }

    /// The same, called this where the setting has other choices.
    #[must_use]
    pub const fn labeled(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    /// The same, with the value in its unit when a choice is made without one.
    #[must_use]
    pub const fn beginning_at(self, default: f64) -> Self {
        Self { default: self.unit.scaled(default), ..self }
    }

    /// The same, with another increment of an arrow key.
    #[must_use]
    pub const fn in_steps_of(self, step: f64) -> Self {
        Self { step: Some(step), ..self }
    }

    /// The same, with its most common values.
    #[must_use]
    pub const fn commonly(self, common: &'static [f64]) -> Self {
        Self { common, ..self }
    }

    /// The same, which may be left to the app.
    #[must_use]
    pub const fn or_automatic(self, label: &'static str) -> Self {
        Self { automatic: Some(label), ..self }
    }

    /// The same, narrowed by the machine.
    #[must_use]
    pub const fn within(self, limit: MachineLimit) -> Self {
        Self { limit, ..self }
    }

    /// The nearest allowed value.
    pub fn nearest<T: Quantity>(&self, value: T) -> T {
        T::of(value.number().clamp(self.min, self.max))
    }

    /// Whether it allows a value on some machine.
    pub fn contains(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }

    /// Whether a setting of this value is left to the app.
    pub fn is_automatic(&self, value: f64) -> bool {
        self.automatic.is_some() && value.abs() < 0.5
    }

    /// A value in words; a unit that the name of the setting already has is omitted.
    pub fn words(&self, value: f64, name: &str) -> String {
        match self.unit {
            FieldUnit::Count(unit) => {
                let count = format_count(u32::of(value).into());
                // "Rounds: 3", not "Rounds: 3 rounds".
                let is_named = name.to_lowercase().contains(&unit.to_lowercase());
                if is_named { count } else { with_unit(count, unit) }
            }
            FieldUnit::Fraction(unit) => with_unit(value, unit),
            _ => format_setting(Nanos::of(value)),
        }
    }

    /// A value as the command line writes it: `250us`.
    pub fn written(&self, value: f64) -> String {
        if self.unit.is_time() { Nanos::of(value).to_string() } else { value.to_string() }
    }

    /// The range as the command line writes it: `100ms to 600s`.
    pub fn written_range(&self) -> String {
        let range = format!("{} to {}", self.written(self.min), self.written(self.max));
        if let FieldUnit::Fraction(unit) = self.unit { with_unit(range, unit) } else { range }
    }

    /// Reads a value as the command line writes it; `None` if it is none or out of range.
    pub fn read(&self, text: &str) -> Option<f64> {
        let value = match self.unit {
            FieldUnit::Count(_) => f64::from(text.parse::<u32>().ok()?),
            FieldUnit::Fraction(_) => text.parse().ok()?,
            _ => parse_nanos(text)?.as_f64(),
        };
        Some(value).filter(|value| self.contains(*value))
    }

    /// Why a machine with these CPUs does not allow a value; `name` is what the message calls it.
    pub(super) fn problem(&self, value: f64, name: &str, cpus: &CpuFacts) -> Option<String> {
        let four_per_cpu = f64::from(cpus.logical_count()) * 4.0;
        let words = |value| self.words(value, name);
        let (is_allowed, expected) = match self.limit {
            MachineLimit::UsableCpu if cpus.usable.contains(&u32::of(value)) => return None,
            MachineLimit::UsableCpu => {
                let usable = list(&cpus.usable);
                return Some(format!("CPU {value} is not available; usable CPUs: {usable}"));
            }
            MachineLimit::FourPerCpu => (
                (self.min..=four_per_cpu).contains(&value),
                format!("{}, 4 per logical CPU of {}", words(four_per_cpu), cpus.logical_count()),
            ),
            MachineLimit::None => (self.contains(value), words(self.max)),
        };
        // The unit stands once, after the range.
        let min = match self.unit {
            FieldUnit::Count(_) => format_count(u32::of(self.min).into()),
            FieldUnit::Fraction(_) => self.min.to_string(),
            _ => words(self.min),
        };
        (!is_allowed).then(|| format!("{name}: {}; expected {min} to {expected}", words(value)))
    }
}

/// Returns a number with its unit: `60 FPS`, `5% of a frame`.
fn with_unit(value: impl std::fmt::Display, unit: &str) -> String {
    let space = if unit.is_empty() || unit.starts_with('%') { "" } else { " " };
    format!("{value}{space}{unit}")
}

/// What a number of a setting can be: a duration, a count, a number with a fraction.
pub trait Quantity: Copy {
    /// The number in a form: of a duration, its nanoseconds.
    fn number(self) -> f64;
    /// The value of a number in a form.
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

impl Quantity for f64 {
    fn number(self) -> f64 {
        self
    }

    fn of(number: f64) -> Self {
        number
    }
}
