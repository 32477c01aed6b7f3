//! A child program whose input and output are pipes to this program. One such program is ssh, which
//! connects to an agent: a process that measures for this program on another PC.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long to wait for a program to end after its input was closed.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait for a program to end after a request to end: ssh first turns the echo of the terminal on again.
#[cfg(unix)]
const END_PATIENCE: Duration = Duration::from_millis(500);
/// Interval of the checks whether the program has ended.
const INTERVAL: Duration = Duration::from_millis(10);

/// The process IDs of the programs that run.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A running program. Dropping this waits until the program ends, and ends it after 2 seconds. Where the system permits
/// it, the program ends when this process does.
#[derive(Debug)]
pub struct PipedProgram {
    process: Box<dyn Process>,
    /// The process ID of a program that was started here.
    id: Option<u32>,
}

/// The process of a program.
pub(super) trait Process: std::fmt::Debug + Send {
    /// Returns the exit status, if the process has ended.
    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>>;
    /// Kills the process, where the system permits that.
    fn kill(&mut self);
}

impl Process for Child {
    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        Self::try_wait(self)
    }

    fn kill(&mut self) {
        // Once it was waited for, its ID may be that of another process.
        if !matches!(Self::try_wait(self), Ok(None)) {
            return;
        }
        // A program with other rights cannot be killed; it ends when its input is closed.
        #[cfg(unix)]
        if request_end(self.id()) {
            let began = Instant::now();
            while began.elapsed() < END_PATIENCE {
                if !matches!(Self::try_wait(self), Ok(None)) {
                    return;
                }
                std::thread::sleep(INTERVAL);
            }
        }
        if Self::kill(self).is_ok() {
            self.wait().ok();
        }
    }
}

/// This program's ends of the pipes of another program.
pub struct Pipes {
    /// The standard input of the program.
    pub input: Box<dyn Write + Send>,
    /// The standard output of the program.
    pub output: Box<dyn Read + Send>,
    /// The standard error of the program.
    pub errors: Box<dyn Read + Send>,
}

impl std::fmt::Debug for Pipes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipes").finish_non_exhaustive()
    }
}

impl PipedProgram {
    /// Starts a program, which may end when the calling thread does. Ctrl+C in the terminal does not interrupt the started program: this program ends it.
    pub fn start(program: &Path, arguments: &[OsString]) -> io::Result<(Self, Pipes)> {
        let mut command = uninterrupted(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = super::system::start_tied(command)?;
        let id = child.id();
        let closed = || io::Error::other("a program was started without pipes");
        let pipes = Pipes {
            input: Box::new(child.stdin.take().ok_or_else(closed)?),
            output: Box::new(child.stdout.take().ok_or_else(closed)?),
            errors: Box::new(child.stderr.take().ok_or_else(closed)?),
        };
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        Ok((Self::of(Box::new(child), Some(id)), pipes))
    }

    pub(super) fn of(process: Box<dyn Process>, id: Option<u32>) -> Self {
        Self { process, id }
    }

    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        // Once the process has been waited for, its ID may be that of another one.
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let status = self.process.try_wait();
        if !matches!(status, Ok(None)) {
            running.retain(|id| Some(*id) != self.id);
        }
        status
    }

    /// Returns the exit status of the program; `None` if the program does not end within 2 seconds, or was killed.
    pub fn exit_code(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            match self.try_wait() {
                Ok(Some(status)) => return status.code(),
                Ok(None) if began.elapsed() < PATIENCE => std::thread::sleep(INTERVAL),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

impl Drop for PipedProgram {
    fn drop(&mut self) {
        self.exit_code();
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|id| Some(*id) != self.id);
        self.process.kill();
    }
}

/// Requests all programs that run to end: also ssh that asks for a password, which ignores Ctrl+C and does not notice the
/// end of its input. Where the system ends programs together with this one, does nothing.
pub fn end_programs() {
    #[cfg(unix)]
    for id in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        request_end(*id);
    }
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "the standard library only kills")]
fn request_end(id: u32) -> bool {
    let Ok(id) = libc::pid_t::try_from(id) else { return false };
    // SAFETY: kill takes numbers. The process was started here and has not been waited for.
    unsafe { libc::kill(id, libc::SIGTERM) == 0 }
}

/// Returns the path of a program that is in a folder of `PATH`; `None` if no folder contains the program.
pub fn program_in_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Returns a command that ignores Ctrl+C: the shell ignores SIGINT, as does the program that
/// replaces the shell.
#[cfg(unix)]
fn uninterrupted(program: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' INT; exec \"$0\" \"$@\""]).arg(program);
    command
}

/// Returns a command that ignores Ctrl+C, as it is in a separate group of processes. It shares the console of
/// this program, in which ssh may ask for a password.
#[cfg(windows)]
#[expect(unsafe_code, reason = "only the system reports whether there is a console")]
fn uninterrupted(program: &Path) -> Command {
    use std::os::windows::process::CommandExt as _;

    use windows_sys::Win32::System::Console::GetConsoleWindow;
    use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW};

    // SAFETY: GetConsoleWindow takes nothing and cannot fail.
    let is_without_console = unsafe { GetConsoleWindow() }.is_null();
    // If this program has no console, the system would open one on the desktop for each program.
    let hidden = if is_without_console { CREATE_NO_WINDOW } else { 0 };
    let mut command = Command::new(program);
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | hidden);
    command
}
