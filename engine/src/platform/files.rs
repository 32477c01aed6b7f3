//! System functions for files: opening without blocking, permissions, syncing of folder entries.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file for reading. Anything else (a folder, a FIFO, a device) is an error and is not
/// opened, so that no reader blocks on it.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_regular_with(path, OpenOptions::new().read(true))
}

/// Opens a regular file with these options, which may also create the file. Anything that exists
/// but is not a regular file is an error and is not opened, as with [`open_regular`].
pub fn open_regular_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(metadata) => check_regular(&metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    never_block(options);
    let file = options.open(path)?;
    // The file may have been replaced since the check above.
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that the user named, for reading: a regular file, or a stream that was passed to this process, such as
/// `/dev/stdin` or `/dev/fd/63` for `<(command)` in a shell. Another FIFO or a device is an error, as with
/// [`open_regular`]: nothing may ever be written to it.
pub fn open_named(path: &Path) -> io::Result<File> {
    if is_passed(path) {
        return File::open(path);
    }
    open_regular(path).map_err(|error| match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
            io::Error::new(error.kind(), "not a regular file; a pipe can be read as /dev/stdin")
        }
        Ok(_) | Err(_) => with_remedy(error),
    })
}

/// Returns an error of opening a file for reading with what to do, in place of the words and the number of the system.
pub fn with_remedy(error: io::Error) -> io::Error {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            "there is no such file; check its name and folder"
        }
        io::ErrorKind::PermissionDenied => "reading it is not permitted; change its permissions",
        _ => return error,
    };
    io::Error::new(error.kind(), remedy)
}

/// Whether this path names a stream that was passed to this process.
fn is_passed(path: &Path) -> bool {
    let folder = path.parent();
    path == Path::new("/dev/stdin")
        || ["/dev/fd", "/proc/self/fd"].iter().any(|passed| folder == Some(Path::new(passed)))
}

/// Returns what identifies a file among those that exist now, under whatever name; the same for all files where the system
/// does not show it.
#[cfg(unix)]
pub fn file_number(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

/// Returns what identifies a file among those that exist now, under whatever name; the same for all files where the system
/// does not show it.
#[cfg(not(unix))]
pub const fn file_number(_metadata: &Metadata) -> (u64, u64) {
    (0, 0)
}

fn check_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() { "a folder" } else { "not a regular file" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// Creates a file that only this user can read, if the system has such permissions; an error if the
/// name is taken.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    private(&mut options);
    options.open(path)
}

/// Extends an empty file to this size and reserves disk space for it; an error if there is not
/// enough disk space. Returns `false` if the file system cannot reserve space: a full disk is then
/// noticed only when the file is written.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library reserves no room")]
pub fn reserve_room(file: &File, bytes: u64) -> io::Result<bool> {
    use std::os::fd::AsRawFd as _;
    let length = libc::off_t::try_from(bytes).unwrap_or(libc::off_t::MAX);
    loop {
        // SAFETY: the file is open for the length of the call.
        let code = unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, length) };
        let error = io::Error::last_os_error();
        return match error.raw_os_error() {
            _ if code == 0 => Ok(true),
            Some(libc::EINTR) => continue,
            Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL) => Ok(false),
            _ => Err(error),
        };
    }
}

/// Returns `false`: this system reserves no disk space, and a full disk is noticed only when the
/// file is written.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub fn reserve_room(_file: &File, _bytes: u64) -> io::Result<bool> {
    Ok(false)
}

#[cfg(unix)]
fn never_block(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

/// Renames a file; replaces an existing file of the new name.
#[cfg(not(windows))]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Renames a file; replaces an existing file of the new name. Windows denies this while another
/// program, such as a virus scanner, has the file open: tries again for up to half a second.
#[cfg(windows)]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    for _ in 0..50 {
        match fs::rename(from, to) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && to.is_file() => {}
            result => return result,
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    fs::rename(from, to)
}

/// Whether this is a FIFO, a terminal, or another character device: output goes into it, not into a
/// new file that replaces it.
#[cfg(unix)]
pub fn is_stream(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    metadata.file_type().is_fifo() || metadata.file_type().is_char_device()
}

/// Syncs the entries of a folder to its disk, so that a rename in it survives a power failure.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems cannot sync a folder, and need not.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        result => result,
    }
}

/// Checks that this process may write to an existing file or folder; neither opens nor changes it.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the standard library cannot check effective permissions")]
pub fn check_writable(path: &Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    let mode = if path.is_dir() { libc::W_OK | libc::X_OK } else { libc::W_OK };
    // SAFETY: `name` is a valid C string for the length of the call.
    let code = unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), mode, libc::AT_EACCESS) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(unix))]
fn never_block(_options: &mut OpenOptions) {}

#[cfg(not(unix))]
fn private(_options: &mut OpenOptions) {}

/// Whether this is a device rather than a file or a folder.
#[cfg(not(unix))]
pub fn is_stream(metadata: &Metadata) -> bool {
    !metadata.is_file() && !metadata.is_dir()
}

/// Does nothing: on this system, folder entries need no explicit sync.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Checks that this process may write to an existing file or folder; neither opens nor changes it.
#[cfg(not(unix))]
pub fn check_writable(path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() && metadata.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}
