//! Options of the command line, derived from a test's settings in two passes: collect, then fill
//! in.

use std::ops::RangeInclusive;

use clap::{Arg, ArgAction, ArgMatches};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::{Cell, CpuChoice, Priority};
use jitterscope_engine::plan::form::{Choice, Field, Form, Parameter, Selection, with_unit};
use jitterscope_engine::plan::units::parse_nanos;

use super::renamed::{former_option, is_value};
use crate::text::NARROW_SPACE;

/// Derives an option from each setting.
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
}

impl Form for Collect {
    fn group(&mut self, title: &'static str) {
        self.heading = title;
    }

    fn duration(&mut self, field: &Field, value: &mut Nanos, range: RangeInclusive<Nanos>) {
        let allowed = format!("{} to {}", range.start(), range.end());
        self.add(field, "TIME", &value.to_string(), &allowed);
    }

    fn count(
        &mut self,
        field: &Field,
        value: &mut u32,
        range: RangeInclusive<u32>,
        _unit: &'static str,
    ) {
        let allowed = format!("{} to {}", range.start(), range.end());
        self.add(field, "N", &value.to_string(), &allowed);
    }

    fn number(
        &mut self,
        field: &Field,
        value: &mut f64,
        range: RangeInclusive<f64>,
        _default: &[f64],
        unit: &'static str,
    ) {
        let allowed = with_unit(format!("{} to {}", range.start(), range.end()), unit);
        self.add(field, "N", &value.to_string(), &allowed);
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
        let allowed: Vec<String> = choices.iter().map(spelling).collect();
        self.add(field, "CHOICE", &written(*value, choices), &allowed.join(" | "));
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]) {
        let allowed: Vec<String> = choices.iter().map(spelling).collect();
        let default: Vec<String> = values.iter().map(|pick| written(*pick, choices)).collect();
        let allowed = format!("{}; can be repeated", allowed.join(" | "));
        self.add(field, "CHOICE", &default.join(", "), &allowed);
        if let Some(arg) = self.args.pop() {
            self.args.push(arg.action(ArgAction::Append));
        }
    }

    fn matrix(&mut self, priority: &Field, cpu: &Field, _cells: &mut Vec<Cell>) {
        let levels = "idle | below-normal | normal | above-normal | highest | time-critical | \
                      fifo:1..20 | rr:1..20; can be repeated";
        self.add(priority, "LEVEL", "normal", levels);
        self.add(cpu, "CPU", "none", "none | performance | efficiency | N; can be repeated");
        let start = self.args.len() - 2;
        for arg in self.args.split_off(start) {
            self.args.push(arg.action(ArgAction::Append));
        }
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

    fn when(
        &mut self,
        _condition: bool,
        _why: &'static str,
        settings: &mut dyn FnMut(&mut dyn Form),
    ) {
        settings(self);
    }
}

/// Fills in settings from the given options.
#[derive(Debug)]
pub(super) struct Fill<'a> {
    matches: &'a ArgMatches,
    no_effect: Option<&'static str>,
    /// Invalid values: a sentence each, with the option and the expected values.
    pub(super) errors: Vec<String>,
    /// Options without effect: a sentence each.
    pub(super) notes: Vec<String>,
}

impl<'a> Fill<'a> {
    pub(super) fn new(matches: &'a ArgMatches) -> Self {
        Self { matches, no_effect: None, errors: Vec::new(), notes: Vec::new() }
    }

    fn written(&mut self, field: &Field) -> Option<String> {
        let text = self.matches.get_one::<String>(field.key)?.clone();
        if let Some(why) = self.no_effect {
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

    fn many<T, E: ToString>(&mut self, field: &Field) -> Vec<T>
    where
        T: std::str::FromStr<Err = E>,
    {
        let texts: Vec<String> =
            self.matches.get_many::<String>(field.key).into_iter().flatten().cloned().collect();
        let mut values = Vec::new();
        for text in texts {
            match text.parse::<T>() {
                Ok(value) => values.push(value),
                Err(error) => self.errors.push(format!("--{}: {}", field.key, error.to_string())),
            }
        }
        values
    }
}

impl Form for Fill<'_> {
    fn group(&mut self, _title: &'static str) {}

    fn duration(&mut self, field: &Field, value: &mut Nanos, range: RangeInclusive<Nanos>) {
        if let Some(text) = self.written(field) {
            let expected = format!("{} to {}", range.start(), range.end());
            self.set(field, value, in_range(&text, parse_nanos(&text).ok(), &range, &expected));
        }
    }

    fn count(
        &mut self,
        field: &Field,
        value: &mut u32,
        range: RangeInclusive<u32>,
        unit: &'static str,
    ) {
        if let Some(text) = self.written(field) {
            let expected = with_unit(format!("{} to {}", range.start(), range.end()), unit);
            self.set(field, value, in_range(&text, text.parse().ok(), &range, &expected));
        }
    }

    fn number(
        &mut self,
        field: &Field,
        value: &mut f64,
        range: RangeInclusive<f64>,
        _default: &[f64],
        unit: &'static str,
    ) {
        if let Some(text) = self.written(field) {
            let expected = with_unit(format!("{} to {}", range.start(), range.end()), unit);
            self.set(field, value, in_range(&text, text.parse().ok(), &range, &expected));
        }
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
        if let Some(text) = self.written(field) {
            self.set(field, value, read_choice(&text, choices));
        }
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]) {
        let texts: Vec<String> =
            self.matches.get_many::<String>(field.key).into_iter().flatten().cloned().collect();
        if texts.is_empty() {
            return;
        }
        if let Some(why) = self.no_effect {
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
        *values = picks;
    }

    fn matrix(&mut self, priority: &Field, cpu: &Field, cells: &mut Vec<Cell>) {
        let mut priorities: Vec<Priority> = self.many(priority);
        let mut cpus: Vec<CpuChoice> = self.many(cpu);
        if priorities.is_empty() && cpus.is_empty() {
            return;
        }
        if priorities.is_empty() {
            priorities = cells.iter().map(|cell| cell.priority).collect();
        }
        if cpus.is_empty() {
            cpus.push(CpuChoice::Any);
        }
        *cells = Vec::new();
        for &priority in &priorities {
            for &cpu in &cpus {
                let cell = Cell { priority, cpu };
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
        }
    }

    fn switch(&mut self, field: &Field, value: &mut bool) {
        if let Some(text) = self.written(field) {
            let read = text
                .parse()
                .ok()
                .ok_or_else(|| format!("invalid value '{text}': expected true or false"));
            self.set(field, value, read);
        }
    }

    fn when(
        &mut self,
        condition: bool,
        why: &'static str,
        settings: &mut dyn FnMut(&mut dyn Form),
    ) {
        let outer = self.no_effect;
        if !condition {
            self.no_effect = Some(why);
        }
        settings(self);
        self.no_effect = outer;
    }
}

/// Returns a value that was read and is in its range, or the message with what is expected.
fn in_range<T: PartialOrd>(
    text: &str,
    read: Option<T>,
    range: &RangeInclusive<T>,
    expected: &str,
) -> Result<T, String> {
    read.filter(|value| range.contains(value))
        .ok_or_else(|| format!("invalid value '{text}': expected {expected}"))
}

/// Syntax of a choice with the range of its number: `hybrid[:TIME] (50us to 10ms)`.
fn spelling(choice: &Choice) -> String {
    let (number, range) = match &choice.parameter {
        Parameter::None => return choice.key.to_owned(),
        Parameter::Duration { range, .. } => {
            ("TIME", format!("{} to {}", range.start(), range.end()))
        }
        Parameter::Count { range, .. } => ("N", format!("{} to {}", range.start(), range.end())),
    };
    let is_optional = matches!(choice.parameter, Parameter::Duration { optional: true, .. });
    match choice.key {
        "" => format!("{number} ({range})"),
        key if is_optional => format!("{key}[:{number}] ({range})"),
        key => format!("{key}:{number} ({range})"),
    }
}

/// A selection in the syntax of the command line.
fn written(pick: Selection, choices: &[Choice]) -> String {
    let Some(choice) = choices.get(pick.index) else { return String::new() };
    let number = match (&choice.parameter, pick.parameter) {
        (_, None) | (Parameter::None, _) => String::new(),
        (Parameter::Duration { .. }, Some(nanos)) => Nanos::new(nanos).to_string(),
        (Parameter::Count { .. }, Some(count)) => count.to_string(),
    };
    match (choice.key, number.as_str()) {
        (key, "") => key.to_owned(),
        ("", number) => number.to_owned(),
        (key, number) => format!("{key}:{number}"),
    }
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
    let wrong = || {
        let allowed: Vec<String> = choices.iter().map(spelling).collect();
        format!("invalid value '{text}': expected {}", allowed.join(" or "))
    };
    let index = choices.iter().position(|choice| is_value(key, choice.key)).ok_or_else(wrong)?;
    let choice = choices.get(index).ok_or_else(wrong)?;
    let parameter = match (&choice.parameter, number) {
        (Parameter::None | Parameter::Duration { optional: true, .. }, None) => None,
        (Parameter::None, Some(_)) => return Err(wrong()),
        (Parameter::Duration { default, .. }, None) => Some(default.get()),
        (Parameter::Count { default, .. }, None) => Some(*default),
        (Parameter::Duration { range, .. }, Some(number)) => {
            let length = parse_nanos(number).ok().filter(|length| range.contains(length));
            Some(length.ok_or_else(wrong)?.get())
        }
        (Parameter::Count { range, .. }, Some(number)) => {
            let count = number.parse().ok().filter(|count| range.contains(count));
            Some(count.ok_or_else(wrong)?)
        }
    };
    Ok(Selection { index, parameter })
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use jitterscope_engine::plan::{
        FrameLoop, Load, LoadCount, Plan, Probe as _, SpinStrategy, Tail, Wait, Work,
    };

    use super::*;

    fn fill(options: &[&str]) -> (FrameLoop, Vec<String>, Vec<String>) {
        let mut plan = FrameLoop::default();
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
            (["--duration", "10"], "--duration: invalid value '10': expected 100ms to 600s"),
            (["--fps", "fast"], "--fps: invalid value 'fast': expected 1 to 1000 FPS"),
            (
                ["--load-threads", "-3"],
                "--load-threads: invalid value '-3': expected N (0 to 4096) or logical",
            ),
            (["--priority", "urgent"], "--priority: invalid priority 'urgent': expected idle"),
            (["--cpu", "x"], "--cpu: invalid CPU 'x': expected none, performance"),
        ] {
            let (_, errors, _) = fill(&options);
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(errors[0].starts_with(expected), "{}", errors[0]);
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
