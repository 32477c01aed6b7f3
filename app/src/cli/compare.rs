//! Runs side by side from the command line: a table, text for a ticket, and a gate for a script.

mod gate;
mod show;

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use jitterscope_engine::export;
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::repeats;
use jitterscope_engine::store::{self, Store};

use super::output::Output;
use super::print::{self, print_message};
use super::runs::run_path;
use super::{RUN_HELP, Status, text};
use crate::text as words;
use gate::Gate;

/// The command with its options.
pub(super) fn command() -> Command {
    Command::new("compare")
        .about("Compare 2 to 4 runs: machines, settings, and results")
        .after_help(
            "Conditions are checked for every other run against the baseline, in every \
             configuration they share:\n  p99>+20%        p99 increased by more than 20%\n  \
             p99.9>+500us    p99.9 increased by more than 500 µs\n  missed>+0.1pp   the share of \
             missed frames increased by more than 0.1 percentage points\n  1%-low<-5%      the 1% \
             low decreased by more than 5%\n  worse           any metric has the result \
             Worse\nMetrics: p50, p95, p99, p99.9, mean, std-dev, max, late, missed, \
             1%-low; \
             of imported captures also average-fps, 0.1%-low, stutter.\n\nExamples:\n  jitterscope-cli compare 0a1b 2c3d\n  jitterscope-cli compare \
             before.jitterscope.json after.jitterscope.json --fail-if 'p99>+20%'\n  \
             jitterscope-cli compare 0a1b 2c3d 4e5f --baseline 4e5f --format markdown\n\nExit \
             status: 3 if a condition is met.",
        )
        .arg(
            Arg::new("run")
                .value_name("RUN")
                .required(true)
                .action(ArgAction::Append)
                .num_args(2..=4)
                .help(RUN_HELP),
        )
        .arg(
            Arg::new("baseline")
                .long("baseline")
                .value_name("RUN")
                .help("Run to use as the baseline [default: the first]"),
        )
        .arg(
            Arg::new("fail-if")
                .long("fail-if")
                .value_name("CONDITION")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .value_parser(|text: &str| text.parse::<Gate>())
                .help("Exit with status 3 if this condition is met; can be repeated"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["table", "json", "markdown"])
                .default_value("table")
                .help("Output format")
                .help_heading("Output"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Write the comparison to this file; - for standard output")
                .help_heading("Output"),
        )
}

/// Runs the command.
pub(super) fn run(store: Option<&Store>, matches: &ArgMatches) -> Status {
    match compare(store, matches) {
        Ok(status) => status,
        Err(error) => {
            print_message(&format!("error: {error}"));
            Status::Failed
        }
    }
}

type Failure = Box<dyn std::error::Error>;

fn compare(store: Option<&Store>, matches: &ArgMatches) -> Result<Status, Failure> {
    let names: Vec<&String> = matches.get_many::<String>("run").into_iter().flatten().collect();
    let mut paths: Vec<PathBuf> =
        names.iter().map(|name| run_path(store, name)).collect::<Result<_, _>>()?;
    if let Some(baseline) = text(matches, "baseline") {
        let path = run_path(store, &baseline)?;
        let Some(at) = paths.iter().position(|known| *known == path) else {
            return Err(format!("--baseline: '{baseline}' is not one of the runs").into());
        };
        // The baseline is run A.
        if let Some(first) = paths.get_mut(..=at) {
            first.rotate_right(1);
        }
    }
    let runs: Vec<Run> = paths.iter().map(|path| store::load(path)).collect::<Result<_, _>>()?;
    let reports: Vec<Report> =
        runs.iter().map(|run| Report::of(run, &Options::default())).collect();
    let evaluated: Vec<(&Run, &Report)> = runs.iter().zip(&reports).collect();
    let comparison = repeats::compare(&evaluated, 0, store);
    let content = match text(matches, "format").as_deref() {
        Some("json") => show::json(&comparison, &evaluated)?,
        Some("markdown") => {
            export::markdown::text(&words::compare::document(&comparison, &evaluated))
        }
        _ => show::table(&comparison, &evaluated),
    };
    match Output::of(matches) {
        Output::Standard => print::print_output(&content)?,
        output @ Output::File(_) => output.write(|to| to.write_all(content.as_bytes()))?,
    }
    let mut status = Status::Done;
    for gate in matches.get_many::<Gate>("fail-if").into_iter().flatten() {
        let failures = gate.failures(&comparison)?;
        if !failures.is_empty() {
            print_message(&format!("--fail-if {gate}: condition met"));
            status = Status::GateFailed;
        }
        for failure in failures {
            print_message(&format!("  {failure}"));
        }
    }
    Ok(status)
}
