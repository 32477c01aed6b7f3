//! The command line of the window: files to open, help, and version.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};

use super::Status;

/// Returns the files in the arguments of the desktop program. For `--help`, `--version`, or an
/// invalid option, prints the help, the version, or the error, and returns the exit status as the
/// error.
pub fn window_files(args: impl IntoIterator<Item = OsString>) -> Result<Vec<PathBuf>, Status> {
    match command().try_get_matches_from(args) {
        Ok(matches) => {
            Ok(matches.get_many::<PathBuf>("file").into_iter().flatten().cloned().collect())
        }
        Err(error) => Err(super::print_usage(error)),
    }
}

/// Returns the command of the desktop program with its arguments.
pub(super) fn command() -> Command {
    Command::new("jitterscope")
        .about("Measure frame pacing and scheduling jitter, and find out why frames are late")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help("The same tests run in a terminal: jitterscope-cli --help")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .action(ArgAction::Append)
                .num_args(0..)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Runs, captures, or folders to open"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(args: &[&str]) -> Result<Vec<PathBuf>, Status> {
        window_files(["jitterscope"].iter().chain(args).map(OsString::from))
    }

    #[test]
    fn files_open_and_options_do_not() {
        command().debug_assert();
        assert_eq!(files(&[]), Ok(Vec::new()));
        assert_eq!(files(&["a b.csv", "c"]), Ok(vec!["a b.csv".into(), "c".into()]));
        assert_eq!(files(&["--", "--odd.csv"]), Ok(vec!["--odd.csv".into()]));
        assert_eq!(files(&["--help"]), Err(Status::Done));
        assert_eq!(files(&["--version"]), Err(Status::Done));
        assert_eq!(files(&["--unknown"]), Err(Status::WrongUse));
    }
}
