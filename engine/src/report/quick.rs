//! The result of a quick check: one answer from five runs, the numbers behind it, and what would help.
//!
//! Grades, numbers and limits are those of the runs' own reports: opened one by one they say the same.

mod advice;
mod card;
mod rates;
#[cfg(test)]
mod tests;
mod trust;

pub use advice::Advice;
pub use card::{Card, Figure, ScaleLimits};
pub use rates::Rate;
pub use trust::QualityCheck;

use super::grading::conclude;
use super::verdict::worst_grades;
use super::{Disturbance, Grading, Report, Standing};
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
        let skipped = parts.iter().filter(|(_, measured)| measured.is_none()).count();
        let ungraded = cards.iter().filter(|card| card.part().is_none()).count();
        let (grade, standing) = match ungraded {
            0 => conclude(cards.iter().filter_map(Card::part).map(|(grading, disturbance)| {
                (grading, disturbance.or(disturbance_of_check(&cards)))
            })),
            _ => (None, Standing::Clear),
        };
        let answer = match (grade, standing) {
            (Some(Grade::Excellent | Grade::Good), _) => Answer::Unlikely,
            (Some(Grade::Fair), _) => Answer::Occasional,
            (Some(Grade::Poor), _) if parts.iter().any(is_poor_when_idle) => Answer::Likely,
            (Some(Grade::Poor), _) => Answer::UnderLoad,
            (None, Standing::Inconclusive { .. }) => {
                let worst = |is_loaded| {
                    let of =
                        cards.iter().filter(|card| (card.part == Part::FrameLoad) == is_loaded);
                    of.filter_map(|card| card.part()?.0.grade()).max()
                };
                Answer::Inconclusive { idle: worst(false), loaded: worst(true) }
            }
            (None, Standing::NotEnoughData(grading)) => Answer::NotEnoughData(grading),
            (None, Standing::Clear | Standing::Noted(_)) => {
                Answer::Incomplete { skipped, unjudged: ungraded - skipped }
            }
        };
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

/// Other programs that disturbed a part. They do not stop for the others, some of which are too short to
/// measure their load.
fn disturbance_of_check(cards: &[Card]) -> Option<Disturbance> {
    let of_parts = cards.iter().filter_map(|card| card.standing.disturbance());
    of_parts
        .filter(|one| matches!(one, Disturbance::OtherPrograms(_)))
        .reduce(Disturbance::or_worse)
}

/// Whether a part is Poor without any load next to it.
fn is_poor_when_idle(&(part, measured): &Measured<'_>) -> bool {
    let Some((_, report)) = measured else { return false };
    match part {
        Part::FrameLoad => false,
        Part::Sleep => worst_grades(report.rows.iter()).0 == Some(Grade::Poor),
        Part::FrameIdle | Part::Gaps | Part::Spin => report.verdict.grade == Some(Grade::Poor),
    }
}
