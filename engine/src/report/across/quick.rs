//! The result of a quick check: one answer from five runs, the numbers behind it, and what would help.
//!
//! Grades, numbers and limits are those of the runs' own reports: opened one by one they say the same.

mod advice;
mod card;
mod conclusion;
mod continued;
mod delayed;
mod lateness;
mod rates;
#[cfg(test)]
mod tests;
mod trust;

pub use advice::Advice;
pub use card::{Card, Figure, GradeScale};
pub use conclusion::{Conclusion, PartVerdict};
pub use continued::{continuation, joined};
pub use delayed::{Delayed, DelayedRow};
pub use lateness::lateness_chart;
pub use rates::Rate;
pub use trust::QualityCheck;

use crate::plan::quick::Part;
use crate::report::{Grading, Report, Standing};
use crate::run::Run;
use crate::stats::GradeRange;

/// A part of a quick check with its run and the report on it; `None` if the part was skipped.
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
        idle: Option<GradeRange>,
        /// Under load.
        loaded: Option<GradeRange>,
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
    pub grade: Option<GradeRange>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// The answer.
    pub answer: Answer,
    /// A card a part, in their order.
    pub cards: Vec<Card>,
    /// Which frame rates this PC can pace under load; empty where that was not measured.
    pub rates: Vec<Rate>,
    /// Who delayed the frames; absent where no frame loop was measured.
    pub delayed: Option<Delayed>,
    /// What else would help, the first thing first: at most three.
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
            (part, measured.map(|(run, report)| PartVerdict::of(part, run, report)))
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
            delayed: delayed::of(parts),
            advice: advice::of(parts, &cards, &answer),
            trust: trust::of(parts),
            cards,
        }
    }

    /// The card with the worst result: of the worst grade, and there the furthest on its scale.
    pub fn weakest(&self) -> Option<&Card> {
        let place = |card: &Card| card.scale.map_or(0.0, |scale| scale.place(scale.value));
        let measured = self.cards.iter().filter(|card| !card.is_stated_only);
        measured
            .filter(|card| card.figure.is_some())
            .max_by(|a, b| (a.grade.cmp(&b.grade)).then(place(a).total_cmp(&place(b))))
    }

    /// The card of a part.
    pub fn card(&self, part: Part) -> Option<&Card> {
        self.cards.iter().find(|card| card.part == part)
    }
}
