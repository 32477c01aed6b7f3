//! Programs do not end together with this one.

use std::io;
use std::process::{Child, Command};

/// Starts a program. It outlives this one, unless it ends with its input.
pub(crate) fn start_tied(mut command: Command) -> io::Result<Child> {
    command.spawn()
}
