//! Derives command-line options from the settings of a test: `Collect` creates one option per
//! setting, and `Fill` changes the settings as the options request.

use clap::{Arg, ArgAction, ArgMatches};
use jitterscope_engine::plan::conditions::{Cell, CpuChoice, Priority};
use jitterscope_engine::plan::form::{
    Choice, Field, Form, Number, Selection, choices, parts, selected,
};
use jitterscope_engine::stats::distinct;
use jitterscope_engine::units::shortened;

use super::renamed::{former_option, is_value};
use crate::text::NARROW_SPACE;

/// Minimum similarity of a mistyped choice to the one that it may mean, by Jaro and Winkler: 1 if they are equal.
const MIN_SIMILARITY: f64 = 0.8;

/// Derives a command line option from each setting.
#[derive(Debug, Default)]
pub(super) struct Collect {
    heading: &'static str,
    pub(super) args: Vec<Arg>,
}

impl Collect {
    fn add(&mut self, field: &Field, value: &'static str, default: &str, allowed: &str) {
        let mut help = field.help.trim_end_matches('.').to_owned();
        if !allowed.is_empty() {
            help.push_str(" [");
            help.push_str(allowed);
            help.push(']');
        }
        if !default.is_empty() {
            help.push_str(" [default: ");
            help.push_str(default);
            help.push(']');
        }
        self.args.push(
            Arg::new(field.key)
                .long(field.key)
                .aliases(former_option(field.key))
                .value_name(value)
                .help(help.replace(NARROW_SPACE, " "))
                .allow_hyphen_values(true)
                .help_heading(self.heading),
        );
    }

    fn add_repeated(
        &mut self,
        field: &Field,
        value: &'static str,
        default: &[Selection],
        choices: &[Choice],
    ) {
        let default: Vec<String> = default.iter().map(|pick| written(*pick, choices)).collect();
        let allowed = format!("{}; can be repeated", spellings(choices, " | "));
        self.add(field, value, &default.join(", "), &allowed);
        if let Some(arg) = self.args.pop() {
            self.args.push(arg.action(ArgAction::Append));
        }
    }
}

impl Form for Collect {
    fn group(&mut self, title: &'static str) {
        self.heading = title;
    }

    fn number(&mut self, number: &Number, value: &mut f64) {
        let Number { field, parameter } = number;
        let kind = if parameter.unit.is_time() { "TIME" } else { "N" };
        self.add(field, kind, &parameter.written(*value), &parameter.written_range());
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
        self.add(field, "CHOICE", &written(*value, choices), &spellings(choices, " | "));
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]) {
        self.add_repeated(field, "CHOICE", values, choices);
    }

    fn matrix(&mut self, priority: &Field, cpu: &Field, _cells: &mut Vec<Cell>) {
        let normal = parts::of_priority(Priority::Normal);
        self.add_repeated(priority, "LEVEL", &[normal], &choices(&parts::PRIORITIES));
        self.add_repeated(cpu, "CPU", &[parts::of_cpu(CpuChoice::Any)], &choices(&parts::CPUS));
    }

    fn switch(&mut self, field: &Field, _value: &mut bool) {
        self.args.push(
            Arg::new(field.key)
                .long(field.key)
                .value_name("true|false")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .help(field.help.trim_end_matches('.'))
                .help_heading(self.heading),
        );
    }

    fn begin_when(&mut self, _condition: bool, _why: &'static str) -> bool {
        true
    }
}

/// Sets the settings of a test to the values of the given options.
#[derive(Debug)]
pub(super) struct Fill<'a> {
    matches: &'a ArgMatches,
    /// For each `begin_when` that has not ended, from the outermost: why its settings have no
    /// effect; `None` if they have an effect.
    no_effect: Vec<Option<&'static str>>,
    /// The key of a time that may be a plain number of seconds; `None` if every time needs a unit.
    plain_seconds: Option<&'static str>,
    /// Invalid values: one sentence per value, with the option and the expected values.
    pub(super) errors: Vec<String>,
    /// Options without effect: one sentence per option.
    pub(super) notes: Vec<String>,
}

impl<'a> Fill<'a> {
    pub(super) fn new(matches: &'a ArgMatches) -> Self {
        Self {
            matches,
            no_effect: Vec::new(),
            plain_seconds: None,
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Accepts a plain number of seconds for the time with this key.
    pub(super) const fn accept_plain_seconds(&mut self, key: &'static str) {
        self.plain_seconds = Some(key);
    }

    fn no_effect(&self) -> Option<&'static str> {
        self.no_effect.last().copied().flatten()
    }

    fn written(&mut self, field: &Field) -> Option<String> {
        let mut text = self.matches.get_one::<String>(field.key)?.clone();
        if self.plain_seconds == Some(field.key) && text.parse::<f64>().is_ok() {
            text.push('s');
        }
        if let Some(why) = self.no_effect() {
            self.notes.push(format!("--{} has no effect: {why}", field.key));
        }
        Some(text)
    }

    fn set<T, E: ToString>(&mut self, field: &Field, value: &mut T, read: Result<T, E>) {
        match read {
            Ok(read) => *value = read,
            Err(error) => self.errors.push(format!("--{}: {}", field.key, error.to_string())),
        }
    }

    /// Returns the distinct selections of a repeatable option; empty if the option is absent.
    fn picks(&mut self, field: &Field, choices: &[Choice]) -> Vec<Selection> {
        let texts: Vec<String> =
            self.matches.get_many::<String>(field.key).into_iter().flatten().cloned().collect();
        if let Some(why) = self.no_effect().filter(|_| !texts.is_empty()) {
            self.notes.push(format!("--{} has no effect: {why}", field.key));
        }
        let mut picks: Vec<Selection> = Vec::new();
        for text in texts {
            match read_choice(&text, choices) {
                Ok(pick) if picks.contains(&pick) => {}
                Ok(pick) => picks.push(pick),
                Err(error) => self.errors.push(format!("--{}: {error}", field.key)),
            }
        }
        picks
    }
}

impl Form for Fill<'_> {
    fn number(&mut self, number: &Number, value: &mut f64) {
        let Number { field, parameter } = number;
        if let Some(text) = self.written(field) {
            let expected = parameter.written_range();
            let read = parameter.read(&text);
            let read = read.ok_or_else(|| refusal(&text, &expected, parameter.hint(&text)));
            self.set(field, value, read);
        }
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
        if let Some(text) = self.written(field) {
            self.set(field, value, read_choice(&text, choices));
        }
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]) {
        if self.matches.contains_id(field.key) {
            *values = self.picks(field, choices);
        }
    }

    fn matrix(&mut self, priority: &Field, cpu: &Field, cells: &mut Vec<Cell>) {
        let priorities = self.picks(priority, &choices(&parts::PRIORITIES)).into_iter();
        let mut priorities: Vec<Priority> =
            priorities.filter_map(|pick| selected(pick, &parts::PRIORITIES)).collect();
        let cpus = self.picks(cpu, &choices(&parts::CPUS)).into_iter();
        let mut cpus: Vec<CpuChoice> =
            cpus.filter_map(|pick| selected(pick, &parts::CPUS)).collect();
        if priorities.is_empty() && cpus.is_empty() {
            return;
        }
        if priorities.is_empty() {
            priorities = cells.iter().map(|cell| cell.priority).collect();
        }
        if cpus.is_empty() {
            cpus = cells.iter().map(|cell| cell.cpu).collect();
        }
        let row = |priority| cpus.iter().map(move |&cpu| Cell { priority, cpu });
        *cells = distinct(priorities.into_iter().flat_map(row));
    }

    fn switch(&mut self, field: &Field, value: &mut bool) {
        if let Some(text) = self.written(field) {
            let read = text.parse().ok().ok_or_else(|| refusal(&text, "true or false", None));
            self.set(field, value, read);
        }
    }

    fn begin_when(&mut self, condition: bool, why: &'static str) -> bool {
        let outer = self.no_effect();
        self.no_effect.push(if condition { outer } else { Some(why) });
        true
    }

    fn end_when(&mut self) {
        self.no_effect.pop();
    }
}

/// Returns the syntax of the choices, each with the range of its number.
fn spellings(choices: &[Choice], separator: &str) -> String {
    let spelled: Vec<String> = choices.iter().map(Choice::spelling).collect();
    spelled.join(separator)
}

/// Returns a selection in the syntax of the command line.
fn written(pick: Selection, choices: &[Choice]) -> String {
    choices.get(pick.index).map_or(String::new(), |choice| choice.written(pick.number))
}

fn read_choice(text: &str, choices: &[Choice]) -> Result<Selection, String> {
    let (key, number) = match text.split_once(':') {
        Some((key, number)) => (key, Some(number)),
        None if choices
            .iter()
            .any(|choice| !choice.key.is_empty() && is_value(text, choice.key)) =>
        {
            (text, None)
        }
        None => ("", Some(text)),
    };
    let wrong = |hint| refusal(text, &spellings(choices, " or "), hint);
    let found = choices.iter().enumerate().find(|(_, choice)| is_value(key, choice.key));
    let Some((index, choice)) = found else { return Err(wrong(similar(text, choices))) };
    let number = match (choice.parameter, number) {
        (None, Some(_)) => return Err(wrong(None)),
        (None, None) => None,
        (Some(parameter), Some(number)) => {
            // What stands where only a number does can be the name of another choice.
            let name = || if choice.key.is_empty() { similar(text, choices) } else { None };
            let hint = || parameter.hint(number).or_else(name);
            Some(parameter.read(number).ok_or_else(|| wrong(hint()))?)
        }
        // Without a number, a choice that supports "automatic" is automatic.
        (Some(_), None) => choice.first_number(),
    };
    Ok(Selection { index, number })
}

/// Returns why a value is refused, with what it may mean.
fn refusal(text: &str, expected: &str, hint: Option<String>) -> String {
    let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
    format!("invalid value '{}': expected {expected}{hint}", shortened(text))
}

/// Returns the choice that a text may mean, as a question; `None` if none is spelled alike.
fn similar(text: &str, choices: &[Choice]) -> Option<String> {
    let key = text.split_once(':').map_or(text, |(key, _)| key);
    let keys = choices.iter().map(|choice| choice.key).filter(|key| !key.is_empty());
    let similarity_of = |choice: &str| strsim::jaro_winkler(&key.to_lowercase(), choice);
    let (best, similarity) =
        keys.map(|key| (key, similarity_of(key))).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (MIN_SIMILARITY <= similarity).then(|| format!("did you mean {best}?"))
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use jitterscope_engine::nanos::Nanos;
    use jitterscope_engine::plan::{
        FrameLoop, Load, LoadCount, Plan, Probe as _, SpinStrategy, Tail, Wait, Work,
    };

    use super::*;

    fn fill(options: &[&str]) -> (FrameLoop, Vec<String>, Vec<String>) {
        changed(FrameLoop::default(), options)
    }

    fn changed(mut plan: FrameLoop, options: &[&str]) -> (FrameLoop, Vec<String>, Vec<String>) {
        let mut collect = Collect::default();
        plan.clone().settings(&mut collect);
        let command = Command::new("test").no_binary_name(true).args(collect.args);
        let matches = command.try_get_matches_from(options).unwrap();
        let mut fill = Fill::new(&matches);
        plan.settings(&mut fill);
        (plan, fill.errors, fill.notes)
    }

    #[test]
    fn every_test_has_valid_options() {
        for mut plan in Plan::all() {
            let mut collect = Collect::default();
            plan.probe_mut().settings(&mut collect);
            Command::new("test").args(collect.args).debug_assert();
        }
    }

    #[test]
    fn options_fill_in_settings() {
        let (plan, errors, notes) = fill(&[
            "--fps",
            "144",
            "--duration",
            "2s",
            "--wait",
            "hybrid:500us",
            "--work",
            "timed:100us",
            "--load-threads",
            "2",
            "--load",
            "memory",
            "--priority",
            "normal",
            "--priority",
            "fifo:10",
            "--cpu",
            "none",
            "--cpu",
            "1",
            "--tail-sweep",
        ]);
        assert_eq!((errors, notes), (vec![], vec![]));
        assert!((plan.fps - 144.0).abs() < 1e-9);
        assert_eq!(plan.wait, Wait::Hybrid(Tail::Fixed(Nanos::from_micros(500))));
        assert_eq!(plan.work, Work::Timed(Nanos::from_micros(100)));
        assert_eq!(plan.load.count, LoadCount::Threads(2));
        assert_eq!(plan.cells.len(), 4);
        assert!(
            plan.cells.contains(&Cell { priority: Priority::Fifo(10), cpu: CpuChoice::Cpu(1) })
        );
        assert!(plan.tail_sweep);
    }

    #[test]
    fn an_option_of_the_matrix_overrides_one_side_of_it() {
        let cell = |priority, cpu| Cell { priority, cpu };
        let (normal, idle) = (Priority::Normal, Priority::Idle);
        let (any, second) = (CpuChoice::Any, CpuChoice::Cpu(1));
        let cells = vec![cell(normal, any), cell(normal, second)];
        let plan = FrameLoop { cells, ..FrameLoop::default() };
        let (changed_priority, ..) = changed(plan.clone(), &["--priority", "idle"]);
        assert_eq!(changed_priority.cells, [cell(idle, any), cell(idle, second)]);
        let (changed_cpu, ..) = changed(plan, &["--cpu", "1"]);
        assert_eq!(changed_cpu.cells, [cell(normal, second)]);
    }

    #[test]
    fn every_listed_wait_is_accepted() {
        for (text, wait) in [
            ("os-sleep", Wait::OsSleep),
            ("hybrid", Wait::Hybrid(Tail::Measured)),
            ("hybrid:1ms", Wait::Hybrid(Tail::Fixed(Nanos::from_millis(1)))),
            ("spin", Wait::Spin(SpinStrategy::None)),
            ("spin-hint", Wait::Spin(SpinStrategy::SpinLoopHint)),
            ("spin-yield", Wait::Spin(SpinStrategy::YieldThread)),
        ] {
            let (plan, errors, _) = fill(&["--wait", text]);
            assert_eq!((plan.wait, errors), (wait, vec![]));
        }
    }

    #[test]
    fn invalid_values_are_listed_with_expected_ones() {
        for (options, expected) in [
            (
                ["--wait", "nap"],
                "--wait: invalid value 'nap': expected os-sleep or hybrid[:TIME] (50us to 10ms) or",
            ),
            (["--wait", "spin:3"], "--wait: invalid value 'spin:3': expected"),
            (
                ["--duration", "10"],
                "--duration: invalid value '10': expected 100ms to 600s; did you mean 10s?",
            ),
            (
                ["--duration", "1m"],
                "--duration: invalid value '1m': expected 100ms to 600s; did you mean 1min?",
            ),
            (
                ["--duration", "20min"],
                "--duration: invalid value '20min': expected 100ms to 600s; 20min is 1200s, above the maximum",
            ),
            (["--fps", "fast"], "--fps: invalid value 'fast': expected 1 to 1000 FPS"),
            (
                ["--load-threads", "-3"],
                "--load-threads: invalid value '-3': expected N (0 to 4096) or logical",
            ),
            (["--priority", "urgent"], "--priority: invalid value 'urgent': expected idle"),
            (["--cpu", "x"], "--cpu: invalid value 'x': expected none or performance"),
        ] {
            let (_, errors, _) = fill(&options);
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(errors[0].starts_with(expected), "{}", errors[0]);
            assert_eq!(errors[0].contains("; "), expected.contains("; "), "{}", errors[0]);
        }
        for (options, meant) in [
            (["--wait", "hybird"], "; did you mean hybrid?"),
            (["--wait", "hybrid:500"], "; did you mean 500us?"),
            (["--load-threads", "logcal"], "; did you mean logical?"),
            (["--priority", "Normal"], "; did you mean normal?"),
        ] {
            let (_, errors, _) = fill(&options);
            assert!(errors[0].ends_with(meant), "{}", errors[0]);
        }
    }

    #[test]
    fn option_without_effect_is_reported() {
        let (plan, errors, notes) = fill(&["--load-threads", "0", "--load", "memory"]);
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(notes, ["--load has no effect: there are no load threads"]);
        assert!(Load::is_none(&plan.load));
    }
}
