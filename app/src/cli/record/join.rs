//! The `record join` command: joins a log that was saved at the end with a recording of the same time.

use std::error::Error;
use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::import::{Column, Options};
use jitterscope_engine::report::recording::{LogTimes, uncertainty};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{self, Store};
use jitterscope_engine::units::count_text;

use super::super::print::{self, print_message};
use super::super::{Status, flag, option, output_args, text};
use crate::joined_log::read_log as read_log_file;

/// Returns the `join` command.
pub(super) fn command() -> Command {
    Command::new("join")
        .about("Join a log that a program saved at the end with a recording of the same time")
        .after_help(
            "The frames of the log become those of the recording, which is saved in place, instead of those of a log that was \
             joined before; --undo restores the recording as it was recorded. Their place in time is found by the thread that \
             presents them, in the detail around stalls and marks: mark a time while you play.",
        )
        .arg(Arg::new("recording").value_name("RECORDING").help("ID or name of the recording").required(true))
        .arg(
            Arg::new("log")
                .value_name("LOG")
                .help("File of CapFrameX, MangoHud, or another program, or a saved capture")
                .required_unless_present("undo"),
        )
        .arg(
            flag("undo", "Restore the recording as it was before a log was joined with it")
                .conflicts_with_all(["log", "process", "column"]),
        )
        .arg(option("process", "NAME", "Process of the game in a log of several"))
        .arg(option("column", "NAME", "Column of frame times, where its name is not known"))
        .args(output_args())
}

/// Runs the `join` command.
pub(super) fn run(matches: &ArgMatches) -> Result<Status, Box<dyn Error>> {
    let store = super::store(matches)
        .ok_or("no default data folder on this system; set one with --data-dir")?;
    let path = store.find(&text(matches, "recording").unwrap_or_default())?;
    if matches.get_flag("undo") {
        let restored = store.undo_join(&path)?;
        print_message(&format!("the recording is as it was recorded: {}", path.display()));
        print::recorded(&restored, matches)?;
        return Ok(Status::Done);
    }
    let (log, times) = read_log(&store, matches)?;
    let capture = log.capture().ok_or("the log is no capture of another program")?;
    let joined = store.join_log(&path, capture, &times)?;
    if let Some(recording) = joined.recording() {
        let off = uncertainty(recording).map_or_else(String::new, |off| format!(", {off}"));
        let count = count_text(recording.frames.len(), "frames");
        print_message(&format!("{count} joined{off}; saved as {}", path.display()));
        print_message(&format!("to undo: jitterscope-cli record join {} --undo", joined.id));
    }
    print::recorded(&joined, matches)?;
    Ok(Status::Done)
}

/// Reads a file, or a saved capture of this ID or name.
fn read_log(store: &Store, matches: &ArgMatches) -> Result<(Run, LogTimes), Box<dyn Error>> {
    let name = text(matches, "log").unwrap_or_default();
    let path = Path::new(&name);
    if !path.is_file() {
        let run = store::load(&store.find(&name)?)?;
        let times = LogTimes { stated: Some(run.started_at), name: run.name.clone(), saved: None };
        return Ok((run, times));
    }
    let options = Options {
        process: text(matches, "process"),
        column: text(matches, "column").map(|name| Column { name, unit: None }),
        ..Options::default()
    };
    read_log_file(path, &options).map_err(|error| format!("{error}: {name}").into())
}
