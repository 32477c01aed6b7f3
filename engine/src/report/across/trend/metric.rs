//! The metrics of runs whose values are listed.

use crate::plan::Plan;
use crate::report::capture;
use crate::report::evaluate::{Headline, limit_metrics};
use crate::report::model::metric::{Metric, Track};
use crate::run::Capture;
use crate::stats::Statistic;

/// The longest gap on any CPU. All runs of a trend have the same length, so their maxima can be compared.
const LONGEST_GAP: Metric =
    Metric::time("longest-gap", "Longest gap", Track::Values, Statistic::Max);
/// The p99 lateness of the recommended configuration.
const BEST_P99: Metric = Metric::time("p99", "p99 lateness", Track::Values, Statistic::P99);

/// Returns the key figure of a run; `None` if the run has neither a longest gap nor a p99 lateness.
pub fn key_figure(headline: &Headline) -> Option<(Metric, f64)> {
    let gap = headline.longest_gap.map(|gap| (LONGEST_GAP, gap.as_f64()));
    gap.or_else(|| headline.best_p99.map(|p99| (BEST_P99, p99.as_f64())))
}

/// Returns the metric with this key of a test, or of a kind of capture with the key `test`.
pub fn metric_of(test: &str, key: &str) -> Option<Metric> {
    if let Some(plan) = Plan::all().into_iter().find(|plan| plan.key() == test) {
        return limit_metrics(&plan).find(|metric| metric.key == key).copied();
    }
    let metrics = of_captures().into_iter().find(|(kind, _)| *kind == test)?.1;
    metrics.iter().find(|metric| metric.key == key).copied()
}

/// Returns the metrics of each kind of capture by its key: a p99 of latencies is another one than that of frame times.
fn of_captures() -> [(&'static str, &'static [Metric]); 5] {
    let kinds = [
        Capture::Frames(Vec::new()),
        Capture::SampledLog(Vec::new()),
        Capture::Ticks(Vec::new()),
        Capture::SampledTicks(Vec::new()),
        Capture::Histogram(Vec::new()),
    ];
    kinds.map(|kind| (kind.key(), capture::metrics(&kind)))
}
