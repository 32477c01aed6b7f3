//! The settings of a test as lines of a report, and the command that repeats it.

use std::ops::RangeInclusive;

use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::plan::conditions::Cell;
use crate::plan::form::{Choice, Field, Form, Parameter, Pick};

/// A setting in words and as the command line writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) label: &'static str,
    pub(super) value: String,
    option: String,
}

/// The settings of a plan that have an effect.
pub(super) fn of(plan: &Plan) -> Vec<Setting> {
    let mut listing = Listing::default();
    plan.clone().probe_mut().settings(&mut listing);
    listing.settings
}

/// The command that runs the same plan again; defaults are omitted.
pub(super) fn command(plan: &Plan) -> String {
    let usual = Plan::all().into_iter().find(|usual| usual.key() == plan.key());
    let usual = usual.as_ref().map(of).unwrap_or_default();
    let mut command = format!("jitterscope-cli {}", plan.key());
    for setting in of(plan) {
        if !usual.contains(&setting) {
            command.push(' ');
            command.push_str(&setting.option);
        }
    }
    command
}

#[derive(Debug, Default)]
struct Listing {
    settings: Vec<Setting>,
}

impl Listing {
    fn add(&mut self, field: &Field, value: String, written: &str) {
        let option = format!("--{} {written}", field.key);
        self.settings.push(Setting { label: field.label, value, option });
    }
}

impl Form for Listing {
    fn group(&mut self, _title: &'static str) {}

    fn duration(&mut self, field: &Field, value: &mut Nanos, _range: RangeInclusive<Nanos>) {
        self.add(field, value.to_string(), &value.to_string());
    }

    fn count(
        &mut self,
        field: &Field,
        value: &mut u32,
        _range: RangeInclusive<u32>,
        _unit: &'static str,
    ) {
        self.add(field, value.to_string(), &value.to_string());
    }

    fn number(
        &mut self,
        field: &Field,
        value: &mut f64,
        _range: RangeInclusive<f64>,
        _usual: &[f64],
        unit: &'static str,
    ) {
        self.add(field, format!("{value} {unit}"), &value.to_string());
    }

    fn choice(&mut self, field: &Field, value: &mut Pick, choices: &[Choice]) {
        let Some(choice) = choices.get(value.index) else { return };
        let number = match (&choice.parameter, value.parameter) {
            (Parameter::Duration { .. }, Some(nanos)) => Nanos::new(nanos).to_string(),
            (Parameter::Count { .. }, Some(count)) => count.to_string(),
            _ => String::new(),
        };
        let (words, written) = match (choice.key, number.as_str()) {
            (key, "") => (choice.label.to_owned(), key.to_owned()),
            ("", number) if matches!(choice.parameter, Parameter::Count { .. }) => {
                (number.to_owned(), number.to_owned())
            }
            ("", number) => (format!("{}, {number}", choice.label), number.to_owned()),
            (key, number) => (format!("{}, {number}", choice.label), format!("{key}:{number}")),
        };
        self.add(field, words, &written);
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Pick>, choices: &[Choice]) {
        let mut words = Vec::new();
        let mut options = Vec::new();
        for pick in values.iter_mut() {
            let mut one = Self::default();
            one.choice(field, pick, choices);
            for setting in one.settings {
                words.push(setting.value);
                options.push(setting.option);
            }
        }
        self.settings.push(Setting {
            label: field.label,
            value: words.join(", "),
            option: options.join(" "),
        });
    }

    fn matrix(&mut self, priority: &Field, cpu: &Field, cells: &mut Vec<Cell>) {
        let mut priorities = Vec::new();
        let mut cpus = Vec::new();
        for cell in cells.iter() {
            if !priorities.contains(&cell.priority) {
                priorities.push(cell.priority);
            }
            if !cpus.contains(&cell.cpu) {
                cpus.push(cell.cpu);
            }
        }
        let joined = |key: &str, words: Vec<String>| words.join(&format!(" --{key} "));
        let priority_words: Vec<String> = priorities.iter().map(ToString::to_string).collect();
        let cpu_words: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        self.add(
            priority,
            priority_words.join(", "),
            &joined(priority.key, priority_words.clone()),
        );
        self.add(cpu, cpu_words.join(", "), &joined(cpu.key, cpu_words.clone()));
    }

    fn switch(&mut self, field: &Field, value: &mut bool) {
        let words = if *value { "yes" } else { "no" };
        self.settings.push(Setting {
            label: field.label,
            value: words.to_owned(),
            option: format!("--{}={value}", field.key),
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::FrameLoop;

    #[test]
    fn a_command_names_what_is_not_as_usual() {
        assert_eq!(command(&Plan::FrameLoop(FrameLoop::default())), "jitterscope-cli frame-loop");
        let plan = FrameLoop { fps: 144.0, tail_sweep: true, ..FrameLoop::default() };
        assert_eq!(
            command(&Plan::FrameLoop(plan)),
            "jitterscope-cli frame-loop --fps 144 --tail-sweep=true"
        );
    }
}
