//! Writing a file that the user named: in place where it is a FIFO or a device, through symbolic links, and
//! whole or not at all where it is a regular file.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::SaveError;
use super::disk::{Draft, folder_of, make_folder, sweep};
use crate::platform;

/// Symbolic links that are followed one after another, as the system does.
const MAX_LINKS: usize = 40;

/// What a path leads to.
enum Target {
    /// A FIFO, a terminal or another character device.
    Stream,
    /// A regular file, or none yet.
    File { path: PathBuf, permissions: Option<Permissions> },
}

/// Checks that an output can be written; neither opens nor changes anything.
pub fn check_output(path: &Path) -> Result<(), SaveError> {
    let checked = target(path).and_then(|target| match target {
        Target::Stream | Target::File { permissions: Some(_), .. } => {
            platform::check_writable(path)
        }
        Target::File { path, permissions: None } => platform::check_writable(folder_of(&path)),
    });
    checked.map_err(|source| SaveError::Output { source, path: path.to_owned() })
}

/// Writes an output. A regular file is replaced only when everything is written, and preserves its
/// permissions; if its folder is not writable, it is written in place.
pub fn write_output(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), SaveError> {
    let written = target(path).and_then(|target| match target {
        Target::Stream => write_in_place(path, write),
        Target::File { path, permissions } => match Draft::create(folder_of(&path), false) {
            Err(_) if permissions.is_some() => write_in_place(&path, write),
            Err(error) => Err(error),
            Ok(draft) => write_whole(draft, &path, permissions, write),
        },
    });
    written.map_err(|source| SaveError::Output { source, path: path.to_owned() })
}

/// A new file under a name that no other has, there only once it is complete. Folders above it are created.
#[derive(Debug)]
pub struct NewFile {
    draft: Draft,
    path: PathBuf,
}

impl NewFile {
    /// Begins one. Temporary files that ended processes left in the folder are removed.
    pub fn create(path: PathBuf) -> Result<Self, SaveError> {
        let folder = folder_of(&path);
        let draft = make_folder(folder).and_then(|()| {
            sweep(folder)?;
            Draft::create(folder, false)
        });
        match draft {
            Ok(draft) => Ok(Self { draft, path }),
            Err(source) => Err(SaveError::Output { source, path }),
        }
    }

    /// Syncs it and gives it its name.
    pub fn publish(self) -> Result<PathBuf, SaveError> {
        let Self { draft, path } = self;
        match draft.publish(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(SaveError::Output { source, path }),
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

/// Writes one of the program's own files, whole or not at all; a new one is readable only by this
/// user.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match target(path)? {
        Target::Stream => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        Target::File { path, permissions } => {
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

fn write_in_place(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let file = File::options().write(true).truncate(true).open(path)?;
    let mut writer = io::BufWriter::with_capacity(1 << 16, file);
    write(&mut writer)?;
    writer.flush()
}

fn target(path: &Path) -> io::Result<Target> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Target::File { path: end_of_links(path)?, permissions: None });
        }
        Err(error) => return Err(error),
    };
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if metadata.is_file() {
        let path = fs::canonicalize(path)?;
        return Ok(Target::File { path, permissions: Some(metadata.permissions()) });
    }
    if platform::is_stream(&metadata) {
        return Ok(Target::Stream);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "neither a file nor a stream"))
}

/// The target of links that end in no file.
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
