//! The settings of a test as a list: in words, and as the command line writes them.

use std::ops::RangeInclusive;

use super::Plan;
use super::conditions::Cell;
use super::form::{Choice, Field, Form, Parameter, Selection, with_unit};
use crate::nanos::Nanos;
use crate::units::{format_count, format_setting};

/// A setting in words and as the command line writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, which needs no group to be understood.
    pub name: &'static str,
    /// Its value on screen.
    pub value: String,
    /// The options of the command line that give it this value.
    pub option: String,
}

impl Plan {
    /// Every setting that has an effect, in the order of the form.
    pub fn settings(&self) -> Vec<Setting> {
        let mut list = SettingList::default();
        self.clone().probe_mut().settings(&mut list);
        list.0
    }

    /// Identifies runs of the same settings. The order of configurations, which is drawn, does not count.
    pub fn fingerprint(&self) -> String {
        let options = self.settings().into_iter().map(|setting| setting.option);
        let counted: Vec<String> =
            options.filter(|option| !option.starts_with("--order-seed ")).collect();
        counted.join(" ")
    }

    /// The command that runs this plan; settings at their default are omitted.
    pub fn command(&self) -> String {
        let default = Self::all().into_iter().find(|plan| plan.key() == self.key());
        let default = default.map_or_else(Vec::new, |plan| plan.settings());
        let mut command = format!("jitterscope-cli {}", self.key());
        for setting in self.settings().iter().filter(|setting| !default.contains(setting)) {
            command.push(' ');
            command.push_str(&setting.option);
        }
        command
    }
}

#[derive(Debug, Default)]
struct SettingList(Vec<Setting>);

impl SettingList {
    fn add(&mut self, field: &Field, value: String, written: &str) {
        let option = format!("--{} {written}", field.key);
        self.0.push(Setting { name: field.name, value, option });
    }
}

/// The label of a plain number among the choices of a setting.
const NUMBER: &str = "Number";

/// Returns values as the command line repeats an option: `normal --priority highest`.
fn joined(key: &str, values: &[impl ToString]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    values.join(&format!(" --{key} "))
}

impl Form for SettingList {
    fn group(&mut self, _title: &'static str) {}

    fn duration(&mut self, field: &Field, value: &mut Nanos, _range: RangeInclusive<Nanos>) {
        let is_auto = field.zero_is_auto && *value == Nanos::ZERO;
        let words = if is_auto { "automatic".to_owned() } else { format_setting(*value) };
        self.add(field, words, &value.to_string());
    }

    fn count(
        &mut self,
        field: &Field,
        value: &mut u32,
        _range: RangeInclusive<u32>,
        unit: &'static str,
    ) {
        let count = format_count((*value).into());
        // "Rounds: 3", not "Rounds: 3 rounds".
        let is_named = field.name.to_lowercase().contains(&unit.to_lowercase());
        let words = if is_named { count } else { with_unit(count, unit) };
        self.add(field, words, &value.to_string());
    }

    fn number(
        &mut self,
        field: &Field,
        value: &mut f64,
        _range: RangeInclusive<f64>,
        _default: &[f64],
        unit: &'static str,
    ) {
        self.add(field, with_unit(*value, unit), &value.to_string());
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
        let Some(choice) = choices.get(value.index) else { return };
        let is_unnamed = choice.label == field.label || choice.label == NUMBER;
        let (words, number) = match (&choice.parameter, value.parameter) {
            (Parameter::Duration { .. }, Some(nanos)) => {
                let length = Nanos::new(nanos);
                (format!("{}, {}", choice.label, format_setting(length)), length.to_string())
            }
            (Parameter::Count { .. }, Some(count)) if is_unnamed => {
                (count.to_string(), count.to_string())
            }
            (Parameter::Count { .. }, Some(count)) => {
                (format!("{} {count}", choice.label), count.to_string())
            }
            _ => (choice.label.to_owned(), String::new()),
        };
        let written = match (choice.key, number.as_str()) {
            (key, "") => key.to_owned(),
            ("", number) => number.to_owned(),
            (key, number) => format!("{key}:{number}"),
        };
        self.add(field, words, &written);
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]) {
        let mut each = Self::default();
        for pick in values.iter_mut() {
            each.choice(field, pick, choices);
        }
        let (words, options): (Vec<_>, Vec<_>) =
            each.0.into_iter().map(|setting| (setting.value, setting.option)).unzip();
        let (value, option) = (words.join(", "), options.join(" "));
        self.0.push(Setting { name: field.name, value, option });
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
        let names: Vec<String> = priorities.iter().map(|priority| priority.name()).collect();
        let mut words = names.join(", ");
        if cells.len() != priorities.len() * cpus.len() {
            words.push_str(&format!(" ({} configurations)", cells.len()));
        }
        self.add(priority, words, &joined(priority.key, &priorities));
        let names: Vec<String> = cpus.iter().map(|cpu| cpu.name()).collect();
        self.add(cpu, names.join(", "), &joined(cpu.key, &cpus));
    }

    fn switch(&mut self, field: &Field, value: &mut bool) {
        let words = if *value { "on" } else { "off" };
        let option = format!("--{}={value}", field.key);
        self.0.push(Setting { name: field.name, value: words.to_owned(), option });
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
    fn a_command_names_what_is_not_default() {
        let command = |settings| Plan::FrameLoop(settings).command();
        assert_eq!(command(FrameLoop::default()), "jitterscope-cli frame-loop");
        assert_eq!(
            command(FrameLoop { fps: 144.0, tail_sweep: true, ..FrameLoop::default() }),
            "jitterscope-cli frame-loop --fps 144 --tail-sweep=true"
        );
    }
}
