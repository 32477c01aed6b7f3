//! The command line: the same engine without a window.

use std::process::ExitCode;

fn main() -> ExitCode {
    jitterscope::cli::run(std::env::args_os()).into()
}
