//! A test's settings as the window, the command line, and a report present them.
//!
//! A probe passes each setting to a [`Form`], a visitor. The window draws them, the command line
//! derives its options from them (in two passes: collect, then fill in), a report lists them.

pub mod parts;

use std::ops::RangeInclusive;

use super::conditions::Cell;
use crate::nanos::Nanos;

/// Identifies a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name on the command line, in kebab-case, and in [`Problem::key`](super::Problem).
    pub key: &'static str,
    /// The label on screen.
    pub label: &'static str,
    /// The name where its group is not shown, as in a list of all settings.
    pub name: &'static str,
    /// What it does, in one or two sentences.
    pub help: &'static str,
    /// Whether 0 means automatic, as the help states.
    pub zero_is_auto: bool,
}

impl Field {
    /// A setting with its key, its label, and its help.
    pub const fn new(key: &'static str, label: &'static str, help: &'static str) -> Self {
        Self { key, label, name: label, help, zero_is_auto: false }
    }

    /// The setting, with a separate name where its group is not shown.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The setting, with 0 for automatic.
    #[must_use]
    pub const fn auto_at_zero(self) -> Self {
        Self { zero_is_auto: true, ..self }
    }
}

/// The number that belongs to a choice, such as the spin tail of a hybrid wait.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// None.
    None,
    /// A duration in this range; with `optional`, it may be automatic.
    Duration {
        /// Allowed values.
        range: RangeInclusive<Nanos>,
        /// The value used when a choice is made without one.
        default: Nanos,
        /// Whether it may be absent.
        optional: bool,
    },
    /// A count in this range.
    Count {
        /// Allowed values.
        range: RangeInclusive<i64>,
        /// The value used when none is given.
        default: i64,
    },
}

/// One of several values of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The key on the command line; empty if the parameter alone identifies it.
    pub key: &'static str,
    /// The label on screen.
    pub label: &'static str,
    /// What it means, in one sentence.
    pub help: &'static str,
    /// The number that belongs to it.
    pub parameter: Parameter,
}

impl Choice {
    /// A choice without a number.
    pub const fn plain(key: &'static str, label: &'static str, help: &'static str) -> Self {
        Self { key, label, help, parameter: Parameter::None }
    }

    /// Whether it exists on a system, by the name that [`std::env::consts::OS`] has for it. The command
    /// line accepts all of them, for plans of other machines.
    pub fn is_available_on(&self, system: &str) -> bool {
        match self.key {
            "mmcss-games" | "mmcss-pro-audio" | "whole-millis" => system == "windows",
            "deadline" | "fifo" | "rr" => system == "linux",
            _ => true,
        }
    }
}

/// Which of several choices is selected, with its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Position in the list of choices.
    pub index: usize,
    /// The number: nanoseconds or a count; absent if the choice has none.
    pub parameter: Option<i64>,
}

impl Selection {
    /// A choice without a number.
    pub const fn plain(index: usize) -> Self {
        Self { index, parameter: None }
    }

    /// A choice with its number.
    pub const fn with(index: usize, parameter: i64) -> Self {
        Self { index, parameter: Some(parameter) }
    }
}

/// Returns a number with its unit: `60 FPS`, `5% of a frame`.
pub fn with_unit(value: impl std::fmt::Display, unit: &str) -> String {
    let space = if unit.is_empty() || unit.starts_with('%') { "" } else { " " };
    format!("{value}{space}{unit}")
}

/// Presents or fills in settings.
pub trait Form {
    /// Begins a group of settings with a caption.
    fn group(&mut self, title: &'static str);

    /// Begins a group that is on or off as a whole. A form without such groups shows a plain group,
    /// whose settings mean the same.
    fn group_with_switch(&mut self, title: &'static str, _on: &mut bool) {
        self.group(title);
    }

    /// A duration.
    fn duration(&mut self, field: &Field, value: &mut Nanos, range: RangeInclusive<Nanos>);

    /// A whole number; `unit` names what it counts, such as "threads".
    fn count(
        &mut self,
        field: &Field,
        value: &mut u32,
        range: RangeInclusive<u32>,
        unit: &'static str,
    );

    /// A number with a fraction, with the most common values.
    fn number(
        &mut self,
        field: &Field,
        value: &mut f64,
        range: RangeInclusive<f64>,
        default: &[f64],
        unit: &'static str,
    );

    /// One of several choices.
    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]);

    /// Any number of several choices, each with its own number if it has one.
    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]);

    /// A matrix of priority × pinning, of which any cells may be selected.
    fn matrix(&mut self, priority: &Field, cpu: &Field, cells: &mut Vec<Cell>);

    /// On or off.
    fn switch(&mut self, field: &Field, value: &mut bool);

    /// A few sentences to read with the settings; only a window shows them.
    fn note(&mut self, _text: &'static str) {}

    /// Settings that apply only under a condition. Otherwise the window hides them, and the command
    /// line accepts them and reports, with `why`, that they have no effect.
    fn when(&mut self, condition: bool, why: &'static str, settings: &mut dyn FnMut(&mut dyn Form));
}

/// Shows a list of plain enum values as a set.
pub fn choose_several<T: Copy + PartialEq>(
    form: &mut dyn Form,
    field: &Field,
    values: &mut Vec<T>,
    options: &[(T, Choice)],
) {
    let mut picks: Vec<Selection> = values
        .iter()
        .filter_map(|value| options.iter().position(|(option, _)| option == value))
        .map(Selection::plain)
        .collect();
    let choices: Vec<Choice> = options.iter().map(|(_, choice)| choice.clone()).collect();
    form.set(field, &mut picks, &choices);
    *values =
        picks.iter().filter_map(|pick| options.get(pick.index).map(|(value, _)| *value)).collect();
}

/// Shows durations as a set: the common ones, each with its key, and a custom one.
pub fn lengths(
    form: &mut dyn Form,
    field: &Field,
    values: &mut Vec<Nanos>,
    default: &[(Nanos, &'static str, &'static str)],
    range: RangeInclusive<Nanos>,
    own: Nanos,
) {
    let mut choices: Vec<Choice> =
        default.iter().map(|(_, key, label)| Choice::plain(key, label, "")).collect();
    choices.push(Choice {
        key: "",
        label: "Custom",
        help: "Any other duration.",
        parameter: Parameter::Duration { range, default: own, optional: false },
    });
    let mut picks: Vec<Selection> = values
        .iter()
        .map(|value| {
            let known = default.iter().position(|(length, ..)| length == value);
            known.map_or(Selection::with(default.len(), value.get()), Selection::plain)
        })
        .collect();
    form.set(field, &mut picks, &choices);
    *values = picks
        .iter()
        .filter_map(|pick| match default.get(pick.index) {
            Some((length, ..)) => Some(*length),
            None => pick.parameter.map(Nanos::new),
        })
        .collect();
}

/// Shows a plain enum as a choice.
pub fn choose<T: Copy + PartialEq>(
    form: &mut dyn Form,
    field: &Field,
    value: &mut T,
    options: &[(T, Choice)],
) {
    let index = options.iter().position(|(option, _)| option == value).unwrap_or(0);
    let mut pick = Selection::plain(index);
    let choices: Vec<Choice> = options.iter().map(|(_, choice)| choice.clone()).collect();
    form.choice(field, &mut pick, &choices);
    if let Some((option, _)) = options.get(pick.index) {
        *value = *option;
    }
}
