//! What a test provides to evaluate its samples, as `Probe` is what it provides to plan them.

use super::chart::Chart;
use super::configuration::Configuration;
use super::figures::Figures;
use super::grading::Grading;
use super::key_figure::{GradePlace, KeyFigure};
use super::metric::Metric;
use super::report::Report;
use super::table::Table;
use super::verdict::Verdict;
use crate::nanos::Nanos;
use crate::plan::{OnMiss, Pace, Probe};
use crate::run::{Run, TrialRun};
use crate::stats::{Round, Summary};

/// The trials of one configuration.
#[derive(Debug)]
pub(in crate::report) struct Measured<'a> {
    /// The trials.
    pub trials: &'a [&'a TrialRun],
    /// The same as rounds.
    pub rounds: &'a [Round<'a>],
    /// Whether confidence intervals are computed: not while the run is in progress.
    pub has_intervals: bool,
}

impl Measured<'_> {
    /// The values of all trials in order of time. A run of an hour has millions: they are dropped after use.
    pub(in crate::report) fn values(&self) -> Vec<i64> {
        match self.trials {
            [one] => one.values(),
            several => several.iter().flat_map(|trial| trial.values()).collect(),
        }
    }
}

/// What the numbers of a trial are made of.
pub(in crate::report) fn round_of(trial: &TrialRun) -> Round<'_> {
    Round {
        samples: &trial.samples,
        evidence: &trial.evidence,
        tail: trial.tail(),
        lost_count: trial.lost_count,
        is_skipping: matches!(trial.trial.pace, Pace::Grid { on_miss: OnMiss::Skip, .. }),
    }
}

/// What a test provides to evaluate its samples.
pub(in crate::report) trait Evaluation: Probe {
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

    /// What the test finds beyond its configurations: a vector of a type that only this test has.
    fn results(&self, _run: &Run, _rows: &[Configuration], _has_intervals: bool) -> Figures {
        Figures::default()
    }

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

    /// The figures that a report shows first, at most [`MAX_KEY_FIGURES`](super::key_figure::MAX_KEY_FIGURES);
    /// empty where a table of the configurations takes their place.
    fn key_figures(&self, _run: &Run, _report: &Report) -> Vec<KeyFigure> {
        Vec::new()
    }

    /// Where what decides the grade is between the grades.
    fn grade_place(&self, _run: &Run, _report: &Report) -> Option<GradePlace> {
        None
    }

    /// The keys of the columns of its first table that a short report shows, at most seven.
    fn key_columns(&self) -> &'static [&'static str];

    /// The plots.
    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart>;

    /// The reference tool in whose layout the result can be printed.
    fn reference(&self) -> Option<ReferenceTool> {
        None
    }
}

/// A program whose method a test follows, by the layout of what it prints.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) enum ReferenceTool {
    /// `frame_jitter` of gdt-cpus.
    GdtCpus,
    /// `native_sleep_accuracy` of spin_sleep.
    NativeSleeps,
    /// `spin_strategy_latency` of spin_sleep.
    SpinStrategies,
    /// latency2.
    Latency2,
    /// Holoscan's `realtime_threads_benchmarking`, with its frames per second and the length of each part.
    Holoscan { fps: f64, time_each: Nanos },
    /// RSProt's benchmarks with JMH.
    Jmh,
}
