//! What the user can change of a saved run: its name, note, tags, and annotations; and moving it to the trash.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::disk::DiskFile;
use super::{FindError, LoadError, SaveError, Store, disk, load, save_to};
use crate::run::Annotation;

/// Maximum characters of a name.
pub const MAX_NAME: usize = 200;
/// Maximum characters of a note.
pub const MAX_NOTE: usize = 10_000;
/// Maximum characters of a tag.
pub const MAX_TAG: usize = 40;
/// Maximum characters of an annotation.
pub const MAX_ANNOTATION: usize = 200;
/// Maximum annotations of a run.
pub const MAX_ANNOTATIONS: usize = 500;
/// Maximum tags of a run.
pub const MAX_TAGS: usize = 20;

/// The file that is locked while a run is changed.
const LOCK: &str = "edit.jitterscope.lock";
/// How long a change waits for others.
const PATIENCE: Duration = Duration::from_secs(10);
/// Folder of deleted runs until they are removed for good.
const DELETED: &str = "deleted";
/// Retention.
const RETAINED: Duration = Duration::from_hours(7 * 24);

/// A change to the user's description of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another name; empty restores the default.
    Name(String),
    /// Another note.
    Note(String),
    /// Other tags.
    Tags(Vec<String>),
    /// Other annotations.
    Annotations(Vec<Annotation>),
}

/// Why a run could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be opened.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// It cannot be written.
    #[error("{0}")]
    Save(#[from] SaveError),
    /// Another process changes runs of the folder, and does not end.
    #[error("another program is changing a run; try again: {}", path.display())]
    Busy {
        /// The file that it holds.
        path: PathBuf,
    },
}

/// Text without control characters, except line ends if `is_multiline`; truncated to this many
/// characters.
pub fn clean(text: &str, most: usize, has_lines: bool) -> String {
    let retained = text.trim().chars().filter_map(|letter| match letter {
        '\n' if has_lines => Some('\n'),
        '\t' | '\n' | '\r' => Some(' '),
        letter if letter.is_control() => None,
        letter => Some(letter),
    });
    retained.take(most).collect()
}

/// Tags without duplicates and empty ones.
pub fn clean_tags(tags: &[String]) -> Vec<String> {
    let mut clean_tags: Vec<String> = Vec::new();
    for tag in tags {
        let tag = clean(tag, MAX_TAG, false);
        if !tag.is_empty() && !clean_tags.contains(&tag) && clean_tags.len() < MAX_TAGS {
            clean_tags.push(tag);
        }
    }
    clean_tags
}

/// Annotations in order of trial and time, with clean texts and without empty ones.
pub fn clean_annotations(annotations: &[Annotation]) -> Vec<Annotation> {
    let mut cleaned: Vec<Annotation> = annotations
        .iter()
        .map(|one| Annotation {
            from: one.from.min(one.to),
            to: one.from.max(one.to),
            text: clean(&one.text, MAX_ANNOTATION, false),
            ..*one
        })
        .filter(|one| !one.text.is_empty())
        .collect();
    cleaned.sort_by_key(|one| (one.trial, one.from, one.to));
    cleaned.truncate(MAX_ANNOTATIONS);
    cleaned
}

impl Store {
    /// Changes the user's description of a run, in any file; facts stay as they are.
    pub fn edit(&self, path: &Path, edit: &Edit) -> Result<(), EditError> {
        // Whoever reads, changes, and writes at the same time would undo this.
        let _lock = self.lock_edits()?;
        let mut run = load(path)?;
        match edit {
            Edit::Name(name) => run.name = clean(name, MAX_NAME, false),
            Edit::Note(note) => run.note = clean(note, MAX_NOTE, true),
            Edit::Tags(tags) => run.tags = clean_tags(tags),
            Edit::Annotations(all) => run.annotations = clean_annotations(all),
        }
        save_to(&run, path)?;
        Ok(())
    }

    /// The right to change runs of this folder, until it is dropped; no other process has it.
    fn lock_edits(&self) -> Result<DiskFile, EditError> {
        let failed = |source| SaveError::Folder { source, path: self.folder.clone() };
        disk::make_folder(&self.folder).map_err(failed)?;
        let path = self.folder.join(LOCK);
        let lock = DiskFile::lock_within(path.clone(), PATIENCE).map_err(failed)?;
        lock.ok_or(EditError::Busy { path })
    }

    /// Moves a run to the trash and returns its path there, for [`restore`](Self::restore).
    pub fn move_to_trash(&self, path: &Path) -> Result<PathBuf, FindError> {
        let failed = |source| FindError::Remove { source, path: path.to_owned() };
        let folder = self.folder.join(DELETED);
        disk::make_folder(&folder).map_err(failed)?;
        let name =
            path.file_name().ok_or_else(|| failed(std::io::ErrorKind::InvalidInput.into()))?;
        let to = folder.join(name);
        let taken = disk::free_name(to.clone());
        if taken != to {
            // A run of this name was deleted before; it is not replaced.
            disk::rename(&to, &taken).map_err(failed)?;
        }
        disk::rename(path, &to).map_err(failed)?;
        // Its age counts from now.
        if let Err(error) = disk::touch(&to) {
            log::info!("{error}: {}", to.display());
        }
        Ok(to)
    }

    /// Brings back a run that was set aside.
    pub fn restore(&self, path: &Path) -> Result<PathBuf, FindError> {
        let failed = |source| FindError::Restore { source, path: path.to_owned() };
        let name =
            path.file_name().ok_or_else(|| failed(std::io::ErrorKind::InvalidInput.into()))?;
        let to = self.folder.join(name);
        if to.exists() {
            return Err(failed(std::io::ErrorKind::AlreadyExists.into()));
        }
        disk::rename(path, &to).map_err(failed)?;
        Ok(to)
    }

    /// The folder of deleted runs, to list them, and to remove one for good.
    #[must_use]
    pub fn trash(&self) -> Self {
        Self::at(self.folder.join(DELETED))
    }

    /// When a deleted run is removed for good; absent where its file cannot be looked at.
    pub fn retained_until(&self, path: &Path) -> Option<jiff::Timestamp> {
        let (_, deleted) = disk::stamp(path).ok()?;
        jiff::Timestamp::try_from(deleted.checked_add(RETAINED)?).ok()
    }

    /// Removes for good what was moved to the trash more than 7 days ago.
    pub fn forget_old(&self) {
        for path in disk::list(&self.folder.join(DELETED)).unwrap_or_default() {
            let modified = disk::stamp(&path).ok().map(|(_, modified)| modified);
            let age = modified.and_then(|at| SystemTime::now().duration_since(at).ok());
            if age.is_some_and(|age| RETAINED < age)
                && let Err(error) = disk::remove(&path)
            {
                log::info!("{error}: {}", path.display());
            }
        }
    }
}
