//! The opened runs of an export: single runs, a quick check, or compared runs.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::store::Store;

use crate::session::comparing::{CheckComparison, ComparisonView};
use crate::session::export_request::ExportRequest;
use crate::session::finished_check::FinishedCheck;
use crate::session::shown::LoadedRun;

/// A run to export: loaded, or still in its file.
#[derive(Clone, Debug)]
pub(super) enum Member {
    Loaded(Arc<LoadedRun>),
    File(PathBuf),
}

/// Compared runs or quick checks.
#[derive(Clone, Debug)]
pub(super) enum ComparedRuns {
    Runs(Arc<ComparisonView>),
    Checks(Arc<CheckComparison>),
}

/// The opened runs of an export.
#[derive(Clone, Debug)]
pub(super) struct ReadyExport {
    pub(super) members: Vec<Member>,
    /// The first run, which the preview shows.
    pub(super) first: Arc<LoadedRun>,
    pub(super) comparison: Option<ComparedRuns>,
    /// The quick check to which the runs belong, if any.
    pub(super) check: Option<Arc<FinishedCheck>>,
    /// The store with repeats of the baseline, from which the noise floor is computed.
    pub(super) store: Option<Store>,
}

impl ReadyExport {
    /// Returns the export of a quick check; `None` if no part of the check was measured.
    pub(super) fn of_check(check: Arc<FinishedCheck>) -> Option<Self> {
        let first = Arc::clone(check.runs().next()?);
        let members = check.runs().cloned().map(Member::Loaded).collect();
        Some(Self { members, first, comparison: None, check: Some(check), store: None })
    }
}

/// An export with everything that is needed to write its files, except their destination.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) number: u64,
    pub(super) ready: ReadyExport,
    pub(super) request: ExportRequest,
    pub(super) is_one: bool,
}
