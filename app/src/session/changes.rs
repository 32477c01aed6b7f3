//! Changes of saved runs: what a person says of them, and bringing them back.

use std::path::PathBuf;

use jitterscope_engine::store::edit::Edit;

use super::Session;

impl Session {
    /// Reads the folder of runs again.
    pub(super) fn refresh_library(&mut self) {
        if let Some(store) = &self.store {
            self.tasks.list(store.clone());
        }
    }

    /// Writes what a person says of runs into their files.
    pub(super) fn edit_runs(&self, edits: Vec<(PathBuf, Edit)>) {
        let Some(store) = self.store.clone() else { return };
        self.tasks.change(move || {
            let failed: Vec<String> = edits
                .iter()
                .filter_map(|(path, edit)| store.edit(path, edit).err())
                .map(|error| error.to_string())
                .collect();
            match failed.as_slice() {
                [] => Ok(()),
                [one] => Err(one.clone()),
                [first, more @ ..] => {
                    Err(format!("{first} ({} more could not be changed)", more.len()))
                }
            }
        });
    }

    /// Waits until what was typed about saved runs is in their files.
    pub fn finish_changes(&self) {
        self.tasks.finish_changes();
    }

    /// Brings back runs that were taken away.
    pub(super) fn restore(&self, paths: Vec<PathBuf>) {
        if let Some(store) = self.store.clone() {
            self.tasks.change(move || {
                for path in &paths {
                    store.restore(path).map_err(|error| error.to_string())?;
                }
                Ok(())
            });
        }
    }
}
