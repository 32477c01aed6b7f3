//! The `record delete-detail` command, and the limit of the detail of all recordings.

use std::error::Error;

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::store::Store;
use jitterscope_engine::units::count_text;

use super::super::Status;
use super::super::print::print_message;

/// Returns the `delete-detail` command.
pub(super) fn command() -> Command {
    Command::new("delete-detail")
        .about("Delete the kernel's records of recordings, and retain their answers")
        .after_help("The events with their causes, the frames, and the stalls remain; the paths are deleted.")
        .arg(
            Arg::new("recording")
                .value_name("RECORDING")
                .help("IDs or names of recordings")
                .required(true)
                .num_args(1..),
        )
}

/// Runs the `delete-detail` command.
pub(super) fn run(matches: &ArgMatches) -> Result<Status, Box<dyn Error>> {
    let store = super::store(matches)
        .ok_or("no default data folder on this system; set one with --data-dir")?;
    for name in matches.get_many::<String>("recording").into_iter().flatten() {
        let path = store.find(name)?;
        let (_, has_detail) = store.delete_detail(&path)?;
        let what = if has_detail { "detail deleted" } else { "no detail to delete" };
        print_message(&format!("{what}: {}", path.display()));
    }
    Ok(Status::Done)
}

/// Deletes the detail of old recordings where all recordings take more than `max_bytes`.
pub(super) fn limit(store: &Store, max_bytes: u64) {
    match store.delete_old_detail(max_bytes) {
        Ok(names) if names.is_empty() => {}
        Ok(names) => print_message(&format!(
            "the detail of {} was deleted, the answers remain: {}",
            count_text(names.len(), "old recordings"),
            names.join(", ")
        )),
        Err(error) => {
            print_message(&format!("the detail of old recordings was not deleted: {error}"));
        }
    }
}
