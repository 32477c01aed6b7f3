//! Quick checks among the saved runs: every operation treats a check as one entry.

use std::path::{Path, PathBuf};

use jitterscope_engine::plan::quick::TAG;
use jitterscope_engine::report::Standing;
use jitterscope_engine::store::edit::Edit;

use super::Library;
use crate::run_list::LibraryItem;

impl Library {
    fn checks_newest_first(&self) -> impl Iterator<Item = &LibraryItem> {
        self.items.as_deref().unwrap_or_default().iter().filter(|item| item.is_check())
    }

    /// Returns the newest quick check of a machine, which is given by its short name; `None` if
    /// there is none.
    pub fn last_check(&self, machine: &str) -> Option<&LibraryItem> {
        self.checks_newest_first()
            .find(|item| item.run.as_ref().is_ok_and(|run| run.machine == machine))
    }

    /// Returns the quick check to which this file belongs; `None` if it belongs to none.
    pub fn check_with(&self, file: &Path) -> Option<&LibraryItem> {
        self.checks_newest_first().find(|item| item.files.iter().any(|own| own == file))
    }

    /// Returns the newest check with a conclusive grade that began before `check` on the same
    /// machine.
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

    /// Returns the run files of the entries with these paths: several files for a quick check.
    pub(in crate::session) fn files_of(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let files = |path: &PathBuf| {
            self.check_at(path).map_or_else(|| vec![path.clone()], |check| check.files.clone())
        };
        paths.iter().flat_map(files).collect()
    }

    /// Returns the path and the files of each entry; `None` unless all entries are quick checks.
    pub(in crate::session) fn checks(
        &self,
        paths: &[PathBuf],
    ) -> Option<Vec<(PathBuf, Vec<PathBuf>)>> {
        let check = |path: &PathBuf| Some((path.clone(), self.check_at(path)?.files.clone()));
        paths.iter().map(check).collect()
    }

    /// Converts edits of list entries to edits of their run files.
    pub(super) fn edits_of_files(&self, edits: Vec<(PathBuf, Edit)>) -> Vec<(PathBuf, Edit)> {
        let of_files = |(path, edit): (PathBuf, Edit)| match self.check_at(&path) {
            None => vec![(path, edit)],
            Some(check) => {
                let edit = match edit {
                    // Add the tag of quick checks again: the list of tags that the user edits does
                    // not include it.
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
