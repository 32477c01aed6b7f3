//! Lists the settings of a test, each in words and as a command-line option.

use super::conditions::Cell;
use super::form::{Choice, Field, FieldUnit, Form, Number, Selection, choices, parts};
use super::{Plan, Preset};
use crate::stats::distinct;

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
        self.list().settings
    }

    fn list(&self) -> SettingList {
        let mut list = SettingList::default();
        self.clone().probe_mut().settings(&mut list);
        list
    }

    /// Returns a text that is equal for runs with the same settings. The seed of the run order is ignored.
    pub fn fingerprint(&self) -> String {
        let list = self.list();
        let options = list.settings.into_iter().map(|setting| setting.option);
        let mut counted: Vec<String> =
            options.filter(|option| !option.starts_with("--order-seed ")).collect();
        counted.extend(list.partial_matrix);
        counted.join(" ")
    }

    /// Returns the selected cells of a partial matrix, which lacks some combinations of its priorities and
    /// CPUs and therefore cannot be selected by command-line options. `None` for a full matrix, for a test
    /// without a matrix, and if a preset has the same cells.
    pub fn partial_matrix(&self) -> Option<String> {
        self.list().partial_matrix.filter(|_| self.preset_with_same_cells().is_none())
    }

    /// Returns the command that runs this plan. Settings at their default are omitted. Since options select
    /// only full matrices, the command for a partial matrix names the preset with the same cells, if there is
    /// one.
    pub fn command(&self) -> String {
        let preset = self.preset_with_same_cells();
        let default = Self::all().into_iter().find(|plan| plan.key() == self.key());
        let base = preset.as_ref().map(|preset| preset.plan.clone()).or(default);
        let mut command = format!("jitterscope-cli {}", self.key());
        if let Some(preset) = &preset {
            command.push_str(&format!(" --preset {}", preset.key));
        }
        for setting in base.map_or_else(|| self.settings(), |base| self.settings_unlike(&base)) {
            command.push(' ');
            command.push_str(&setting.option);
        }
        command
    }

    /// Returns the preset that has the cells of this partial matrix and differs in the fewest other
    /// settings; `None` for a full matrix, and if no preset has the same cells.
    fn preset_with_same_cells(&self) -> Option<Preset> {
        let cells = self.list().partial_matrix?;
        let is_same = |preset: &Preset| preset.plan.list().partial_matrix.as_ref() == Some(&cells);
        let presets = self.presets().into_iter().filter(is_same);
        presets.min_by_key(|preset| self.settings_unlike(&preset.plan).len())
    }

    /// Returns the settings whose values differ from those of `base`.
    fn settings_unlike(&self, base: &Self) -> Vec<Setting> {
        let base = base.settings();
        self.settings().into_iter().filter(|setting| !base.contains(setting)).collect()
    }
}

#[derive(Debug, Default)]
struct SettingList {
    settings: Vec<Setting>,
    /// The cells of a partial matrix, which lacks some combinations of its priorities and CPUs; `None` for
    /// a full matrix.
    partial_matrix: Option<String>,
}

impl SettingList {
    fn add(&mut self, field: &Field, value: String, written: &str) {
        let option = format!("--{} {written}", field.key);
        self.settings.push(Setting { name: field.name, value, option });
    }
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
            each.settings.into_iter().map(|setting| (setting.value, setting.option)).unzip();
        let (value, option) = (words.join(", "), options.join(" "));
        self.settings.push(Setting { name: field.name, value, option });
    }

    fn matrix(&mut self, priority: &Field, cpu: &Field, cells: &mut Vec<Cell>) {
        let mut cells = cells.clone();
        cells.sort_by_key(|cell| (cell.priority.rank(), cell.cpu));
        let picks = |pick: fn(&Cell) -> Selection| distinct(cells.iter().map(pick));
        let mut priorities = picks(|cell| parts::of_priority(cell.priority));
        let mut cpus = picks(|cell| parts::of_cpu(cell.cpu));
        self.set(priority, &mut priorities, &choices(&parts::PRIORITIES));
        if cells.len() != priorities.len() * cpus.len() {
            if let Some(setting) = self.settings.last_mut() {
                setting.value.push_str(&format!(" ({} configurations)", cells.len()));
            }
            let cells: Vec<String> =
                cells.iter().map(|cell| cell.conditions().to_string()).collect();
            self.partial_matrix = Some(cells.join("; "));
        }
        self.set(cpu, &mut cpus, &choices(&parts::CPUS));
    }

    fn switch(&mut self, field: &Field, value: &mut bool) {
        let words = if *value { "on" } else { "off" };
        let option = format!("--{}={value}", field.key);
        self.settings.push(Setting { name: field.name, value: words.to_owned(), option });
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
    #[test]
    fn a_partial_matrix_differs_from_the_full_one() {
        let preset = |key: &str| {
            let presets = Plan::FrameLoop(FrameLoop::default()).presets();
            presets.into_iter().find(|preset| preset.key == key).unwrap().plan
        };
        let under_load = preset("under-load");
        let Plan::FrameLoop(settings) = under_load.clone() else { panic!("a frame loop") };
        let with = |cells| Plan::FrameLoop(FrameLoop { cells, ..settings.clone() });
        let mut cells = settings.cells.clone();
        let (priority, cpu) = (cells[0].priority, cells[3].cpu);
        cells[3] = Cell { priority, cpu };
        let other = with(cells.clone());
        let mut cells_in_reverse = cells.clone();
        cells.push(settings.cells[3]);
        cells.push(Cell { priority: cells[1].priority, cpu });
        let full = with(cells);
        let fingerprints = [&under_load, &other, &full].map(Plan::fingerprint);
        assert_eq!(distinct(fingerprints).len(), 3);
        let start = "jitterscope-cli frame-loop";
        assert_eq!(under_load.command(), format!("{start} --preset under-load"));
        let cells = "Normal; Normal, P-core; Above normal; Highest; Time-critical; \
                     Time-critical, P-core";
        assert_eq!(other.partial_matrix().as_deref(), Some(cells));
        for plan in [&other, &full] {
            let command = plan.command();
            assert!(command.starts_with(start), "{command}");
            assert!(!command.contains(['#', ';']) && !command.contains("--preset"), "{command}");
        }
        assert_eq!([under_load, full].map(|plan| plan.partial_matrix()), [None, None]);
        cells_in_reverse.reverse();
        assert_eq!(with(cells_in_reverse).fingerprint(), other.fingerprint());
    }
}
