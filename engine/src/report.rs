//! What a run means: rows of numbers, a verdict, reasons to trust it less, causes of late samples.
//!
//! Conclusions are never saved: a report is a pure function of a run, so that a better formula applies to
//! every old run, and a screen and a file cannot disagree.

mod account;
pub mod capture;
mod cause;
mod caution;
mod change;
pub mod chart;
pub mod comparison;
mod culprits;
mod disturbance;
mod figures;
mod game_tick;
mod glossary;
mod grading;
pub mod metric;
mod paced;
pub mod quick;
mod reference;
mod resampled;
mod row;
mod scheduling_gaps;
mod sleep_accuracy;
mod spin_strategies;
mod spin_tails;
pub mod table;
#[cfg(test)]
mod test_run;
mod usage;
mod verdict;

pub use account::{
    Account, Culprit, CulpritKind, LateSample, SHOWN_REMAINDER, Segment, Source, late_samples,
};
pub use capture::RecordingFigures;
pub use cause::Cause;
pub use caution::Caution;
pub use change::{Change, MIN_PAIRS, Measure};
pub use chart::Chart;
pub use comparison::Comparison;
pub use culprits::{Delay, delays, trace_state};
pub use disturbance::Disturbance;
pub use figures::{Figures, GAP_CLASSES, GapFigures, TickFigures, WaitFigures};
pub use game_tick::Scaling;
pub use glossary::{Term, glossary};
pub use grading::{Grading, Needed, Standing};
pub use metric::Metric;
pub use reference::{LiveLines, ReferenceLine};
use row::rows;
pub use row::{AppliedSummary, Row, row_of};
pub use scheduling_gaps::Stall;
pub use table::Table;
pub use usage::Usage;
pub use verdict::{Doubt, Finding, Headline, KeyResult, PinEffect, TickFinding, Verdict};

use crate::plan::{DEFAULT_LATE_PERCENT, Plan};
use crate::run::Run;
use crate::stats::LowDefinition;

/// How a report counts where there is more than one definition. Grades and comparisons do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The late threshold in percent of a frame; a plan with its own threshold uses that.
    pub late_percent: f64,
    /// The definition of the 1% and 0.1% lows.
    pub low: LowDefinition,
}

impl Default for Options {
    fn default() -> Self {
        Self { late_percent: DEFAULT_LATE_PERCENT.into(), low: LowDefinition::default() }
    }
}

/// What a run means.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it counts.
    pub options: Options,
    /// What its samples are called, in lower case.
    pub samples_name: &'static str,
    /// A row of numbers for each label, in the order of the plan.
    pub rows: Vec<Row>,
    /// The verdict on the run, and why.
    pub verdict: Verdict,
    /// Reasons to trust it less.
    pub cautions: Vec<Caution>,
    /// What each real-time policy changed; only of the real-time test.
    pub changes: Vec<Change>,
    /// Moments in which several CPUs stood still at once; only of gap probes.
    pub stalls: Vec<Stall>,
    /// How each thread count scales; only of game ticks, one a row.
    pub scaling: Vec<Scaling>,
    /// Everything above as typed columns and cells; the first table has one row per configuration.
    pub tables: Vec<Table>,
    /// What each recording shows; only of imported runs.
    pub recordings: Vec<RecordingFigures>,
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
        let rows = rows(run, options, has_intervals);
        let mut report = Self {
            options: *options,
            samples_name: match run.plan() {
                // A score is a mean over iterations.
                Some(Plan::GameTick(_)) => "iterations",
                Some(Plan::RealTime(_)) => "pairs of blocks",
                _ => run.subject.samples_name(),
            },
            cautions: caution::of(run, &rows),
            verdict: Verdict::without_grade(Finding::Nothing),
            changes: Vec::new(),
            stalls: Vec::new(),
            scaling: Vec::new(),
            tables: Vec::new(),
            recordings: Vec::new(),
            rows,
        };
        match run.plan() {
            Some(Plan::RealTime(_)) => {
                report.changes = change::of(run, &report.rows, has_intervals);
            }
            Some(Plan::SchedulingGaps(_)) => report.stalls = scheduling_gaps::stalls(run),
            Some(Plan::GameTick(_)) => report.scaling = game_tick::scaling(run, &report.rows),
            Some(Plan::FrameLoop(_) | Plan::SleepAccuracy(_) | Plan::SpinStrategies(_)) => {}
            None => report.recordings = run.capture().map_or_else(Vec::new, capture::of),
        }
        report.verdict = verdict::of(run, &report);
        report.tables = tables(run, &report, has_intervals);
        if has_intervals {
            report.tables.extend(culprits::table(run, options));
        }
        report
    }

    /// The row of the configuration to recommend: the lowest p99 lateness of those that ran as requested, a
    /// tie going to the lower priority and to no pin.
    pub fn best(&self) -> Option<&Row> {
        verdict::best(&self.rows)
    }

    /// Returns the plots of the run that the report is about, those with something to draw. Time:
    /// O(n log n) in the number of samples.
    pub fn charts(&self, run: &Run) -> Vec<Chart> {
        let mut charts = charts(run, self);
        charts.retain(|chart| !chart.is_empty());
        charts
    }

    /// The row with the highest p99 lateness.
    pub fn worst(&self) -> Option<&Row> {
        verdict::worst(&self.rows)
    }
}

/// Returns the result in the layout of the reference tool of its test, line by line. `None` where that
/// layout has no place for it: of a frame loop that is not re-based, and of imported runs.
pub fn reference_lines(run: &Run, report: &Report) -> Option<Vec<ReferenceLine>> {
    let rows = &report.rows;
    match run.plan()? {
        Plan::FrameLoop(_) => reference::gdt_cpus::lines(run, rows),
        Plan::SleepAccuracy(_) => Some(reference::spin_sleep::sleeps(run, rows)),
        Plan::SpinStrategies(_) => Some(reference::spin_sleep::spins(run, rows)),
        Plan::SchedulingGaps(_) => Some(reference::latency2::lines(run)),
        Plan::RealTime(settings) => Some(reference::holoscan::lines(run, rows, settings)),
        Plan::GameTick(_) => Some(reference::jmh::lines(run, rows)),
    }
}

/// Returns the file that the reference tool of the test writes, as JSON; `None` where it writes none.
pub fn reference_json(run: &Run, report: &Report) -> Option<String> {
    match run.plan()? {
        Plan::RealTime(settings) => reference::holoscan::json(run, &report.rows, settings),
        Plan::FrameLoop(_)
        | Plan::SleepAccuracy(_)
        | Plan::SpinStrategies(_)
        | Plan::SchedulingGaps(_)
        | Plan::GameTick(_) => None,
    }
}

/// The numbers of a run that can be compared with those of another one.
pub(crate) fn metrics(run: &Run) -> &'static [Metric] {
    match run.plan() {
        Some(Plan::FrameLoop(_) | Plan::RealTime(_)) => &Metric::PACED,
        Some(
            Plan::SleepAccuracy(_)
            | Plan::SpinStrategies(_)
            | Plan::SchedulingGaps(_)
            | Plan::GameTick(_),
        ) => &Metric::VALUES,
        None => run.capture().map_or(&[], capture::metrics),
    }
}

/// Describes the plots of a run.
fn charts(run: &Run, report: &Report) -> Vec<Chart> {
    let Some(plan) = run.plan() else {
        return run.capture().map_or_else(Vec::new, capture::charts);
    };
    match plan {
        Plan::FrameLoop(_) => paced::frame_loop_charts(run, report),
        Plan::RealTime(_) => paced::real_time_charts(run, report),
        Plan::SleepAccuracy(_) => sleep_accuracy::charts(run, report),
        Plan::SpinStrategies(_) => spin_strategies::charts(run, report),
        Plan::SchedulingGaps(_) => scheduling_gaps::charts(run, report),
        Plan::GameTick(settings) => game_tick::charts(run, report, settings.budget),
    }
}

/// Describes the result of a run as tables.
fn tables(run: &Run, report: &Report, has_intervals: bool) -> Vec<Table> {
    let Some(plan) = run.plan() else {
        return capture::tables(&report.recordings, &report.options);
    };
    let mut tables = match plan {
        Plan::FrameLoop(_) => paced::frame_loop(run, report, has_intervals),
        Plan::RealTime(_) => paced::real_time(run, report, has_intervals),
        Plan::SleepAccuracy(_) => sleep_accuracy::tables(&report.rows),
        Plan::SpinStrategies(_) => spin_strategies::tables(&report.rows, run.clock.read_cost_nanos),
        Plan::SchedulingGaps(_) => scheduling_gaps::tables(report),
        Plan::GameTick(settings) => game_tick::tables(run, report, settings.budget),
    };
    tables.extend(spin_tails::table(run, &report.rows));
    tables
}
