//! What a run means: figures of each configuration, a verdict, reasons to trust it less, causes of late samples.
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
mod configuration;
mod culprits;
mod disturbance;
mod evaluation;
mod figures;
mod frame_loop;
mod game_tick;
mod glossary;
mod grading;
pub mod metric;
mod paced;
pub mod quick;
mod real_time;
mod reference;
mod resampled;
mod scheduling_gaps;
mod sleep_accuracy;
mod spin_strategies;
mod spin_tails;
mod suspects;
pub mod table;
#[cfg(test)]
mod test_run;
mod usage;
mod verdict;
mod waits;

pub use account::{
    Account, Culprit, CulpritKind, Lanes, LateSample, Occupancy, Occupant, SHOWN_REMAINDER,
    Segment, Source, ThreadState, late_samples,
};
pub use capture::RecordingFigures;
pub use cause::Cause;
pub use caution::Caution;
pub use change::{Change, MIN_PAIRS, Measure, Reduction};
pub use chart::Chart;
pub use comparison::Comparison;
pub use configuration::{AppliedSummary, Configuration, live_configuration};
pub use culprits::{Delay, Delays, trace_state};
pub use disturbance::Disturbance;
use evaluation::Evaluation;
pub use figures::Figures;
pub use game_tick::{Scaling, TickFigures};
pub use glossary::{Term, glossary};
pub use grading::{Grading, Needed, Standing};
pub use metric::Metric;
pub use paced::PacedFigures;
pub use reference::{LiveLines, ReferenceLine};
pub use scheduling_gaps::{GAP_CLASSES, GapFigures, Stall};
pub use suspects::{Suspect, Suspects};
pub use table::Table;
pub use usage::Usage;
pub use verdict::{Doubt, Finding, Headline, Verdict};
pub use waits::WaitFigures;

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
    /// The configurations, in the order of the plan.
    pub rows: Vec<Configuration>,
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
    /// What delayed its late samples; empty while the run is in progress.
    pub delays: Delays,
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
        let rows = configuration::configurations(run, options, has_intervals);
        let test = run.plan().map(evaluation_of);
        let mut report = Self {
            options: *options,
            samples_name: test
                .map_or_else(|| run.subject.samples_name(), |test| test.samples_name()),
            cautions: caution::of(run, &rows),
            verdict: Verdict::without_grade(Finding::nothing()),
            changes: Vec::new(),
            stalls: Vec::new(),
            scaling: Vec::new(),
            tables: Vec::new(),
            delays: if has_intervals { Delays::of_run(run, options) } else { Delays::default() },
            recordings: run.capture().map_or_else(Vec::new, capture::of),
            rows,
        };
        if let Some(test) = test {
            test.add_results(run, &mut report, has_intervals);
        }
        report.verdict = verdict::of(run, &report);
        report.tables = match test {
            Some(test) => test.tables(run, &report, has_intervals),
            None => capture::tables(&report.recordings, options),
        };
        report.tables.extend(spin_tails::table(run, &report.rows));
        report.tables.extend(culprits::table(run, &report.delays));
        report
    }

    /// The row of the configuration to recommend: the lowest p99 lateness of those that ran as requested, a
    /// tie going to the lower priority and to no pin.
    pub fn best(&self) -> Option<&Configuration> {
        frame_loop::best(&self.rows)
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

    /// The grade in a word, or what takes its place.
    pub fn word(&self) -> &str {
        self.verdict.word()
    }

    /// What was found, in one sentence; where there is no grade although there are figures, why.
    pub fn sentence(&self) -> String {
        self.verdict.sentence(self.samples_name)
    }

    /// The numbers behind the sentence, in a line.
    pub fn evidence(&self) -> String {
        self.verdict.evidence()
    }

    /// The row with the highest p99 lateness.
    pub fn worst(&self) -> Option<&Configuration> {
        frame_loop::worst(&self.rows)
    }
}

/// What each test makes of its samples.
fn evaluation_of(plan: &Plan) -> &dyn Evaluation {
    match plan {
        Plan::FrameLoop(test) => test,
        Plan::SleepAccuracy(test) => test,
        Plan::SpinStrategies(test) => test,
        Plan::SchedulingGaps(test) => test,
        Plan::RealTime(test) => test,
        Plan::GameTick(test) => test,
    }
}

/// Returns the result in the layout of the reference tool of its test, line by line. `None` where that
/// layout has no place for it: of a frame loop that is not re-based, and of imported runs.
pub fn reference_lines(run: &Run, report: &Report) -> Option<Vec<ReferenceLine>> {
    evaluation_of(run.plan()?).reference_lines(run, report)
}

/// Returns the file that the reference tool of the test writes, as JSON; `None` where it writes none.
pub fn reference_json(run: &Run, report: &Report) -> Option<String> {
    evaluation_of(run.plan()?).reference_json(run, report)
}

/// The numbers of a run that can be compared with those of another one.
pub(crate) fn metrics(run: &Run) -> &'static [Metric] {
    match run.plan() {
        Some(plan) => evaluation_of(plan).metrics(),
        None => run.capture().map_or(&[], capture::metrics),
    }
}

/// Whether one configuration of several has a separate verdict.
pub(crate) fn judges_each_configuration(run: &Run) -> bool {
    run.plan().is_some_and(|plan| evaluation_of(plan).judges_each_configuration())
}
