//! A test's settings as the window, the command line, and a report present them.
//!
//! A probe passes each setting to a [`Form`], a visitor. The window draws them, the command line
//! derives its options from them (in two passes: collect, then fill in), a report lists them, and
//! [`Plan::problems`](super::Plan::problems) finds what is out of range.

mod check;
mod parameter;
pub mod parts;

use super::conditions::Cell;
use crate::nanos::Nanos;

pub(super) use check::RangeCheck;
pub use parameter::{FieldUnit, MachineLimit, Parameter, Quantity};

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
}

impl Field {
    /// A setting with its key, its label, and its help.
    pub const fn new(key: &'static str, label: &'static str, help: &'static str) -> Self {
        Self { key, label, name: label, help }
    }

    /// The setting, with a separate name where its group is not shown.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The setting of this number.
    pub const fn number(self, parameter: Parameter) -> Number {
        Number { field: self, parameter }
    }

    /// The name within a sentence.
    pub fn name_in_sentence(&self) -> String {
        let mut letters = self.name.chars();
        let first = letters.next().map(|first| first.to_lowercase().to_string());
        match first {
            // An acronym remains as it is.
            Some(first) if letters.as_str().starts_with(char::is_lowercase) => {
                first + letters.as_str()
            }
            _ => self.name.to_owned(),
        }
    }
}

/// A setting that is a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The setting.
    pub field: Field,
    /// The number.
    pub parameter: Parameter,
}

/// One of several values of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The key on the command line; empty if the parameter alone identifies it.
    pub key: &'static str,
    /// The label on screen.
    pub label: &'static str,
    /// What it means, in one sentence.
    pub help: &'static str,
    /// The number that belongs to it, such as the spin tail of a hybrid wait.
    pub parameter: Option<Parameter>,
    /// The only system that has it, by the name in [`std::env::consts::OS`].
    pub system: Option<&'static str>,
    /// The key of the choice that it is a variant of.
    pub variant_of: Option<&'static str>,
}

impl Choice {
    /// A choice without a number.
    pub const fn plain(key: &'static str, label: &'static str, help: &'static str) -> Self {
        Self { key, label, help, parameter: None, system: None, variant_of: None }
    }

    /// The choice, with a number.
    #[must_use]
    pub const fn with(self, parameter: Parameter) -> Self {
        Self { parameter: Some(parameter), ..self }
    }

    /// The choice, which exists only on this system.
    #[must_use]
    pub const fn only_on(self, system: &'static str) -> Self {
        Self { system: Some(system), ..self }
    }

    /// The choice, as a variant of the one with this key.
    #[must_use]
    pub const fn variant_of(self, key: &'static str) -> Self {
        Self { variant_of: Some(key), ..self }
    }

    /// Whether it exists on this system. The command line accepts all of them, for plans of other
    /// machines.
    pub fn is_available(&self) -> bool {
        self.system.is_none_or(|system| system == std::env::consts::OS)
    }

    /// The key that it shares with its variants.
    pub fn family(&self) -> &'static str {
        self.variant_of.unwrap_or(self.key)
    }

    /// The number that it begins with; `None` if it has none or begins as automatic.
    pub fn first_number(&self) -> Option<f64> {
        self.parameter.filter(|parameter| parameter.automatic.is_none()).map(|it| it.default)
    }

    /// The syntax of the command line, with the range of its number: `hybrid[:TIME] (50us to 10ms)`.
    pub fn spelling(&self) -> String {
        let Some(parameter) = &self.parameter else { return self.key.to_owned() };
        let number = if parameter.unit.is_time() { "TIME" } else { "N" };
        let range = parameter.written_range();
        match self.key {
            "" => format!("{number} ({range})"),
            key if parameter.automatic.is_some() => format!("{key}[:{number}] ({range})"),
            key => format!("{key}:{number} ({range})"),
        }
    }

    /// The choice with this number as the command line writes it: `hybrid:2ms`.
    pub fn written(&self, number: Option<f64>) -> String {
        match (self.key, self.parameter.zip(number)) {
            (key, None) => key.to_owned(),
            ("", Some((parameter, number))) => parameter.written(number),
            (key, Some((parameter, number))) => format!("{key}:{}", parameter.written(number)),
        }
    }
}

/// Which of several choices is selected, with its number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Selection {
    /// Position in the list of choices.
    pub index: usize,
    /// The number: nanoseconds or a count; absent if the choice has none.
    pub number: Option<f64>,
}

impl Selection {
    /// A choice without a number.
    pub const fn plain(index: usize) -> Self {
        Self { index, number: None }
    }

    /// A choice with its number.
    pub fn with(index: usize, number: impl Quantity) -> Self {
        Self { index, number: Some(number.number()) }
    }

    /// Its number.
    pub fn value<T: Quantity>(self) -> Option<T> {
        self.number.map(T::of)
    }
}

/// Presents or fills in settings.
pub trait Form {
    /// Begins a group of settings with a caption.
    fn group(&mut self, _title: &'static str) {}

    /// Begins a group that is on or off as a whole. A form without such groups shows a plain group,
    /// whose settings mean the same.
    fn group_with_switch(&mut self, title: &'static str, _on: &mut bool) {
        self.group(title);
    }

    /// A number.
    fn number(&mut self, number: &Number, value: &mut f64);

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

impl dyn Form + '_ {
    /// Shows a duration, a count, or a number with a fraction.
    pub fn value<T: Quantity>(&mut self, number: &Number, value: &mut T) {
        let before = value.number();
        let mut shown = before;
        self.number(number, &mut shown);
        if shown.total_cmp(&before).is_ne() {
            *value = T::of(shown);
        }
    }
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
    let choices: Vec<Choice> = options.iter().map(|(_, choice)| *choice).collect();
    form.set(field, &mut picks, &choices);
    *values =
        picks.iter().filter_map(|pick| options.get(pick.index).map(|(value, _)| *value)).collect();
}

/// Shows durations as a set: the common ones, each with its key, and a custom one.
pub fn lengths(
    form: &mut dyn Form,
    field: &Field,
    values: &mut Vec<Nanos>,
    common: &[(Nanos, &'static str, &'static str)],
    custom: Parameter,
) {
    let mut choices: Vec<Choice> =
        common.iter().map(|(_, key, label)| Choice::plain(key, label, "")).collect();
    choices.push(Choice::plain("", "Custom", "Any other duration.").with(custom));
    let mut picks: Vec<Selection> = values
        .iter()
        .map(|value| {
            let known = common.iter().position(|(length, ..)| length == value);
            known.map_or(Selection::with(common.len(), *value), Selection::plain)
        })
        .collect();
    form.set(field, &mut picks, &choices);
    *values = picks
        .iter()
        .filter_map(|pick| match common.get(pick.index) {
            Some((length, ..)) => Some(*length),
            None => pick.value(),
        })
        .collect();
}

/// Shows whole numbers as a set of one custom choice.
pub fn counts(form: &mut dyn Form, field: &Field, values: &mut Vec<u32>, choice: Choice) {
    let mut picks: Vec<Selection> = values.iter().map(|&count| Selection::with(0, count)).collect();
    form.set(field, &mut picks, &[choice]);
    *values = picks.into_iter().filter_map(Selection::value).collect();
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
    let choices: Vec<Choice> = options.iter().map(|(_, choice)| *choice).collect();
    form.choice(field, &mut pick, &choices);
    if let Some((option, _)) = options.get(pick.index) {
        *value = *option;
    }
}
