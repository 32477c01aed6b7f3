//! The report of a run so far, computed again at most every 0.4 s and for at most 5% of the time.

use std::time::{Duration, Instant};

use jitterscope_engine::report::{Chart, Options, Report};
use jitterscope_engine::run::Run;

/// The shortest time between two computations.
const REFRESH: Duration = Duration::from_millis(400);
/// One part in this many of the time is spent on computing, at most.
const REFRESH_SHARE: u32 = 20;

/// The report of a run so far.
#[derive(Debug)]
pub(super) struct LiveSummary {
    /// Figures and tables without confidence intervals.
    pub(super) report: Report,
    /// What the page plots.
    pub(super) charts: Vec<Chart>,
    of: String,
    at: Instant,
    cost: Duration,
}

impl LiveSummary {
    /// Computes the report again where the last one is old or of another run.
    pub(super) fn refresh(summary: &mut Option<Self>, run: &Run, late_percent: f64) {
        let is_old = summary.as_ref().is_none_or(|summary| {
            let pause = REFRESH.max(summary.cost * REFRESH_SHARE);
            summary.of != run.id.as_str() || pause <= summary.at.elapsed()
        });
        if is_old {
            let began = Instant::now();
            let options = Options { late_percent, ..Options::default() };
            let report = Report::live(run, &options);
            let charts = report.charts(run);
            let (of, at, cost) = (run.id.to_string(), Instant::now(), began.elapsed());
            *summary = Some(Self { report, charts, of, at, cost });
        }
    }
}
