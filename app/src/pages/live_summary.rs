//! The report of a run in progress, recomputed at most every 0.4 s and for at most 5% of the time.

use std::time::{Duration, Instant};

use jitterscope_engine::report::{Chart, Options, Report};
use jitterscope_engine::run::Run;

/// Minimum time between two computations of the report.
const REFRESH: Duration = Duration::from_millis(400);
/// Computing the report may use 1 / `REFRESH_SHARE` of the time.
const REFRESH_SHARE: u32 = 20;

/// The report of the samples that a run in progress has recorded so far.
#[derive(Debug)]
pub(super) struct LiveSummary {
    /// Figures and tables without confidence intervals.
    pub(super) report: Report,
    /// The charts of the page.
    pub(super) charts: Vec<Chart>,
    of: String,
    at: Instant,
    cost: Duration,
}

impl LiveSummary {
    /// Returns the report so far; recomputes it if it is outdated or belongs to another run.
    pub(super) fn refresh<'a>(
        summary: &'a mut Option<Self>,
        run: &Run,
        late_percent: f64,
    ) -> &'a Self {
        let last = summary.take().filter(|last| {
            let pause = REFRESH.max(last.cost * REFRESH_SHARE);
            last.of == run.id.as_str() && last.at.elapsed() < pause
        });
        summary.insert(last.unwrap_or_else(|| {
            let began = Instant::now();
            let options = Options { late_percent, ..Options::default() };
            let report = Report::live(run, &options);
            let charts = report.charts(run);
            let (of, at, cost) = (run.id.to_string(), Instant::now(), began.elapsed());
            Self { report, charts, of, at, cost }
        }))
    }
}
