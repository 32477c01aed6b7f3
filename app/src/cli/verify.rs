//! The `verify` command: whether exported files are as they were written.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::import::{self, Verified};

use super::print::{print_message, print_output};
use super::{Status, failed};

/// Returns the `verify` command with its options.
pub(super) fn command() -> Command {
    Command::new("verify")
        .about("Compare exported files with their checksums, to find whether they were edited")
        .after_help(
            "HTML reports and exported JSON end with a checksum of everything before it; saved \
             runs and other\nfiles have none. It detects edits; it is no signature.\nExit status: 0 \
             every file is intact, 3 one was edited, 4 one has no checksum, 1 one cannot be \
             read.\n\nExample:\n  jitterscope-cli verify report.html run.json",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Files to compare with their checksums"),
        )
}

/// Runs the `verify` command. What was edited weighs more than a file that cannot be read, and that more than one without
/// a checksum.
pub(super) fn run(matches: &ArgMatches) -> Result<Status, Status> {
    let (mut is_edited, mut is_failed, mut is_unknown) = (false, false, false);
    for path in matches.get_many::<PathBuf>("file").into_iter().flatten() {
        let said = match import::verify(path) {
            Ok(Verified::Intact) => "intact",
            Ok(Verified::Edited) => {
                is_edited = true;
                "edited after export: its checksum does not match"
            }
            Ok(Verified::PageEdited) => {
                is_edited = true;
                "edited after export: the page was changed, the measured values in it were not"
            }
            Ok(Verified::EditedBefore) => {
                is_edited = true;
                "intact, but of a run that was edited after an earlier export"
            }
            Ok(Verified::NoChecksum) => {
                is_unknown = true;
                "no checksum, so an edit cannot be detected"
            }
            Err(error) => {
                is_failed = true;
                print_message(&format!("error: {error}: {}", path.display()));
                continue;
            }
        };
        print_output(&format!("{}: {said}\n", path.display())).map_err(failed)?;
    }
    Ok(match (is_edited, is_failed, is_unknown) {
        (true, ..) => Status::GateFailed,
        (_, true, _) => Status::Failed,
        (.., true) => Status::Undecided,
        _ => Status::Done,
    })
}
