//! What a run means: rows of numbers, a verdict, reasons to trust it less, causes of late samples.
//!
//! Conclusions are never kept: a report is a pure function of a run, so that a better formula applies to
//! every old run, and a screen and a file cannot disagree.

mod cause;
mod caution;
pub mod comparison;
mod row;
mod source;
mod verdict;

pub use cause::{Cause, LateSample, late_samples};
pub use caution::Caution;
pub use comparison::Comparison;
pub use row::{Granted, Row, row_of, rows};
pub use source::SourceFigures;
pub use verdict::{Finding, Headline, Verdict};

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
}

impl Report {
    /// Judges a run. Time: O(n log n) in the number of samples.
    pub fn of(run: &Run) -> Self {
        let rows = rows(run);
        let cautions = caution::of(run, &rows);
        Self { verdict: verdict::of(run, &rows), cautions, rows }
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
