//! Writes a file that the user named. Symbolic links are followed. A FIFO or a device is written in
//! place. A regular file is written completely or not at all, unless its folder is not writable.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::disk::{Draft, folder_of, make_folder, sweep};
use super::{AtPath, SaveError};
use crate::platform;

/// Maximum number of symbolic links in a chain, the same as on Linux.
const MAX_LINKS: usize = 40;

/// The file to which a path leads.
enum OutputTarget {
    /// A FIFO, a terminal, or another character device.
    Stream,
    /// A regular file. `permissions` is `None` if the file does not exist yet.
    File { path: PathBuf, permissions: Option<Permissions> },
}

/// Checks that an output can be written to `path`, without opening or changing the file there.
pub fn check_output(path: &Path) -> Result<(), SaveError> {
    let checked = target(path).and_then(|target| match target {
        OutputTarget::Stream | OutputTarget::File { permissions: Some(_), .. } => {
            platform::check_writable(path)
        }
        OutputTarget::File { path, permissions: None } => {
            platform::check_writable(folder_of(&path))
        }
    });
    checked.map_err(|source| SaveError::Output(AtPath::new(source, path)))
}

/// Writes an output to `path`. A regular file is replaced only when all data is written, and its
/// permissions are preserved. If the folder of the file is not writable, the file is written in
/// place.
pub fn write_output(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), SaveError> {
    let written = target(path).and_then(|target| match target {
        OutputTarget::Stream => write_in_place(path, write),
        OutputTarget::File { path, permissions } => match Draft::create(folder_of(&path), false) {
            Err(error) if permissions.is_some() && is_denied(&error) => {
                write_in_place(&path, write)
            }
            Err(error) => Err(error),
            Ok(draft) => write_whole(draft, &path, permissions, write),
        },
    });
    written.map_err(|source| SaveError::Output(AtPath::new(source, path)))
}

/// A new file, which exists only once it is complete and never replaces another one. Missing parent
/// folders are created.
#[derive(Debug)]
pub struct NewFile {
    draft: Draft,
    path: PathBuf,
}

impl NewFile {
    /// Starts a new file. Temporary files of processes that have ended are removed from its folder.
    pub fn create(path: PathBuf) -> Result<Self, SaveError> {
        let folder = folder_of(&path);
        let draft = make_folder(folder).and_then(|()| {
            sweep(folder)?;
            Draft::create(folder, false)
        });
        match draft {
            Ok(draft) => Ok(Self { draft, path }),
            Err(source) => Err(SaveError::Output(AtPath { source, path })),
        }
    }

    /// Syncs the file and renames it to its final path; returns that path.
    pub fn publish(self) -> Result<PathBuf, SaveError> {
        let Self { draft, path } = self;
        match draft.publish(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(SaveError::Output(AtPath { source, path })),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.draft.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.file()?.flush()
    }
}

/// Writes a file of this program, completely or not at all; only this user can read a new file.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match target(path)? {
        OutputTarget::Stream => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
        }
        OutputTarget::File { path, permissions } => {
            write_whole(Draft::create(folder_of(&path), true)?, &path, permissions, write)
        }
    }
}

fn write_whole(
    mut draft: Draft,
    path: &Path,
    permissions: Option<Permissions>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    draft.write(write)?;
    if let Some(permissions) = permissions {
        draft.set_permissions(permissions)?;
    }
    draft.publish(path)
}

/// Whether an error means that no file can be created in a folder, although a file there may be writable.
fn is_denied(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

fn write_in_place(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let file = File::options().write(true).truncate(true).open(path)?;
    let mut writer = io::BufWriter::with_capacity(1 << 16, file);
    write(&mut writer)?;
    writer.flush()
}

fn target(path: &Path) -> io::Result<OutputTarget> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(OutputTarget::File { path: end_of_links(path)?, permissions: None });
        }
        Err(error) => return Err(error),
    };
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if metadata.is_file() {
        let path = fs::canonicalize(path)?;
        return Ok(OutputTarget::File { path, permissions: Some(metadata.permissions()) });
    }
    if platform::is_stream(&metadata) {
        return Ok(OutputTarget::Stream);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "neither a file nor a stream"))
}

/// Returns the path to which a chain of symbolic links leads, even if no file exists there.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many symbolic links"))
}
