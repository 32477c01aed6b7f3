//! What a test provides to evaluate its samples, as `Probe` is what it provides to plan them.

use super::Report;
use super::chart::Chart;
use super::configuration::Configuration;
use super::figures::Figures;
use super::grading::Grading;
use super::metric::Metric;
use super::reference::ReferenceLine;
use super::table::Table;
use super::verdict::Verdict;
use crate::nanos::Nanos;
use crate::plan::Probe;
use crate::run::{Run, TrialRun};
use crate::stats::{Round, Summary};

/// The trials of one configuration.
#[derive(Debug)]
pub(super) struct Measured<'a> {
    /// The trials.
    pub trials: &'a [&'a TrialRun],
    /// The same as rounds.
    pub rounds: &'a [Round<'a>],
    /// Whether confidence intervals are computed: not while the run is in progress.
    pub has_intervals: bool,
}

impl Measured<'_> {
    /// The values of all trials in order of time. A run of an hour has millions: they are dropped after use.
    pub(super) fn values(&self) -> Vec<i64> {
        match self.trials {
            [one] => one.values(),
            several => several.iter().flat_map(|trial| trial.values()).collect(),
        }
    }
}

/// What a test provides to evaluate its samples.
pub(super) trait Evaluation: Probe {
    /// What a grade may need more of, in lower case.
    fn samples_name(&self) -> &'static str {
        self.listing().samples_name
    }

    /// The numbers that can be compared with those of another run.
    fn metrics(&self) -> &'static [Metric] {
        Metric::VALUES
    }

    /// Above which value a sample counts as late, where the plan has no late threshold.
    fn limit(&self) -> Nanos {
        Nanos::MAX
    }

    /// The figures that not all tests have.
    fn figures(&self, measured: &Measured<'_>, summary: Option<&Summary>) -> Figures;

    /// The grades that a complete configuration allows; absent where it is not graded.
    fn grading(&self, configuration: &Configuration, measured: &Measured<'_>) -> Option<Grading>;

    /// Sorts configurations that are in the order in which they ran.
    fn sort(&self, _configurations: &mut [Configuration]) {}

    /// Adds what the test finds beyond its configurations.
    fn add_results(&self, _run: &Run, _report: &mut Report, _has_intervals: bool) {}

    /// Whether a run without a single sample is a result.
    fn is_result_without_samples(&self) -> bool {
        false
    }

    /// Judges a complete run.
    fn verdict(&self, run: &Run, report: &Report) -> Verdict;

    /// Whether one configuration of several has a separate verdict.
    fn judges_each_configuration(&self) -> bool {
        false
    }

    /// Whether p99 is what a list shows of the best configuration.
    fn lists_p99(&self) -> bool {
        false
    }

    /// The tables: the first has a row for each configuration.
    fn tables(&self, run: &Run, report: &Report, has_intervals: bool) -> Vec<Table>;

    /// The plots.
    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart>;

    /// The result in the layout of the reference tool; `None` where that layout has no place for it.
    fn reference_lines(&self, run: &Run, report: &Report) -> Option<Vec<ReferenceLine>>;

    /// The file that the reference tool writes, as JSON; `None` where it writes none.
    fn reference_json(&self, _run: &Run, _report: &Report) -> Option<String> {
        None
    }
}
