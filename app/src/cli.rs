//! The command-line program, which measures and shows saved runs without a window.

mod capture_view;
mod check;
mod columns;
mod compare;
mod export;
mod form;
mod holoscan;
mod host;
mod hosts;
mod import;
mod labels;
mod measure;
mod names;
mod output;
mod print;
mod quick;
mod record;
mod renamed;
mod repeats;
mod runs;
mod terminal;
mod trend;
mod verify;
mod why;
mod window;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Command};
use jitterscope_engine::plan::Plan;
use jitterscope_engine::platform;
use jitterscope_engine::store::Store;
use jitterscope_engine::units::shortened;

use crate::text::NARROW_SPACE;
use form::Collect;

pub use output::print_message;
pub use window::window_files;

/// The outcome of a command, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The command succeeded.
    Done,
    /// The command failed; the reason was printed.
    Failed,
    /// Usage error; the message was printed.
    WrongUse,
    /// A `--fail-if` condition was met, or a limit was exceeded; the details were printed.
    GateFailed,
    /// A limit is undecided: neither met nor exceeded with certainty; the details were printed.
    Undecided,
    /// The user interrupted the command; measured data is saved.
    Stopped,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Done => 0,
            Status::Failed => 1,
            Status::WrongUse => 2,
            Status::GateFailed => 3,
            Status::Undecided => 4,
            Status::Stopped => 130,
        })
    }
}

/// Parses the arguments of `jitterscope-cli`, of which the first is the program's name, and runs
/// the command.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Status {
    platform::note_usable_cpus();
    platform::survive_size_limit();
    platform::exit_on_abort();
    if let Err(refused) = platform::check_needed_calls() {
        return failed(refused);
    }
    let args: Vec<OsString> = args.into_iter().collect();
    let parsed = command().mut_subcommand("quick", quick::scaled).try_get_matches_from(&args);
    let matches = match parsed {
        Ok(matches) => matches,
        Err(error) => return print_usage(error),
    };
    names::note(&matches);
    let store = match matches.get_one::<PathBuf>("data-dir") {
        Some(folder) => Some(Store::at(folder)),
        None => Store::default_location(),
    };
    if let Some(status) = matches.subcommand().and_then(|(_, matches)| hosts::run(matches, &args)) {
        return status;
    }
    let done = match matches.subcommand() {
        Some(("agent", matches)) => host::agent(matches),
        Some(("record", matches)) => record::run(matches),
        Some(("quick", matches)) => quick::run(store.as_ref(), matches),
        Some(("runs", matches)) => runs::run(store.as_ref(), matches),
        Some(("check", matches)) => check::run(store.as_ref(), matches),
        Some(("compare", matches)) => compare::run(store.as_ref(), matches).map_err(failed),
        Some(("trend", matches)) => trend::run(store.as_ref(), matches).map_err(failed),
        Some(("alternate", matches)) => repeats::alternate(store.as_ref(), matches),
        Some(("machine", matches)) => runs::machine(matches),
        Some(("export", matches)) => export::run(store.as_ref(), matches).map_err(failed),
        Some(("import", matches)) => import::run(store.as_ref(), matches).map_err(failed),
        Some(("verify", matches)) => verify::run(matches),
        Some((key, matches)) => match Plan::all().into_iter().find(|plan| plan.key() == key) {
            Some(plan) => measure::run(store.as_ref(), plan, matches),
            None => Err(Status::WrongUse),
        },
        None => Err(Status::WrongUse),
    };
    done.unwrap_or_else(|status| status)
}

/// Prints an error, and returns the status of a command that failed.
fn failed(error: impl Display) -> Status {
    print_message(&format!("error: {error}"));
    Status::Failed
}

/// Prints why the arguments are invalid. Help and version also arrive as such an error and go to
/// standard output.
fn print_usage(mut error: clap::Error) -> Status {
    shorten_values(&mut error);
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        _ if error.use_stderr() => Status::WrongUse,
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            failed(format!("cannot write the output: {error}"))
        }
        _ => Status::Done,
    }
}

/// Shortens long argument values quoted in an error message, and redacts names in them.
fn shorten_values(error: &mut clap::Error) {
    let long: Vec<(ContextKind, String)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => {
                Some((kind, shortened(&names::redacted(text)).into_owned()))
            }
            _ => None,
        })
        .collect();
    for (kind, text) in long {
        if text.ends_with('…') {
            // A suggestion would quote the long value again.
            error.insert(ContextKind::Suggested, ContextValue::None);
        }
        error.insert(kind, ContextValue::String(text));
    }
}

/// Runs the quick check in the terminal. The desktop program does so if no window can open.
pub fn quick_check() -> Status {
    run(["jitterscope-cli", "quick"].map(OsString::from))
}

/// Returns the commands of the desktop program and of the command-line program, with their options.
pub fn commands() -> [Command; 2] {
    [window::command(), command()]
}

/// Returns the command-line program with all its commands and options.
fn command() -> Command {
    let mut command = Command::new("jitterscope-cli")
        .about("Measure frame pacing and scheduling jitter, and find out why frames are late")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Times need a unit: 250us, 2ms, 10s, 5min.\nExit status: 0 success, 1 failure, 2 \
             usage error, 3 --fail-if condition met or limit \
             exceeded,\n4 limits undecided, 130 interrupted (measured data is saved). A reader that \
             closes\nstandard output early, such as head, changes no status.",
        )
        .arg(
            path_option("data-dir", "FOLDER", "Folder for saved runs [default: the platform's data folder]").global(true),
        )
        .arg(names::names_arg());
    command = command.subcommand(quick::command());
    for plan in Plan::all() {
        command = command.subcommand(test_command(plan));
    }
    command
        .subcommand(record::command())
        .subcommand(runs::command())
        .subcommand(export::command())
        .subcommand(import::command())
        .subcommand(verify::command())
        .subcommand(compare::command())
        .subcommand(trend::command())
        .subcommand(check::command())
        .subcommand(repeats::alternate_command())
        .subcommand(
            Command::new("machine")
                .about("Show this PC's hardware, clock, and capabilities; no host or user name")
                .arg(format_option(&["table", "json"], "Output format"))
                .args(host::host_args()),
        )
        .subcommand(host::agent_command())
}

/// Returns an option with a value.
fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// Returns an option whose value is the path of a file or folder.
fn path_option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).value_parser(clap::value_parser!(PathBuf))
}

/// Returns an option without a value.
fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// Returns the option for the output format; the default is a table.
fn format_option(values: &[&'static str], help: &'static str) -> Arg {
    option("format", "FORMAT", help).value_parser(values.to_vec()).default_value("table")
}

/// Help text of arguments that select a saved run.
const RUN_HELP: &str = "Run ID (or its first digits), name, file name, or path of a run's file";

/// Returns a parser of whole numbers in a range; its error message includes the range.
fn number_in(
    range: RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected {} to {}", range.start(), range.end()))
    }
}

fn run_arg() -> Arg {
    Arg::new("run").value_name("RUN").required(true).help(RUN_HELP)
}

fn output_args() -> [Arg; 3] {
    let args = [
        option(
            "format",
            "FORMAT",
            "How the result is written; reference is what the reference tool of the test prints, \
                 reference-json the file that it writes (real-time), openmetrics metrics \
                 for Prometheus",
        )
        .value_parser([
            PossibleValue::new("table"),
            PossibleValue::new("json"),
            PossibleValue::new("csv"),
            PossibleValue::new("openmetrics"),
            PossibleValue::new("reference").aliases(["source", "latency2"]),
            PossibleValue::new("reference-json"),
        ])
        .default_value("table"),
        path_option("out", "FILE", "Write the result to this file; - for standard output"),
        flag("all", "Print every table with every column"),
    ];
    args.map(|arg| arg.help_heading("Output"))
}

/// Returns the command of a test, with options derived from its settings.
fn test_command(mut plan: Plan) -> Command {
    let presets = plan.presets();
    let mut collect = Collect::default();
    plan.probe_mut().settings(&mut collect);
    let mut after = String::from("Presets:\n");
    for preset in &presets {
        after.push_str(&format!("  {:<15} {}\n", preset.key, preset.about));
    }
    after.push_str("\nExamples:\n");
    for example in plan.listing().examples {
        after.push_str(&format!("  jitterscope-cli {} {example}\n", plan.key()));
    }
    let after = after.replace(NARROW_SPACE, " ");
    Command::new(plan.key())
        .about(plan.listing().about.trim_end_matches('.'))
        .after_help(after)
        .arg(
            option("preset", "NAME", "Start from a preset; options override it (listed below)")
                .value_parser(
                    presets
                        .iter()
                        .map(|preset| {
                            PossibleValue::new(preset.key)
                                .aliases(renamed::former_value(preset.key))
                        })
                        .collect::<Vec<_>>(),
                )
                .hide_possible_values(true),
        )
        .args(collect.args)
        .args(output_args())
        .args((plan.key() == "real-time").then(holoscan::args).into_iter().flatten())
        .args(
            (plan.key() == "scheduling-gaps")
                .then(print::reference::gap_args)
                .into_iter()
                .flatten(),
        )
        .arg(why::trace_arg())
        .arg(why::why_arg())
        .arg(repeats::repeat_arg())
        .arg(flag("no-save", "Do not save the run").help_heading("Output"))
        .args(labels::args().map(|arg| arg.help_heading("Output")))
        .arg(flag("quiet", "Hide progress").short('q').help_heading("Output"))
        .args(host::host_args())
        .arg(host::hosts_arg(&["why", "repeat"]))
}

/// Returns the value of the option `name`, or `None` if it was not given.
fn text(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.try_get_one::<String>(name).ok().flatten().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_sound() {
        quick::scaled(quick::command()).debug_assert();
        command().debug_assert();
        // Completions offer hidden options, too.
        for command in command().get_subcommands() {
            assert!(!command.get_arguments().any(Arg::is_hide_set), "{}", command.get_name());
        }
    }

    #[test]
    fn former_names_are_accepted_and_not_listed() {
        for (test, [option, value], former) in [
            ("frame-loop", ["--late-limit", "7"], "--late-limit"),
            ("real-time", ["--late-limit", "7"], "--late-limit"),
            ("real-time", ["--turn", "3s"], "--turn"),
            ("sleep-accuracy", ["--at-most", "2s"], "--at-most"),
            ("sleep-accuracy", ["--preset", "usual"], "usual"),
            ("spin-strategies", ["--preset", "usual"], "usual"),
            ("game-tick", ["--what", "npcs"], "--what"),
            ("game-tick", ["--threads", "chosen"], "chosen"),
            ("scheduling-gaps", ["--cpus", "chosen"], "chosen"),
        ] {
            let mut plan = Plan::all().into_iter().find(|plan| plan.key() == test).unwrap();
            let command = test_command(plan.clone()).no_binary_name(true);
            let help = command.clone().render_long_help().to_string();
            assert!(!help.contains(former), "{former} is listed");
            let matches = command.try_get_matches_from([option, value]).unwrap();
            let mut fill = form::Fill::new(&matches);
            let before = plan.clone();
            plan.probe_mut().settings(&mut fill);
            assert_eq!((fill.errors, fill.notes), (vec![], vec![]), "{option} {value}");
            assert!(option == "--preset" || plan != before, "{option} {value}");
        }
    }

    #[test]
    fn help_names_every_preset() {
        for plan in Plan::all() {
            let help = test_command(plan.clone()).render_long_help().to_string();
            for preset in plan.presets() {
                assert!(help.contains(preset.key), "{}", preset.key);
            }
        }
    }
}
