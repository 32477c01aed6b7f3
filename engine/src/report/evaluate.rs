//! Computes the report of a run. Only this module distinguishes between the kinds of test.

mod configurations;
mod headline;
mod without_culprits;

pub use configurations::live_configuration;
pub(crate) use configurations::programs_limit;
pub use headline::Headline;

use super::account::{busy_programs, culprits};
use super::capture::RecordingFigures;
use super::model::caution;
use super::model::chart::Chart;
use super::model::delays::Delays;
use super::model::evaluation::{Evaluation, ReferenceTool};
use super::model::figures::Figures;
use super::model::key_figure::{GradePlace, KeyFigure};
use super::model::metric::Metric;
use super::model::report::{Options, Report};
use super::model::verdict::{Finding, Verdict};
use super::recording::Analysis;
use super::{activity, capture, recording, spin_tails};
use crate::plan::Plan;
use crate::run::{Ending, Recording, Run};
use crate::stats::Statistic;

/// The figures of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingResults {
    /// The causes of its stutters or stalls.
    pub analysis: Analysis,
    /// The figures of its frames as of an imported log; empty without frames.
    pub frames: Vec<RecordingFigures>,
}

/// Returns the test of a plan, with the functions that evaluate its runs.
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
    /// Evaluates a run. Time: O(n log n) in the number of samples.
    pub fn of(run: &Run, options: &Options) -> Self {
        Self::with(run, options, true)
    }

    /// Evaluates a run in progress, without confidence intervals, which take most of the time of a
    /// full evaluation. Time: O(n log n) in the number of samples.
    pub fn live(run: &Run, options: &Options) -> Self {
        Self::with(run, options, false)
    }

    fn with(run: &Run, options: &Options, has_intervals: bool) -> Self {
        let rows = configurations::configurations(run, options, has_intervals);
        let test = run.plan().map(evaluation_of);
        let results = match test {
            Some(test) => test.results(run, &rows, has_intervals),
            None => match (run.capture(), run.recording()) {
                (Some(capture), _) => Figures::of(capture::of(capture, &options.capture)),
                (None, Some(recording)) => Figures::of(RecordingResults {
                    analysis: Analysis::of(recording),
                    frames: recording
                        .to_capture()
                        .map(|frames| capture::of(&frames, &options.capture))
                        .unwrap_or_default(),
                }),
                (None, None) => Figures::default(),
            },
        };
        let mut report = Self {
            options: options.clone(),
            samples_name: test
                .map_or_else(|| run.subject.samples_name(), |test| test.samples_name()),
            cautions: caution::of(run, &rows),
            verdict: Verdict::without_grade(Finding::default()),
            results,
            tables: Vec::new(),
            key_columns: match test {
                Some(test) => test.key_columns(),
                None if run.recording().is_some() => recording::KEY_COLUMNS,
                None => capture::KEY_COLUMNS,
            },
            delays: if has_intervals { Delays::of_run(run, options) } else { Delays::default() },
            rows,
        };
        (report.verdict, report.delays.blamed) = verdict(run, &report);
        if has_intervals {
            report.delays.add_busy(|| busy_programs(&run.trials), &mut report.verdict);
        }
        report.tables = match test {
            Some(test) => test.tables(run, &report, has_intervals),
            None => match recorded(run, &report) {
                Some((recording, analysis)) => {
                    let mut tables = recording::tables(recording, analysis);
                    if !frames_of(&report).is_empty() {
                        tables.extend(capture::tables(frames_of(&report)));
                    }
                    tables
                }
                None => capture::tables(report.results()),
            },
        };
        report.tables.extend(spin_tails::table(run, &report.rows));
        report.tables.extend(culprits::table(run, &report.delays));
        report.tables.extend(activity::table(run, &report.rows));
        report
    }

    /// Returns the figures that the report of `run` shows first; empty if the report shows a table
    /// of configurations instead.
    pub fn key_figures(&self, run: &Run) -> Vec<KeyFigure> {
        match run.plan() {
            Some(plan) => evaluation_of(plan).key_figures(run, self),
            None => capture::key_figures(self.results()),
        }
    }

    /// Returns the position of the graded value on the scale of grades; `None` without a graded
    /// value.
    pub fn grade_place(&self, run: &Run) -> Option<GradePlace> {
        run.plan().and_then(|plan| evaluation_of(plan).grade_place(run, self))
    }

    /// Returns the charts of a run, except empty ones. `run` is the run of this report. Time: O(n
    /// log n) in the number of samples.
    pub fn charts(&self, run: &Run) -> Vec<Chart> {
        let mut charts = match run.plan() {
            Some(plan) => evaluation_of(plan).charts(run, self),
            None => match (run.capture(), run.recording()) {
                (Some(capture), _) => capture::charts(capture, self.results()),
                (None, Some(recording)) => {
                    let frames = recording.to_capture();
                    let mut charts = frames
                        .map_or_else(Vec::new, |frames| capture::charts(&frames, frames_of(self)));
                    charts.extend(recording::cycle_chart(recording));
                    recording::show_whole(&mut charts, recording);
                    charts.extend(recording::charts(recording));
                    charts
                }
                (None, None) => Vec::new(),
            },
        };
        charts.retain(|chart| !chart.is_empty());
        charts
    }
}

/// Returns a recording with its analysis; `None` for other runs.
pub(super) fn recorded<'a>(
    run: &'a Run,
    report: &'a Report,
) -> Option<(&'a Recording, &'a Analysis)> {
    let results = report.results.get::<RecordingResults>();
    run.recording().zip(results.map(|results| &results.analysis))
}

/// Returns the figures of the frames of a recording.
fn frames_of(report: &Report) -> &[RecordingFigures] {
    let results = report.results.get::<RecordingResults>();
    results.map_or(&[], |results| results.frames.as_slice())
}

/// Returns the verdict on a run, and the sources of delay that it blames. An imported or incomplete run gets no grade.
fn verdict(run: &Run, report: &Report) -> (Verdict, Vec<String>) {
    let without_grade = |finding| (Verdict::without_grade(finding), Vec::new());
    let Some(plan) = run.plan() else {
        return without_grade(match recorded(run, report) {
            Some((recording, analysis)) => recording::finding(recording, analysis),
            None => capture::finding(report.results()),
        });
    };
    let test = evaluation_of(plan);
    let samples_name = run.subject.samples_name();
    let count = report.sample_count();
    if count == 0 && !test.is_result_without_samples() {
        return without_grade(Finding::nothing(samples_name));
    }
    let (complete, planned) = caution::progress(&report.rows);
    if run.ending != Ending::Finished && complete < planned {
        return without_grade(Finding::incomplete((complete, planned), (count, samples_name)));
    }
    let mut verdict = test.verdict(run, report);
    if test.grades_samples()
        && let Some(blamed) = without_culprits::blame(run, report, &verdict)
    {
        return blamed;
    }
    report.delays.add_to(&mut verdict, samples_name);
    (verdict, Vec::new())
}

/// Returns the metrics by which a run can be compared with another one.
pub(crate) fn metrics(run: &Run) -> &'static [Metric] {
    match run.plan() {
        Some(plan) => evaluation_of(plan).metrics(),
        None => run.capture().map_or(&[], capture::metrics),
    }
}

/// Returns the metrics of a test for which the user can set a limit: the metrics whose mean over
/// repeats is meaningful.
pub fn limit_metrics(plan: &Plan) -> impl Iterator<Item = &'static Metric> {
    let metrics = evaluation_of(plan).metrics().iter();
    metrics.filter(|metric| {
        metric.statistic.has_interval() && metric.statistic != Statistic::AboveBaseline
    })
}

/// Returns whether a run with several configurations has a separate verdict for each of them.
pub(crate) fn judges_each_configuration(run: &Run) -> bool {
    run.plan().is_some_and(|plan| evaluation_of(plan).judges_each_configuration())
}

/// Returns the reference tool in whose output format a run can be printed.
pub(super) fn reference_of(run: &Run) -> Option<ReferenceTool> {
    evaluation_of(run.plan()?).reference()
}
