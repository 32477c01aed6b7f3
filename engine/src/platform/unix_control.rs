//! A private FIFO through which commands reach a recorder of the same user.

use std::ffi::CString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use nix::unistd::Uid;

/// Name of the FIFO.
const NAME: &str = "recorder.fifo";
/// Longest text of commands that is read at once.
const MAX_COMMANDS: usize = 4_096;

/// Returns the folder for files of running programs of this user, which only this user may read; creates it.
///
/// # Errors
///
/// The folder cannot be created, or belongs to another user.
pub fn runtime_folder() -> io::Result<PathBuf> {
    let own = Uid::effective().as_raw();
    let named = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let usual = PathBuf::from(format!("/run/user/{own}"));
    let is_own =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == own);
    let folder = match named.into_iter().chain([usual]).find(is_own) {
        Some(folder) => folder.join("jitterscope"),
        None => std::env::temp_dir().join(format!("jitterscope-{own}")),
    };
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let found = fs::symlink_metadata(&folder)?;
    if found.is_dir() && found.uid() == own && found.mode() & 0o777 == 0o700 {
        Ok(folder)
    } else {
        let what = format!("{} is not a private folder of this user", folder.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
    }
}

/// The recorder's end of the FIFO. Dropping this removes it.
#[derive(Debug)]
pub struct CommandPipe {
    path: PathBuf,
    file: File,
}

impl CommandPipe {
    /// Creates the FIFO in a folder of this user.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let path = folder.join(NAME);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let name = CString::new(path.as_os_str().as_bytes())?;
        #[expect(unsafe_code, reason = "the standard library creates no FIFO")]
        // SAFETY: `name` is a valid text that ends in zero for the length of the call.
        let code = unsafe { libc::mkfifo(name.as_ptr(), 0o600) };
        if code != 0 {
            return Err(io::Error::last_os_error());
        }
        // Open for writing as well, so that reading does not end when a writer closes it.
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open(&path)?;
        Ok(Self { path, file })
    }

    /// Returns the commands that arrived, each a word; empty if none did.
    pub fn read(&mut self) -> Vec<String> {
        let mut bytes = [0; MAX_COMMANDS];
        let length = self.file.read(&mut bytes).unwrap_or(0);
        let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default());
        text.split_whitespace().map(str::to_owned).collect()
    }
}

impl Drop for CommandPipe {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            log::warn!("{error}: {}", self.path.display());
        }
    }
}

/// Sends a command to the recorder whose FIFO is in this folder.
///
/// # Errors
///
/// No recorder runs, or the command cannot be written.
pub fn send_command(folder: &Path, command: &str) -> io::Result<()> {
    let path = folder.join(NAME);
    if !fs::symlink_metadata(&path)?.file_type().is_fifo() {
        return Err(io::ErrorKind::NotFound.into());
    }
    // Without a reader, this fails and does not wait.
    let mut options = OpenOptions::new();
    let mut file = options.write(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    file.write_all(format!("{command}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_arrive_in_order_and_only_while_a_recorder_runs() {
        let folder = tempfile::tempdir().unwrap();
        assert!(send_command(folder.path(), "mark").is_err());
        let mut pipe = CommandPipe::create(folder.path()).unwrap();
        assert_eq!(pipe.read(), Vec::<String>::new());
        send_command(folder.path(), "mark").unwrap();
        send_command(folder.path(), "stop").unwrap();
        assert_eq!(pipe.read(), ["mark", "stop"]);
        let mode = fs::metadata(folder.path().join(NAME)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(pipe);
        assert!(send_command(folder.path(), "mark").is_err());
    }
}
