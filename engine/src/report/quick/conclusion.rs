//! The answer of a quick check from the verdicts of its parts: lists give it without opening the runs.

use super::Answer;
use crate::plan::quick::Part;
use crate::report::grading::conclude;
use crate::report::verdict::worst_grades;
use crate::report::{Disturbance, Grading, Report, Standing};
use crate::stats::Grade;

/// The verdict of a part, as far as the answer rests on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartVerdict {
    /// The grade that may be stated.
    pub grade: Option<Grade>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// Whether it is Poor without any load.
    pub is_poor_when_idle: bool,
}

impl PartVerdict {
    /// The verdict of a part with this report.
    pub fn of(part: Part, report: &Report) -> Self {
        let verdict = &report.verdict;
        let is_poor_when_idle = match part {
            Part::FrameLoad => false,
            Part::Sleep => worst_grades(report.rows.iter()).0 == Some(Grade::Poor),
            Part::FrameIdle | Part::Gaps | Part::Spin => verdict.grade == Some(Grade::Poor),
        };
        Self { grade: verdict.grade, standing: verdict.standing, is_poor_when_idle }
    }

    /// Its grading with what disturbed it; absent where it is not graded.
    fn graded(&self) -> Option<(Grading, Option<Disturbance>)> {
        match (self.grade, self.standing) {
            // A bad grade that is stated does not rest on what was disturbed.
            (Some(grade), standing) => {
                let disturbance = standing.disturbance().filter(|_| grade <= Grade::Good);
                Some((Grading::observed(grade), disturbance))
            }
            (None, Standing::NotEnoughData(grading)) => Some((grading, None)),
            (None, Standing::Inconclusive { measured, disturbance }) => {
                Some((measured, Some(disturbance)))
            }
            (None, Standing::Clear | Standing::Noted(_)) => None,
        }
    }
}

/// The answer of a check, and how good it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conclusion {
    /// The worst grade of the five parts, where it may be stated.
    pub grade: Option<Grade>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// The answer.
    pub answer: Answer,
}

impl Conclusion {
    /// Judges a check by its parts; those without a verdict were skipped.
    pub fn of(parts: &[(Part, Option<PartVerdict>)]) -> Self {
        let verdicts = || parts.iter().filter_map(|(_, verdict)| *verdict);
        let skipped = parts.len() - verdicts().count();
        let graded: Vec<_> = verdicts().filter_map(|verdict| verdict.graded()).collect();
        let ungraded = parts.len() - graded.len();
        let disturbance = disturbance_of_check(verdicts());
        let (grade, standing) = match ungraded {
            0 => conclude(graded.into_iter().map(|(grading, own)| (grading, own.or(disturbance)))),
            _ => (None, Standing::Clear),
        };
        let answer = match (grade, standing) {
            (Some(Grade::Excellent | Grade::Good), _) => Answer::Unlikely,
            (Some(Grade::Fair), _) => Answer::Occasional,
            (Some(Grade::Poor), _) if verdicts().any(|one| one.is_poor_when_idle) => Answer::Likely,
            (Some(Grade::Poor), _) => Answer::UnderLoad,
            (None, Standing::Inconclusive { .. }) => {
                let worst = |is_loaded| {
                    let of =
                        parts.iter().filter(|(part, _)| (*part == Part::FrameLoad) == is_loaded);
                    of.filter_map(|(_, verdict)| verdict.as_ref()?.graded()?.0.grade()).max()
                };
                Answer::Inconclusive { idle: worst(false), loaded: worst(true) }
            }
            (None, Standing::NotEnoughData(grading)) => Answer::NotEnoughData(grading),
            (None, Standing::Clear | Standing::Noted(_)) => {
                Answer::Incomplete { skipped, unjudged: ungraded - skipped }
            }
        };
        Self { grade, standing, answer }
    }
}

/// Other programs that disturbed a part. They do not stop for the others, some of which are too short to
/// measure their load.
fn disturbance_of_check(parts: impl Iterator<Item = PartVerdict>) -> Option<Disturbance> {
    parts
        .filter_map(|part| part.standing.disturbance())
        .filter(|one| matches!(one, Disturbance::OtherPrograms(_)))
        .reduce(Disturbance::or_worse)
}
