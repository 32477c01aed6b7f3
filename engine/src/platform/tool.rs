//! Windows of the desktop: the settings of the power mode, and the list of running programs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::piped::program_in_path;
use super::system;

/// A window of the desktop that this program can open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemTool {
    /// The settings of the power mode.
    Power,
    /// The list of running programs, in which they can be closed.
    Programs,
}

/// A program with its arguments that shows a window.
pub(super) type Launcher = (&'static str, &'static [&'static str]);

impl SystemTool {
    /// All windows that this program can open.
    pub const ALL: [Self; 2] = [Self::Power, Self::Programs];

    /// Whether this system has a program that shows the window.
    pub fn is_available(self) -> bool {
        self.launcher().is_some()
    }

    /// Opens the window, which stays open when this program ends.
    pub fn open(self) -> std::io::Result<()> {
        start(self.launcher(), &[])
    }

    fn launcher(self) -> Option<FoundLauncher> {
        find(system::tools(self))
    }
}

/// Whether this desktop has a terminal in which a program can be started.
pub fn has_terminal() -> bool {
    find(system::TERMINALS).is_some()
}

/// Starts a program in a terminal, whose window stays open until the program ends.
pub fn open_terminal(program: &Path, arguments: &[OsString]) -> std::io::Result<()> {
    let given: Vec<OsString> =
        std::iter::once(program.into()).chain(arguments.iter().cloned()).collect();
    start(find(system::TERMINALS), &given)
}

/// The path of a program of the desktop, and its arguments.
type FoundLauncher = (PathBuf, &'static [&'static str]);

/// Returns the first of these programs that is in the folders of `PATH`.
fn find(launchers: &'static [Launcher]) -> Option<FoundLauncher> {
    launchers.iter().find_map(|(program, arguments)| Some((program_in_path(program)?, *arguments)))
}

/// Starts a program with its arguments and `more`. The program continues to run when this program ends.
fn start(launcher: Option<FoundLauncher>, more: &[OsString]) -> std::io::Result<()> {
    let (path, arguments) = launcher.ok_or(std::io::ErrorKind::NotFound)?;
    let mut command = Command::new(path);
    command.args(arguments).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
