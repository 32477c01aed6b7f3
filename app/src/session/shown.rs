//! A loaded run with its report, whose late frames can be recounted with another threshold.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::DEFAULT_LATE_PERCENT;
use jitterscope_engine::report::{CaptureView, Cause, Chart, Options, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{self, Store};

/// A loaded run with its report, as shown on screen.
#[derive(Clone, Debug)]
pub struct LoadedRun {
    /// The run: its settings and measured facts.
    pub run: Arc<Run>,
    /// The conclusions from the facts.
    pub report: Report,
    /// The plots of the page that shows the run.
    pub charts: Arc<[Chart]>,
    /// The file of the run; `None` if it is not saved.
    pub path: Option<PathBuf>,
    /// Why the run could not be saved.
    pub save_error: Option<String>,
    /// The late frames for which the run was opened; `None` if it was not opened for any.
    pub focus: Option<Arc<LateFocus>>,
}

/// Late frames to be shown as soon as their run is open. Each request has its own `Arc`, so that the
/// same frames can be requested twice.
#[derive(Clone, Debug, PartialEq)]
pub struct LateFocus {
    /// The lateness above which frames are listed.
    pub above: Nanos,
    /// The cause and name of the source that delayed them most; `None` for any.
    pub delay: Option<(Cause, String)>,
}

impl LoadedRun {
    /// Computes the report of a run. Slow for large runs.
    pub(super) fn of(run: Run, path: Option<PathBuf>) -> Self {
        let report = Report::of(&run, &Options::default());
        let charts = report.charts(&run).into();
        Self { run: Arc::new(run), report, charts, path, save_error: None, focus: None }
    }

    /// Opens a saved run, and computes its report. Blocks while the file is read.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let run = store::load(path).map_err(|error| error.to_string())?;
        Ok(Self::of(run, Some(path.to_owned())))
    }

    /// Removes `path` unless the file is in the folder of `store`. An example, for instance, is
    /// not, and counts as not saved.
    pub(super) fn into_saved_in(self, store: Option<&Store>) -> Self {
        let is_in = |path: &PathBuf| store.is_some_and(|store| path.starts_with(store.folder()));
        Self { path: self.path.filter(is_in), ..self }
    }

    /// Returns whether the report counts late frames with this threshold, a percentage of a frame.
    /// A plan with its own threshold always uses that.
    pub(super) fn is_counted(&self, percent: f64) -> bool {
        let limit = self.run.subject.late_limit(percent);
        limit.is_none_or(|limit| self.report.rows.iter().all(|row| row.late_limit == limit))
    }

    /// Returns the run with late frames recounted with this late threshold, as a percentage of a
    /// frame; `None` if the threshold is the same. Time: O(samples).
    pub(super) fn counted(&self, percent: f64) -> Option<Self> {
        if self.is_counted(percent) {
            return None;
        }
        let options = Options { late_percent: percent, ..self.report.options.clone() };
        let report = Report::of(&self.run, &options);
        let charts = report.charts(&self.run).into();
        Some(Self { report, charts, ..self.clone() })
    }

    /// Returns the capture evaluated for what is asked of it. Time: O(n log n) in the number of frames.
    pub(in crate::session) fn viewed(&self, capture: CaptureView) -> Self {
        let options = Options { capture, ..self.report.options.clone() };
        let report = Report::of(&self.run, &options);
        let charts = report.charts(&self.run).into();
        Self { report, charts, ..self.clone() }
    }

    /// Returns the run with late frames counted with the threshold of its plan, which exports use.
    /// The threshold of the settings applies only in the window.
    pub(super) fn as_measured(&self) -> Cow<'_, Self> {
        self.counted(DEFAULT_LATE_PERCENT.into()).map_or(Cow::Borrowed(self), Cow::Owned)
    }
}

#[cfg(test)]
impl LoadedRun {
    /// Returns an example run of the frame loop; for tests.
    pub(super) fn example() -> Self {
        let file = include_bytes!("../../../assets/examples/frame-loop-fifo.jitterscope.json");
        Self::of(jitterscope_engine::format::read(file).unwrap(), None)
    }
}
