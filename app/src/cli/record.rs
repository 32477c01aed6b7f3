//! The `record` command: records this PC and a game, marks a time, shows the state of a recorder, and ends it.

mod compare;
mod detail;
mod join;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgMatches, Command};
use jitterscope_engine::export::openmetrics;
use jitterscope_engine::import::{Column, LogSource, Options};
use jitterscope_engine::machine::{RecordingNeeds, describe_tiers, names_culprits};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::parse_nanos;
use jitterscope_engine::platform::{self, SystemTracer, clock_nanos};
use jitterscope_engine::run::Ending;
use jitterscope_engine::run::recording::EventLimits;
use jitterscope_engine::runner::{RecordRequest, Recorder, STEP, ThreadRequest};
use jitterscope_engine::store::{
    ControlError, RecordCommand, RecordControl, RecordStatus, Store, command_recorder,
    recorder_status,
};
use jitterscope_engine::units::{count_text, shortened};
use serde_json::json;

use super::output::{Output, PrintError};
use super::print::{self, print_message};
use super::terminal::Interrupt;
use super::{Status, failed, flag, labels, number_in, option, output_args, text};
use crate::text::format_long_time;

/// Value of `--game` for standard input.
const INPUT: &str = "-";

/// Returns the `record` command.
pub(super) fn command() -> Command {
    Command::new("record")
        .about("Record in the background while you play or work, and find out what made frames stutter")
        .after_help(
            "Records until Ctrl+C, record stop, or the end of --for, and saves a run.\n\
             As root, it records what all threads do; with sudo, it then takes your rights.\n\n\
             Examples:\n  \
             sudo jitterscope-cli record --game ~/mangologs --for 2h\n  \
             jitterscope-cli record --for 10min\n  \
             sudo jitterscope-cli record --thread cyclictest --for 10min\n  \
             jitterscope-cli record --check\n  \
             jitterscope-cli record mark\n  \
             jitterscope-cli record join RECORDING game_2026-11-28_21-53-28.csv",
        )
        .args_conflicts_with_subcommands(true)
        .arg(option(
            "game",
            "LOG",
            "Follow a log of frame times while the game writes it: a file, a folder for its newest CSV, or - for standard input",
        ))
        .arg(option("process", "NAME", "Name or process ID of the game [default: by the name of the log]"))
        .arg(
            option("thread", "NAME", "Follow a periodic thread of any program in place of a log: its name or number")
                .conflicts_with_all(["game", "process", "column"]),
        )
        .arg(
            option("period", "TIME", "Time from one cycle of the thread to the next, such as 10ms [default: learned from 200 wake-ups]")
                .requires("thread"),
        )
        .arg(option("column", "NAME", "Column of frame times in the log, where its name is not known"))
        .arg(option("for", "LENGTH", "End after this time, such as 2h [default: until stopped]"))
        .arg(option("stall", "TIME", "Lateness of a sleeping thread from which on it is a stall").default_value("2ms"))
        .arg(
            option("memory", "MIB", "Memory for the kernel's records, in MiB")
                .value_parser(number_in(1..=65_536))
                .default_value("128"),
        )
        .arg(
            option("disk", "MB", "Disk space for the records around stutters, in MB")
                .value_parser(number_in(1..=500))
                .default_value("200"),
        )
        .arg(
            option("all-disk", "GB", "Disk space for all recordings, in GB: beyond it, the records of the oldest ones without note or tag are deleted, and their answers remain")
                .value_parser(number_in(1..=1_000))
                .default_value("5"),
        )
        .arg(flag(
            "check",
            "Show what a recording would show here and what is missing, without recording; status 0 if it would name who \
             made a game stutter, else 3",
        ))
        .args(labels::args().map(|arg| arg.help_heading("Output")))
        .arg(flag("quiet", "Hide progress").short('q').help_heading("Output"))
        .args(output_args())
        .subcommand(Command::new("mark").about("Mark this time in the recording that runs"))
        .subcommand(
            Command::new("status").about("Show what was recorded so far").arg(
                option("format", "FORMAT", "Text, or metrics for monitoring systems")
                    .value_parser(["text", "openmetrics"])
                    .default_value("text"),
            ),
        )
        .subcommand(Command::new("stop").about("End the recording that runs, and save it"))
        .subcommand(join::command())
        .subcommand(compare::command())
        .subcommand(detail::command())
}

/// Runs the `record` command.
pub(super) fn run(matches: &ArgMatches) -> Result<Status, Status> {
    match matches.subcommand() {
        Some(("mark", _)) => send(RecordCommand::Mark),
        Some(("stop", _)) => send(RecordCommand::Stop),
        Some(("join", matches)) => join::run(matches).map_err(failed),
        Some(("compare", matches)) => compare::run(matches).map_err(failed),
        Some(("delete-detail", matches)) => detail::run(matches).map_err(failed),
        Some(("status", matches)) => {
            let status = recorder_status().map_err(failed)?;
            let output = match text(matches, "format").as_deref() {
                Some("openmetrics") => openmetrics::of_recorder(&status),
                _ => format!("{}\n", describe(&status)),
            };
            print::print_output(&output).map_err(failed)?;
            Ok(Status::Done)
        }
        _ => record(matches),
    }
}

fn send(command: RecordCommand) -> Result<Status, Status> {
    command_recorder(command).map_err(failed)?;
    Ok(Status::Done)
}

/// Returns the state of a recorder in a line.
fn describe(status: &RecordStatus) -> String {
    let RecordStatus { length, frame_count, stutter_count, stall_count, detail_count, .. } = status;
    let RecordStatus { label, ring, .. } = status;
    let mut parts = vec![format!("recording for {}", format_long_time(*length))];
    if !label.is_empty() {
        parts.push(label.clone());
    }
    if 0 < *frame_count {
        parts.push(count_text(*frame_count, status.frames_noun()));
        parts.push(count_text(*stutter_count, status.stutters_noun()));
    }
    parts.push(count_text(*stall_count, "stalls"));
    if let Some(ring) = ring {
        parts.push(format!("{} saved", count_text(*detail_count, "details")));
        parts.push(format!("memory holds {}", format_long_time(*ring)));
    }
    parts.join(", ")
}

/// Parses a time option.
fn time(matches: &ArgMatches, name: &str) -> Result<Option<Nanos>, Status> {
    let Some(given) = text(matches, name) else { return Ok(None) };
    match parse_nanos(&given).filter(|time| Nanos::ZERO < *time) {
        Some(time) => Ok(Some(time)),
        None => Err(wrong_use(&format!(
            "--{name}: invalid value '{}': expected a time such as 2ms, 10min, or 2h",
            shortened(&given)
        ))),
    }
}

fn wrong_use(reason: &str) -> Status {
    print_message(&format!("error: {reason}"));
    Status::WrongUse
}

/// Returns the folder of runs; `None` without a default one.
fn store(matches: &ArgMatches) -> Option<Store> {
    match matches.get_one::<PathBuf>("data-dir") {
        Some(folder) => Some(Store::at(folder)),
        None => Store::default_location(),
    }
}

/// Prints what a recording would show: the records of a recorder were opened for it, and are released.
fn check(tracer: &SystemTracer, is_root: bool, matches: &ArgMatches) -> Result<Status, PrintError> {
    let tiers = RecordingNeeds::read(tracer.state(), is_root).tiers("jitterscope-cli record");
    let is_named = names_culprits(&tiers);
    let output = Output::of(matches);
    if text(matches, "format").as_deref() == Some("json") {
        let answer = json!({ "names_culprits": is_named, "tiers": tiers });
        output.write(|to| writeln!(to, "{answer:#}"))?;
    } else {
        output.write(|to| to.write_all(describe_tiers(&tiers).as_bytes()))?;
    }
    Ok(if is_named { Status::Done } else { Status::GateFailed })
}

fn number(matches: &ArgMatches, name: &str) -> u32 {
    matches.get_one::<u32>(name).copied().unwrap_or_default()
}

/// Returns what to record.
fn request_of(matches: &ArgMatches) -> Result<RecordRequest, Status> {
    let period = time(matches, "period")?;
    let stall = time(matches, "stall")?.unwrap_or(EventLimits::default().stall);
    if let Some(game) = text(matches, "game").filter(|game| game != INPUT)
        && !Path::new(&game).exists()
    {
        return Err(failed(format!(
            "no such file or folder: {game}; name the folder in which the game will write its log"
        )));
    }
    let request = RecordRequest {
        log: text(matches, "game").map(|game| match game.as_str() {
            INPUT => LogSource::Input,
            path => LogSource::Path(PathBuf::from(path)),
        }),
        options: Options {
            column: text(matches, "column").map(|name| Column { name, unit: None }),
            ..Options::default()
        },
        process: text(matches, "process"),
        thread: text(matches, "thread").map(|thread| ThreadRequest { thread, period }),
        limits: EventLimits { stall, ..EventLimits::default() },
        ring_bytes: usize::try_from(number(matches, "memory")).unwrap_or_default() << 20,
        detail_bytes: u64::from(number(matches, "disk")) * 1_000_000,
        labels: labels::given(matches),
        ..RecordRequest::default()
    };
    if let Some(thread) = &request.thread {
        // Before anything is measured or opened: a mistyped name is answered at once.
        thread.find().map_err(failed)?;
    }
    Ok(request)
}

fn record(matches: &ArgMatches) -> Result<Status, Status> {
    let length = time(matches, "for")?;
    let mut request = request_of(matches)?;
    request.measure_switches();
    // The kernel's records are the only thing that is opened with the rights of root.
    let is_root = platform::is_root();
    let tracer = SystemTracer::open(request.ring_bytes);
    let tracer = platform::record_with_callers_rights(tracer)
        .map_err(|error| failed(format!("cannot give up the rights of root: {error}")))?;
    if matches.get_flag("check") {
        return check(&tracer, is_root, matches).map_err(failed);
    }
    // The default folder is that of the user, not of root.
    let store = store(matches);
    match store.as_ref().map(Store::check) {
        Some(Ok(())) => {}
        Some(Err(error)) => return Err(failed(error)),
        None => {
            return Err(failed("no default data folder on this system; set one with --data-dir"));
        }
    }
    let mut control = match RecordControl::take() {
        Ok(control) => Some(control),
        Err(error @ ControlError::Running) => return Err(failed(error)),
        Err(error) => {
            log::info!("{error}");
            None
        }
    };
    let interrupt = Interrupt::install();
    let is_quiet = matches.get_flag("quiet");
    if !is_quiet {
        let sentence = tracer.sentence();
        let end = if control.is_some() { "Ctrl+C or record stop" } else { "Ctrl+C" };
        print_message(&format!("recording. {sentence} End with {end}."));
    }
    let all_bytes = u64::from(number(matches, "all-disk")) * 1_000_000_000;
    let mut recorder = Recorder::start(request, tracer, store.clone()).map_err(failed)?;
    let end = length.map(|length| clock_nanos() + length.get());
    let mut published = clock_nanos();
    let ending = loop {
        std::thread::sleep(Duration::from_nanos(STEP.get().unsigned_abs()));
        recorder.step();
        let now = clock_nanos();
        let commands = control.as_mut().map(RecordControl::commands).unwrap_or_default();
        // Marks that arrive together mark the same time.
        if commands.contains(&RecordCommand::Mark) {
            recorder.mark();
        }
        if let Some(control) = &control
            && 1_000_000_000 <= now - published
        {
            control.publish(&recorder.status());
            published = now;
        }
        if let Some(why) = recorder.ended() {
            print_message(&format!("{why}: the recording ends"));
            break Ending::Finished;
        }
        if end.is_some_and(|end| end <= now) {
            break Ending::Finished;
        }
        if commands.contains(&RecordCommand::Stop) || interrupt.is_stopped() {
            break Ending::Stopped;
        }
    };
    let saved = recorder.finish(ending);
    drop(control);
    if let Some(failure) = &saved.failure {
        return Err(failed(failure));
    }
    if let Some(path) = &saved.path {
        print_message(&format!("saved as run {}: {}", saved.run.id, path.display()));
    }
    if let Some(store) = &store {
        detail::limit(store, all_bytes);
    }
    print::recorded(&saved.run, matches).map_err(failed)?;
    Ok(Status::Done)
}
