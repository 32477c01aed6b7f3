//! The `compare` command: prints a table or Markdown for a ticket, and checks `--fail-if`
//! conditions for scripts.

pub(super) mod gate;
mod show;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use jitterscope_engine::export;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::Report;
use jitterscope_engine::report::comparison::Prior;
use jitterscope_engine::run::{Run, RunId};
use jitterscope_engine::store::Store;
use jitterscope_engine::store::repeats;
use jitterscope_engine::units::shortened;

use super::names;
use super::output::Output;
use super::print::print_message;
use super::runs::{entry_files, matching_runs};
use super::{RUN_HELP, Status, format_option, option, path_option, text};
use gate::{Gate, GateError};

/// Returns the `compare` command with its options.
pub(super) fn command() -> Command {
    Command::new("compare")
        .about("Compare 2 to 4 runs, or two groups of runs: machines, settings, and results")
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
             jitterscope-cli compare 0a1b 2c3d 4e5f --baseline 4e5f --format html --out compare.html\n  \
             jitterscope-cli compare --a 0a1b 2c3d 4e5f --b 5a6b 7c8d 9e0f\n\nExit \
             status: 3 if a condition is met.",
        )
        .arg(
            Arg::new("run")
                .value_name("RUN")
                .required_unless_present("a")
                .action(ArgAction::Append)
                .num_args(2..=4)
                .help(RUN_HELP),
        )
        .arg(group("a", "b", "Runs of group A, the baseline: any number from 2"))
        .arg(group("b", "a", "Runs of group B"))
        .arg(
            option(
                "prior",
                "SOURCE",
                "Typical run-to-run variation: from the repeats in the library, fixed, or from a comparison \
                 saved with --format json [default: library] [possible values: library, fixed, FILE]",
            ),
        )
        .arg(
            option("baseline", "RUN", "Run to use as the baseline [default: the first]"),
        )
        .arg(
            option(
                "fail-if",
                "CONDITION",
                "Exit with status 3 if this condition is met; can be repeated",
            )
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .value_parser(|text: &str| text.parse::<Gate>()),
        )
        .arg(
            format_option(&["table", "json", "markdown", "html"], "Output format")
                .help_heading("Output"),
        )
        .arg(
            path_option("out", "FILE", "Write the comparison to this file; - for standard output")
                .help_heading("Output"),
        )
}

/// Returns the option that lists the runs of one group; it requires the option of the `other`
/// group.
fn group(name: &'static str, other: &'static str, help: &'static str) -> Arg {
    option(name, "RUN", help)
        .num_args(1..)
        .action(ArgAction::Append)
        .requires(other)
        .conflicts_with_all(["run", "baseline"])
        .help_heading("Groups")
}

type Failure = Box<dyn std::error::Error>;

/// The runs to compare and the prior to use, from the arguments of the `compare` command.
struct Request {
    /// One entry per run or quick check, with its files; the first is the baseline.
    entries: Vec<Vec<PathBuf>>,
    /// How many of the entries are group A; `None` unless groups are compared.
    group_a: Option<usize>,
    /// The run-to-run variation to assume before the runs are evaluated; `None` uses the variation
    /// of the saved runs.
    prior: Option<Prior>,
}

impl Request {
    fn of(store: Option<&Store>, matches: &ArgMatches) -> Result<Self, Failure> {
        let entries = |name: &str| -> Result<Vec<Vec<PathBuf>>, Failure> {
            let names = matches.get_many::<String>(name).into_iter().flatten();
            names.map(|name| entry_files(store, name)).collect()
        };
        let prior = match text(matches, "prior").as_deref() {
            None | Some("library") => None,
            Some("fixed") => Some(Prior::default()),
            Some(file) => Some(read_prior(file)?),
        };
        let (of_a, of_b) = (entries("a")?, entries("b")?);
        if !of_a.is_empty() {
            if let Some(both) = of_a.iter().find(|one| of_b.contains(one)).and_then(|it| it.first())
            {
                return Err(format!("in both groups: {}", both.display()).into());
            }
            let group_a = Some(of_a.len());
            return Ok(Self { entries: [of_a, of_b].concat(), group_a, prior });
        }
        let mut entries = entries("run")?;
        if let Some(baseline) = text(matches, "baseline") {
            let files = entry_files(store, &baseline)?;
            let Some(at) = entries.iter().position(|known| *known == files) else {
                let name = shortened(&baseline);
                return Err(format!("--baseline: '{name}' is not one of the runs").into());
            };
            // Move the baseline to the front: it is run A.
            if let Some(first) = entries.get_mut(..=at) {
                first.rotate_right(1);
            }
        }
        Ok(Self { entries, group_a: None, prior })
    }
}

/// Rejects runs that are listed more than once: a run has no variation from itself, so the
/// variation within its group would be too small.
fn refuse_repeated(runs: &[(&Run, &Report)]) -> Result<(), Failure> {
    let mut known: Vec<&RunId> = Vec::new();
    for (run, _) in runs {
        if known.contains(&&run.id) {
            return Err(format!("several times in the groups: {}", run.id).into());
        }
        known.push(&run.id);
    }
    Ok(())
}

fn read_prior(file: &str) -> Result<Prior, Failure> {
    Ok(repeats::read_prior(Path::new(file)).map_err(|error| format!("--prior: {error}: {file}"))?)
}

/// Runs the `compare` command.
pub(super) fn run(store: Option<&Store>, matches: &ArgMatches) -> Result<Status, Failure> {
    let request = Request::of(store, matches)?;
    let (format, output) = (text(matches, "format").unwrap_or_default(), Output::of(matches));
    let place = output.place(&format);
    let sets = matching_runs(&request.entries)?;
    let is_check = request.entries.iter().any(|files| 1 < files.len());
    let (mut contents, mut compared) = (Vec::new(), Vec::new());
    let mut outcomes: Vec<(&Gate, Result<Vec<String>, GateError>)> = Vec::new();
    for runs in &sets {
        let shown: Vec<_> = runs.iter().map(|run| names::evaluated(run, place)).collect();
        let evaluated: Vec<(&Run, &Report)> =
            shown.iter().map(|(run, report)| (run.as_ref(), report)).collect();
        if request.group_a.is_some() {
            refuse_repeated(&evaluated)?;
        }
        let comparison =
            repeats::compare(&evaluated, request.group_a, store, request.prior.as_ref());
        contents.push(match format.as_str() {
            "json" => show::json(&comparison, &evaluated)?,
            "html" | "markdown" => String::new(),
            _ => export::for_terminal(&show::table(&comparison, &evaluated)),
        });
        for gate in matches.get_many::<Gate>("fail-if").into_iter().flatten() {
            outcomes.push((gate, gate.failures(&comparison)));
        }
        let part = runs.first().and_then(Run::plan).and_then(Part::of).filter(|_| is_check);
        compared.push((part, comparison, shown));
    }
    let content = match (contents.as_slice(), format.as_str()) {
        (_, "html") => show::html(&compared)?,
        (_, "markdown") => show::markdown(&compared),
        ([one], _) => one.clone(),
        (several, "json") => {
            let several: Vec<&str> = several.iter().map(|one| one.trim_end()).collect();
            format!("[{}]\n", several.join(",\n"))
        }
        (several, _) => several.join("\n"),
    };
    output.write(|to| to.write_all(content.as_bytes()))?;
    // Some parts of a quick check lack the metric of a condition. A condition counts as checked if
    // at least one part has its metric.
    let applies = |gate: &Gate| {
        outcomes.iter().any(|(other, outcome)| std::ptr::eq(*other, gate) && outcome.is_ok())
    };
    let open = outcomes.iter().find(|(gate, outcome)| outcome.is_err() && !applies(gate));
    let open = open.and_then(|(_, outcome)| outcome.as_ref().err()).map(ToString::to_string);
    let mut status = Status::Done;
    for (gate, failures) in outcomes.into_iter().filter_map(|(gate, it)| Some((gate, it.ok()?))) {
        if !failures.is_empty() {
            print_message(&format!("--fail-if {gate}: condition met"));
            status = Status::GateFailed;
        }
        for failure in failures {
            print_message(&format!("  {failure}"));
        }
    }
    if status == Status::Done
        && let Some(open) = open
    {
        return Err(open.into());
    }
    Ok(status)
}
