//! Converts a limits file to tests that can run. Everything is checked before anything is measured.

use std::ops::Range;

use clap::Command;
use jitterscope_engine::machine::Machine;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{Plan, parse_nanos};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{Metric, comparison, limit_metrics};
use jitterscope_engine::run::{METHOD_VERSION, Run};
use jitterscope_engine::runner::MachineFacts;
use jitterscope_engine::stats::distinct;
use jitterscope_engine::store;
use jitterscope_engine::units::shortened;

use super::limits_file::{FileError, LimitEntry, SourceText, Spanned, TestEntry, option_values};
use crate::cli::compare::gate::{self, Limit as Size};
use crate::cli::form::{Collect, Fill};
use crate::cli::names::{self, Place};
use crate::cli::renamed::is_value;

/// Maximum duration of the repeats of a test if the file does not set one.
const DEFAULT_TIME_LIMIT: Nanos = Nanos::from_secs(600);

/// The condition of a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Allowed {
    /// At most this value.
    Max(f64),
    /// At least this value.
    Min(f64),
    /// At most this increase from the baseline.
    Increase(Size),
    /// At most this decrease from the baseline.
    Decrease(Size),
}

/// A limit on a metric of one configuration.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    pub(super) configuration: String,
    pub(super) metric: Metric,
    pub(super) allowed: Allowed,
    /// The limit as it is written in the file: `max 2ms`.
    pub(super) text: String,
}

/// A test with its limits.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) plan: Plan,
    pub(super) limits: Vec<Limit>,
    /// The values of all metrics in each baseline run.
    pub(super) baseline: Vec<comparison::ValuesByLabel>,
}

/// The tests of a limits file, checked and ready to run.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) tests: Vec<Test>,
    pub(super) time_limit: Nanos,
    /// Whether disturbed runs count like all others.
    pub(super) counts_disturbed: bool,
    /// Settings without effect: one sentence per setting.
    pub(super) notes: Vec<String>,
}

/// Prepares the tests of a limits file for the CPUs of this PC. Fails at the first invalid value.
pub(super) fn prepared(source: &SourceText, facts: &MachineFacts) -> Result<Prepared, FileError> {
    let file = source.limits()?;
    let time_limit = match &file.time_limit {
        None => DEFAULT_TIME_LIMIT,
        Some(text) => parse_nanos(text.get_ref())
            .filter(|time| Nanos::ZERO < *time)
            .ok_or_else(|| invalid(source, text, "a time such as 10min"))?,
    };
    let counts_disturbed = match &file.disturbed {
        None => false,
        Some(text) => match text.get_ref().as_str() {
            "undecided" => false,
            "count" => true,
            _ => return Err(invalid(source, text, "undecided or count")),
        },
    };
    let mut notes = Vec::new();
    let tests = file.test.iter().map(|entry| test(source, entry, facts, &mut notes));
    let tests = tests.collect::<Result<_, _>>()?;
    Ok(Prepared { tests, time_limit, counts_disturbed, notes })
}

fn invalid(source: &SourceText, value: &Spanned<String>, expected: &str) -> FileError {
    let message = format!("invalid value '{}': expected {expected}", shortened(value.get_ref()));
    source.error(&value.span(), message)
}

fn test(
    source: &SourceText,
    entry: &TestEntry,
    facts: &MachineFacts,
    notes: &mut Vec<String>,
) -> Result<Test, FileError> {
    let plan = plan(source, entry, facts, notes)?;
    let trials = plan.stages(&facts.cpus).into_iter().flat_map(|stage| stage.trials);
    let labels = distinct(trials.map(|trial| trial.label));
    let mut limits = Vec::new();
    for one in &entry.limit {
        limits.extend(limits_of(source, one, &plan, &labels, !entry.baseline.is_empty())?);
    }
    if limits.is_empty() {
        return Err(source.error(&entry.test.span(), "the test has no limit"));
    }
    let baseline = entry.baseline.iter().map(|file| baseline(source, file, &plan, &facts.machine));
    let baseline = baseline.collect::<Result<_, _>>()?;
    let name = entry.name.as_deref().unwrap_or(plan.listing().name);
    Ok(Test { name: names::in_file(name), plan, limits, baseline })
}

/// Returns the plan of a test: its preset with the settings of the file filled in.
fn plan(
    source: &SourceText,
    entry: &TestEntry,
    facts: &MachineFacts,
    notes: &mut Vec<String>,
) -> Result<Plan, FileError> {
    let all = Plan::all();
    let expected = || all.iter().map(Plan::key).collect::<Vec<_>>().join(", ");
    let found = all.iter().find(|plan| plan.key() == entry.test.get_ref());
    let mut plan = found.cloned().ok_or_else(|| invalid(source, &entry.test, &expected()))?;
    if let Some(key) = &entry.preset {
        let presets = plan.presets();
        let keys: Vec<&str> = presets.iter().map(|preset| preset.key).collect();
        let preset = presets.iter().find(|preset| is_value(key.get_ref(), preset.key));
        plan = preset.ok_or_else(|| invalid(source, key, &keys.join(", ")))?.plan.clone();
    }
    let mut collect = Collect::default();
    plan.probe_mut().settings(&mut collect);
    let mut options = Vec::new();
    for (key, value) in &entry.settings {
        let name = key.get_ref();
        if !collect.args.iter().any(|arg| arg.get_id() == name.as_str()) {
            let all: Vec<&str> = collect.args.iter().map(|arg| arg.get_id().as_str()).collect();
            let message =
                format!("unknown setting '{}': expected {}", shortened(name), all.join(", "));
            return Err(source.error(&key.span(), message));
        }
        let values = option_values(value).ok_or_else(|| {
            source
                .error(&key.span(), format!("invalid value of '{name}': expected text or a number"))
        })?;
        options.extend(values.into_iter().map(|value| format!("--{name}={value}")));
    }
    let place_of = |key: &str| -> Range<usize> {
        let found = entry.settings.keys().find(|known| known.get_ref() == key);
        found.map_or_else(|| entry.test.span(), Spanned::span)
    };
    let command = Command::new("settings").no_binary_name(true).args(collect.args);
    let matches = command.try_get_matches_from(options).map_err(|error| {
        let message = error.kind().as_str().unwrap_or("invalid settings");
        source.error(&entry.test.span(), format!("invalid settings: {message}"))
    })?;
    let mut fill = Fill::new(&matches);
    plan.probe_mut().settings(&mut fill);
    if let Some(error) = fill.errors.first() {
        let (option, message) = error.split_once(": ").unwrap_or(("", error));
        let key = option.trim_start_matches('-');
        return Err(source.error(&place_of(key), format!("{key}: {message}")));
    }
    notes.append(&mut fill.notes);
    if let Some(problem) = plan.problems(&facts.cpus).first() {
        return Err(
            source.error(&place_of(problem.key), format!("{}: {}", problem.key, problem.message))
        );
    }
    Ok(plan)
}

/// Returns one limit per configuration to which the entry of the file applies.
fn limits_of(
    source: &SourceText,
    entry: &LimitEntry,
    plan: &Plan,
    labels: &[String],
    has_baseline: bool,
) -> Result<Vec<Limit>, FileError> {
    let name = &entry.metric;
    let metric = limit_metrics(plan).find(|metric| metric.key == name.get_ref());
    let Some(metric) = metric.copied() else {
        let all: Vec<&str> = limit_metrics(plan).map(|metric| metric.key).collect();
        let message =
            format!("unknown metric '{}': expected {}", shortened(name.get_ref()), all.join(", "));
        return Err(source.error(&name.span(), message));
    };
    let given = [
        ("max", &entry.max),
        ("min", &entry.min),
        ("max-increase", &entry.max_increase),
        ("max-decrease", &entry.max_decrease),
    ];
    let given: Vec<_> =
        given.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?))).collect();
    let &[(key, value)] = given.as_slice() else {
        let message = "a limit has one of max, min, max-increase, and max-decrease";
        return Err(source.error(&name.span(), message));
    };
    let is_relative = key.len() != 3;
    if is_relative && !has_baseline {
        let message = format!("{key} needs a baseline of the test");
        return Err(source.error(&value.span(), message));
    }
    let allowed = allowed(key, value.get_ref(), &metric)
        .ok_or_else(|| invalid(source, value, example(metric.unit, is_relative)))?;
    let about = match &entry.configuration {
        None => labels.to_vec(),
        Some(label) if labels.contains(label.get_ref()) => vec![label.get_ref().clone()],
        Some(label) => return Err(invalid(source, label, &labels.join("; "))),
    };
    let text = format!("{key} {}", value.get_ref());
    let of = |configuration| Limit { configuration, metric, allowed, text: text.clone() };
    Ok(about.into_iter().map(of).collect())
}

/// Returns an example of a valid limit, for error messages.
fn example(unit: Quantity, is_relative: bool) -> &'static str {
    match (unit, is_relative) {
        (Quantity::Share, false) => "a share such as 0.5%",
        (Quantity::Share, true) => "a change such as 20% or 0.1pp",
        (Quantity::Rate, false) => "a rate such as 58fps",
        (Quantity::Rate, true) => "a change such as 5% or 3fps",
        (_, false) => "a time such as 500us or 2ms",
        (_, true) => "a change such as 20% or 500us",
    }
}

fn allowed(key: &str, text: &str, metric: &Metric) -> Option<Allowed> {
    let size = gate::limit(text, metric.unit)?;
    let absolute = match size {
        Size::Change(value) => Some(value),
        Size::Ratio(share) => (metric.unit == Quantity::Share).then_some(share),
    };
    let is_positive = matches!(size, Size::Change(size) | Size::Ratio(size) if 0.0 <= size);
    match key {
        "max" => absolute.map(Allowed::Max),
        "min" => absolute.map(Allowed::Min),
        "max-increase" => is_positive.then_some(Allowed::Increase(size)),
        _ => is_positive.then_some(Allowed::Decrease(size)),
    }
}

/// Returns the values of all metrics in a baseline run. Fails unless its test, settings, measuring
/// method, and hardware are the same as in the check.
fn baseline(
    source: &SourceText,
    file: &Spanned<String>,
    plan: &Plan,
    machine: &Machine,
) -> Result<comparison::ValuesByLabel, FileError> {
    let fail = |message: String| source.error(&file.span(), message);
    let folder = source.path.parent().unwrap_or(std::path::Path::new(""));
    let run = store::load(&folder.join(file.get_ref()))
        .map_err(|error| fail(format!("the baseline {error}")))?;
    let differs = |what: &str| Err(fail(format!("the baseline is a run {what}")));
    let Some(of_baseline) = run.plan() else { return differs("of another program") };
    if of_baseline.key() != plan.key() {
        return differs(&format!("of {}, not of {}", of_baseline.key(), plan.key()));
    }
    if of_baseline.fingerprint() != plan.fingerprint() {
        return differs("with other settings");
    }
    if run.method_version != METHOD_VERSION {
        return differs("of another version of the test");
    }
    if !is_same_machine(&run, machine) {
        return differs("of another PC");
    }
    let (run, report) = names::evaluated(&run, Place::File);
    Ok(comparison::values(&run, &report))
}

/// Returns whether a run was measured on the same hardware as this PC. The kernel and drivers may
/// differ, because a check is meant to detect their effect.
fn is_same_machine(run: &Run, machine: &Machine) -> bool {
    let of = |machine: &Machine| {
        (machine.cpu_model.clone(), machine.cpus.len(), machine.virtualization.clone())
    };
    of(&run.machine) == of(machine)
}
