//! The desktop's own windows: where the power mode is set, and where running programs are listed.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::system;

/// A window of the desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemTool {
    /// Where the power mode is set.
    Power,
    /// Where running programs are listed and closed.
    Programs,
}

/// A program with its arguments that shows a window.
pub(super) type Launcher = (&'static str, &'static [&'static str]);

impl SystemTool {
    /// Every window.
    pub const ALL: [Self; 2] = [Self::Power, Self::Programs];

    /// Whether this desktop has it.
    pub fn is_available(self) -> bool {
        self.launcher().is_some()
    }

    /// Opens it; the program runs on without this one.
    pub fn open(self) -> std::io::Result<()> {
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let (path, arguments) = self.launcher().ok_or_else(missing)?;
        let mut command = Command::new(path);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(drop)
    }

    fn launcher(self) -> Option<(PathBuf, &'static [&'static str])> {
        let folders = std::env::var_os("PATH")?;
        let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
        system::tools(self).iter().find_map(|(program, arguments)| {
            let path =
                folders.iter().map(|folder| folder.join(program)).find(|path| path.is_file());
            Some((path?, *arguments))
        })
    }
}
