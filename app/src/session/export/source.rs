//! The source from which exported runs are read.

use std::path::PathBuf;
use std::sync::Arc;

use super::{ComparedRuns, ReadyExport, work};
use crate::session::comparing::Comparing;
use crate::session::export_request::Subject;
use crate::session::library::Library;
use crate::session::running::Running;

/// The source of exported runs: loaded runs, or files.
pub(in crate::session) enum Source {
    /// Results on screen; `None` if nothing was measured.
    Loaded(Option<ReadyExport>),
    /// Saved runs; at least one.
    Runs(Vec<PathBuf>),
    /// The runs of a saved quick check.
    Check(Vec<PathBuf>),
}

impl Source {
    /// Returns the runs to export; reads them from their files if needed.
    pub(super) fn open(self) -> Result<ReadyExport, String> {
        match self {
            Self::Loaded(ready) => ready.ok_or_else(|| "nothing was measured".to_owned()),
            Self::Runs(paths) => work::open(&paths),
            Self::Check(paths) => work::open_check(&paths),
        }
    }

    /// Returns the source of a subject; `None` if there is no result to export.
    pub(in crate::session) fn of(
        subject: &Subject,
        running: &Running,
        library: &Library,
        comparing: &Comparing,
    ) -> Option<Self> {
        Some(match subject {
            Subject::Result(key) => {
                Self::Loaded(Some(ReadyExport::of_run(Arc::clone(running.shown(key)?))))
            }
            Subject::Runs(paths) if paths.is_empty() => return None,
            Subject::Runs(paths) => match library.checks(paths).as_deref() {
                Some([(_, files)]) => Self::Check(files.clone()),
                _ => Self::Runs(library.files_of(paths)),
            },
            Subject::Check => {
                let check = running.quick.result.as_ref()?;
                // Read a saved check from its files: the user may have changed its name or note
                // after loading.
                let is_saved = check.runs().all(|shown| shown.path.is_some());
                match check.paths() {
                    paths if is_saved && !paths.is_empty() => Self::Check(paths),
                    _ => Self::Loaded(ReadyExport::of_check(Arc::clone(check))),
                }
            }
            Subject::Comparison => {
                let (ready, comparison) = if let Some(checks) = comparing.compared_checks() {
                    // Checks without a common part cannot be compared.
                    let has_common = !checks.common().is_empty();
                    let runs = checks.checks.iter().flat_map(|check| check.runs());
                    let comparison = has_common.then(|| ComparedRuns::Checks(Arc::clone(checks)));
                    (ReadyExport::of_runs(runs), comparison)
                } else {
                    let compared = comparing.compared()?;
                    let comparison = Some(ComparedRuns::Runs(Arc::clone(compared)));
                    (ReadyExport::of_runs(compared.runs.iter()), comparison)
                };
                let store = library.store.clone();
                Self::Loaded(ready.map(|ready| ReadyExport { comparison, store, ..ready }))
            }
        })
    }
}
