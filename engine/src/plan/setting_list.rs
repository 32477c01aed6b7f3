//! The settings of a test as a list: in words, and as the command line writes them.

use std::ops::RangeInclusive;

use super::Plan;
use super::conditions::Cell;
use super::form::{Choice, Field, Form, Parameter, Selection};
use crate::nanos::Nanos;

/// A setting in words and as the command line writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name on screen.
    pub label: &'static str,
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

    /// Tells runs of the same settings from others. The order of configurations, which is drawn, does not count.
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
        self.0.push(Setting { label: field.label, value, option });
    }
}

impl Form for SettingList {
    fn group(&mut self, _title: &'static str) {}

    fn duration(&mut self, field: &Field, value: &mut Nanos, _range: RangeInclusive<Nanos>) {
        self.add(field, value.to_string(), &value.to_string());
    }

    fn count(
        &mut self,
        field: &Field,
        value: &mut u32,
        _range: RangeInclusive<u32>,
        unit: &'static str,
    ) {
        self.add(field, format!("{value} {unit}").trim_end().to_owned(), &value.to_string());
    }

    fn number(
        &mut self,
        field: &Field,
        value: &mut f64,
        _range: RangeInclusive<f64>,
        _default: &[f64],
        unit: &'static str,
    ) {
        self.add(field, format!("{value} {unit}").trim_end().to_owned(), &value.to_string());
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
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

    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]) {
        let mut each = Self::default();
        for pick in values.iter_mut() {
            each.choice(field, pick, choices);
        }
        let (words, options): (Vec<_>, Vec<_>) =
            each.0.into_iter().map(|setting| (setting.value, setting.option)).unzip();
        let (value, option) = (words.join(", "), options.join(" "));
        self.0.push(Setting { label: field.label, value, option });
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
        let joined = |key: &str, words: &[String]| words.join(&format!(" --{key} "));
        let priority_words: Vec<String> = priorities.iter().map(ToString::to_string).collect();
        let cpu_words: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        let mut words = priority_words.join(", ");
        if cells.len() != priorities.len() * cpus.len() {
            words.push_str(&format!(" ({} configurations)", cells.len()));
        }
        self.add(priority, words, &joined(priority.key, &priority_words));
        self.add(cpu, cpu_words.join(", "), &joined(cpu.key, &cpu_words));
    }

    fn switch(&mut self, field: &Field, value: &mut bool) {
        let words = if *value { "on" } else { "off" };
        let option = format!("--{}={value}", field.key);
        self.0.push(Setting { label: field.label, value: words.to_owned(), option });
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
