//! A folder of runs: saving, listing, opening, removing, and recovering interrupted runs.
//!
//! A run is one plain file that you can copy, mail, or delete. It is written under a temporary
//! name, synced, and renamed: a full disk or a crash never leaves an incomplete run. Only regular
//! files are read, and unreadable files are never removed or replaced.

mod control;
mod disk;
pub mod edit;
pub mod index;
mod journal_file;
mod output;
mod recorded;
mod recovery;
pub mod repeats;
mod save_new;
mod scratch;

use std::io;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use disk::Draft;

use crate::run::{Run, RunId};
use crate::units::{count_text, format_bytes, shortened};

pub use crate::format;
pub use crate::format::RecordStatus;
pub use control::{ControlError, RecordCommand, RecordControl, command_recorder, recorder_status};
pub use index::Line;
pub use journal_file::JournalFile;
pub use output::{NewFile, check_output, write_output};
pub use recorded::ChangeRecordingError;
pub use recovery::{Recovery, RecoveryOutcome, discard_journal, set_damaged};
pub use save_new::{SaveNewError, SaveOutcome};
pub use scratch::ScratchFolder;

/// Extension of run files.
pub const EXTENSION: &str = ".jitterscope.json";
/// Extension of journals of runs in progress.
pub const JOURNAL_EXTENSION: &str = ".jitterscope.partial";
/// The environment variable that overrides the default folder of runs.
pub const FOLDER_VARIABLE: &str = "JITTERSCOPE_DATA_DIR";
/// The environment variable that overrides the default folder of settings.
pub const SETTINGS_VARIABLE: &str = "JITTERSCOPE_CONFIG_DIR";
/// Maximum size of a run file, which is enough for [`MAX_SAVED_SAMPLES`](crate::run::MAX_SAVED_SAMPLES).
const MAX_FILE_BYTES: u64 = 2 << 30;

/// An error of the system, and the file or folder at which it occurred.
#[derive(Debug, thiserror::Error)]
#[error("{source}: {}", path.display())]
pub struct AtPath {
    /// The system's error.
    pub source: io::Error,
    /// The file or folder.
    pub path: PathBuf,
}

impl AtPath {
    /// Returns the error at a path.
    pub fn new(source: io::Error, path: &Path) -> Self {
        Self { source, path: path.to_owned() }
    }
}

/// Why a run or another file could not be saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The folder cannot be created or written to.
    #[error("runs cannot be saved: {}; choose another folder: {}", .0.source, .0.path.display())]
    Folder(#[source] AtPath),
    /// The file cannot be written.
    #[error("the run cannot be saved: {0}")]
    Write(#[source] AtPath),
    /// An output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[source] AtPath),
    /// The disk has no room for a run that is about to be measured.
    #[error(
        "the run cannot be saved: it needs about {}: {source}; free some space, or choose another folder: {}",
        format_bytes(*bytes),
        path.display()
    )]
    NoRoom {
        /// The system's error.
        #[source]
        source: io::Error,
        /// Size that the run needs in bytes.
        bytes: u64,
        /// The folder.
        path: PathBuf,
    },
    /// A measured run cannot be saved; its samples are still in its journal.
    #[error(
        "{source}; the run ({}) is still in the journal and will be recovered at the next start: {}",
        count_text(*samples, "samples"),
        journal.display()
    )]
    Waiting {
        /// Why the run cannot be saved.
        #[source]
        source: Box<Self>,
        /// Number of samples that can be recovered.
        samples: usize,
        /// The journal.
        journal: PathBuf,
    },
}

/// Why a file could not be opened as a run.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[source] AtPath),
    /// The file is larger than any run.
    #[error("too large to be a run ({bytes} bytes; up to {MAX_FILE_BYTES} are read): {}", path.display())]
    TooLarge {
        /// Size of the file in bytes.
        bytes: u64,
        /// The file.
        path: PathBuf,
    },
    /// The file is not a run of this program, or damaged.
    #[error("{source}: {}", path.display())]
    Format {
        /// Why the content cannot be read as a run.
        #[source]
        source: format::FormatError,
        /// The file.
        path: PathBuf,
    },
}

/// Why a run could not be found, restored, or removed.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The folder cannot be read.
    #[error("the folder of runs cannot be read: {0}")]
    Folder(#[source] AtPath),
    /// No run has this ID or name.
    #[error(
        "no run with the ID or name '{}', and no such file; use 'runs list' to list runs",
        shortened(name)
    )]
    None {
        /// The ID or name that was searched for.
        name: String,
    },
    /// Several runs match the ID or name.
    #[error(
        "'{}' matches {count} runs; use a longer ID, or the name of a file: {}",
        shortened(name),
        files.join(", ")
    )]
    Several {
        /// The ID or name that was searched for.
        name: String,
        /// Number of matches.
        count: usize,
        /// The names of the first matching files.
        files: Vec<String>,
    },
    /// The file cannot be restored from the trash.
    #[error("cannot be restored: {0}")]
    Restore(#[source] AtPath),
    /// The file cannot be removed.
    #[error("cannot be removed: {0}")]
    Remove(#[source] AtPath),
}

impl FindError {
    /// Returns the error for a name that several runs match.
    pub fn several(name: &str, paths: &[PathBuf]) -> Self {
        /// Maximum number of files in the message.
        const MAX_FILES: usize = 4;
        let mut files: Vec<String> =
            paths.iter().take(MAX_FILES).map(|path| stem_of(path)).collect();
        if MAX_FILES < paths.len() {
            files.push("…".to_owned());
        }
        Self::Several { name: name.to_owned(), count: paths.len(), files }
    }
}

/// A folder of runs.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Returns the store in the user's default folder, which the variable `JITTERSCOPE_DATA_DIR`
    /// overrides; `None` if the user has no home folder.
    pub fn default_location() -> Option<Self> {
        // Runs are saved in the local data folder: Windows synchronizes the other one, the roaming
        // data folder, between the PCs of a user.
        user_folder(FOLDER_VARIABLE, |dirs| dirs.data_local_dir().join("runs")).map(Self::at)
    }

    /// Returns the store in this folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Checks that runs can be saved: creates the folder and a test file.
    pub fn check(&self) -> Result<(), SaveError> {
        let folder_error = |source| SaveError::Folder(AtPath::new(source, &self.folder));
        disk::make_folder(&self.folder).map_err(folder_error)?;
        disk::Draft::create(&self.folder, true).map(drop).map_err(folder_error)
    }

    /// Saves a run under its file name and returns the path. A file of the same run is replaced.
    pub fn save(&self, run: &Run) -> Result<PathBuf, SaveError> {
        disk::make_folder(&self.folder)
            .map_err(|source| SaveError::Folder(AtPath::new(source, &self.folder)))?;
        let path = self.folder.join(file_name(run));
        save_to(run, &path)?;
        Ok(path)
    }

    /// Creates a journal for a run that is about to start.
    pub fn journal(&self) -> Result<JournalFile, SaveError> {
        let folder_error = |source| SaveError::Folder(AtPath::new(source, &self.folder));
        disk::make_folder(&self.folder).map_err(folder_error)?;
        JournalFile::create(&self.folder).map_err(folder_error)
    }

    /// Returns the file of the only run whose file name or ID is `name`. If no run has this file name or ID, returns the
    /// file of the only run that the user named `name`, or whose file name or ID begins with `name`, else of the only
    /// capture of the game `name`. A run has two IDs if the ID in its file name differs from the ID in its content.
    pub fn find(&self, name: &str) -> Result<PathBuf, FindError> {
        let lines = self.lines()?;
        let fitting = |fits: &dyn Fn(&Line) -> bool| -> Vec<PathBuf> {
            lines.iter().filter(|line| fits(line)).map(|line| line.path.clone()).collect()
        };
        let mut found = fitting(&|line| line.is_file(name));
        if found.is_empty() {
            found = fitting(&|line| line.ids().any(|id| id.as_str() == name));
        }
        if found.is_empty() && !name.is_empty() {
            // The name of a run may look like the beginning of another run's ID: search for both.
            found = fitting(&|line| line.begins_with(name) || line.is_named(name));
        }
        if found.is_empty() && !name.is_empty() {
            found = fitting(&|line| line.is_of_game(name));
        }
        match found.as_slice() {
            [path] => Ok(path.clone()),
            [] => Err(FindError::None { name: name.to_owned() }),
            several => Err(FindError::several(name, several)),
        }
    }

    /// Removes a file in the folder of this store.
    pub fn remove(&self, path: &Path) -> Result<(), FindError> {
        disk::remove(path).map_err(|source| FindError::Remove(AtPath::new(source, path)))
    }

    fn paths(&self, extension: &str) -> Result<Vec<PathBuf>, FindError> {
        let mut paths = disk::list(&self.folder)
            .map_err(|source| FindError::Folder(AtPath::new(source, &self.folder)))?;
        paths.retain(|path| path.to_string_lossy().ends_with(extension));
        Ok(paths)
    }
}

/// Returns the file name of a run: `2026-11-21-frame-loop-0a1b2c3d.jitterscope.json`.
pub fn file_name(run: &Run) -> String {
    let date = run.started_at.strftime("%Y-%m-%d");
    format!("{date}-{}-{}{EXTENSION}", run.subject.key(), run.id)
}

/// Writes a run to a path.
pub fn save_to(run: &Run, path: &Path) -> Result<(), SaveError> {
    replace(path, |writer| format::write(run, writer))
}

/// Writes a complete file or nothing: content is written to a temporary file in the same folder,
/// which is synced and then renamed.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), SaveError> {
    replace(path, |writer| writer.write_all(content))
}

fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), SaveError> {
    output::replace(path, write).map_err(|source| SaveError::Write(AtPath::new(source, path)))
}

/// Reads a regular file of at most `max_bytes`; returns an error for a larger file.
pub fn read_bounded(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    disk::read_bounded(path, max_bytes)
}

/// Returns the default folder of the user's settings, which the variable `JITTERSCOPE_CONFIG_DIR`
/// overrides; `None` if the user has no home folder.
pub fn settings_folder() -> Option<PathBuf> {
    user_folder(SETTINGS_VARIABLE, |dirs| dirs.config_dir().to_owned())
}

/// Returns the folder in an environment variable, or the default folder if the variable is empty or
/// not set.
fn user_folder(variable: &str, default: fn(&ProjectDirs) -> PathBuf) -> Option<PathBuf> {
    let own = std::env::var_os(variable).filter(|folder| !folder.is_empty());
    let default = || ProjectDirs::from("", "", "Jitterscope").map(|dirs| default(&dirs));
    own.map(PathBuf::from).or_else(default)
}

/// Reads the run in a file.
pub fn load(path: &Path) -> Result<Run, LoadError> {
    #[cfg(test)]
    tests::count_load();
    let read_error = |source| LoadError::Read(AtPath::new(source, path));
    let mut file = disk::DiskFile::open(path).map_err(read_error)?;
    let bytes = file.len().map_err(read_error)?;
    if MAX_FILE_BYTES < bytes {
        return Err(LoadError::TooLarge { bytes, path: path.to_owned() });
    }
    format::read_from(&mut file).map_err(|error| match error {
        format::FormatError::Unreadable { source } => read_error(source),
        source => LoadError::Format { source, path: path.to_owned() },
    })
}

/// Returns the ID in the file name of a run; `None` if the file name contains no ID.
pub fn id_of(path: &Path) -> Option<RunId> {
    RunId::parse(stem_of(path).rsplit('-').next()?)
}

/// Returns the file name of a run without its extension.
pub fn stem_of(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    file.strip_suffix(EXTENSION).unwrap_or(&file).to_owned()
}

impl Store {
    /// Deletes the detail of recordings, the oldest first, until all recordings take at most `max_bytes`. Recordings with a
    /// note or a tag, and the newest one, retain theirs. Returns the names of the files whose detail was deleted.
    ///
    /// # Errors
    ///
    /// The folder cannot be read. A recording that cannot be read or saved is skipped.
    pub fn delete_old_detail(&self, max_bytes: u64) -> Result<Vec<String>, FindError> {
        let is_recording = |line: &Line| line.run.as_ref().is_ok_and(|run| run.test == "recording");
        let mut lines: Vec<Line> = self.lines()?.into_iter().filter(is_recording).collect();
        lines.sort_by_key(|line| line.run.as_ref().ok().map(|run| run.started_at));
        let newest = lines.pop().map_or(0, |newest| newest.bytes);
        let mut bytes: u64 = lines.iter().map(|line| line.bytes).sum::<u64>() + newest;
        let mut names = Vec::new();
        for line in lines {
            if bytes <= max_bytes {
                break;
            }
            // The list states what a file contains: a recording without detail is not opened.
            let can_shrink = line.run.as_ref().is_ok_and(|run| {
                run.recorded.is_some_and(|state| state.has_detail)
                    && run.note.is_empty()
                    && run.tags.is_empty()
            });
            if !can_shrink {
                continue;
            }
            match self.delete_detail(&line.path) {
                Ok(_) => {
                    let left = disk::stamp(&line.path).map_or(0, |(size, _)| size);
                    bytes = bytes.saturating_sub(line.bytes.saturating_sub(left));
                    names.push(stem_of(&line.path));
                }
                Err(error) => log::warn!("the detail of a recording was not deleted: {error}"),
            }
        }
        Ok(names)
    }
}

/// Approximate size of a sample in a journal, and in a run file; evidence and trace records are not
/// included.
const SAMPLE_BYTES: u64 = 100;
/// Approximate size of all other data of a run.
const OTHER_BYTES: u64 = 256 << 10;

/// Disk space that is reserved for the file of a run before it starts, so that a full disk is detected early. Dropping the
/// `Room` releases the space.
#[derive(Debug)]
pub struct Room {
    _held: Draft,
}

impl Store {
    /// Checks that the disk has room for the journal and the file of a run with this many samples,
    /// and reserves room for the file, which is written after the journal. Returns `None` if the
    /// file system cannot reserve room: then, a full disk is detected only when the run is written.
    pub fn reserve(&self, samples: u64) -> Result<Option<Room>, SaveError> {
        let bytes = samples.saturating_mul(SAMPLE_BYTES).saturating_add(OTHER_BYTES);
        match self.room(bytes) {
            Ok(room) => Ok(room),
            Err(source) if is_no_room(&source) => {
                let bytes = bytes.saturating_mul(2);
                Err(SaveError::NoRoom { source, bytes, path: self.folder.clone() })
            }
            Err(error) => {
                // Ignore other errors: if the folder is not writable, creating the journal reports
                // the error.
                log::info!("no room is reserved: {error}: {}", self.folder.display());
                Ok(None)
            }
        }
    }

    fn room(&self, bytes: u64) -> io::Result<Option<Room>> {
        disk::make_folder(&self.folder)?;
        let [file, journal] =
            [Draft::create(&self.folder, true)?, Draft::create(&self.folder, true)?];
        let is_reserved = file.reserve(bytes)? && journal.reserve(bytes)?;
        Ok(is_reserved.then_some(Room { _held: file }))
    }
}

fn is_no_room(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

#[cfg(test)]
mod tests;
