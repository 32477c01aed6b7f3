//! The store's only way to the disk: every operation is announced here, so that tests can fail each one.

#[cfg(test)]
pub(super) mod faults;

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::platform;

/// How temporary files end. They are hidden, and locked for as long as their process lives.
pub(super) const TEMPORARY_EXTENSION: &str = ".jitterscope.tmp";

/// One operation on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation<'a> {
    MakeFolder,
    List,
    Stamp,
    Open,
    Create(&'a Path),
    Lock,
    Reserve,
    Read,
    Write,
    Sync(&'a Path),
    SyncFolder(&'a Path),
    Rename(&'a Path, &'a Path),
    Remove(&'a Path),
}

/// Fails where a test wants this operation to fail.
#[cfg(test)]
fn announce(operation: Operation<'_>) -> io::Result<()> {
    faults::announce(operation)
}

/// How many of these bytes a write takes.
#[cfg(test)]
fn announce_write(length: usize) -> io::Result<usize> {
    faults::announce_write(length)
}

#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "tests fail operations here")]
const fn announce(_operation: Operation<'_>) -> io::Result<()> {
    Ok(())
}

#[cfg(not(test))]
fn announce_write(length: usize) -> io::Result<usize> {
    announce(Operation::Write).map(|()| length)
}

/// Creates a folder and those above it.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    announce(Operation::MakeFolder)?;
    fs::create_dir_all(path)
}

/// The paths in a folder, in order; none where there is no folder.
pub(super) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    announce(Operation::List)?;
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths: Vec<PathBuf> = files.map(|file| Ok(file?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// Size and time of the last change.
pub(super) fn stamp(path: &Path) -> io::Result<(u64, SystemTime)> {
    announce(Operation::Stamp)?;
    let metadata = fs::metadata(path)?;
    Ok((metadata.len(), metadata.modified()?))
}

/// Sets the time of a file's last change to now.
pub(super) fn touch(path: &Path) -> io::Result<()> {
    announce(Operation::Stamp)?;
    if !fs::metadata(path)?.is_file() {
        return Ok(());
    }
    File::options().append(true).open(path)?.set_modified(SystemTime::now())
}

/// The path itself, or where that is taken, the path with the first number that is free.
pub(super) fn free_name(path: PathBuf) -> PathBuf {
    let numbered = |number: u32| {
        let mut name = path.clone().into_os_string();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    if is_free(&path) {
        return path;
    }
    (1..u32::MAX).map(numbered).find(is_free).unwrap_or(path)
}

/// Renames a file; what had the new name is gone.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    announce(Operation::Rename(from, to))?;
    platform::rename(from, to)
}

/// Removes a file; one that is gone already is no error.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    announce(Operation::Remove(path))?;
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Writes the names of a folder to its disk.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    announce(Operation::SyncFolder(folder))?;
    platform::sync_folder(folder)
}

/// The folder a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Reads a whole regular file of at most `max_bytes`.
pub(super) fn read_bounded(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut file = DiskFile::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    match u64::try_from(bytes.len()) {
        Ok(count) if count <= max_bytes => Ok(bytes),
        _ => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("larger than {} MiB", max_bytes >> 20),
        )),
    }
}

/// Who holds a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// This process does now.
    Ours,
    /// Another process does.
    Theirs,
    /// The file system has no locks.
    NotSupported,
}

/// An open file.
#[derive(Debug)]
pub(super) struct DiskFile {
    file: File,
    path: PathBuf,
}

impl DiskFile {
    /// Opens a regular file for reading; anything else is an error.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        announce(Operation::Open)?;
        Ok(Self { file: platform::open_regular(path)?, path: path.to_owned() })
    }

    /// Opens a file that serves as a lock, or creates it, and locks it once no other process holds it; `None` where
    /// one still does after this time.
    pub(super) fn lock_within(path: PathBuf, patience: Duration) -> io::Result<Option<Self>> {
        const INTERVAL: Duration = Duration::from_millis(5);
        announce(Operation::Open)?;
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let file = Self { file: platform::open_regular_with(&path, &mut options)?, path };
        let began = Instant::now();
        while file.try_lock()? == Lock::Theirs {
            if patience < began.elapsed() {
                return Ok(None);
            }
            std::thread::sleep(INTERVAL);
        }
        Ok(Some(file))
    }

    fn create(path: PathBuf, is_private: bool) -> io::Result<Self> {
        announce(Operation::Create(&path))?;
        let file = if is_private {
            platform::create_private(&path)?
        } else {
            File::options().write(true).create_new(true).open(&path)?
        };
        Ok(Self { file, path })
    }

    /// Its size in bytes.
    pub(super) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Locks the file for this process, if no other holds it.
    pub(super) fn try_lock(&self) -> io::Result<Lock> {
        announce(Operation::Lock)?;
        match self.file.try_lock() {
            Ok(()) => Ok(Lock::Ours),
            Err(TryLockError::WouldBlock) => Ok(Lock::Theirs),
            Err(TryLockError::Error(error)) => {
                log::info!("no file locks here: {error}: {}", self.path.display());
                Ok(Lock::NotSupported)
            }
        }
    }

    fn sync(&self) -> io::Result<()> {
        announce(Operation::Sync(&self.path))?;
        self.file.sync_all()
    }

    /// Writes its content to its disk; times need not be there.
    pub(super) fn sync_content(&self) -> io::Result<()> {
        announce(Operation::Sync(&self.path))?;
        self.file.sync_data()
    }
}

impl Read for DiskFile {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        announce(Operation::Read)?;
        self.file.read(to)
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = announce_write(bytes.len())?;
        self.file.write(bytes.get(..count).unwrap_or(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for DiskFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A file under a temporary name, locked, until it is published or dropped.
#[derive(Debug)]
pub(super) struct Draft {
    file: Option<DiskFile>,
}

impl Draft {
    /// Creates one in a folder; a private one can be read by this user only.
    pub(super) fn create(folder: &Path, is_private: bool) -> io::Result<Self> {
        loop {
            let path = folder.join(format!(".{:016x}{TEMPORARY_EXTENSION}", fastrand::u64(..)));
            let file = DiskFile::create(path, is_private)?;
            let draft = Self { file: Some(file) };
            let Some(file) = &draft.file else { continue };
            // A process that sweeps may have been faster: it holds the file, or has removed it.
            if file.try_lock()? != Lock::Theirs && file.path.exists() {
                return Ok(draft);
            }
        }
    }

    /// Reserves room on the disk for this many bytes; returns whether the file system could.
    pub(super) fn reserve(&self, bytes: u64) -> io::Result<bool> {
        let Some(file) = &self.file else { return Ok(false) };
        announce(Operation::Reserve)?;
        platform::reserve_room(&file.file, bytes)
    }

    /// Gives the file the permissions of another.
    pub(super) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| file.file.set_permissions(permissions))
    }

    /// The file under its temporary name.
    pub(super) fn file(&mut self) -> io::Result<&mut DiskFile> {
        self.file.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Writes its content.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut writer = io::BufWriter::with_capacity(1 << 20, file);
        write(&mut writer)?;
        writer.flush()
    }

    /// Syncs the file and gives it its name, in one step that survives a power failure.
    pub(super) fn publish(self, to: &Path) -> io::Result<()> {
        if let Some(file) = &self.file {
            file.sync()?;
        }
        self.publish_unsynced(to)?;
        sync_folder(folder_of(to))
    }

    /// Gives the file its name and hands it over, still locked.
    pub(super) fn publish_unsynced(mut self, to: &Path) -> io::Result<DiskFile> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        rename(&file.path, to)?;
        let mut file = self.file.take().ok_or(io::ErrorKind::NotFound)?;
        to.clone_into(&mut file.path);
        Ok(file)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(file) = &self.file
            && let Err(error) = remove(&file.path)
        {
            log::info!("{error}: {}", file.path.display());
        }
    }
}

/// Removes the temporary files of processes that ended.
pub(super) fn sweep(folder: &Path) -> io::Result<()> {
    for path in list(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with('.') || !name.ends_with(TEMPORARY_EXTENSION) {
            continue;
        }
        let swept = DiskFile::open(&path).and_then(|file| match file.try_lock()? {
            Lock::Theirs => Ok(()),
            Lock::NotSupported if !is_old(&path) => Ok(()),
            // Held while it is removed: whoever creates a file checks after locking it.
            Lock::Ours | Lock::NotSupported => remove(&path),
        });
        if let Err(error) = swept {
            log::info!("{error}: {}", path.display());
        }
    }
    Ok(())
}

/// Whether a file did not change for a minute: where there are no locks, its process is gone.
pub(super) fn is_old(path: &Path) -> bool {
    let age = stamp(path).ok().and_then(|(_, modified)| modified.elapsed().ok());
    age.is_some_and(|age| 60 <= age.as_secs())
}
