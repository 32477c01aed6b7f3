//! The result of a Quick check: one answer from five runs, the numbers that support it, and advice.
//!
//! Grades, numbers, and limits are the same as in the reports of the individual runs.

mod advice;
mod card;
mod conclusion;
mod continued;
mod delayed;
mod rates;

/// Returns a chart with one curve per frame loop (idle, under load): the share of frames above each
/// lateness. `None` if neither frame loop was measured.
pub fn lateness_chart(parts: &[Measured<'_>]) -> Option<Chart> {
    let curves = parts.iter().filter_map(|(part, measured)| {
        let name = match part {
            Part::FrameIdle => "Idle",
            Part::FrameLoad => "Under load",
            Part::Sleep | Part::Gaps | Part::Spin => return None,
        };
        let trials = &(*measured)?.0.trials;
        let label = &trials.first()?.trial.label;
        let rounds = trials.iter().filter(|trial| trial.trial.label == *label);
        let late = rounds.flat_map(|trial| trial.samples.late_nanos()).collect();
        Some(tail_curve(name, &Sorted::of(late)?))
    });
    let names = ("Lateness", "Share of frames");
    let mut chart = of_tails("tail", "Frame lateness", names, curves.collect())?;
    let frame = 1e9 / FPS;
    chart.x.to = chart.x.to.max(frame * 2.0);
    chart.limits.push(Limit::vertical(frame, "1 frame"));
    "idle and under load, share of frames above each lateness".clone_into(&mut chart.note);
    Some(chart)
}

#[cfg(test)]
mod tests;
mod trust;

pub use advice::Advice;
pub use card::{Card, Figure, GradeScale};
pub use conclusion::{Conclusion, PartVerdict};
pub use continued::{continuation, joined};
pub use delayed::{Delayed, DelayedRow};
pub use rates::Rate;
pub use trust::QualityCheck;

use crate::plan::quick::{FPS, Part};
use crate::report::model::chart::{Limit, of_tails, tail_curve};
use crate::report::{Chart, Grading, Report, Standing};
use crate::run::Run;
use crate::stats::{Grade, GradeRange, Sorted};

/// A part of a check with its run and report; `None` if the part was skipped.
pub type Measured<'a> = (Part, Option<(&'a Run, &'a Report)>);

/// Whether this PC may be the cause of stutter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All five parts are Excellent or Good.
    Unlikely,
    /// The worst part is Fair.
    Occasional,
    /// The worst part is Poor, but no part is Poor without the load threads of the check.
    UnderLoad,
    /// A part is Poor even without load threads.
    Likely,
    /// The worst parts were disturbed: whether the PC is the cause is not known.
    Inconclusive {
        /// The worst grade of all parts except the frame loop under load, including disturbed parts; `None`
        /// if none of them has a grade.
        idle: Option<GradeRange>,
        /// The grade of the frame loop under load, even if it was disturbed; `None` if it has no grade.
        loaded: Option<GradeRange>,
    },
    /// The data is not enough to decide which of these grades is true.
    NotEnoughData(Grading),
    /// Not all parts could be evaluated, so there is no answer.
    Incomplete {
        /// The number of parts that were skipped.
        skipped: usize,
        /// The number of parts that were measured, but have no grade: they have too little data, or were
        /// not measured as requested.
        unjudged: usize,
    },
}

/// The result of a quick check.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorecard {
    /// The worst grade of the five parts; absent if the data does not support a grade.
    pub grade: Option<GradeRange>,
    /// A restriction of the grade, or why there is none.
    pub standing: Standing,
    /// The answer.
    pub answer: Answer,
    /// One card per part, in the order of the parts.
    pub cards: Vec<Card>,
    /// The frame rates that this PC can pace under load; empty if the frame loop under load was not
    /// measured.
    pub rates: Vec<Rate>,
    /// The sources that delayed frames; absent if no frame loop was measured.
    pub delayed: Option<Delayed>,
    /// Advice, the most important first; up to three items.
    pub advice: Vec<Advice>,
    /// The measurement quality, line by line; empty if nothing was measured.
    pub trust: Vec<QualityCheck>,
}

impl Scorecard {
    /// Evaluates a check. Time: O(n log n) in the number of frames.
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

    /// Returns the card with the worst result: the worst grade, as it counts in the answer, and among equal
    /// grades the value that is furthest toward Poor on the scale of its card. `None` if no card has a value.
    pub fn weakest(&self) -> Option<&Card> {
        let place = |card: &Card| {
            let place = card.scale.map_or(0.0, |scale| scale.place(scale.value));
            if card.counts_as_good() { place.min(2.0) } else { place }
        };
        let grade = |card: &Card| {
            if card.counts_as_good() { Some(Grade::Good.into()) } else { card.grade }
        };
        let measured = self.cards.iter().filter(|card| !card.is_stated_only);
        measured
            .filter(|card| card.figure.is_some())
            .max_by(|a, b| (grade(a).cmp(&grade(b))).then(place(a).total_cmp(&place(b))))
    }

    /// Returns the card of a part.
    pub fn card(&self, part: Part) -> Option<&Card> {
        self.cards.iter().find(|card| card.part == part)
    }
}
