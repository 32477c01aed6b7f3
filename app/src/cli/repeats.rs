//! Related runs: the variation of repeats, and the interleaved re-run of two saved runs.

use clap::{Arg, ArgAction, ArgMatches, Command};
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::comparison::{MIN_REPEATS, NoiseFloor, paired_differences};
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::runner::RunSequence;
use jitterscope_engine::store::Store;
use jitterscope_engine::store::repeats::MAX_REPEATS;
use jitterscope_engine::units::count_text;

use super::print::{self, columns, print_message};
use super::runs::{entry_files, matching_runs};
use super::terminal::{self, Terminal};
use super::{Status, failed, host, number_in, option};
use crate::text::{NARROW_SPACE, series as words};

/// Returns the option for the number of repeats.
pub(super) fn repeat_arg() -> Arg {
    option(
        "repeat",
        "TIMES",
        "Repeat the test this many times, save each run, and report run-to-run variation",
    )
    .value_parser(number_in(1..=MAX_REPEATS))
    .help_heading("Run")
}

/// Prints the run-to-run variation of repeats.
pub(super) fn print_variation(store: Option<&Store>, runs: &[Run]) {
    // Use the noise floor of the saved runs up to the last repeat, as all other outputs do. Without
    // saved runs, use the noise floor of these repeats.
    let saved = store.zip(runs.last()).and_then(|(store, run)| store.noise_floor(run, &[]).ok()?);
    let Some(floor) = saved.or_else(|| NoiseFloor::of_runs(runs)) else {
        print_message(&format!("the noise floor needs at least {MIN_REPEATS} repeats"));
        return;
    };
    let mut text = format!(
        "\nRun-to-run variation of {} repeats. Two runs with the same settings differ by less \
         than the noise floor 95% of the time.\n\n",
        floor.count
    );
    if let Some(omitted) = runs.len().checked_sub(floor.count).filter(|omitted| *omitted != 0) {
        let of = runs.len();
        text.push_str(&format!(
            "Omitted: {omitted} of {of}, where other programs used more CPU time or the run took longer.\n\n"
        ));
    }
    columns(&mut text, &words::variation_table(&floor.variations));
    print_message(text.replace(NARROW_SPACE, " ").trim_end());
}

/// Returns the `alternate` command, which re-runs two saved runs.
pub(super) fn alternate_command() -> Command {
    Command::new("alternate")
        .about("Re-run the settings of two saved runs, interleaved, and compare them")
        .after_help(
            "The order is A B, B A, A B, so that drift affects both equally. Each run is saved \
             with the tag 'alternate'. Each pair gives one difference; the interval is Student's t \
             over all pairs.\n\nExample:\n  jitterscope-cli alternate 0a1b 2c3d --times 5",
        )
        .arg(
            Arg::new("run")
                .value_name("RUN")
                .required(true)
                .action(ArgAction::Append)
                .num_args(2)
                .help("Run IDs (or their first digits), names, or paths of run files: A and B"),
        )
        .arg(
            option("times", "TIMES", "Number of times to measure each")
                .default_value("5")
                .value_parser(number_in(1..=MAX_REPEATS)),
        )
        .args(terminal::run_args())
        .args(host::host_args())
}

/// Runs the `alternate` command: re-runs the settings of two saved runs, interleaved, and prints
/// how the results differ.
pub(super) fn alternate(store: Option<&Store>, matches: &ArgMatches) -> Result<Status, Status> {
    let plans = plans(store, matches).map_err(failed)?;
    let times = matches.get_one::<u32>("times").copied().unwrap_or(1);
    let terminal = Terminal::open(store, matches, plans.as_flattened())?;
    // Check all plans before the first one is measured.
    let cpus = terminal.host.facts().cpus;
    for (plan, letter) in plans.iter().flat_map(|pair| pair.iter().zip(['A', 'B'])) {
        let problems = plan.problems(&cpus);
        for problem in &problems {
            failed(format!(
                "run {letter} cannot be measured here: {}: {}",
                problem.key, problem.message
            ));
        }
        if !problems.is_empty() {
            return Err(Status::Failed);
        }
    }
    for pair in &plans {
        alternate_pair(&terminal, pair, times)?;
    }
    Ok(Status::Done)
}

/// Measures two plans, interleaved, and prints how their results differ.
fn alternate_pair(terminal: &Terminal<'_>, [a, b]: &[Plan; 2], times: u32) -> Result<(), Status> {
    let mut sides: [Vec<Run>; 2] = [Vec::new(), Vec::new()];
    for step in RunSequence::alternation([a, b], times) {
        let letter = if step.side == 0 { 'A' } else { 'B' };
        print_message(&format!("{letter}, {} of {times}", step.round));
        let request = terminal.host.facts().request(step.plan, step.labels);
        let saved = terminal.measure(request, None).map_err(|error| error.report())?;
        let status = terminal::report(&saved);
        if status != Status::Done {
            return Err(status);
        }
        if let Some(runs) = sides.get_mut(step.side) {
            runs.push(saved.run);
        }
    }
    let [of_a, of_b] = sides;
    let pairs: Vec<[Run; 2]> = of_a.into_iter().zip(of_b).map(<[Run; 2]>::from).collect();
    let printed = print::print_output(&table(&pairs));
    printed.map_err(|error| failed(format!("cannot write the result: {error}")))
}

/// Returns the settings of both runs, or of both runs of each part of two quick checks.
fn plans(
    store: Option<&Store>,
    matches: &ArgMatches,
) -> Result<Vec<[Plan; 2]>, Box<dyn std::error::Error>> {
    let names = matches.get_many::<String>("run").into_iter().flatten();
    let entries: Vec<_> = names.map(|name| entry_files(store, name)).collect::<Result<_, _>>()?;
    let sets = matching_runs(&entries)?.into_iter().map(|runs| {
        let Ok([a, b]) = <[Run; 2]>::try_from(runs) else {
            return Err("two runs are needed".into());
        };
        if a.subject.key() != b.subject.key() {
            return Err("these runs measure different things and cannot be compared".into());
        }
        match (a.plan(), b.plan()) {
            (Some(a), Some(b)) => Ok([a.clone(), b.clone()]),
            _ => Err(words::NOT_MEASURED_HERE.into()),
        }
    });
    sets.collect()
}

fn table(pairs: &[[Run; 2]]) -> String {
    let reports: Vec<[Report; 2]> = pairs
        .iter()
        .map(|pair| {
            [Report::of(&pair[0], &Options::default()), Report::of(&pair[1], &Options::default())]
        })
        .collect();
    let evaluated: Vec<[(&Run, &Report); 2]> =
        pairs.iter().zip(&reports).map(|([a, b], [of_a, of_b])| [(a, of_a), (b, of_b)]).collect();
    let times = count_text(pairs.len(), "times");
    let mut text = format!("A and B interleaved, {times} each; means\n\n");
    columns(&mut text, &words::paired_differences(&paired_differences(&evaluated)));
    text.replace(NARROW_SPACE, " ")
}
