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
    /// Returns the report so far, computed again where the last one is old or of another run.
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
