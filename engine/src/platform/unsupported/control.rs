//! Commands cannot be sent to a recorder that runs.

use std::io;
use std::path::{Path, PathBuf};

/// Returns an error: there is no folder for files of running programs.
pub fn runtime_folder() -> io::Result<PathBuf> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The recorder's end of a pipe for commands, which this system does not have.
#[derive(Debug)]
pub enum CommandPipe {}

impl CommandPipe {
    /// Returns an error: commands cannot be sent.
    pub fn create(_folder: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns no commands.
    pub const fn read(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Returns an error: commands cannot be sent.
pub fn send_command(_folder: &Path, _command: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
