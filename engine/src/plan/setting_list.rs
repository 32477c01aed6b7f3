//! Lists the settings of a test, each in words and as a command-line option.

use super::Plan;
use super::conditions::Cell;
use super::form::{Choice, Field, FieldUnit, Form, Number, Selection};

/// A setting in words and as a command-line option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name of the setting, which is clear without the group of settings to which it belongs.
    pub name: &'static str,
    /// Value as the screen shows it.
    pub value: String,
    /// Command-line options that give the setting this value.
    pub option: String,
}

impl Plan {
    /// Returns every setting that has an effect, in the order of the form.
    pub fn settings(&self) -> Vec<Setting> {
        let mut list = SettingList::default();
        self.clone().probe_mut().settings(&mut list);
        list.0
    }

    /// Returns a text that is equal for runs with the same settings. The seed of the run order is ignored.
    pub fn fingerprint(&self) -> String {
        let options = self.settings().into_iter().map(|setting| setting.option);
        let counted: Vec<String> =
            options.filter(|option| !option.starts_with("--order-seed ")).collect();
        counted.join(" ")
    }

    /// Returns the command that runs this plan. Settings at their default are omitted.
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

/// Joins the values of an option, repeating the option before all values but the first:
/// `normal --priority highest`.
fn joined(key: &str, values: &[impl ToString]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    values.join(&format!(" --{key} "))
}

impl Form for SettingList {
    fn number(&mut self, number: &Number, value: &mut f64) {
        let Number { field, parameter } = number;
        let words = if parameter.is_automatic(*value) {
            "automatic".to_owned()
        } else {
            parameter.words(*value, field.name)
        };
        self.add(field, words, &parameter.written(*value));
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
        let Some(choice) = choices.get(value.index) else { return };
        let words = match choice.parameter.zip(value.number) {
            None => choice.label.to_owned(),
            Some((parameter, number)) => {
                let words = parameter.words(number, field.name);
                match parameter.unit {
                    FieldUnit::Count("") if choice.label != field.label => {
                        format!("{} {words}", choice.label)
                    }
                    FieldUnit::Count(_) => words,
                    _ => format!("{}, {words}", choice.label),
                }
            }
        };
        self.add(field, words, &choice.written(value.number));
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
