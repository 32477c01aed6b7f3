//! The settings of a test as a list of names and values, written by the form that every test fills.

use std::ops::RangeInclusive;

use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::plan::conditions::Cell;
use crate::plan::form::{Choice, Field, Form, Parameter, Pick};

/// Every setting that has an effect, in the order of the form.
pub(super) fn of(plan: &Plan) -> Vec<(&'static str, String)> {
    let mut list = List::default();
    plan.clone().probe_mut().settings(&mut list);
    list.0
}

/// Notes down what it is shown and changes nothing.
#[derive(Default)]
struct List(Vec<(&'static str, String)>);

impl List {
    fn keep(&mut self, field: &Field, value: String) {
        self.0.push((field.label, value));
    }
}

impl Form for List {
    fn group(&mut self, _title: &'static str) {}

    fn duration(&mut self, field: &Field, value: &mut Nanos, _range: RangeInclusive<Nanos>) {
        self.keep(field, value.to_string());
    }

    fn count(
        &mut self,
        field: &Field,
        value: &mut u32,
        _range: RangeInclusive<u32>,
        unit: &'static str,
    ) {
        self.keep(field, format!("{value} {unit}"));
    }

    fn number(
        &mut self,
        field: &Field,
        value: &mut f64,
        _range: RangeInclusive<f64>,
        _usual: &[f64],
        unit: &'static str,
    ) {
        self.keep(field, format!("{value} {unit}"));
    }

    fn choice(&mut self, field: &Field, value: &mut Pick, choices: &[Choice]) {
        let Some(choice) = choices.get(value.index) else { return };
        let parameter = match (&choice.parameter, value.parameter) {
            (Parameter::None, _) | (_, None) => String::new(),
            (Parameter::Duration { .. }, Some(nanos)) => format!(" {}", Nanos::new(nanos)),
            (Parameter::Count { .. }, Some(count)) => format!(" {count}"),
        };
        self.keep(field, format!("{}{parameter}", choice.label));
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Pick>, choices: &[Choice]) {
        let mut all = Self::default();
        for pick in values.iter_mut() {
            all.choice(field, pick, choices);
        }
        let words: Vec<String> = all.0.into_iter().map(|(_, value)| value).collect();
        self.keep(field, words.join(", "));
    }

    fn matrix(&mut self, priority: &Field, _cpu: &Field, cells: &mut Vec<Cell>) {
        let text = match cells.as_slice() {
            [one] => format!("{}, {}", one.priority, one.cpu),
            several => format!("{} configurations", several.len()),
        };
        self.keep(priority, text);
    }

    fn switch(&mut self, field: &Field, value: &mut bool) {
        self.keep(field, if *value { "on" } else { "off" }.to_owned());
    }

    fn when(
        &mut self,
        condition: bool,
        _why: &'static str,
        settings: &mut dyn FnMut(&mut dyn Form),
    ) {
        if condition {
            settings(self);
        }
    }
}
