//! What a person changes of a saved run: its name, note and tags; and taking it away for a while.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{FindError, LoadError, SaveError, Store, disk, load, save_to};

/// Letters in a name, at most.
pub const MOST_NAME: usize = 200;
/// Letters in a note, at most.
pub const MOST_NOTE: usize = 10_000;
/// Letters in a tag, at most.
pub const MOST_TAG: usize = 40;
/// Tags of a run, at most.
pub const MOST_TAGS: usize = 20;

/// Where deleted runs lie until they are removed for good.
const DELETED: &str = "deleted";
/// For how long.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// A change to what a person says of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another name; empty gives back the usual one.
    Name(String),
    /// Another note.
    Note(String),
    /// Other tags.
    Tags(Vec<String>),
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
}

/// Text without control characters, but for the ends of lines where they are wanted; cut to so many letters.
pub fn clean(text: &str, most: usize, has_lines: bool) -> String {
    let kept = text.trim().chars().filter_map(|letter| match letter {
        '\n' if has_lines => Some('\n'),
        '\t' | '\n' | '\r' => Some(' '),
        letter if letter.is_control() => None,
        letter => Some(letter),
    });
    kept.take(most).collect()
}

/// Tags without doubles and empty ones.
pub fn clean_tags(tags: &[String]) -> Vec<String> {
    let mut clean_tags: Vec<String> = Vec::new();
    for tag in tags {
        let tag = clean(tag, MOST_TAG, false);
        if !tag.is_empty() && !clean_tags.contains(&tag) && clean_tags.len() < MOST_TAGS {
            clean_tags.push(tag);
        }
    }
    clean_tags
}

impl Store {
    /// Changes what a person says of a run, wherever its file is; facts stay as they are.
    pub fn edit(&self, path: &Path, edit: &Edit) -> Result<(), EditError> {
        let mut run = load(path)?;
        match edit {
            Edit::Name(name) => run.name = clean(name, MOST_NAME, false),
            Edit::Note(note) => run.note = clean(note, MOST_NOTE, true),
            Edit::Tags(tags) => run.tags = clean_tags(tags),
        }
        save_to(&run, path)?;
        Ok(())
    }

    /// Takes a run out of the list and gives back where it lies, from where [`restore`](Self::restore)
    /// brings it back.
    pub fn set_aside(&self, path: &Path) -> Result<PathBuf, FindError> {
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

    /// Removes for good what was set aside more than 7 days ago.
    pub fn forget_old(&self) {
        for path in disk::list(&self.folder.join(DELETED)).unwrap_or_default() {
            let modified = disk::stamp(&path).ok().map(|(_, modified)| modified);
            let age = modified.and_then(|at| SystemTime::now().duration_since(at).ok());
            if age.is_some_and(|age| KEPT < age)
                && let Err(error) = disk::remove(&path)
            {
                log::info!("{error}: {}", path.display());
            }
        }
    }
}
