//! The opened runs of an export: single runs, a quick check, or compared runs.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::store::Store;

use super::work::Job;
use crate::session::comparing::{CheckComparison, ComparisonView};
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
pub(in crate::session) struct ReadyExport {
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
    /// Returns the export of one run.
    pub(super) fn of_run(first: Arc<LoadedRun>) -> Self {
        let members = vec![Member::Loaded(Arc::clone(&first))];
        Self { members, first, comparison: None, check: None, store: None }
    }

    /// Returns the export of several runs; `None` if there are none.
    pub(super) fn of_runs<'a>(runs: impl Iterator<Item = &'a Arc<LoadedRun>>) -> Option<Self> {
        let runs: Vec<Arc<LoadedRun>> = runs.cloned().collect();
        let first = Self::of_run(Arc::clone(runs.first()?));
        Some(Self { members: runs.into_iter().map(Member::Loaded).collect(), ..first })
    }

    /// Returns the export of a quick check; `None` if no part of the check was measured.
    pub(super) fn of_check(check: Arc<FinishedCheck>) -> Option<Self> {
        let runs = Self::of_runs(check.runs())?;
        Some(Self { check: Some(check), ..runs })
    }
}

/// An export to be written, except its destination.
#[derive(Debug)]
pub(super) struct Writing {
    /// The number of the export.
    pub(super) number: u64,
    pub(super) job: Arc<Job>,
}
