//! The opened runs of an export: runs, a quick check, or several that are compared.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::store::Store;

use crate::session::comparing::{CheckComparison, ComparisonView};
use crate::session::export_request::ExportRequest;
use crate::session::finished_check::FinishedCheck;
use crate::session::shown::LoadedRun;

/// A run to export: in memory, or still in its file.
#[derive(Clone, Debug)]
pub(super) enum Member {
    Loaded(Arc<LoadedRun>),
    File(PathBuf),
}

/// What several runs are.
#[derive(Clone, Debug)]
pub(super) enum ComparedRuns {
    Runs(Arc<ComparisonView>),
    Checks(Arc<CheckComparison>),
}

/// The opened runs of an export.
#[derive(Clone, Debug)]
pub(super) struct ReadyExport {
    pub(super) members: Vec<Member>,
    /// The first of them: the one in the preview.
    pub(super) first: Arc<LoadedRun>,
    pub(super) comparison: Option<ComparedRuns>,
    /// The quick check that the runs are.
    pub(super) check: Option<Arc<FinishedCheck>>,
    /// Where repeats of its baseline are, which show how far its numbers vary.
    pub(super) store: Option<Store>,
}

impl ReadyExport {
    /// A quick check; `None` where nothing was measured.
    pub(super) fn of_check(check: Arc<FinishedCheck>) -> Option<Self> {
        let first = Arc::clone(check.runs().next()?);
        let members = check.runs().cloned().map(Member::Loaded).collect();
        Some(Self { members, first, comparison: None, check: Some(check), store: None })
    }
}

/// Files that are about to be written.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) number: u64,
    pub(super) ready: ReadyExport,
    pub(super) request: ExportRequest,
    pub(super) is_one: bool,
}
