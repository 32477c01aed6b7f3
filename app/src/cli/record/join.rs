//! The `record join` command: joins a log that was saved at the end with a recording of the same time.

use std::error::Error;
use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use jiff::tz::TimeZone;
use jitterscope_engine::import::{self, Column, Options};
use jitterscope_engine::report::recording::{LogTimes, join};
use jitterscope_engine::run::{Run, Subject};
use jitterscope_engine::store::{self, Store};
use jitterscope_engine::units::{count_text, format_time};

use super::super::print::{self, print_message};
use super::super::{Status, option, output_args, text};

/// Returns the `join` command.
pub(super) fn command() -> Command {
    Command::new("join")
        .about("Join a log that a program saved at the end with a recording of the same time")
        .after_help(
            "The frames of the log become those of the recording, which is saved in place. Their place in time is found by \
             the thread that presents them, in the detail around stalls and marks: mark a time while you play.",
        )
        .arg(Arg::new("recording").value_name("RECORDING").help("ID, name, or file of the recording").required(true))
        .arg(
            Arg::new("log")
                .value_name("LOG")
                .help("File of CapFrameX, MangoHud, or another program, or a saved capture")
                .required(true),
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
    let (log, times) = read_log(&store, matches)?;
    let capture = log.capture().ok_or("the log is no capture of another program")?;
    let joined = store.change(&path, |run| -> Result<Run, Box<dyn Error>> {
        let recording = join(&run, capture, &times, &TimeZone::system())?;
        Ok(Run { subject: Subject::Recorded(Box::new(recording)), ..run })
    })?;
    if let Some(recording) = joined.recording() {
        let off = recording
            .frame_uncertainty
            .map_or_else(String::new, |off| format!(", ± {}", format_time(off)));
        let count = count_text(recording.frames.len(), "frames");
        print_message(&format!("{count} joined{off}; saved as {}", path.display()));
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
    let imported = import::read(path, &options).map_err(|error| format!("{error}: {name}"))?;
    let modified = path.metadata()?.modified().ok();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let times = LogTimes {
        saved: modified.and_then(|time| jiff::Timestamp::try_from(time).ok()),
        stated: imported.started_at,
        name: stem.unwrap_or_default(),
    };
    Ok((imported.into_run(), times))
}
