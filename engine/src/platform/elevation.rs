//! How a program is started with administrator rights: the systems differ in who asks the user.

use std::io;
use std::path::Path;

use super::{PipedProgram, Pipes};

/// What grants administrator rights.
#[derive(Clone, Copy, Debug)]
pub enum Elevation {
    /// A command that asks for the password: this one, unless another is set.
    Command(&'static str),
    /// The system, which asks the user.
    System(SystemElevation),
    /// Nothing.
    None,
}

/// How two programs find each other, one of which the system started with more rights: by the name of their pipes.
#[derive(Clone, Copy, Debug)]
pub struct SystemElevation {
    /// Starts a program with these arguments, to which it adds the name of its pipes, and waits until it has
    /// connected.
    pub start: fn(program: &Path, arguments: &str) -> io::Result<(PipedProgram, Pipes)>,
    /// Makes the pipes of this name the standard input, output, and error of this process.
    pub connect: fn(name: &str) -> io::Result<()>,
}
