//! A run with its report, as it is on screen, and its late frames counted by another share of a frame.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jitterscope_engine::plan::DEFAULT_LATE_PERCENT;
use jitterscope_engine::report::{Chart, Options, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{self, Store};

/// A run with what it means, on screen.
#[derive(Clone, Debug)]
pub struct LoadedRun {
    /// The facts.
    pub run: Arc<Run>,
    /// The conclusions.
    pub report: Report,
    /// What its page plots.
    pub charts: Arc<[Chart]>,
    /// Where it is saved; `None` where it is not.
    pub path: Option<PathBuf>,
    /// Why it could not be saved.
    pub save_error: Option<String>,
}

impl LoadedRun {
    /// Computes the report of a run. Takes a while.
    pub(super) fn of(run: Run, path: Option<PathBuf>) -> Self {
        let report = Report::of(&run, &Options::default());
        let charts = report.charts(&run).into();
        Self { run: Arc::new(run), report, charts, path, save_error: None }
    }

    /// Opens a saved run and computes its report. Takes a while.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let run = store::load(path).map_err(|error| error.to_string())?;
        Ok(Self::of(run, Some(path.to_owned())))
    }

    /// The same, saved only where its file is in this folder of runs: an example is not.
    pub(super) fn into_saved_in(self, store: Option<&Store>) -> Self {
        let is_in = |path: &PathBuf| store.is_some_and(|store| path.starts_with(store.folder()));
        Self { path: self.path.filter(is_in), ..self }
    }

    /// Whether late frames are counted by this share of a frame, in percent.
    pub(super) fn is_counted(&self, percent: f64) -> bool {
        let limit = self.run.subject.late_limit(percent);
        limit.is_none_or(|limit| self.report.rows.iter().all(|row| row.late_limit == limit))
    }

    /// The same with late frames counted by a share of a frame, in percent; `None` where they are already.
    /// Time: O(n).
    pub(super) fn counted(&self, percent: f64) -> Option<Self> {
        if self.is_counted(percent) {
            return None;
        }
        let options = Options { late_percent: percent, ..self.report.options };
        let report = Report::of(&self.run, &options);
        let charts = report.charts(&self.run).into();
        Some(Self { report, charts, ..self.clone() })
    }

    /// The same as its run was measured; `None` where it is that already. Exports keep the limit that a run was
    /// measured with; only what the window shows is counted by another.
    pub(super) fn as_measured(&self) -> Option<Self> {
        self.counted(DEFAULT_LATE_PERCENT.into())
    }
}
