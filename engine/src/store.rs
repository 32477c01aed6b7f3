//! A folder of runs: saving, listing, opening, removing, and recovering interrupted runs.
//!
//! A run is one plain file that you can copy, mail, or delete. It is written to a temporary name,
//! synced, and renamed, so that a full disk or a crash never leaves half a run. Only regular files
//! are read, and nothing is removed or replaced that cannot be read.

mod disk;
pub mod edit;
pub mod index;
mod journal_file;
mod output;
mod recovery;
pub mod repeats;
mod room;
mod scratch;

use std::io;
use std::path::{Path, PathBuf};

use crate::run::{Run, RunId};
use crate::units::{format_bytes, shortened};

pub use crate::format;
pub use index::Line;
pub use journal_file::JournalFile;
pub use output::{NewFile, check_output, write_output};
pub use recovery::{Recovery, RecoveryOutcome, discard_journal, set_damaged};
pub use room::Room;
pub use scratch::ScratchFolder;

/// Extension of run files.
pub const EXTENSION: &str = ".jitterscope.json";
/// Extension of journals of active runs.
pub const JOURNAL_EXTENSION: &str = ".jitterscope.partial";
/// Overrides the default folder of runs.
pub const FOLDER_VARIABLE: &str = "JITTERSCOPE_DATA_DIR";
/// Overrides the default folder of settings.
pub const SETTINGS_VARIABLE: &str = "JITTERSCOPE_CONFIG_DIR";
/// The largest file that is opened: about 30 million samples.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The folder cannot be created or written to.
    #[error("runs cannot be saved: {source}; choose another folder: {}", path.display())]
    Folder {
        /// The system's error.
        #[source]
        source: io::Error,
        /// The folder.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("the run cannot be saved: {source}: {}", path.display())]
    Write {
        /// The system's error.
        #[source]
        source: io::Error,
        /// The file.
        path: PathBuf,
    },
    /// An output cannot be written.
    #[error("cannot write the output: {source}: {}", path.display())]
    Output {
        /// The system's error.
        #[source]
        source: io::Error,
        /// The output.
        path: PathBuf,
    },
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
        /// What the run needs.
        bytes: u64,
        /// The folder.
        path: PathBuf,
    },
    /// A measured run cannot be saved, and its samples wait in its journal.
    #[error(
        "{source}; {samples} samples are still in the journal and will be recovered at the next \
         start: {}",
        journal.display()
    )]
    Waiting {
        /// Why it cannot be saved.
        #[source]
        source: Box<Self>,
        /// Samples that can be recovered.
        samples: usize,
        /// The journal.
        journal: PathBuf,
    },
}

/// Why a file could not be opened as a run.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot be read: {source}: {}", path.display())]
    Read {
        /// The system's error.
        #[source]
        source: io::Error,
        /// The file.
        path: PathBuf,
    },
    /// The file is larger than any run.
    #[error("too large to be a run ({bytes} bytes; up to {MAX_FILE_BYTES} are read): {}", path.display())]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The file.
        path: PathBuf,
    },
    /// The file is no run of ours, or damaged.
    #[error("{source}: {}", path.display())]
    Format {
        /// The error.
        #[source]
        source: format::FormatError,
        /// The file.
        path: PathBuf,
    },
}

/// Why a run could not be removed or found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The folder cannot be read.
    #[error("the folder of runs cannot be read: {source}: {}", path.display())]
    Folder {
        /// The system's error.
        #[source]
        source: io::Error,
        /// The folder.
        path: PathBuf,
    },
    /// No run answers to the name.
    #[error(
        "no run with the ID or name '{}', and no such file; use 'runs list' to list runs",
        shortened(name)
    )]
    None {
        /// The name.
        name: String,
    },
    /// Several do.
    #[error(
        "'{}' matches {count} runs; use a longer ID, or the name of a file: {}",
        shortened(name),
        files.join(", ")
    )]
    Several {
        /// The name.
        name: String,
        /// Number of matches.
        count: usize,
        /// The names of their files, or of the first ones.
        files: Vec<String>,
    },
    /// The file cannot be brought back.
    #[error("cannot be restored: {source}: {}", path.display())]
    Restore {
        /// The system's error.
        #[source]
        source: io::Error,
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be removed.
    #[error("cannot be removed: {source}: {}", path.display())]
    Remove {
        /// The system's error.
        #[source]
        source: io::Error,
        /// The file.
        path: PathBuf,
    },
}

impl FindError {
    /// Several runs answer to a name.
    pub fn several(name: &str, paths: &[PathBuf]) -> Self {
        /// Files that a message lists.
        const MAX_FILES: usize = 4;
        let mut files: Vec<String> =
            paths.iter().take(MAX_FILES).map(|path| stem_of(path)).collect();
        if MAX_FILES < paths.len() {
            files.push("…".to_owned());
        }
        Self::Several { name: name.to_owned(), count: paths.len(), files }
    }
}

/// A file in the folder of runs, readable or not.
#[derive(Debug)]
pub struct Entry {
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The run, or why it cannot be read. A damaged file is not changed.
    pub run: Result<Box<Run>, LoadError>,
}

/// A folder of runs.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The default folder of this user; the variable `JITTERSCOPE_DATA_DIR` overrides it.
    pub fn default_location() -> Option<Self> {
        if let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty())
        {
            return Some(Self { folder: PathBuf::from(folder) });
        }
        let dirs = directories::ProjectDirs::from("", "", "Jitterscope")?;
        // The local one: on Windows, the other follows a user from machine to machine.
        Some(Self { folder: dirs.data_local_dir().join("runs") })
    }

    /// A store in this folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Its path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Checks that runs can be saved: creates the folder and a test file.
    pub fn check(&self) -> Result<(), SaveError> {
        let folder_error = |source| SaveError::Folder { source, path: self.folder.clone() };
        disk::make_folder(&self.folder).map_err(folder_error)?;
        disk::Draft::create(&self.folder, true).map(drop).map_err(folder_error)
    }

    /// Saves a run under its own name and returns the path. Saving it again replaces it.
    pub fn save(&self, run: &Run) -> Result<PathBuf, SaveError> {
        disk::make_folder(&self.folder)
            .map_err(|source| SaveError::Folder { source, path: self.folder.clone() })?;
        let path = self.folder.join(file_name(run));
        save_to(run, &path)?;
        Ok(path)
    }

    /// A journal for a run that is about to begin.
    pub fn journal(&self) -> Result<JournalFile, SaveError> {
        let folder_error = |source| SaveError::Folder { source, path: self.folder.clone() };
        disk::make_folder(&self.folder).map_err(folder_error)?;
        JournalFile::create(&self.folder).map_err(folder_error)
    }

    /// Every file of the folder that is named as a run, the newest first. No folder is no runs.
    pub fn list(&self) -> Result<Vec<Entry>, FindError> {
        let mut entries: Vec<Entry> = self
            .paths(EXTENSION)?
            .into_iter()
            .map(|path| {
                let bytes = disk::stamp(&path).map_or(0, |(bytes, _)| bytes);
                Entry { run: load(&path).map(Box::new), bytes, path }
            })
            .collect();
        let started = |entry: &Entry| entry.run.as_ref().ok().map(|run| run.started_at);
        entries.sort_by(|a, b| started(b).cmp(&started(a)).then_with(|| a.path.cmp(&b.path)));
        Ok(entries)
    }

    /// The file of the one run of this ID or file name; else of the one whose ID or file name begins with this
    /// text, or whose name it is. A run answers to the ID inside its file and to the one in the file's name.
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
            // A name may look like the beginning of another run's ID.
            found = fitting(&|line| line.begins_with(name) || line.is_named(name));
        }
        match found.as_slice() {
            [path] => Ok(path.clone()),
            [] => Err(FindError::None { name: name.to_owned() }),
            several => Err(FindError::several(name, several)),
        }
    }

    /// Removes a file of this folder.
    pub fn remove(&self, path: &Path) -> Result<(), FindError> {
        disk::remove(path).map_err(|source| FindError::Remove { source, path: path.to_owned() })
    }

    fn paths(&self, extension: &str) -> Result<Vec<PathBuf>, FindError> {
        let mut paths = disk::list(&self.folder)
            .map_err(|source| FindError::Folder { source, path: self.folder.clone() })?;
        paths.retain(|path| path.to_string_lossy().ends_with(extension));
        Ok(paths)
    }
}

/// `2026-11-21-frame-loop-0a1b2c3d.jitterscope.json`.
pub fn file_name(run: &Run) -> String {
    let date = run.started_at.strftime("%Y-%m-%d");
    format!("{date}-{}-{}{EXTENSION}", run.subject.key(), run.id)
}

/// Writes a run to a path.
pub fn save_to(run: &Run, path: &Path) -> Result<(), SaveError> {
    replace(path, |writer| format::write(run, writer))
}

/// Writes a file, whole or not at all: to a temporary name in its folder, which is synced and
/// renamed.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), SaveError> {
    replace(path, |writer| writer.write_all(content))
}

fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), SaveError> {
    output::replace(path, write)
        .map_err(|source| SaveError::Write { source, path: path.to_owned() })
}

/// Reads a whole regular file of at most `max_bytes`.
pub fn read_bounded(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    disk::read_bounded(path, max_bytes)
}

/// The default folder of this user's settings; the variable `JITTERSCOPE_CONFIG_DIR` overrides it.
pub fn settings_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(SETTINGS_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Some(PathBuf::from(folder));
    }
    let dirs = directories::ProjectDirs::from("", "", "Jitterscope")?;
    Some(dirs.config_dir().to_owned())
}

/// Opens a run.
pub fn load(path: &Path) -> Result<Run, LoadError> {
    let read_error = |source| LoadError::Read { source, path: path.to_owned() };
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

/// Reads the id out of a file's name.
pub fn id_of(path: &Path) -> Option<RunId> {
    RunId::parse(stem_of(path).rsplit('-').next()?)
}

/// The name of a run's file without its extension.
pub fn stem_of(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    file.strip_suffix(EXTENSION).unwrap_or(&file).to_owned()
}

#[cfg(test)]
mod tests;
