//! A program of this installation that continues when this one ends.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::process::{Child, Command, Stdio};

/// Longest text of messages that is read when the program has ended.
const MAX_MESSAGES: u64 = 16 << 10;

/// A program in the folder of this program. It is in a separate group of processes: neither Ctrl+C in a terminal nor the end of this
/// program ends it.
#[derive(Debug)]
pub struct DetachedProgram {
    child: Child,
}

impl DetachedProgram {
    /// Starts the program with this name in the folder of this program, or this program where there is no such file.
    pub fn start(
        name: &str,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> io::Result<Self> {
        let own = std::env::current_exe()?;
        let mut path = own.with_file_name(name);
        path.set_extension(std::env::consts::EXE_EXTENSION);
        let mut command = Command::new(if path.is_file() { path } else { own });
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        separate(&mut command);
        Ok(Self { child: command.spawn()? })
    }

    /// Returns whether the program succeeded and its last message, once it has ended; `None` while it runs.
    pub fn ended(&mut self) -> Option<(bool, String)> {
        let status = self.child.try_wait().ok()??;
        let mut messages = Vec::new();
        if let Some(errors) = self.child.stderr.take() {
            errors.take(MAX_MESSAGES).read_to_end(&mut messages).ok();
        }
        let messages = String::from_utf8_lossy(&messages);
        let last = messages.lines().rev().find(|line| !line.trim().is_empty());
        Some((status.success(), last.unwrap_or_default().to_owned()))
    }
}

/// Puts the program into a separate group of processes, so that Ctrl+C in a terminal does not reach it.
#[cfg(unix)]
pub fn separate(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;

    command.process_group(0);
}

/// Puts the program into a separate group of processes, so that Ctrl+C in a terminal does not reach it.
#[cfg(windows)]
pub fn separate(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;

    use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW};

    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
}
