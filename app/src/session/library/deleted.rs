//! Deleted runs: in the trash until the user restores or removes them, or until they expire after 7
//! days.

use std::path::PathBuf;

use jitterscope_engine::store::Store;

use super::{Library, LibraryItem, LibraryMessage};

/// A deleted run or quick check in the trash.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletedItem {
    /// The list entry, with its files in the trash.
    pub item: LibraryItem,
    /// When the entry is removed permanently; `None` if the age of its files is unknown.
    pub until: Option<jiff::Timestamp>,
}

/// Returns the entries of the trash, latest deletion first.
pub(super) fn list(store: &Store) -> Vec<DeletedItem> {
    let lines = store.trash().lines().unwrap_or_else(|error| {
        log::error!("{error}");
        Vec::new()
    });
    let until =
        |item: &LibraryItem| item.files.iter().filter_map(|file| store.retained_until(file)).min();
    let mut deleted: Vec<DeletedItem> = LibraryItem::list(lines)
        .into_iter()
        .map(|item| DeletedItem { until: until(&item), item })
        .collect();
    deleted.sort_by_key(|one| std::cmp::Reverse(one.until));
    deleted
}

impl Library {
    /// Returns the files of the newest deletion since the start of the app that was not undone.
    pub fn last_deletion(&self) -> Option<&[PathBuf]> {
        self.deletions.last().map(Vec::as_slice)
    }

    /// Moves saved runs to the trash, and removes expired entries of the trash.
    pub(in crate::session) fn move_to_trash(&self, entries: &[PathBuf]) {
        let files: Vec<Vec<PathBuf>> =
            entries.iter().map(|entry| self.files_of(std::slice::from_ref(entry))).collect();
        let Some(store) = self.store.clone() else { return };
        self.change("set-aside", move || {
            let (mut aside, mut entries, mut error) = (Vec::new(), 0, None);
            for paths in &files {
                let before = aside.len();
                for path in paths {
                    match store.move_to_trash(path) {
                        Ok(path) => aside.push(path),
                        Err(why) => error = Some(why.to_string()),
                    }
                }
                entries += usize::from(before < aside.len());
            }
            store.forget_old();
            LibraryMessage::SetAside { aside, entries, error }
        });
    }

    /// Restores runs from the trash.
    pub(in crate::session) fn restore(&mut self, paths: Vec<PathBuf>) {
        self.forget_deletion_of(&paths);
        let Some(store) = self.store.clone() else { return };
        self.change("change", move || {
            let mut files = Vec::new();
            let result = first_error(paths.iter().map(|path| {
                files.push(store.restore(path).map_err(|error| error.to_string())?);
                Ok(())
            }));
            LibraryMessage::Restored { files, result }
        });
    }

    /// Removes runs from the trash permanently.
    pub(in crate::session) fn remove_deleted(&mut self, paths: Vec<PathBuf>) {
        self.forget_deletion_of(&paths);
        let Some(trash) = self.store.as_ref().map(Store::trash) else { return };
        self.change("change", move || {
            let remove = |path: &PathBuf| trash.remove(path).map_err(|error| error.to_string());
            LibraryMessage::Changed(first_error(paths.iter().map(remove)))
        });
    }

    fn forget_deletion_of(&mut self, paths: &[PathBuf]) {
        for deletion in &mut self.deletions {
            deletion.retain(|path| !paths.contains(path));
        }
        self.deletions.retain(|deletion| !deletion.is_empty());
    }
}

/// Runs all operations, even if some fail; returns the first error.
fn first_error(results: impl Iterator<Item = Result<(), String>>) -> Result<(), String> {
    let errors: Vec<String> = results.filter_map(Result::err).collect();
    errors.into_iter().next().map_or(Ok(()), Err)
}
