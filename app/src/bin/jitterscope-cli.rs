//! The command-line program, which runs the tests of Jitterscope without a window.

use std::process::ExitCode;

fn main() -> ExitCode {
    jitterscope::run_command_line(std::env::args_os()).into()
}
