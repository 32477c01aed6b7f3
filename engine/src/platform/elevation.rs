//! How a program starts with administrator rights: through a command that asks the user for the
//! password, or through functions of the system.

use std::io;
use std::path::Path;

use super::{PipedProgram, Pipes};

/// The mechanism that grants administrator rights.
#[derive(Clone, Copy, Debug)]
pub enum Elevation {
    /// A command that asks for the password; the default, which the user can replace.
    Command(&'static str),
    /// Functions of the system, which asks the user.
    System(SystemElevation),
    /// No mechanism exists on this system.
    None,
}

/// How a program is started by the system with administrator rights, and how both programs connect:
/// through named pipes.
#[derive(Clone, Copy, Debug)]
pub struct SystemElevation {
    /// Starts a program with these arguments and the name of its pipes, and waits until the program
    /// has connected.
    pub start: fn(program: &Path, arguments: &str) -> io::Result<(PipedProgram, Pipes)>,
    /// Makes the pipes of this name the standard input, output, and error of this process.
    pub connect: fn(name: &str) -> io::Result<()>,
}
