//! The `runs` commands, which list, show, edit, and remove saved runs, and the `machine` command.

mod edit;
mod list;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use jitterscope_engine::format::FormatError;
use jitterscope_engine::import::{self, ImportError};
use jitterscope_engine::machine::{ClockFacts, Machine};
use jitterscope_engine::plan::Priority;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::platform::{Applied, CoreKind, PowerSource};
use jitterscope_engine::run::Run;
use jitterscope_engine::runner::{MachineFacts, agent};
use jitterscope_engine::store::{self, Store};
use jitterscope_engine::units::{count_text, shortened};

use super::print::{self, print_message};
use super::terminal::Interrupt;
use super::{
    RUN_HELP, Status, capture_view, failed, host, names, output_args, quick, run_arg, text, why,
};
use crate::run_list::LibraryItem;
use crate::text as words;

/// Returns the `runs` command with its subcommands.
pub(super) fn command() -> Command {
    Command::new("runs")
        .about("List, show, edit, and remove saved runs")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list::command())
        .subcommand(
            Command::new("show")
                .about("Show the result of a saved run")
                .arg(run_arg())
                .args(output_args())
                .args(capture_view::args())
                .arg(why::why_arg()),
        )
        .subcommands(edit::commands())
}

/// Returns the argument that selects one or more saved runs.
fn several_runs() -> Arg {
    Arg::new("run")
        .value_name("RUN")
        .required(true)
        .help(RUN_HELP)
        .action(ArgAction::Append)
        .num_args(1..)
}

/// Recovers runs that were interrupted, then carries out a `runs` command.
pub(super) fn run(store: Option<&Store>, matches: &ArgMatches) -> Result<Status, Status> {
    let missing = "no default data folder on this system; set one with --data-dir";
    let store = store.ok_or_else(|| failed(missing))?;
    let journals = store.recover().unwrap_or_else(|error| {
        print_message(&format!("error: {error}"));
        Vec::new()
    });
    for journal in &journals {
        if journal.is_problem() || journal.saved().is_some() {
            print_message(&journal.to_string());
        }
    }
    let done = match matches.subcommand() {
        Some(("list", matches)) => list::run(store, &journals, matches),
        Some(("show", matches)) => show(store, matches),
        Some((name, matches)) => edit::run(store, name, matches),
        None => return Err(Status::WrongUse),
    };
    done.map(|()| Status::Done).map_err(failed)
}

type EditOutcome = Result<(), Box<dyn Error>>;

/// Returns the file at the path `name`, or the files of the saved run or quick check that has this
/// name or an ID that begins with this text.
pub(super) fn entry_files(
    store: Option<&Store>,
    name: &str,
) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let path = PathBuf::from(name);
    if path.is_file() {
        return Ok(vec![path]);
    }
    let Some(store) = store else {
        return Err(format!(
            "no file '{}', and no data folder to search for a run",
            shortened(name)
        )
        .into());
    };
    Ok(files_of(store, name)?)
}

/// Returns the files of each saved run and quick check that has this tag.
pub(super) fn tagged(
    store: Option<&Store>,
    tag: &str,
) -> Result<Vec<Vec<PathBuf>>, Box<dyn Error>> {
    let store = store.ok_or("no data folder to search for runs")?;
    let has_tag = |item: &LibraryItem| {
        item.run.as_ref().is_ok_and(|run| run.tags.iter().any(|own| own == tag))
    };
    let items = LibraryItem::list(store.lines()?);
    Ok(items.into_iter().filter(has_tag).map(|item| item.files).collect())
}

/// Opens the files of each entry. If every entry is a single run, returns one list with all runs.
/// If every entry is a quick check, returns one list per part that all checks have, with one run
/// per check.
pub(super) fn matching_runs(entries: &[Vec<PathBuf>]) -> Result<Vec<Vec<Run>>, Box<dyn Error>> {
    let opened: Vec<Vec<Run>> =
        entries.iter().map(|files| open_runs(files)).collect::<Result<_, _>>()?;
    if opened.iter().all(|runs| runs.len() == 1) {
        return Ok(vec![opened.into_iter().flatten().collect()]);
    }
    if opened.iter().any(|runs| runs.len() == 1) {
        return Err("a quick check can only be compared with other quick checks".into());
    }
    let mut checks: Vec<_> = opened.into_iter().map(quick::by_part).collect();
    let parts = Part::ALL.into_iter().filter_map(|part| {
        checks.iter_mut().map(|runs| runs.remove(&part)).collect::<Option<Vec<Run>>>()
    });
    let parts: Vec<Vec<Run>> = parts.collect();
    if parts.is_empty() {
        return Err("these quick checks have no measurement in common".into());
    }
    Ok(parts)
}

/// Opens the files of an entry: run files, exported runs and quick checks, or captures of other programs as runs.
pub(super) fn open_runs(files: &[PathBuf]) -> Result<Vec<Run>, Box<dyn Error>> {
    let opened: Vec<Vec<Run>> =
        files.iter().map(|file| open_file(file)).collect::<Result<_, _>>()?;
    Ok(opened.into_iter().flatten().collect())
}

fn open_file(path: &Path) -> Result<Vec<Run>, Box<dyn Error>> {
    let error = match store::load(path) {
        Ok(run) => return Ok(vec![run]),
        Err(error) => error,
    };
    if path.to_string_lossy().ends_with(store::EXTENSION) {
        return Err(error.into());
    }
    let imported = match import::read(path, &import::Options::default()) {
        Ok(imported) => imported,
        Err(error @ ImportError::Format(FormatError::Reduced { .. } | FormatError::NoRuns)) => {
            return Err(format!("{error}: {}", path.display()).into());
        }
        Err(ImportError::Unknown | ImportError::Format(_) | ImportError::Read(_)) => {
            return Err(error.into());
        }
        Err(error) => return Err(format!("{error}: {}", path.display()).into()),
    };
    Ok(imported.into_runs())
}

/// Returns the files of the saved run or quick check that has this name or an ID that begins with
/// this text.
fn files_of(store: &Store, name: &str) -> Result<Vec<PathBuf>, store::FindError> {
    let error = match store.find(name) {
        Ok(path) => return Ok(vec![path]),
        Err(error) => error,
    };
    // If several files share the name, they may be the runs of one quick check.
    let items = LibraryItem::list(store.lines()?);
    let is_named = |item: &&LibraryItem| {
        let run = item.run.as_ref().ok().filter(|_| item.is_check() && !name.is_empty());
        run.is_some_and(|run| run.id.starts_with(name) || run.given_name == name)
    };
    match items.iter().filter(is_named).collect::<Vec<_>>().as_slice() {
        [] => Err(error),
        [check] => Ok(check.files.clone()),
        several => {
            let files: Vec<PathBuf> =
                several.iter().filter_map(|item| item.files.first().cloned()).collect();
            Err(store::FindError::several(name, &files))
        }
    }
}

fn show(store: &Store, matches: &ArgMatches) -> EditOutcome {
    let name = text(matches, "run").unwrap_or_default();
    let files = entry_files(Some(store), &name)?;
    match open_runs(&files)?.as_slice() {
        [run] => print::result(run, matches)?,
        // Print all parts of a quick check as a single result.
        runs => quick::show(runs, matches)?,
    }
    Ok(())
}

/// Prints the hardware, the clock, and the capabilities of this PC or of the selected host.
pub(super) fn machine(matches: &ArgMatches) -> Result<Status, Status> {
    let host = Interrupt::install().while_connecting(|| host::connect(matches, &[]))?;
    let MachineFacts { machine, clock, .. } = host.facts();
    let content = if text(matches, "format").as_deref() == Some("json") {
        let mut json = store::format::machine_json(&machine, &clock);
        json.push('\n');
        json
    } else {
        let outcomes = host.capabilities().map_or_else(|| agent::probe().outcomes, <[_]>::to_vec);
        describe(&machine, &clock, outcomes)
    };
    print::print_output(&content).map(|()| Status::Done).map_err(failed)
}

fn describe(machine: &Machine, clock: &ClockFacts, outcomes: Vec<(Priority, Applied)>) -> String {
    let unknown = || "not reported by this system".to_owned();
    let cores = machine.physical_cores;
    let cores = cores.map(|cores| format!(", {}", count_text(cores, "physical cores")));
    let known = |value: &Option<String>| value.clone().unwrap_or_else(unknown);
    let count = |kind| match machine.count_of(kind) {
        0 => String::new(),
        count => {
            let cores = if kind == CoreKind::Performance { "P-cores" } else { "E-cores" };
            format!(", {}", count_text(count, cores))
        }
    };
    let power = match machine.power.source {
        None => unknown(),
        Some(PowerSource::Mains) => "AC power".to_owned(),
        Some(PowerSource::Battery { percent: None }) => "battery".to_owned(),
        Some(PowerSource::Battery { percent: Some(percent) }) => format!("battery, {percent}%"),
    };
    let mut lines = vec![
        ("Processor", known(&machine.cpu_model)),
        (
            "CPUs",
            format!(
                "{}{}{}{}",
                count_text(machine.cpus.len(), "CPUs"),
                count(CoreKind::Performance),
                count(CoreKind::Efficiency),
                cores.unwrap_or_default(),
            ),
        ),
        ("Memory", machine.memory_bytes.map_or_else(unknown, words::format_bytes)),
        (
            "System",
            format!("{}, kernel {}, {}", known(&machine.os), known(&machine.kernel), machine.arch),
        ),
        ("Virtual machine", machine.virtualization.clone().unwrap_or_else(|| "no".to_owned())),
        ("Power", power),
        (words::machine::power_label(machine), known(&machine.power.governor_or_plan)),
        ("Clock", clock.name.clone()),
        (
            "Clock resolution",
            format!(
                "{}, read overhead {:.1} ns",
                words::format_time(clock.resolution),
                clock.read_cost_nanos
            ),
        ),
    ];
    let scheduler: Vec<(String, String)> = machine.scheduler.clone();
    let mut text = String::new();
    for (name, value) in lines.drain(..) {
        text.push_str(&format!("{name:<24} {value}\n"));
    }
    for (name, value) in scheduler {
        text.push_str(&format!("{name:<24} {value}\n"));
    }
    text.push_str("\nCapabilities\n");
    for (priority, applied) in outcomes {
        text.push_str(&format!("  {:<22} {}\n", priority.name(), applied.effective.policy));
        for refusal in applied.refusals {
            text.push_str(&names::redacted(&format!("    {refusal}\n")));
        }
    }
    text.replace(words::NARROW_SPACE, " ")
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::platform::Cpu;

    use super::*;

    #[test]
    fn an_unknown_number_of_cores_is_omitted() {
        for (physical_cores, expected) in [(None, "1 CPU"), (Some(1), "1 CPU, 1 physical core")] {
            let machine =
                Machine { cpus: vec![Cpu::default()], physical_cores, ..Machine::default() };
            let text = describe(&machine, &ClockFacts::default(), Vec::new());
            let line = text.lines().find_map(|line| line.strip_prefix("CPUs ")).unwrap();
            assert_eq!(line.trim(), expected);
        }
    }
}
