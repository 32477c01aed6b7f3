//! From a run to its report. The only place that distinguishes the kinds of test.

mod configurations;
mod headline;

pub use configurations::live_configuration;
pub use headline::Headline;

use super::account::{busy_programs, culprits};
use super::model::caution;
use super::model::chart::Chart;
use super::model::configuration::Configuration;
use super::model::delays::Delays;
use super::model::evaluation::{Evaluation, ReferenceTool};
use super::model::figures::Figures;
use super::model::key_figure::{GradePlace, KeyFigure};
use super::model::metric::Metric;
use super::model::report::{Options, Report};
use super::model::verdict::{Finding, Verdict};
use super::{activity, capture, spin_tails};
use crate::plan::Plan;
use crate::run::{Ending, Run};
use crate::stats::Statistic;

/// What each test makes of its samples.
fn evaluation_of(plan: &Plan) -> &dyn Evaluation {
    match plan {
        Plan::FrameLoop(test) => test,
        Plan::SleepAccuracy(test) => test,
        Plan::SpinStrategies(test) => test,
        Plan::SchedulingGaps(test) => test,
        Plan::RealTime(test) => test,
        Plan::GameTick(test) => test,
        Plan::WhatHelps(test) => test,
    }
}

impl Report {
    /// Judges a run. Time: O(n log n) in the number of samples.
    pub fn of(run: &Run, options: &Options) -> Self {
        Self::with(run, options, true)
    }

    /// Judges the part of a run that was measured so far: without confidence intervals, which take most
    /// of the time. Time: O(n log n) in the number of samples.
    pub fn live(run: &Run, options: &Options) -> Self {
        Self::with(run, options, false)
    }

    fn with(run: &Run, options: &Options, has_intervals: bool) -> Self {
        let rows = configurations::configurations(run, options, has_intervals);
        let test = run.plan().map(evaluation_of);
        let results = match test {
            Some(test) => test.results(run, &rows, has_intervals),
            None => run.capture().map_or_else(Figures::default, |it| Figures::of(capture::of(it))),
        };
        let mut report = Self {
            options: *options,
            samples_name: test
                .map_or_else(|| run.subject.samples_name(), |test| test.samples_name()),
            cautions: caution::of(run, &rows),
            verdict: Verdict::without_grade(Finding::nothing()),
            results,
            tables: Vec::new(),
            key_columns: test.map_or(capture::KEY_COLUMNS, |test| test.key_columns()),
            delays: if has_intervals { Delays::of_run(run, options) } else { Delays::default() },
            rows,
        };
        report.verdict = verdict(run, &report);
        if has_intervals {
            report.delays.add_busy(|| busy_programs(&run.trials), &mut report.verdict);
        }
        report.tables = match test {
            Some(test) => test.tables(run, &report, has_intervals),
            None => capture::tables(report.results(), options),
        };
        report.tables.extend(spin_tails::table(run, &report.rows));
        report.tables.extend(culprits::table(run, &report.delays));
        report.tables.extend(activity::table(run, &report.rows));
        report
    }

    /// Returns the figures to show first; empty where a table of the configurations takes their place.
    pub fn key_figures(&self, run: &Run) -> Vec<KeyFigure> {
        match run.plan() {
            Some(plan) => evaluation_of(plan).key_figures(run, self),
            None => capture::key_figures(self.results()),
        }
    }

    /// Returns where what decides the grade is between the grades; `None` where nothing is graded.
    pub fn grade_place(&self, run: &Run) -> Option<GradePlace> {
        run.plan().and_then(|plan| evaluation_of(plan).grade_place(run, self))
    }

    /// Returns the plots of the run that the report is about, those with something to draw. Time:
    /// O(n log n) in the number of samples.
    pub fn charts(&self, run: &Run) -> Vec<Chart> {
        let mut charts = match run.plan() {
            Some(plan) => evaluation_of(plan).charts(run, self),
            None => run.capture().map_or_else(Vec::new, capture::charts),
        };
        charts.retain(|chart| !chart.is_empty());
        charts
    }
}

/// Judges a run.
fn verdict(run: &Run, report: &Report) -> Verdict {
    let without_grade = Verdict::without_grade;
    let Some(plan) = run.plan() else {
        return without_grade(capture::finding(report.results()));
    };
    let test = evaluation_of(plan);
    let measured: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.skipped.is_none()).collect();
    let frames = report.sample_count();
    if frames == 0 && !test.is_result_without_samples() {
        return without_grade(Finding::nothing());
    }
    let complete = measured.iter().filter(|row| row.is_complete).count();
    if run.ending != Ending::Finished && complete < measured.len() {
        return without_grade(Finding::incomplete(complete, measured.len(), frames));
    }
    let mut verdict = test.verdict(run, report);
    report.delays.add_to(&mut verdict, run.subject.samples_name());
    verdict
}

/// The numbers of a run that can be compared with those of another one.
pub(crate) fn metrics(run: &Run) -> &'static [Metric] {
    match run.plan() {
        Some(plan) => evaluation_of(plan).metrics(),
        None => run.capture().map_or(&[], capture::metrics),
    }
}

/// The numbers of a test on which a limit can be set: those whose mean over repeats means something.
pub fn limit_metrics(plan: &Plan) -> impl Iterator<Item = &'static Metric> {
    let metrics = evaluation_of(plan).metrics().iter();
    metrics.filter(|metric| {
        metric.statistic.has_interval() && metric.statistic != Statistic::AboveBaseline
    })
}

/// Whether one configuration of several has a separate verdict.
pub(crate) fn judges_each_configuration(run: &Run) -> bool {
    run.plan().is_some_and(|plan| evaluation_of(plan).judges_each_configuration())
}

/// The reference tool in whose layout a run can be printed.
pub(super) fn reference_of(run: &Run) -> Option<ReferenceTool> {
    evaluation_of(run.plan()?).reference()
}
