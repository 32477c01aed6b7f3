//! The result of a quick check: one answer from five runs, the numbers behind it, and what would help.
//!
//! Grades, numbers and limits are those of the runs' own reports: opened one by one they say the same.

mod advice;
mod card;
mod conclusion;
mod lateness;
mod rates;
#[cfg(test)]
mod tests;
mod trust;

pub use advice::Advice;
pub use card::{Card, Figure, ScaleLimits};
pub use conclusion::{Conclusion, PartVerdict};
pub use lateness::lateness_chart;
pub use rates::Rate;
pub use trust::QualityCheck;

use super::{Grading, Report, Standing};
use crate::plan::quick::Part;
use crate::run::Run;
use crate::stats::Grade;

/// A part of a check with its run and what that means; absent where it was skipped.
pub type Measured<'a> = (Part, Option<(&'a Run, &'a Report)>);

/// Whether this PC may be the cause of stutter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All five parts are Excellent or Good.
    Unlikely,
    /// The worst part is Fair.
    Occasional,
    /// The worst part is Poor, but only while other programs are busy.
    UnderLoad,
    /// A part is Poor even on a PC that is otherwise idle.
    Likely,
    /// The worst parts were disturbed, so the PC is not to blame.
    Inconclusive {
        /// The worst grades that were measured anyway without load and under load.
        idle: Option<Grade>,
        /// Under load.
        loaded: Option<Grade>,
    },
    /// The data is not enough to decide.
    NotEnoughData(Grading),
    /// Not all parts could be judged, so there is no answer.
    Incomplete {
        /// Parts that were skipped.
        skipped: usize,
        /// Parts that were measured, but too little or not as requested.
        unjudged: usize,
    },
}

/// The result of a quick check.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorecard {
    /// The worst grade of the five parts, where it may be stated.
    pub grade: Option<Grade>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// The answer.
    pub answer: Answer,
    /// A card a part, in their order.
    pub cards: Vec<Card>,
    /// Which frame rates this PC can pace under load; empty where that was not measured.
    pub rates: Vec<Rate>,
    /// What would help, the first thing first: at most three.
    pub advice: Vec<Advice>,
    /// How far to trust it; empty where nothing was measured.
    pub trust: Vec<QualityCheck>,
}

impl Scorecard {
    /// Judges a check. Time: O(n log n) in the number of frames.
    pub fn of(parts: &[Measured<'_>]) -> Self {
        let cards: Vec<Card> =
            parts.iter().map(|&(part, measured)| Card::of(part, measured)).collect();
        let verdict = |&(part, measured): &Measured<'_>| {
            (part, measured.map(|(_, report)| PartVerdict::of(part, report)))
        };
        let verdicts: Vec<_> = parts.iter().map(verdict).collect();
        let Conclusion { grade, standing, answer } = Conclusion::of(&verdicts);
        let loaded = parts.iter().find(|(part, _)| *part == Part::FrameLoad);
        let rates = loaded.and_then(|(_, measured)| *measured);
        Self {
            grade,
            standing,
            answer,
            rates: rates.map_or_else(Vec::new, |(run, report)| rates::of(run, report)),
            advice: advice::of(parts, &cards, &answer),
            trust: trust::of(parts),
            cards,
        }
    }

    /// The card of a part.
    pub fn card(&self, part: Part) -> Option<&Card> {
        self.cards.iter().find(|card| card.part == part)
    }
}
