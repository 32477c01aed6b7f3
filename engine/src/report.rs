//! What a run means: rows of numbers, a verdict, reasons to trust it less, causes of late samples.
//!
//! Conclusions are never kept: a report is a pure function of a run, so that a better formula applies to
//! every old run, and a screen and a file cannot disagree.

mod cause;
mod caution;
mod change;
pub mod comparison;
mod figures;
pub mod quick;
mod row;
mod scaling;
mod source;
mod stall;
mod verdict;

pub use cause::{Cause, LateSample, late_samples};
pub use caution::Caution;
pub use change::Change;
pub use comparison::Comparison;
pub use figures::{Figures, GAP_CLASSES, GapFigures, TickFigures, WaitFigures};
pub use row::{Granted, Row, row_of, rows};
pub use scaling::Scaling;
pub use source::SourceFigures;
pub use stall::Stall;
pub use verdict::{Finding, Headline, Key, TickFinding, Verdict};

use crate::plan::Plan;
use crate::run::Run;

/// What a run means.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// A row of numbers for each label, in the order of the plan.
    pub rows: Vec<Row>,
    /// What the run is worth, and why.
    pub verdict: Verdict,
    /// Reasons to trust it less.
    pub cautions: Vec<Caution>,
    /// What each real-time policy changed; only of the real-time test.
    pub changes: Vec<Change>,
    /// Moments in which several CPUs stood still at once; only of gap probes.
    pub stalls: Vec<Stall>,
    /// How each thread count scales; only of game ticks, one a row.
    pub scaling: Vec<Scaling>,
}

impl Report {
    /// Judges a run. Time: O(n log n) in the number of samples.
    pub fn of(run: &Run) -> Self {
        let rows = rows(run);
        let mut report = Self {
            cautions: caution::of(run, &rows),
            verdict: Verdict { grade: None, finding: Finding::Nothing },
            changes: Vec::new(),
            stalls: Vec::new(),
            scaling: Vec::new(),
            rows,
        };
        match &run.plan {
            Plan::RealTime(_) => report.changes = change::of(run, &report.rows),
            Plan::SchedulingGaps(_) => report.stalls = stall::of(run),
            Plan::GameTick(_) => report.scaling = scaling::of(run, &report.rows),
            Plan::FrameLoop(_) | Plan::SleepAccuracy(_) | Plan::SpinStrategies(_) => {}
        }
        report.verdict = verdict::of(run, &report);
        report
    }

    /// Counts late frames anew, by another share of a frame than the usual one, in percent. No grade
    /// depends on it, and a plan with a share of its own keeps it. Time: O(n).
    pub fn count_late(&mut self, run: &Run, percent: f64) {
        let Some(limit) = run.plan.late_limit(percent) else { return };
        for row in self.rows.iter_mut().filter(|row| row.late_limit != limit) {
            row.count_late(run, limit);
        }
        let only = self.rows.iter().find(|row| row.skipped.is_none());
        if let (Finding::Single { late, late_limit, .. }, Some(row)) =
            (&mut self.verdict.finding, only)
        {
            *late = row.summary.as_ref().map_or(0, |summary| summary.late_count);
            *late_limit = row.late_limit;
        }
    }

    /// The row of the configuration to recommend: the lowest p99 lateness of those that ran as asked, a
    /// tie going to the lower priority and to no pin.
    pub fn best(&self) -> Option<&Row> {
        verdict::best(&self.rows)
    }

    /// The row with the highest p99 lateness.
    pub fn worst(&self) -> Option<&Row> {
        verdict::worst(&self.rows)
    }
}
