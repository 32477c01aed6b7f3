//! Agents with administrator rights; an agent is a process that measures for this program. This module
//! decides which program may be an agent, has the system start it, and connects it to the program that
//! requested its start.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::os::windows::process::ExitStatusExt as _;
use std::path::{Component, Path, PathBuf, Prefix};
use std::process::ExitStatus;
use std::sync::OnceLock;
use std::time::Duration;

use windows_sys::Win32::Foundation::{ERROR_CANCELLED, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, GetProcessId, WaitForSingleObject,
};
use windows_sys::Win32::UI::Shell::{
    SEE_MASK_FLAG_NO_UI, SEE_MASK_NOASYNC, SEE_MASK_NOCLOSEPROCESS, SHELLEXECUTEINFOW,
    ShellExecuteExW,
};
use windows_sys::Win32::UI::WindowsAndMessaging::SW_HIDE;

use super::super::piped::Process;
use super::super::{Elevation, PipedProgram, Pipes, SystemElevation};
use super::living::program_of;
use super::permissions::{CHANGE, REPLACE, is_administrators_alone};
use super::pipes::{self, PipeServer};

/// The file name of the program that may be an agent. The file must be in the folder of this program.
const PROGRAM: &str = "jitterscope-cli.exe";
/// Max time until the agent connects after the user has agreed.
const PATIENCE: Duration = Duration::from_secs(30);

static STARTER: OnceLock<u32> = OnceLock::new();

/// How an agent gets administrator rights: Windows itself asks the user before it starts the agent.
pub const ELEVATION: Elevation = Elevation::System(SystemElevation { start, connect });

/// Returns the ID of the process that requested the start of this process with administrator rights, if there
/// is one. Both processes count as this program.
pub fn starter() -> Option<u32> {
    STARTER.get().copied()
}

/// Returns the path of the command-line program in the folder of this program, if only administrators
/// can change the file and its folder, and replace the folders above.
pub fn elevatable_program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let program = fs::canonicalize(own.with_file_name(PROGRAM)).ok()?;
    let Some(Component::Prefix(prefix)) = program.components().next() else { return None };
    // Only local drives are safe: administrators of a network share are those of another PC.
    let is_local = matches!(prefix.kind(), Prefix::VerbatimDisk(_));
    let is_safe = program.ancestors().enumerate().all(|(above, path)| {
        is_administrators_alone(path, if above < 2 { CHANGE } else { REPLACE })
    });
    // The system starts no program by a path of unlimited length, which begins with `\\?\`.
    let plain = program.to_str()?.strip_prefix(r"\\?\")?;
    (is_local && is_safe).then(|| plain.into())
}

/// Starts a program with administrator rights, and waits until that program has connected to this one.
fn start(program: &Path, arguments: &str) -> io::Result<(PipedProgram, Pipes)> {
    let server = PipeServer::new()?;
    let process = ElevatedProcess::start(program, &format!("{arguments} {}", server.name()))?;
    let pipes = server.connect(process.id(), || process.has_ended(), PATIENCE)?;
    Ok((PipedProgram::of(Box::new(process), None), pipes))
}

/// Connects to the program that requested the start of this one. Both programs must be in the same
/// folder.
fn connect(name: &str) -> io::Result<()> {
    let server =
        pipes::connect(name, |process| Ok(folder_of(process)? == folder_of(std::process::id())?))?;
    STARTER.get_or_init(|| server);
    Ok(())
}

/// A process that the system has started with administrator rights. It cannot be killed, but ends
/// when its input is closed.
#[derive(Debug)]
struct ElevatedProcess(OwnedHandle);

impl ElevatedProcess {
    /// Starts a program once the user has agreed.
    #[expect(unsafe_code, reason = "the standard library does not ask for more rights")]
    fn start(program: &Path, arguments: &str) -> io::Result<Self> {
        let wide = |text: &OsStr| text.encode_wide().chain([0]).collect::<Vec<u16>>();
        let verb = wide("runas".as_ref());
        let folder = wide(program.parent().unwrap_or(program).as_os_str());
        let (program, arguments) = (wide(program.as_os_str()), wide(arguments.as_ref()));
        let mut request = SHELLEXECUTEINFOW {
            cbSize: u32::try_from(size_of::<SHELLEXECUTEINFOW>()).unwrap_or(0),
            fMask: SEE_MASK_NOCLOSEPROCESS | SEE_MASK_NOASYNC | SEE_MASK_FLAG_NO_UI,
            lpVerb: verb.as_ptr(),
            lpFile: program.as_ptr(),
            lpParameters: arguments.as_ptr(),
            lpDirectory: folder.as_ptr(),
            nShow: SW_HIDE,
            ..SHELLEXECUTEINFOW::default()
        };
        // SAFETY: the size is that of the request, and its texts end in a zero and outlive the call.
        if unsafe { ShellExecuteExW(&raw mut request) } == 0 {
            let error = io::Error::last_os_error();
            let is_canceled = error.raw_os_error().map(i32::cast_unsigned) == Some(ERROR_CANCELLED);
            return Err(if is_canceled {
                io::Error::other("the request was canceled")
            } else {
                error
            });
        }
        if request.hProcess.is_null() {
            return Err(io::Error::other("the system started no process"));
        }
        // SAFETY: the handle is valid, and nothing else owns it.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(request.hProcess) }))
    }

    #[expect(unsafe_code, reason = "only the system reports it")]
    fn id(&self) -> u32 {
        // SAFETY: the handle is open for the length of the call.
        unsafe { GetProcessId(self.0.as_raw_handle()) }
    }

    #[expect(unsafe_code, reason = "only the system reports it")]
    fn has_ended(&self) -> bool {
        // SAFETY: the handle is open for the length of the call.
        (unsafe { WaitForSingleObject(self.0.as_raw_handle(), 0) }) == WAIT_OBJECT_0
    }
}

impl Process for ElevatedProcess {
    #[expect(unsafe_code, reason = "only the system reports it")]
    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if !self.has_ended() {
            return Ok(None);
        }
        let mut code = 0;
        // SAFETY: the handle is open for the length of the call, and `code` is a valid place.
        if unsafe { GetExitCodeProcess(self.0.as_raw_handle(), &raw mut code) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Some(ExitStatus::from_raw(code)))
    }

    fn kill(&mut self) {}
}

/// Returns the folder that contains the program of a process, in the notation of the system.
fn folder_of(process: u32) -> io::Result<PathBuf> {
    let folder = program_of(process).and_then(|program| Some(program.parent()?.to_owned()));
    folder.ok_or_else(|| io::Error::other("the system does not name the other program"))
}

#[cfg(test)]
mod tests {
    use super::super::process_cpu_nanos;
    use super::*;

    #[test]
    fn cpu_time_of_the_starter_counts_as_that_of_this_program() {
        let began = super::super::clock_nanos();
        while super::super::clock_nanos() - began < 60_000_000 {}
        let alone = process_cpu_nanos().unwrap();
        STARTER.get_or_init(std::process::id);
        assert!(0 < alone);
        assert!(2 * alone <= process_cpu_nanos().unwrap());
    }

    #[test]
    fn a_program_has_the_folder_in_which_it_is() {
        let folder = folder_of(std::process::id()).unwrap();
        let own = std::env::current_exe().unwrap();
        assert_eq!(
            fs::canonicalize(folder).unwrap(),
            fs::canonicalize(own.parent().unwrap()).unwrap()
        );
        folder_of(u32::MAX).unwrap_err();
    }

    #[test]
    fn what_its_user_can_change_is_not_elevated() {
        assert_eq!(elevatable_program(), None, "this test is in a folder of its user");
    }

    #[test]
    fn a_program_that_does_not_connect_is_not_waited_for() {
        let windows = std::env::var_os("SystemRoot").unwrap();
        let program = Path::new(&windows).join(r"system32\hostname.exe");
        let error = start(&program, "").unwrap_err();
        assert_eq!(error.to_string(), "the program ended before it had connected");
        assert!(start(Path::new(r"C:\none.exe"), "").is_err());
    }
}
