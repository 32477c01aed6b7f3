//! Three named pipes, each for one direction, between this program and a program that it had started
//! with administrator rights. The system permits only administrators to connect, and each pipe only
//! once; this program accepts only the process that it had started.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, IntoRawHandle as _, OwnedHandle};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{
    ERROR_PIPE_CONNECTED, ERROR_PIPE_LISTENING, HANDLE, INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::Security::Cryptography::{
    BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom,
};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_FIRST_PIPE_INSTANCE, PIPE_ACCESS_DUPLEX, SECURITY_ANONYMOUS,
};
use windows_sys::Win32::System::Console::{
    STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};
use windows_sys::Win32::System::Pipes::{
    ConnectNamedPipe, CreateNamedPipeW, GetNamedPipeClientProcessId, GetNamedPipeServerProcessId,
    PIPE_NOWAIT, PIPE_READMODE_BYTE, PIPE_REJECT_REMOTE_CLIENTS, PIPE_TYPE_BYTE, PIPE_WAIT,
    SetNamedPipeHandleState,
};

use super::super::Pipes;
use super::permissions::Security;

/// The standard handle that each pipe becomes in the started program, and the end of the pipe's name.
const ENDS: [(STD_HANDLE, &str); 3] =
    [(STD_INPUT_HANDLE, "input"), (STD_OUTPUT_HANDLE, "output"), (STD_ERROR_HANDLE, "messages")];
/// Permits only administrators to connect: the started program has their rights. In the system's notation (SDDL).
const PERMISSIONS: &str = "D:P(A;;GRGW;;;BA)";
/// Size of the buffers of a pipe, in bytes.
const ROOM: u32 = 64 << 10;
/// Interval of the checks whether the started program has connected.
const INTERVAL: Duration = Duration::from_millis(10);

/// A function of the system that reports the process at the other end of a pipe.
type OtherEnd = unsafe extern "system" fn(HANDLE, *mut u32) -> i32;

/// The three pipes, until the started program has connected to all of them.
#[derive(Debug)]
pub(super) struct PipeServer {
    name: u128,
    ends: [File; 3],
}

impl PipeServer {
    /// Creates pipes with a name that cannot be guessed.
    pub(super) fn new() -> io::Result<Self> {
        Self::permitting(PERMISSIONS)
    }

    fn permitting(permissions: &str) -> io::Result<Self> {
        let name = random()?;
        let permissions = Security::parsed(permissions)?;
        let [input, output, messages] = ENDS.map(|(_, end)| create(&path(name, end), &permissions));
        Ok(Self { name, ends: [input?, output?, messages?] })
    }

    /// Returns the common part of the names of the three pipes, which the started program needs to connect.
    pub(super) fn name(&self) -> String {
        format!("{:032x}", self.name)
    }

    /// Waits until the process with the ID `process` has connected to all pipes. Fails if another process connects,
    /// if the process ends, or if it has not connected within `patience`.
    pub(super) fn connect(
        self,
        process: u32,
        has_ended: impl Fn() -> bool,
        patience: Duration,
    ) -> io::Result<Pipes> {
        let began = Instant::now();
        for pipe in &self.ends {
            while !has_client(pipe)? {
                if has_ended() {
                    return Err(io::Error::other("the program ended before it had connected"));
                }
                if patience < began.elapsed() {
                    let reason = "the program did not connect in time";
                    return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
                }
                std::thread::sleep(INTERVAL);
            }
            if other_end(pipe, GetNamedPipeClientProcessId)? != process {
                return Err(io::Error::other("another program has connected"));
            }
            wait_from_now_on(pipe)?;
        }
        let [input, output, messages] = self.ends;
        Ok(Pipes { input: Box::new(input), output: Box::new(output), errors: Box::new(messages) })
    }
}

/// Connects to the pipes of this name, and makes them the standard input, output, and error of this
/// process. One process must have created all of the pipes, and `is_permitted` must accept the ID of
/// that process. Returns this ID.
#[expect(unsafe_code, reason = "the standard library does not replace its own handles")]
pub(super) fn connect(
    name: &str,
    is_permitted: impl Fn(u32) -> io::Result<bool>,
) -> io::Result<u32> {
    let (server, pipes) = open(name)?;
    if !is_permitted(server)? {
        return Err(io::Error::other("the pipes are those of another program"));
    }
    for ((standard, _), pipe) in ENDS.into_iter().zip(pipes) {
        // SAFETY: the handle is open, and nothing closes it from now on.
        if unsafe { SetStdHandle(standard, pipe.into_raw_handle()) } == 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(server)
}

/// Opens pipes that another process created. Returns the ID of that process, which must be the same for
/// all pipes, and the ends of the pipes.
fn open(name: &str) -> io::Result<(u32, [File; 3])> {
    // Accepts only a number: another name could lead to another file, or to another PC.
    let Ok(name) = u128::from_str_radix(name, 16) else {
        return Err(io::Error::other("this is no name of pipes"));
    };
    let [input, output, messages] = ENDS.map(|(standard, end)| {
        let is_input = standard == STD_INPUT_HANDLE;
        let mut options = OpenOptions::new();
        // The program that created the pipe can neither identify nor impersonate this process.
        options.read(is_input).write(!is_input).security_qos_flags(SECURITY_ANONYMOUS);
        options.open(path(name, end))
    });
    let pipes = [input?, output?, messages?];
    let mut servers = pipes.iter().map(|pipe| other_end(pipe, GetNamedPipeServerProcessId));
    let first = servers.next().unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))?;
    for server in servers {
        if server? != first {
            return Err(io::Error::other("the pipes are those of several programs"));
        }
    }
    Ok((first, pipes))
}

fn path(name: u128, end: &str) -> String {
    format!(r"\\.\pipe\jitterscope-{name:032x}-{end}")
}

#[expect(unsafe_code, reason = "the standard library has no random numbers")]
fn random() -> io::Result<u128> {
    let mut bytes = [0_u8; 16];
    let count = u32::try_from(bytes.len()).unwrap_or(0);
    // SAFETY: with this flag no algorithm is named, and the place has room for this many bytes.
    let status = unsafe {
        BCryptGenRandom(null_mut(), bytes.as_mut_ptr(), count, BCRYPT_USE_SYSTEM_PREFERRED_RNG)
    };
    if status < 0 {
        return Err(io::Error::other("the system gives no random number"));
    }
    Ok(u128::from_ne_bytes(bytes))
}

/// Creates the only instance of a pipe. Calls on this pipe do not block: the standard library cannot
/// wait for a client with a timeout.
#[expect(unsafe_code, reason = "the standard library has no named pipes")]
fn create(path: &str, permissions: &Security) -> io::Result<File> {
    let path: Vec<u16> = path.encode_utf16().chain([0]).collect();
    let attributes = SECURITY_ATTRIBUTES {
        nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or(0),
        lpSecurityDescriptor: permissions.as_ptr(),
        bInheritHandle: 0,
    };
    // Opens the pipe for both directions, as the mode of a pipe that is only read cannot be changed.
    let access = PIPE_ACCESS_DUPLEX | FILE_FLAG_FIRST_PIPE_INSTANCE;
    let mode = PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_NOWAIT | PIPE_REJECT_REMOTE_CLIENTS;
    // SAFETY: the path ends in a zero, and the attributes and what they point to outlive the call.
    let handle = unsafe {
        CreateNamedPipeW(path.as_ptr(), access, mode, 1, ROOM, ROOM, 0, &raw const attributes)
    };
    if handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is valid, and nothing else owns it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) }.into())
}

/// Whether a program has connected to a pipe that does not block.
#[expect(unsafe_code, reason = "the standard library has no named pipes")]
fn has_client(pipe: &File) -> io::Result<bool> {
    // SAFETY: the handle is open, and was opened without overlapped I/O, so the second argument may be null.
    if unsafe { ConnectNamedPipe(pipe.as_raw_handle(), null_mut()) } != 0 {
        // The call has made the pipe accept a connection; no program has connected yet.
        return Ok(false);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_PIPE_CONNECTED) => Ok(true),
        Some(ERROR_PIPE_LISTENING) => Ok(false),
        _ => Err(error),
    }
}

/// Makes reads and writes of a pipe wait for the other program instead of returning at once.
#[expect(unsafe_code, reason = "the standard library has no named pipes")]
fn wait_from_now_on(pipe: &File) -> io::Result<()> {
    let mode = PIPE_READMODE_BYTE | PIPE_WAIT;
    // SAFETY: the handle is open, and values that do not change may be null.
    let is_set =
        unsafe { SetNamedPipeHandleState(pipe.as_raw_handle(), &raw const mode, null(), null()) };
    if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns the ID of the process at the other end of a pipe, as the function `ask` reports it.
#[expect(unsafe_code, reason = "only the system reports it")]
fn other_end(pipe: &File, ask: OtherEnd) -> io::Result<u32> {
    let mut process = 0;
    // SAFETY: the handle is open, and `process` is a valid place.
    let is_known = unsafe { ask(pipe.as_raw_handle(), &raw mut process) };
    if is_known == 0 { Err(io::Error::last_os_error()) } else { Ok(process) }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;

    use super::*;

    const SHORT: Duration = Duration::from_millis(100);
    /// Permits everybody to connect, as the user who runs this test may not be an administrator.
    const EVERYBODY: &str = "D:P(A;;GRGW;;;WD)";

    fn for_everybody() -> PipeServer {
        PipeServer::permitting(EVERYBODY).unwrap()
    }

    #[test]
    fn lines_go_both_ways_and_end_with_the_pipe() {
        let server = for_everybody();
        let (own, [mut input, mut output, mut messages]) = open(&server.name()).unwrap();
        assert_eq!(own, std::process::id());
        let mut pipes = server.connect(own, || false, SHORT).unwrap();
        pipes.input.write_all(b"request\n").unwrap();
        let mut line = [0; 8];
        input.read_exact(&mut line).unwrap();
        assert_eq!(&line, b"request\n");
        // More bytes than the buffer of the pipe can hold: a pipe that does not block would lose some.
        let long = vec![b'x'; 4 * usize::try_from(ROOM).unwrap()];
        let sent = long.clone();
        let writer = std::thread::Builder::new().name("writer".to_owned());
        let writer = writer.spawn(move || {
            output.write_all(&sent).unwrap();
            messages.write_all(b"error: none\n").unwrap();
        });
        let mut answer = Vec::new();
        std::thread::sleep(SHORT);
        pipes.output.read_to_end(&mut answer).unwrap();
        writer.unwrap().join().unwrap();
        assert_eq!(answer, long);
        let mut message = String::new();
        pipes.errors.read_to_string(&mut message).unwrap();
        assert_eq!(message, "error: none\n");
        drop(pipes);
        assert_eq!(input.read(&mut line).unwrap_or(0), 0);
    }

    #[test]
    fn a_pipe_has_one_client_and_one_server() {
        let server = for_everybody();
        let (_, _pipes) = open(&server.name()).unwrap();
        let busy = open(&server.name()).unwrap_err();
        assert_eq!(busy.raw_os_error().map(i32::cast_unsigned), Some(ERROR_PIPE_BUSY), "{busy}");
        let everybody = Security::parsed(EVERYBODY).unwrap();
        create(&path(server.name, ENDS[0].1), &everybody).unwrap_err();
        let other = for_everybody();
        assert_ne!(other.name, server.name);
    }

    #[test]
    fn another_process_is_refused_as_client_and_as_server() {
        let server = for_everybody();
        let (own, _pipes) = open(&server.name()).unwrap();
        let refused = server.connect(own.wrapping_add(1), || false, SHORT).unwrap_err();
        assert_eq!(refused.to_string(), "another program has connected");
        let server = for_everybody();
        let refused = connect(&server.name(), |process| Ok(process != own)).unwrap_err();
        assert_eq!(refused.to_string(), "the pipes are those of another program");
        for name in ["", "x", r"..\x", r"\\host\pipe\x", "100000000000000000000000000000000"] {
            assert_eq!(open(name).unwrap_err().to_string(), "this is no name of pipes", "{name}");
        }
    }

    #[test]
    fn a_server_without_a_client_ends_in_time_or_with_the_program() {
        let server = for_everybody();
        let began = Instant::now();
        let late = server.connect(1, || false, SHORT).unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        assert!(SHORT <= began.elapsed());
        let server = for_everybody();
        let ended = server.connect(1, || true, Duration::MAX).unwrap_err();
        assert_eq!(ended.to_string(), "the program ended before it had connected");
    }

    #[test]
    fn only_administrators_can_connect() {
        use windows_sys::Win32::Security::Authorization::SE_KERNEL_OBJECT;
        use windows_sys::Win32::Storage::FileSystem::{FILE_READ_DATA, FILE_WRITE_DATA};

        let server = PipeServer::new().unwrap();
        for pipe in &server.ends {
            let security = Security::of(pipe, SE_KERNEL_OBJECT).unwrap();
            assert!(security.permits_administrators_alone(FILE_READ_DATA | FILE_WRITE_DATA));
        }
    }
}
