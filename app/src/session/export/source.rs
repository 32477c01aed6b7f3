//! The source from which exported runs are read.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::store::Store;

use super::{ComparedRuns, Member, ReadyExport, work};
use crate::session::comparing::{CheckComparison, Comparing, ComparisonView};
use crate::session::export_request::Subject;
use crate::session::finished_check::FinishedCheck;
use crate::session::library::Library;
use crate::session::running::Running;
use crate::session::shown::LoadedRun;

/// The source of exported runs: loaded runs, or files.
pub(in crate::session) enum Source {
    /// A result on screen.
    Result(Arc<LoadedRun>),
    /// Saved runs; at least one.
    Runs(Vec<PathBuf>),
    /// The runs of a saved quick check.
    Check(Vec<PathBuf>),
    /// A quick check on screen.
    FinishedCheck(Arc<FinishedCheck>),
    /// Compared runs, and the store with repeats of the baseline.
    Comparison(Arc<ComparisonView>, Option<Store>),
    /// Compared quick checks, and the store with repeats of the baseline.
    Checks(Arc<CheckComparison>, Option<Store>),
}

impl Source {
    /// Returns the runs to export if they are in memory; `None` if they must be read from files.
    pub(super) fn ready(&self) -> Option<ReadyExport> {
        match self {
            Self::Result(first) => {
                let first = Arc::clone(first);
                let members = vec![Member::Loaded(Arc::clone(&first))];
                Some(ReadyExport { members, first, comparison: None, check: None, store: None })
            }
            Self::FinishedCheck(check) => ReadyExport::of_check(Arc::clone(check)),
            Self::Comparison(compared, store) => {
                let members = compared.runs.iter().cloned().map(Member::Loaded).collect();
                let first = Arc::clone(compared.runs.first()?);
                let comparison = Some(ComparedRuns::Runs(Arc::clone(compared)));
                Some(ReadyExport { members, first, comparison, check: None, store: store.clone() })
            }
            Self::Checks(compared, store) => {
                let runs = || compared.checks.iter().flat_map(|check| check.runs());
                let first = Arc::clone(runs().next()?);
                let members = runs().cloned().map(Member::Loaded).collect();
                // Checks without a common part cannot be compared.
                let has_common = !compared.common().is_empty();
                let comparison = has_common.then(|| ComparedRuns::Checks(Arc::clone(compared)));
                Some(ReadyExport { members, first, comparison, check: None, store: store.clone() })
            }
            Self::Runs(_) | Self::Check(_) => None,
        }
    }

    /// Returns the runs to export; reads them from their files if needed.
    pub(super) fn open(&self) -> Result<ReadyExport, String> {
        match self {
            Self::Runs(paths) => work::open(paths),
            Self::Check(paths) => work::open_check(paths),
            Self::Result(_) | Self::FinishedCheck(_) | Self::Comparison(..) | Self::Checks(..) => {
                self.ready().ok_or_else(|| "nothing was measured".to_owned())
            }
        }
    }
}

impl Source {
    /// Returns the source of a subject; `None` if there is no result to export.
    pub(in crate::session) fn of(
        subject: &Subject,
        running: &Running,
        library: &Library,
        comparing: &Comparing,
    ) -> Option<Self> {
        Some(match subject {
            Subject::Result(key) => Self::Result(Arc::clone(running.shown(key)?)),
            Subject::Runs(paths) if paths.is_empty() => return None,
            Subject::Runs(paths) => match library.checks(paths).as_deref() {
                Some([(_, files)]) => Self::Check(files.clone()),
                _ => Self::Runs(library.files_of(paths)),
            },
            Subject::Check => {
                let check = running.quick().result()?;
                // Read a saved check from its files: the user may have changed its name or note
                // after loading.
                let is_saved = check.runs().all(|shown| shown.path.is_some());
                match check.paths() {
                    paths if is_saved && !paths.is_empty() => Self::Check(paths),
                    _ => Self::FinishedCheck(Arc::clone(check)),
                }
            }
            Subject::Comparison => {
                let store = library.store().cloned();
                match comparing.compared_checks() {
                    Some(checks) => Self::Checks(Arc::clone(checks), store),
                    None => Self::Comparison(Arc::clone(comparing.compared()?), store),
                }
            }
        })
    }
}
