//! The trait by which each test evaluates its samples. Its counterpart `Probe` plans the measurement.

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
use crate::plan::Probe;
use crate::run::{Run, TrialRun};
use crate::stats::{Round, Summary};

/// The trials of one configuration, as input of its evaluation.
#[derive(Debug)]
pub(in crate::report) struct Measured<'a> {
    /// The trials, in the order in which they ran.
    pub trials: &'a [&'a TrialRun],
    /// The same trials in the form from which statistics are computed.
    pub rounds: &'a [Round<'a>],
    /// Whether confidence intervals are computed. This is `false` while the run is in progress, to save time.
    pub has_intervals: bool,
}

impl Measured<'_> {
    /// Returns the values of all trials in nanoseconds, in order of time. They are not cached, because a run of an
    /// hour has millions of them.
    pub(in crate::report) fn values(&self) -> Vec<i64> {
        match self.trials {
            [one] => one.values(),
            several => several.iter().flat_map(|trial| trial.values()).collect(),
        }
    }
}

/// Returns the data of a trial in the form from which statistics are computed.
pub(in crate::report) fn round_of(trial: &TrialRun) -> Round<'_> {
    Round {
        samples: &trial.samples,
        evidence: &trial.evidence,
        tail: trial.tail(),
        lost_count: trial.lost_count,
        is_skipping: trial.trial.pace.is_skipping(),
    }
}

/// The evaluation of one kind of test: it turns the samples of a run into figures, grades, tables, and charts.
pub(in crate::report) trait Evaluation: Probe {
    /// Returns what the samples are called, in lower case and in the plural: `frames`, `sleeps`, `gaps`.
    fn samples_name(&self) -> &'static str {
        self.listing().samples_name
    }

    /// Returns the metrics by which two runs of this test are compared.
    fn metrics(&self) -> &'static [Metric] {
        Metric::VALUES
    }

    /// Returns the value above which a sample counts as late in a test without a late threshold.
    fn limit(&self) -> Nanos {
        Nanos::MAX
    }

    /// Returns the figures of a configuration that only this test has.
    fn figures(&self, measured: &Measured<'_>, summary: Option<&Summary>) -> Figures;

    /// Returns the grades that the data of a complete configuration allows; `None` if it has no grade, or if
    /// it is graded only relative to another configuration, as a game cycle is.
    fn grading(&self, _row: &Configuration) -> Option<Grading> {
        None
    }

    /// Sorts the configurations of a report. The default is the order in which they ran.
    fn sort(&self, _configurations: &mut [Configuration]) {}

    /// Returns the results that do not belong to one configuration, such as multi-CPU stalls: a `Vec` of a type that
    /// only this test has.
    fn results(&self, _run: &Run, _rows: &[Configuration], _has_intervals: bool) -> Figures {
        Figures::default()
    }

    /// Returns whether a run without samples gets a verdict: in a test that looks for gaps, no gap is a good result.
    fn is_result_without_samples(&self) -> bool {
        false
    }

    /// Returns the verdict on a complete run.
    fn verdict(&self, run: &Run, report: &Report) -> Verdict;

    /// Returns whether the grade is about the lateness of samples, so that it has a meaning without some of them. The grade
    /// of a test that compares conditions has none.
    fn grades_samples(&self) -> bool {
        false
    }

    /// Returns whether each configuration of a run with several configurations has a separate verdict.
    fn judges_each_configuration(&self) -> bool {
        false
    }

    /// Returns whether the list of runs shows the p99 of the best configuration.
    fn lists_p99(&self) -> bool {
        false
    }

    /// Returns the tables of a report. The first has one row per configuration; that of the test "What helps" has
    /// one row per change.
    fn tables(&self, run: &Run, report: &Report, has_intervals: bool) -> Vec<Table>;

    /// Returns the figures that a report shows first, at most
    /// [`MAX_KEY_FIGURES`](super::key_figure::MAX_KEY_FIGURES); empty if it shows a table of configurations instead.
    fn key_figures(&self, _run: &Run, _report: &Report) -> Vec<KeyFigure> {
        Vec::new()
    }

    /// Returns the position of the graded value on the scale of grades; `None` without a graded value.
    fn grade_place(&self, _run: &Run, _report: &Report) -> Option<GradePlace> {
        None
    }

    /// Returns the keys of the columns of the first table that a short report shows, at most seven.
    fn key_columns(&self) -> &'static [&'static str];

    /// Returns the charts of a report.
    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart>;

    /// Returns the reference tool in whose output format the result can be printed; `None` if there is none.
    fn reference(&self) -> Option<ReferenceTool> {
        None
    }
}

/// A program whose method a test follows. The result of the test can be printed in the program's output format.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) enum ReferenceTool {
    /// `frame_jitter` of gdt-cpus.
    GdtCpus,
    /// `native_sleep_accuracy` of spin_sleep.
    NativeSleeps,
    /// `spin_strategy_latency` of spin_sleep.
    SpinStrategies,
    /// The program latency2, which measures scheduling gaps.
    Latency2,
    /// Holoscan's `realtime_threads_benchmarking`, with the frame rate in FPS and the measured time per scheduling
    /// policy.
    Holoscan { fps: f64, time_each: Nanos },
    /// RSProt's benchmarks, which run with JMH (Java Microbenchmark Harness).
    Jmh,
}
