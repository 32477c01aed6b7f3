//! The `check` command for pipelines: runs the tests of a limits file until every limit is decided.

mod junit;
mod limits_file;
mod prepare;
mod result;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::export::{self, Block};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{DisturbedRun, comparison};
use jitterscope_engine::run::Labels;
use jitterscope_engine::runner::{MachineFacts, QuietWait};
use jitterscope_engine::stats::decision::{Decision, LOOKS};
use jitterscope_engine::store::Store;

use super::names::{self, Place};
use super::output::Output;
use super::print::{columns, print_message, print_output};
use super::terminal::{self, Terminal};
use super::{Status, failed, path_option};
use crate::text::NARROW_SPACE;
use limits_file::{FileError, SourceText};
use prepare::{Prepared, Test, prepared};
use result::{LimitResult, results};

/// The tag of runs that this command saves.
const TAG: &str = "check";

/// Returns the `check` command with its options.
pub(super) fn command() -> Command {
    Command::new("check")
        .about("Run the tests of a file and check their limits, for a pipeline")
        .after_help(
            "Repeats each test 3, 5, 8, 12, or 20 times: until the 95% interval of the mean over the \
             repeats is within or beyond every limit, or the time limit ends. A limit is absolute \
             (max, min) or relative to the mean of baseline runs (max-increase, max-decrease). A run that other \
             programs, a quota, or a sleep of the system disturbed is repeated once, after a wait for quiet; if the repeat \
             is disturbed as well, all limits of the test are undecided. With disturbed = \"count\" in the file, disturbed \
             runs count.\n\n\
             Example of a file:\n  time-limit = \"10min\"\n  [[test]]\n  test = \"frame-loop\"\n  \
             settings = { duration = \"10s\", load-threads = 4 }\n  baseline = \
             [\"baseline.jitterscope.json\"]\n  [[test.limit]]\n  metric = \"p99\"\n  max = \
             \"2ms\"\n  [[test.limit]]\n  metric = \"p95\"\n  max-increase = \"20%\"\n\nExample:\n  \
             jitterscope-cli check limits.toml --junit results.xml --markdown summary.md\n\nExit \
             status: 0 all limits met, 3 a limit exceeded, 4 undecided, 2 invalid file.",
        )
        .arg(
            Arg::new("limits")
                .value_name("LIMITS.toml")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("File with the tests and their limits"),
        )
        .arg(super::compare::undecided_arg())
        .arg(path_option("junit", "FILE", "Write the results as JUnit XML to this file"))
        .arg(path_option("markdown", "FILE", "Write a summary as Markdown to this file"))
        .args(terminal::run_args())
}

/// A test with its results.
struct CheckedRun<'a> {
    test: &'a Test,
    results: Vec<LimitResult<'a>>,
    /// The IDs of the runs whose values count.
    runs: Vec<String>,
    /// The runs that were disturbed: those that were repeated, and those that count because the repeat was disturbed as
    /// well.
    disturbed: Vec<DisturbedRun>,
    length: Duration,
    /// How the last run of the test ended.
    status: Status,
}

/// Runs the `check` command: measures, prints whether the limits are met, and writes the requested
/// files.
pub(super) fn run(store: Option<&Store>, matches: &ArgMatches) -> Result<Status, Status> {
    let Prepared { tests, time_limit, counts_disturbed, notes } =
        read(matches).map_err(|error| {
            failed(error);
            Status::WrongUse
        })?;
    for note in notes {
        print_message(&note);
    }
    let output = |name: &str| matches.get_one::<PathBuf>(name).cloned().map(Output::File);
    let (junit, markdown) = (output("junit"), output("markdown"));
    [&junit, &markdown].into_iter().flatten().try_for_each(Output::check).map_err(failed)?;
    let terminal = Terminal::open(store, matches, &[])?;
    let began_at = crate::text::now();
    let mut checked = Vec::new();
    for test in &tests {
        checked.push(check(&terminal, test, time_limit, counts_disturbed));
        if checked.last().is_some_and(|last| last.status == Status::Stopped) {
            break;
        }
    }
    let grid = result::grid(checked.iter().flat_map(|one| &one.results));
    let decision = result::joined(checked.iter().flat_map(|one| &one.results));
    let mut status = match status_of(&checked, decision) {
        Status::Undecided => super::compare::undecided_status(matches),
        status => status,
    };
    let mut text = String::new();
    columns(&mut text, &[std::slice::from_ref(&grid.header), grid.rows.as_slice()].concat());
    text.push_str(&format!("\n{}\n", result::sentence(decision)));
    let about: Vec<String> = checked.iter().flat_map(CheckedRun::about).collect();
    for line in &about {
        text.push_str(&format!("{line}\n"));
    }
    let heading = Block::Heading(result::sentence(decision).to_owned());
    let mut blocks = vec![heading, Block::Grid(grid), Block::item(result::NOISE)];
    blocks.extend(about.iter().map(Block::item));
    let summary = export::markdown::text(&blocks);
    let xml = junit.as_ref().map(|_| junit::text(&checked, began_at));
    let written =
        [(junit, xml), (markdown, Some(summary))].into_iter().try_for_each(|(output, content)| {
            match output.zip(content) {
                Some((output, content)) => {
                    output.write(|to| to.write_all(content.replace(NARROW_SPACE, " ").as_bytes()))
                }
                None => Ok(()),
            }
        });
    let printed = print_output(&text.replace(NARROW_SPACE, " ")).map_err(Into::into);
    for error in [written, printed].into_iter().filter_map(Result::err) {
        status = failed(error);
    }
    Ok(status)
}

fn read(matches: &ArgMatches) -> Result<Prepared, FileError> {
    let path = matches.get_one::<PathBuf>("limits").cloned().unwrap_or_default();
    prepared(&SourceText::read(&path)?, &MachineFacts::read())
}

/// Repeats a test until all its limits are decided, or the time is over. Unless `counts_disturbed`, a disturbed
/// run is repeated once, and makes all limits undecided if the repeat is disturbed as well.
fn check<'a>(
    terminal: &Terminal<'_>,
    test: &'a Test,
    time_limit: Nanos,
    counts_disturbed: bool,
) -> CheckedRun<'a> {
    let began = Instant::now();
    let mut repeats: Vec<comparison::ValuesByLabel> = Vec::new();
    let (mut runs, mut disturbed) = (Vec::new(), Vec::new());
    let (mut is_repeat, mut is_undecided) = (false, false);
    let mut quiet = QuietWait::new(QuietWait::DEFAULT);
    let status = loop {
        if !counts_disturbed {
            wait_for_quiet(terminal, &mut quiet);
        }
        let labels = Labels { tags: vec![TAG.to_owned()], ..Labels::default() };
        let request = MachineFacts::read().request(test.plan.clone(), labels);
        if !terminal.is_quiet {
            print_message(&format!("{}: run {}", test.name, repeats.len() + 1));
        }
        let saved = match terminal.measure(request, None) {
            Ok(saved) => saved,
            Err(error) => break error.report(),
        };
        let status = terminal::report(&saved);
        if status != Status::Done {
            break status;
        }
        let (run, report) = names::evaluated(&saved.run, Place::File);
        let disturbance = DisturbedRun::of(&run, &report);
        let is_disturbed = disturbance.is_some() && !counts_disturbed;
        let was_repeat = is_repeat;
        is_repeat = is_disturbed && !was_repeat;
        disturbed.extend(disturbance);
        if is_disturbed && !was_repeat && Nanos::from(began.elapsed()) < time_limit {
            continue;
        }
        is_undecided |= is_disturbed;
        runs.push(run.id.to_string());
        repeats.push(comparison::values(&run, &report));
        let count = repeats.len();
        // More repeats decide nothing after a run that stays disturbed.
        let is_open = |one: &LimitResult<'_>| one.decision == Decision::Undecided;
        let is_decided = LOOKS.contains(&count)
            && (is_undecided || !results(test, &repeats).iter().any(is_open));
        // The next run is expected to take as long as the average run so far. Stop if it would
        // exceed the time limit.
        let elapsed = Nanos::from(began.elapsed());
        let runs = i64::try_from(count).unwrap_or(i64::MAX);
        if is_decided || LOOKS.last() == Some(&count) || time_limit * runs < elapsed * (runs + 1) {
            break status;
        }
    };
    let mut results = results(test, &repeats);
    if is_undecided {
        results.iter_mut().for_each(LimitResult::undecide);
    }
    CheckedRun { test, results, runs, disturbed, length: began.elapsed(), status }
}

/// Waits until other programs use little CPU time, as long as `quiet` allows.
fn wait_for_quiet(terminal: &Terminal<'_>, quiet: &mut QuietWait) {
    let mut is_said = terminal.is_quiet;
    loop {
        let found = terminal.host.look();
        quiet.spend(QuietWait::LOOK);
        if !quiet.must_wait(found.share) || terminal.is_interrupted() {
            return;
        }
        if let Some(words) = crate::text::live::busy_now(&found).filter(|_| !is_said) {
            print_message(&format!("waiting for quiet: {words}"));
            is_said = true;
        }
    }
}

impl CheckedRun<'_> {
    /// Returns one line with the IDs of the runs, and one per disturbed run with what disturbed it.
    fn about(&self) -> Vec<String> {
        let runs = format!("{}: runs {}", self.test.name, self.runs.join(", "));
        let of = |run: &DisturbedRun| format!("{}: disturbed {}", self.test.name, run.words());
        std::iter::once(runs).chain(self.disturbed.iter().map(of)).collect()
    }
}

/// Returns the exit status of the command. An exceeded limit is certain, even if other tests
/// failed.
fn status_of(checked: &[CheckedRun<'_>], decision: Decision) -> Status {
    let any = |status| checked.iter().any(|one| one.status == status);
    match decision {
        _ if any(Status::Stopped) => Status::Stopped,
        Decision::Broken => Status::GateFailed,
        _ if checked.iter().any(|one| one.status != Status::Done) => Status::Failed,
        Decision::Undecided => Status::Undecided,
        Decision::Met => Status::Done,
    }
}
