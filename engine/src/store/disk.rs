//! The file operations of the store. Each operation first calls `announce`, with which tests can
//! make any operation fail.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::platform;

/// Extension of temporary files, which are hidden, and locked as long as the process that created
/// them exists.
pub(super) const TEMPORARY_EXTENSION: &str = ".jitterscope.tmp";
/// How many drafts are created until one is not locked by a process that removes old ones.
const MAX_DRAFTS: usize = 100;

/// A file operation, which a test can make fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation<'a> {
    MakeFolder,
    List,
    Stamp,
    Open(&'a Path),
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

/// Returns an error if a test requires this operation to fail.
#[cfg(test)]
fn announce(operation: Operation<'_>) -> io::Result<()> {
    tests::faults::announce(operation)
}

/// Returns how many of the `length` bytes of a write are written; a test can reduce this number.
#[cfg(test)]
fn announce_write(length: usize) -> io::Result<usize> {
    tests::faults::announce_write(length)
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

/// Creates a folder and its missing parents.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    announce(Operation::MakeFolder)?;
    fs::create_dir_all(path)
}

/// Returns the paths in a folder, sorted; none if the folder does not exist.
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

/// Returns the size and the modification time of a file.
pub(super) fn stamp(path: &Path) -> io::Result<(u64, SystemTime)> {
    announce(Operation::Stamp)?;
    let metadata = fs::metadata(path)?;
    Ok((metadata.len(), metadata.modified()?))
}

/// Sets the modification time of a file to now. On Windows, this fails for a read-only file.
pub(super) fn touch(path: &Path) -> io::Result<()> {
    announce(Operation::Stamp)?;
    if !fs::metadata(path)?.is_file() {
        return Ok(());
    }
    // Windows sets the time only of a file that is open for writing.
    let file = File::options().append(true).open(path).or_else(|_read_only| File::open(path))?;
    file.set_modified(SystemTime::now())
}

/// Returns the path, or if a file with this path exists, the path with the first unused number at
/// its end.
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

/// Renames a file; an existing file with the new name is replaced.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    announce(Operation::Rename(from, to))?;
    platform::rename(from, to)
}

/// Removes a file; a missing file is not an error.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    announce(Operation::Remove(path))?;
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Syncs the directory entries of a folder to the disk.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    announce(Operation::SyncFolder(folder))?;
    platform::sync_folder(folder)
}

/// Returns the folder of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Reads a regular file of at most `max_bytes`; returns an error for a larger file.
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

/// The result of an attempt to lock a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// This process has locked the file.
    Ours,
    /// Another process has locked the file.
    Theirs,
    /// The file system does not support locks.
    NotSupported,
}

/// An open file.
#[derive(Debug)]
pub(super) struct DiskFile {
    file: File,
    path: PathBuf,
}

impl DiskFile {
    /// Opens a regular file for reading; returns an error for anything else.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        announce(Operation::Open(path))?;
        let file = platform::open_regular(path).map_err(platform::with_remedy)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Opens or creates a lock file, and waits until no other process has locked it; `None` if
    /// another process still has it locked after `patience`.
    pub(super) fn lock_within(path: PathBuf, patience: Duration) -> io::Result<Option<Self>> {
        const INTERVAL: Duration = Duration::from_millis(5);
        announce(Operation::Open(&path))?;
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

    /// Returns the size in bytes.
    pub(super) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Locks the file for this process, unless another process has locked it.
    pub(super) fn try_lock(&self) -> io::Result<Lock> {
        match announce(Operation::Lock) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Lock::Theirs),
            announced => announced?,
        }
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

    /// Syncs the content of the file to the disk, without its timestamps.
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

/// A locked file with a temporary name. Dropping the draft removes the file, unless the file was
/// published under its final name.
#[derive(Debug)]
pub(super) struct Draft {
    file: Option<DiskFile>,
}

impl Draft {
    /// Creates a draft in a folder; only this user can read it if `is_private` is set.
    ///
    /// # Errors
    ///
    /// The file cannot be created, or the file system reports that each of [`MAX_DRAFTS`] new files is in use.
    pub(super) fn create(folder: &Path, is_private: bool) -> io::Result<Self> {
        for _ in 0..MAX_DRAFTS {
            let path = folder.join(format!(".{:016x}{TEMPORARY_EXTENSION}", fastrand::u64(..)));
            let file = DiskFile::create(path, is_private)?;
            let draft = Self { file: Some(file) };
            let Some(file) = &draft.file else { continue };
            // Another process that removes old temporary files may already have locked or removed
            // this file.
            if file.try_lock()? != Lock::Theirs && file.path.exists() {
                return Ok(draft);
            }
        }
        let what = "this file system reports each new file as locked by another process";
        Err(io::Error::new(io::ErrorKind::ResourceBusy, what))
    }

    /// Reserves disk space for this many bytes; returns whether the file system supports that.
    pub(super) fn reserve(&self, bytes: u64) -> io::Result<bool> {
        let Some(file) = &self.file else { return Ok(false) };
        announce(Operation::Reserve)?;
        platform::reserve_room(&file.file, bytes)
    }

    /// Sets the permissions of the file to those of another file.
    pub(super) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| file.file.set_permissions(permissions))
    }

    /// Returns the open file, which still has its temporary name.
    pub(super) fn file(&mut self) -> io::Result<&mut DiskFile> {
        self.file.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Calls `write` with a buffered writer to the file, and flushes the writer.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut writer = io::BufWriter::with_capacity(1 << 20, file);
        write(&mut writer)?;
        writer.flush()
    }

    /// Syncs the file, renames it, and syncs the folder: after a power failure, the path has either
    /// the complete new file or its earlier state.
    pub(super) fn publish(self, to: &Path) -> io::Result<()> {
        if let Some(file) = &self.file {
            file.sync()?;
        }
        self.publish_unsynced(to)?;
        sync_folder(folder_of(to))
    }

    /// Renames the file without syncing it, and returns it, still locked.
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

/// Removes the temporary files in a folder whose processes have ended.
pub(super) fn sweep(folder: &Path) -> io::Result<()> {
    for path in list(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with('.') || !name.ends_with(TEMPORARY_EXTENSION) {
            continue;
        }
        let swept = DiskFile::open(&path).and_then(|file| match file.try_lock()? {
            Lock::Theirs => Ok(()),
            Lock::NotSupported if !is_old(&path) => Ok(()),
            // The lock is held while the file is removed: a process that creates a temporary file
            // checks, after locking the file, that the file still exists.
            Lock::Ours | Lock::NotSupported => remove(&path),
        });
        if let Err(error) = swept {
            log::info!("{error}: {}", path.display());
        }
    }
    Ok(())
}

/// Whether a file was not modified for a minute. Without file locks, such a file counts as one
/// whose process has ended.
pub(super) fn is_old(path: &Path) -> bool {
    let age = stamp(path).ok().and_then(|(_, modified)| modified.elapsed().ok());
    age.is_some_and(|age| 60 <= age.as_secs())
}

#[cfg(test)]
pub(super) mod tests {
    pub(in crate::store) mod faults;
}
