//! The quick checks among the saved runs: each is one entry, whatever is done with it.

use std::path::{Path, PathBuf};

use jitterscope_engine::plan::quick::TAG;
use jitterscope_engine::report::Standing;
use jitterscope_engine::store::edit::Edit;

use super::Library;
use crate::run_list::LibraryItem;

impl Library {
    fn checks_newest_first(&self) -> impl Iterator<Item = &LibraryItem> {
        self.items().unwrap_or_default().iter().filter(|item| item.is_check())
    }

    /// The newest quick check.
    pub fn last_check(&self) -> Option<&LibraryItem> {
        self.checks_newest_first().next()
    }

    /// The quick check that this file belongs to.
    pub fn check_with(&self, file: &Path) -> Option<&LibraryItem> {
        self.checks_newest_first().find(|item| item.files.iter().any(|own| own == file))
    }

    /// The newest check on the same machine that began before this one and was not disturbed.
    pub fn check_before(&self, check: &LibraryItem) -> Option<&LibraryItem> {
        let of = check.run.as_ref().ok()?;
        self.checks_newest_first().find(|item| {
            item.run.as_ref().is_ok_and(|run| {
                run.started_at < of.started_at
                    && run.machine == of.machine
                    && run.headline.grade.is_some()
                    && !matches!(run.headline.standing, Standing::Inconclusive { .. })
            })
        })
    }

    fn check_at(&self, path: &Path) -> Option<&LibraryItem> {
        self.checks_newest_first().find(|item| item.path == path)
    }

    /// The files of these entries.
    pub(in crate::session) fn files_of(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let files = |path: &PathBuf| {
            self.check_at(path).map_or_else(|| vec![path.clone()], |check| check.files.clone())
        };
        paths.iter().flat_map(files).collect()
    }

    /// The files of each of these entries with its path, where all of them are quick checks.
    pub(in crate::session) fn checks(
        &self,
        paths: &[PathBuf],
    ) -> Option<Vec<(PathBuf, Vec<PathBuf>)>> {
        let check = |path: &PathBuf| Some((path.clone(), self.check_at(path)?.files.clone()));
        paths.iter().map(check).collect()
    }

    /// Changes of entries as changes of their files.
    pub(super) fn edits_of_files(&self, edits: Vec<(PathBuf, Edit)>) -> Vec<(PathBuf, Edit)> {
        let of_files = |(path, edit): (PathBuf, Edit)| match self.check_at(&path) {
            None => vec![(path, edit)],
            Some(check) => {
                let edit = match edit {
                    // The list does not show it.
                    Edit::Tags(mut tags) => {
                        tags.insert(0, TAG.to_owned());
                        Edit::Tags(tags)
                    }
                    edit => edit,
                };
                check.files.iter().map(|file| (file.clone(), edit.clone())).collect()
            }
        };
        edits.into_iter().flat_map(of_files).collect()
    }
}
