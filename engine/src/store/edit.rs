//! Edits of saved runs by the user: name, note, tags, and annotations; and the trash.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::disk::DiskFile;
use super::{AtPath, FindError, LoadError, SaveError, Store, disk, load, save_to};
use crate::run::{Annotation, Run};

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

/// The lock file that prevents concurrent edits.
const LOCK: &str = "edit.jitterscope.lock";
/// How long an edit waits for the lock.
const PATIENCE: Duration = Duration::from_secs(10);
/// Name of the folder of deleted runs.
const DELETED: &str = "deleted";
/// How long deleted runs are retained in the trash.
const RETAINED: Duration = Duration::from_hours(7 * 24);

/// A change to the description of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Sets the name; an empty name restores the default name.
    Name(String),
    /// Sets the note.
    Note(String),
    /// Sets the tags.
    Tags(Vec<String>),
    /// Adds and removes tags; the other tags stay.
    ChangeTags {
        /// The tags to add.
        added: Vec<String>,
        /// The tags to remove.
        removed: Vec<String>,
    },
    /// Sets the annotations.
    Annotations(Vec<Annotation>),
}

/// Why a run could not be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The run cannot be opened.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// The run cannot be saved.
    #[error("{0}")]
    Save(#[from] SaveError),
    /// Another process has had the lock for too long.
    #[error("another program is changing a run; try again: {}", path.display())]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
}

/// Returns a text without control characters, except line ends if `has_lines` is set; truncated to
/// `most` characters.
pub fn clean(text: &str, most: usize, has_lines: bool) -> String {
    let retained = text.trim().chars().filter_map(|letter| match letter {
        '\n' if has_lines => Some('\n'),
        '\t' | '\n' | '\r' => Some(' '),
        letter if letter.is_control() => None,
        letter => Some(letter),
    });
    retained.take(most).collect()
}

/// Returns cleaned tags, at most [`MAX_TAGS`], without duplicates and empty tags.
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

/// Returns annotations sorted by trial and time, with clean texts; annotations without text are
/// omitted.
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
    /// Changes the name, note, tags, or annotations of the run in a file, which may be outside of
    /// the folder of this store. Measured data is not changed.
    pub fn edit(&self, path: &Path, edit: &Edit) -> Result<(), EditError> {
        // Without the lock, a concurrent edit could overwrite this one.
        let _lock = self.lock_edits()?;
        let mut run = load(path)?;
        match edit {
            Edit::Name(name) => run.name = clean(name, MAX_NAME, false),
            Edit::Note(note) => run.note = clean(note, MAX_NOTE, true),
            Edit::Tags(tags) => run.tags = clean_tags(tags),
            Edit::ChangeTags { added, removed } => {
                run.tags.retain(|tag| !removed.contains(tag));
                run.tags = clean_tags(&[run.tags, added.clone()].concat());
            }
            Edit::Annotations(all) => run.annotations = clean_annotations(all),
        }
        save_to(&run, path)?;
        Ok(())
    }

    /// Replaces the run in a file by what `change` returns for it, which is returned.
    ///
    /// # Errors
    ///
    /// The run cannot be opened or saved, or `change` refuses it.
    pub fn change<E: From<EditError>>(
        &self,
        path: &Path,
        change: impl FnOnce(Run) -> Result<Run, E>,
    ) -> Result<Run, E> {
        let _lock = self.lock_edits()?;
        let run = change(load(path).map_err(EditError::from)?)?;
        save_to(&run, path).map_err(EditError::from)?;
        Ok(run)
    }

    /// Locks the folder for edits of runs until the returned file is dropped.
    fn lock_edits(&self) -> Result<DiskFile, EditError> {
        let failed = |source| SaveError::Folder(AtPath::new(source, &self.folder));
        disk::make_folder(&self.folder).map_err(failed)?;
        let path = self.folder.join(LOCK);
        let lock = DiskFile::lock_within(path.clone(), PATIENCE).map_err(failed)?;
        lock.ok_or(EditError::Busy { path })
    }

    /// Moves a run to the trash and returns its path in the trash, for [`restore`](Self::restore).
    pub fn move_to_trash(&self, path: &Path) -> Result<PathBuf, FindError> {
        let failed = |source| FindError::Remove(AtPath::new(source, path));
        let folder = self.folder.join(DELETED);
        disk::make_folder(&folder).map_err(failed)?;
        let name =
            path.file_name().ok_or_else(|| failed(std::io::ErrorKind::InvalidInput.into()))?;
        let to = folder.join(name);
        let taken = disk::free_name(to.clone());
        if taken != to {
            // A run in the trash has the same file name: rename that run, so that it is not
            // replaced.
            disk::rename(&to, &taken).map_err(failed)?;
        }
        // The retention time starts now. With its old time, the run could be removed at once.
        if let Err(error) = disk::touch(path) {
            if is_expired(path) {
                return Err(failed(error));
            }
            log::info!("{error}: {}", path.display());
        }
        disk::rename(path, &to).map_err(failed)?;
        Ok(to)
    }

    /// Restores a run from the trash; returns its new path, in the folder from which the run was deleted.
    pub fn restore(&self, path: &Path) -> Result<PathBuf, FindError> {
        let failed = |source| FindError::Restore(AtPath::new(source, path));
        let name =
            path.file_name().ok_or_else(|| failed(std::io::ErrorKind::InvalidInput.into()))?;
        let trash = path.parent().filter(|parent| parent.ends_with(DELETED));
        let to = trash.and_then(Path::parent).unwrap_or(&self.folder).join(name);
        if to.exists() {
            return Err(failed(std::io::ErrorKind::AlreadyExists.into()));
        }
        disk::rename(path, &to).map_err(failed)?;
        Ok(to)
    }

    /// Returns the folder of deleted runs as a store, to list or permanently remove them.
    #[must_use]
    pub fn trash(&self) -> Self {
        Self::at(self.folder.join(DELETED))
    }

    /// Returns when a deleted run is permanently removed; `None` if its file cannot be read.
    pub fn retained_until(&self, path: &Path) -> Option<jiff::Timestamp> {
        let (_, deleted) = disk::stamp(path).ok()?;
        jiff::Timestamp::try_from(deleted.checked_add(RETAINED)?).ok()
    }

    /// Permanently removes runs that were moved to the trash more than 7 days ago.
    pub fn forget_old(&self) {
        for path in disk::list(&self.folder.join(DELETED)).unwrap_or_default() {
            if is_expired(&path)
                && let Err(error) = disk::remove(&path)
            {
                log::info!("{error}: {}", path.display());
            }
        }
    }
}

/// Returns whether a file was last changed longer ago than deleted runs are retained.
fn is_expired(path: &Path) -> bool {
    let modified = disk::stamp(path).ok().map(|(_, modified)| modified);
    let age = modified.and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_some_and(|age| RETAINED < age)
}
