//! The `compare` command: prints a table or Markdown for a ticket, and checks `--fail-if`
//! conditions for scripts.

pub(super) mod gate;
mod show;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use jitterscope_engine::export;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::Report;
use jitterscope_engine::report::comparison::{MAX_GROUPS, MinEffect, Prior};
use jitterscope_engine::run::{Run, RunId};
use jitterscope_engine::store::Store;
use jitterscope_engine::store::repeats::{self, History};
use jitterscope_engine::units::shortened;

use super::names;
use super::output::Output;
use super::print::print_message;
use super::runs::{entry_files, matching_runs, tagged};
use super::{RUN_HELP, Status, capture_view, format_option, option, path_option, text};
use gate::{Gate, Judged, Truth};

/// The option of each group, the option that it requires, and its help.
const GROUPS: [(&str, &str, &str); MAX_GROUPS] = [
    (
        "a",
        "b",
        "Runs of group A, the baseline: any number from 2; tag:NAME for all runs with this tag",
    ),
    ("b", "a", "Runs of group B; tag:NAME for all runs with this tag"),
    ("c", "b", "Runs of group C, which is compared with A as well, as are D to F"),
    ("d", "c", "Runs of group D"),
    ("e", "d", "Runs of group E"),
    ("f", "e", "Runs of group F"),
];

/// Returns the `compare` command with its options.
pub(super) fn command() -> Command {
    Command::new("compare")
        .about("Compare 2 to 4 runs, or 2 to 6 groups of runs: machines, settings, and results")
        .after_help(
            "A condition is true if a change is beyond its limit and its 95% interval excludes 0, false if all \
             changes are within the limit, and otherwise undecided. It is also undecided if a run was disturbed, or \
             nothing could be evaluated. Conditions are checked for every other run against the baseline, in every \
             configuration they share:\n  p99>+20%        p99 increased by more than 20%\n  \
             p99.9>+500us    p99.9 increased by more than 500 µs\n  missed>+0.1pp   the share of \
             missed frames increased by more than 0.1 percentage points\n  1%-low<-5%      the 1% \
             low decreased by more than 5%\n  worse           any metric has the result \
             Worse\n  slightly-worse  any metric has the result Worse or Slightly worse\nMetrics: p50, p95, p99, p99.9, mean, std-dev, max, late, missed, \
             1%-low; \
             of imported captures also average-fps, 0.1%-low, stutter.\n\nExamples:\n  jitterscope-cli compare 0a1b 2c3d\n  jitterscope-cli compare \
             before.jitterscope.json after.jitterscope.json --fail-if 'p99>+20%'\n  \
             jitterscope-cli compare 0a1b 2c3d 4e5f --baseline 4e5f --format html --out compare.html\n  \
             jitterscope-cli compare --a 0a1b 2c3d 4e5f --b 5a6b 7c8d 9e0f\n  \
             jitterscope-cli compare --a tag:driver:580.1 --b tag:driver:581.2 --c tag:driver:582.0\n\nExit \
             status: 3 if a condition is true, else 4 if one is undecided.",
        )
        .arg(
            Arg::new("run")
                .value_name("RUN")
                .required_unless_present("a")
                .action(ArgAction::Append)
                .num_args(2..=4)
                .help(RUN_HELP),
        )
        .args(GROUPS.into_iter().map(|(name, other, help)| group(name, other, help)))
        .arg(
            option(
                "prior",
                "SOURCE",
                "Typical run-to-run variation: from the repeats in the library, fixed, or from a comparison \
                 saved with --format json, or as printed after Repeat with [default: library; fixed for files given by \
                 path] [possible values: library, fixed, FILE, METRIC=DEVIATION:FREEDOM,…]",
            ),
        )
        .arg(
            option(
                "min-effect",
                "SIZE",
                "Smallest change that matters: a share of the baseline such as 2%, or 0.5pp for shares; can be repeated \
                 [default: 10% for lateness, overshoot, and gaps, 1% for frame times and rates, 1pp for shares]",
            )
            .action(ArgAction::Append)
            .value_parser(gate::min_effect),
        )
        .arg(
            option("baseline", "RUN", "Run to use as the baseline [default: the first]"),
        )
        .arg(fail_if_arg())
        .arg(undecided_arg())
        .args(capture_view::args_of_comparison())
        .arg(
            format_option(&["table", "json", "markdown", "html"], "Output format")
                .help_heading("Output"),
        )
        .arg(
            path_option("out", "FILE", "Write the comparison to this file; - for standard output")
                .help_heading("Output"),
        )
}

/// Returns the option for a condition on a change.
pub(super) fn fail_if_arg() -> Arg {
    option(
        "fail-if",
        "CONDITION",
        "Exit with status 3 if this condition is true, 4 if it is undecided; can be repeated",
    )
    .action(ArgAction::Append)
    .allow_hyphen_values(true)
    .value_parser(|text: &str| text.parse::<Gate>())
}

/// Returns the option for what an undecided condition or limit means to a pipeline.
pub(super) fn undecided_arg() -> Arg {
    option(
        "undecided",
        "MEANING",
        "Count what is undecided as passed (status 0) or failed (status 3) [default: status 4]",
    )
    .value_parser(["pass", "fail"])
}

/// Prints the conditions that are true or undecided, and returns the status that follows from all of them.
pub(super) fn conclude(judged: &[Judged], matches: &ArgMatches) -> Status {
    for Judged { condition, truth, lines } in judged {
        if *truth != Truth::False {
            print_message(&format!("--fail-if {condition}: {}", truth.word()));
            for line in lines {
                print_message(&format!("  {line}"));
            }
        }
    }
    let has = |truth| judged.iter().any(|one| one.truth == truth);
    match (has(Truth::True), has(Truth::Undecided)) {
        (true, _) => Status::GateFailed,
        (false, true) => undecided_status(matches),
        (false, false) => Status::Done,
    }
}

/// Returns the status of a condition or limit that is undecided.
pub(super) fn undecided_status(matches: &ArgMatches) -> Status {
    match text(matches, "undecided").as_deref() {
        Some("pass") => Status::Done,
        Some("fail") => Status::GateFailed,
        _ => Status::Undecided,
    }
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

type CompareFailure = Box<dyn std::error::Error>;

/// The runs to compare and the prior to use, from the arguments of the `compare` command.
struct CompareRequest {
    /// One entry per run or quick check, with its files; the first is the baseline.
    entries: Vec<Vec<PathBuf>>,
    /// How many of the entries belong to each group, in order; `None` unless groups are compared.
    groups: Option<Vec<usize>>,
    /// The run-to-run variation to assume before the runs are evaluated; `None` uses the variation
    /// of the saved runs.
    prior: Option<Prior>,
    minimum: MinEffect,
}

impl CompareRequest {
    fn of(store: Option<&Store>, matches: &ArgMatches) -> Result<Self, CompareFailure> {
        let entries = |name: &str| -> Result<Vec<Vec<PathBuf>>, CompareFailure> {
            let names = matches.get_many::<String>(name).into_iter().flatten();
            let found: Vec<_> =
                names.map(|name| entries_of(store, name)).collect::<Result<_, _>>()?;
            Ok(found.concat())
        };
        let prior = match text(matches, "prior").as_deref() {
            None if is_by_path(matches) => Some(Prior::default()),
            None | Some("library") => None,
            Some(text) => Some(read_prior(text)?),
        };
        let given = matches.get_many::<MinEffect>("min-effect").into_iter().flatten();
        let minimum = given.fold(MinEffect::default(), |all, one| MinEffect {
            share: one.share.or(all.share),
            points: one.points.or(all.points),
        });
        let groups: Vec<_> = GROUPS
            .into_iter()
            .map(|(name, ..)| entries(name))
            .collect::<Result<_, CompareFailure>>()?;
        let groups: Vec<_> = groups.into_iter().filter(|group| !group.is_empty()).collect();
        if !groups.is_empty() {
            for (group, position) in groups.iter().zip(1..) {
                let others = groups.iter().skip(position).flatten();
                let both = others.into_iter().find(|one| group.contains(one));
                if let Some(both) = both.and_then(|files| files.first()) {
                    let of = if groups.len() == 2 { "both" } else { "two" };
                    return Err(
                        format!("in {of} groups, leave it out of one: {}", both.display()).into()
                    );
                }
            }
            let counts = Some(groups.iter().map(Vec::len).collect());
            return Ok(Self { entries: groups.concat(), groups: counts, prior, minimum });
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
        Ok(Self { entries, groups: None, prior, minimum })
    }
}

/// Returns the entry with this name, or every entry with the tag in `tag:NAME`.
fn entries_of(store: Option<&Store>, name: &str) -> Result<Vec<Vec<PathBuf>>, CompareFailure> {
    let Some(tag) = name.strip_prefix("tag:").filter(|_| !Path::new(name).is_file()) else {
        return Ok(vec![entry_files(store, name)?]);
    };
    let found = tagged(store, tag)?;
    if found.is_empty() {
        return Err(format!(
            "no run has the tag '{}'; use 'runs list' to list runs",
            shortened(tag)
        )
        .into());
    }
    Ok(found)
}

/// Rejects runs that are listed more than once: a run has no variation from itself, so the
/// variation within its group would be too small.
fn refuse_repeated(runs: &[(&Run, &Report)]) -> Result<(), CompareFailure> {
    let mut known: Vec<&RunId> = Vec::new();
    for (run, _) in runs {
        if known.contains(&&run.id) {
            return Err(format!("list each run once: {} is there several times", run.id).into());
        }
        known.push(&run.id);
    }
    Ok(())
}

/// Whether any run is given by the path of its file. The result for such files is the same on every PC, whatever is saved
/// there.
fn is_by_path(matches: &ArgMatches) -> bool {
    let lists = GROUPS.into_iter().map(|(name, ..)| name).chain(["run"]);
    let names = lists.filter_map(|list| matches.get_many::<String>(list));
    names.flatten().any(|name| Path::new(name).is_file())
}

/// Reads a prior from its text, as Repeat with prints it, or from a file.
fn read_prior(text: &str) -> Result<Prior, CompareFailure> {
    let of_text = Prior::from_text(text);
    if of_text.is_ok() || (text.contains('=') && !Path::new(text).is_file()) {
        return Ok(of_text.map_err(|error| format!("--prior: {error}"))?);
    }
    let file = text;
    Ok(repeats::read_prior(Path::new(file)).map_err(|error| format!("--prior: {error}: {file}"))?)
}

/// Runs the `compare` command.
pub(super) fn run(store: Option<&Store>, matches: &ArgMatches) -> Result<Status, CompareFailure> {
    let request = CompareRequest::of(store, matches)?;
    let (format, output) = (text(matches, "format").unwrap_or_default(), Output::of(matches));
    let place = output.place(&format);
    let sets = matching_runs(&request.entries)?;
    let is_check = request.entries.iter().any(|files| 1 < files.len());
    let asked = capture_view::options(matches);
    for run in sets.iter().flatten() {
        capture_view::check(run, matches)?;
    }
    let mut compared = Vec::new();
    let history = request.prior.as_ref().map_or(History::of(store), History::Given);
    let groups = request.groups.as_deref();
    for runs in &sets {
        let shown: Vec<_> =
            runs.iter().map(|run| names::evaluated_as(run, place, &asked)).collect();
        let evaluated: Vec<(&Run, &Report)> =
            shown.iter().map(|(run, report)| (run.as_ref(), report)).collect();
        if request.groups.is_some() {
            refuse_repeated(&evaluated)?;
        }
        let comparison = repeats::compare(&evaluated, groups, history, request.minimum);
        let part = runs.first().and_then(Run::plan).and_then(Part::of).filter(|_| is_check);
        compared.push((part, comparison, shown));
    }
    let gates = matches.get_many::<Gate>("fail-if").into_iter().flatten();
    let judged: Vec<Judged> = gates
        .map(|gate| gate.judge(compared.iter().map(|(_, comparison, _)| comparison)))
        .collect();
    let content = match format.as_str() {
        "html" => show::html(&compared)?,
        "markdown" => show::markdown(&compared, &judged),
        "json" => {
            let each = compared.iter().map(|one| show::json(one, &judged));
            let each: Vec<String> = each.collect::<Result<_, _>>()?;
            match each.as_slice() {
                [one] => one.clone(),
                several => {
                    let several: Vec<&str> = several.iter().map(|one| one.trim_end()).collect();
                    format!("[{}]\n", several.join(",\n"))
                }
            }
        }
        _ => export::for_terminal(&show::table(&compared)),
    };
    output.write(|to| to.write_all(content.as_bytes()))?;
    Ok(conclude(&judged, matches))
}
