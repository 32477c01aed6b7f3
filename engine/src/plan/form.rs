//! Presents the settings of a test in the window, on the command line, and in reports.
//!
//! A probe passes each setting to a [`Form`], a visitor. There are several forms: the window draws the
//! settings, the command line collects its options from the settings and later fills in their values, a
//! report lists the settings, and [`Plan::problems`](super::Plan::problems) finds values out of range.

mod check;
mod parameter;
pub mod parts;

use super::conditions::Cell;
use crate::nanos::Nanos;

pub(super) use check::RangeCheck;
pub use parameter::{FieldUnit, MachineLimit, Parameter, Quantity};

/// The names of a setting, and its help text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name on the command line, in kebab-case, and in [`Problem::key`](super::Problem).
    pub key: &'static str,
    /// The label on screen.
    pub label: &'static str,
    /// The name in places that do not show the group of the setting, such as a list of all settings.
    pub name: &'static str,
    /// What the setting does, in one or two sentences.
    pub help: &'static str,
}

impl Field {
    /// Creates a setting whose name is its label.
    pub const fn new(key: &'static str, label: &'static str, help: &'static str) -> Self {
        Self { key, label, name: label, help }
    }

    /// Returns the setting with another name for places that do not show its group.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Returns the setting together with the number that it takes.
    pub const fn number(self, parameter: Parameter) -> Number {
        Number { field: self, parameter }
    }

    /// Returns the name for use within a sentence, with a lower-case first letter.
    pub fn name_in_sentence(&self) -> String {
        let mut letters = self.name.chars();
        let first = letters.next().map(|first| first.to_lowercase().to_string());
        match first {
            // If the second letter is not lower case, the word is an acronym and remains unchanged.
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
    /// The names of the setting.
    pub field: Field,
    /// The unit, range, and default of the number.
    pub parameter: Parameter,
}

/// One of several values that a setting can have.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Choice {
    /// The key on the command line; empty if the choice is written as its number only.
    pub key: &'static str,
    /// The label on screen.
    pub label: &'static str,
    /// What the choice means, in one or two sentences; empty for common durations, which need no explanation.
    pub help: &'static str,
    /// The number that belongs to the choice, such as the spin tail of a hybrid wait; `None` without one.
    pub parameter: Option<Parameter>,
    /// The only system that has the choice, named as in [`std::env::consts::OS`]; `None` if all systems have it.
    pub system: Option<&'static str>,
    /// The key of the choice of which this one is a variant; `None` if it is not a variant.
    pub variant_of: Option<&'static str>,
}

impl Choice {
    /// Creates a choice without a number.
    pub const fn plain(key: &'static str, label: &'static str, help: &'static str) -> Self {
        Self { key, label, help, parameter: None, system: None, variant_of: None }
    }

    /// Returns the choice with a number.
    pub const fn with(self, parameter: Parameter) -> Self {
        Self { parameter: Some(parameter), ..self }
    }

    /// Returns the choice, which then exists only on the system with this name.
    pub const fn only_on(self, system: &'static str) -> Self {
        Self { system: Some(system), ..self }
    }

    /// Returns the choice as a variant of the choice with this key.
    pub const fn variant_of(self, key: &'static str) -> Self {
        Self { variant_of: Some(key), ..self }
    }

    /// Returns whether the choice exists on this system. The command line also accepts other choices, for
    /// plans of other machines.
    pub fn is_available(&self) -> bool {
        self.system.is_none_or(|system| system == std::env::consts::OS)
    }

    /// Returns the key that the choice shares with its variants.
    pub fn family(&self) -> &'static str {
        self.variant_of.unwrap_or(self.key)
    }

    /// Returns the initial number of the choice; `None` if the choice has no number or is initially automatic.
    pub fn first_number(&self) -> Option<f64> {
        self.parameter.filter(|parameter| parameter.automatic.is_none()).map(|it| it.default)
    }

    /// Returns the syntax on the command line and the range of the number: `hybrid[:TIME] (50us to 10ms)`.
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

    /// Returns the choice with this number, written as on the command line: `hybrid:2ms`.
    pub fn written(&self, number: Option<f64>) -> String {
        match (self.key, self.parameter.zip(number)) {
            (key, None) => key.to_owned(),
            ("", Some((parameter, number))) => parameter.written(number),
            (key, Some((parameter, number))) => format!("{key}:{}", parameter.written(number)),
        }
    }
}

/// A choice of a setting, and its value.
pub type ChoiceRow<T> = (ChoiceValue<T>, Choice);

/// The value of a choice.
#[derive(Clone, Copy, Debug)]
pub enum ChoiceValue<T> {
    /// This value.
    Plain(T),
    /// The first function makes the value from a selection of the choice; the second returns the selection of a
    /// value with any index, or `None` if the value is not of this choice.
    Numbered(fn(Selection) -> T, fn(T) -> Option<Selection>),
}

/// A [`ChoiceValue`] of the values of an enum variant with one number, which is `$default` without a number.
macro_rules! numbered {
    ($variant:path, $default:expr) => {
        $crate::plan::form::ChoiceValue::Numbered(
            |pick| $variant(pick.value().unwrap_or($default)),
            |value| match value {
                $variant(number) => Some($crate::plan::form::Selection::with(0, number)),
                _ => None,
            },
        )
    };
}
pub(in crate::plan) use numbered;

/// Creates a choice without a number, together with the value of the setting.
pub const fn option<T: Copy>(
    value: T,
    key: &'static str,
    label: &'static str,
    help: &'static str,
) -> ChoiceRow<T> {
    (ChoiceValue::Plain(value), Choice::plain(key, label, help))
}

/// Returns the selection of a value; `None` if no choice has it.
pub fn select<T: Copy + PartialEq>(value: T, rows: &[ChoiceRow<T>]) -> Option<Selection> {
    rows.iter().zip(0..).find_map(|((of, _), index)| match of {
        ChoiceValue::Plain(own) => (*own == value).then(|| Selection::plain(index)),
        ChoiceValue::Numbered(_, of) => of(value).map(|pick| Selection { index, ..pick }),
    })
}

/// Returns the value of a selection; `None` if there is no such choice.
pub fn selected<T: Copy>(pick: Selection, rows: &[ChoiceRow<T>]) -> Option<T> {
    rows.get(pick.index).map(|(of, _)| match of {
        ChoiceValue::Plain(value) => *value,
        ChoiceValue::Numbered(value, _) => value(pick),
    })
}

/// Returns the choices without their values.
pub fn choices<T>(rows: &[ChoiceRow<T>]) -> Vec<Choice> {
    rows.iter().map(|(_, choice)| *choice).collect()
}

/// A selected choice of a setting, with the number of this choice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Selection {
    /// The position in the list of choices.
    pub index: usize,
    /// The number, such as nanoseconds or a count; `None` if the choice has no number or is automatic.
    pub number: Option<f64>,
}

impl Selection {
    /// Selects a choice without a number.
    pub const fn plain(index: usize) -> Self {
        Self { index, number: None }
    }

    /// Selects a choice with this number.
    pub fn with(index: usize, number: impl Quantity) -> Self {
        Self { index, number: Some(number.number()) }
    }

    /// Returns the entered number as a value of this type; `None` without a number.
    pub fn value<T: Quantity>(self) -> Option<T> {
        self.number.map(T::of)
    }
}

/// Visits the settings of a test to show, list, check, or change them.
pub trait Form {
    /// Begins a group of settings with a caption.
    fn group(&mut self, _title: &'static str) {}

    /// Begins a group of settings that can be turned on or off together. By default, a form ignores the
    /// switch and begins a plain group.
    fn group_with_switch(&mut self, title: &'static str, _on: &mut bool) {
        self.group(title);
    }

    /// Visits a setting that is a number.
    fn number(&mut self, number: &Number, value: &mut f64);

    /// Visits a setting with several choices, of which one is selected.
    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]);

    /// Visits a setting with several choices, of which any number can be selected. Each selected choice can have
    /// a number.
    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]);

    /// Visits a matrix of priority × pinning, in which any cells can be selected.
    fn matrix(&mut self, priority: &Field, cpu: &Field, cells: &mut Vec<Cell>);

    /// Visits a setting that is on or off.
    fn switch(&mut self, field: &Field, value: &mut bool);

    /// Visits an explanation of the settings. Only the window shows the explanation.
    fn note(&mut self, _text: &'static str) {}

    /// Begins settings that apply only if `condition` is true; returns whether the form visits them.
    fn begin_when(&mut self, condition: bool, _why: &'static str) -> bool {
        condition
    }

    /// Ends the settings of the latest [`begin_when`](Self::begin_when) that returned true.
    fn end_when(&mut self) {}
}

impl dyn Form + '_ {
    /// Visits settings that apply only if `condition` is true. If it is false, the window hides the settings.
    /// The command line accepts the settings, but reports that they have no effect, with the reason `why`.
    pub fn when(
        &mut self,
        condition: bool,
        why: &'static str,
        settings: &mut dyn FnMut(&mut dyn Form),
    ) {
        if self.begin_when(condition, why) {
            settings(self);
            self.end_when();
        }
    }

    /// Visits a setting of type `T`, such as a duration or a count. Changes `value` only if the form changed it.
    pub fn value<T: Quantity>(&mut self, number: &Number, value: &mut T) {
        let before = value.number();
        let mut shown = before;
        self.number(number, &mut shown);
        if shown.total_cmp(&before).is_ne() {
            *value = T::of(shown);
        }
    }
}

/// Visits a list of values as a set of choices. Replaces the list with the selected values.
pub fn choose_several<T: Copy + PartialEq>(
    form: &mut dyn Form,
    field: &Field,
    values: &mut Vec<T>,
    rows: &[ChoiceRow<T>],
) {
    let mut picks: Vec<Selection> =
        values.iter().filter_map(|value| select(*value, rows)).collect();
    form.set(field, &mut picks, &choices(rows));
    *values = picks.into_iter().filter_map(|pick| selected(pick, rows)).collect();
}

/// Visits a list of durations as a set of choices: common durations, each with a key, and custom durations. Replaces
/// the list with the selected durations.
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

/// Visits a list of whole numbers as selections of a single choice that takes a number. Replaces the list with the
/// selected numbers.
pub fn counts(form: &mut dyn Form, field: &Field, values: &mut Vec<u32>, choice: Choice) {
    let mut picks: Vec<Selection> = values.iter().map(|&count| Selection::with(0, count)).collect();
    form.set(field, &mut picks, &[choice]);
    *values = picks.into_iter().filter_map(Selection::value).collect();
}

/// Visits a value as one of several choices. Replaces `value` with the selected one.
pub fn choose<T: Copy + PartialEq>(
    form: &mut dyn Form,
    field: &Field,
    value: &mut T,
    rows: &[ChoiceRow<T>],
) {
    let mut pick = select(*value, rows).unwrap_or_default();
    form.choice(field, &mut pick, &choices(rows));
    *value = selected(pick, rows).unwrap_or(*value);
}
