//! The answer of a Quick check from the verdicts of its parts. The verdicts are small, so that a list of
//! checks can show the answers without opening the runs.

use super::Answer;
use super::card::{counts_as_good, has_few_gaps, is_stated_only};
use crate::plan::quick::Part;
use crate::report::model::grading::conclude;
use crate::report::model::verdict::worst_grades;
use crate::report::{Disturbance, Grading, Report, Standing};
use crate::run::Run;
use crate::stats::{Grade, GradeRange};

/// The data about one part of a check from which the answer is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartVerdict {
    /// The grade of the part, or a bound of the grade; absent if the data supports neither.
    pub grade: Option<GradeRange>,
    /// A restriction of the grade, or why there is none.
    pub standing: Standing,
    /// Whether the part is Poor even without load.
    pub is_poor_when_idle: bool,
    /// Whether the part measures gaps and fewer than `MIN_GAPS` of them are above the limit of Good: the
    /// check then counts a grade of Fair as Good.
    pub has_few_gaps: bool,
    /// Whether the part is shown without a grade, and is therefore ignored in the answer.
    pub is_stated_only: bool,
}

impl PartVerdict {
    /// Returns the verdict of a part from its run and report.
    pub fn of(part: Part, run: &Run, report: &Report) -> Self {
        let verdict = &report.verdict;
        let idle = match part {
            Part::FrameLoad => None,
            Part::Sleep => worst_grades(report.rows.iter()).0,
            Part::FrameIdle | Part::Gaps | Part::Spin => verdict.grade,
        };
        Self {
            grade: verdict.grade,
            standing: verdict.standing,
            is_poor_when_idle: idle.is_some_and(|grade| grade.worst() == Grade::Poor),
            is_stated_only: is_stated_only(part, run),
            has_few_gaps: has_few_gaps(part, report),
        }
    }

    /// Returns the grading of the part, and the disturbance if there was one; `None` if the part is not
    /// graded.
    fn graded(&self) -> Option<(Grading, Option<Disturbance>)> {
        if self.is_stated_only {
            return None;
        }
        let (grading, disturbance) = match (self.grade, self.standing) {
            // A grade of Fair or Poor that is shown does not depend on disturbed data.
            (Some(grade), standing) => {
                let is_good = grade.worst() <= Grade::Good;
                (grade.into(), standing.disturbance().filter(|_| is_good))
            }
            (None, Standing::NotEnoughData(grading)) => (grading, None),
            (None, Standing::Inconclusive { measured, disturbance }) => {
                (measured, Some(disturbance))
            }
            (None, Standing::Clear | Standing::Noted(_)) => return None,
        };
        let is_few = counts_as_good(self.has_few_gaps, grading.worst);
        Some((if is_few { Grading::observed(Grade::Good) } else { grading }, disturbance))
    }
}

/// The answer of a check, with its grade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conclusion {
    /// The worst grade of the five parts; absent if the data does not support a grade.
    pub grade: Option<GradeRange>,
    /// A restriction of the grade, or why there is none.
    pub standing: Standing,
    /// The answer.
    pub answer: Answer,
}

/// Returns the standing of a check whose worst parts all have that grade only because of named programs, which their
/// verdicts state; otherwise `None`.
fn blamed(of_worst: impl Iterator<Item = PartVerdict>) -> Option<Standing> {
    let mut found = None;
    for part in of_worst {
        let Standing::Noted(_) = part.standing else { return None };
        found = Some(part.standing);
    }
    found
}

impl Conclusion {
    /// Evaluates a check from its parts; a part without a verdict was skipped.
    pub fn of(parts: &[(Part, Option<PartVerdict>)]) -> Self {
        let verdicts = || parts.iter().filter_map(|(_, verdict)| *verdict);
        let skipped = parts.len() - verdicts().count();
        let graded: Vec<_> = verdicts().filter_map(|verdict| verdict.graded()).collect();
        let stated = verdicts().filter(|verdict| verdict.is_stated_only).count();
        let ungraded = parts.len() - graded.len() - stated;
        let (grade, standing) = match ungraded {
            0 => conclude(graded.into_iter()),
            _ => (None, Standing::Clear),
        };
        let worst = grade.map(GradeRange::worst).filter(|worst| Grade::Good < *worst);
        let of_worst = verdicts().filter(|one| {
            let counted = one.graded().map(|(grading, _)| grading.worst);
            !one.is_stated_only && one.grade.is_some() && counted == worst
        });
        let standing = worst.and_then(|_| blamed(of_worst)).unwrap_or(standing);
        let answer = match (grade.map(GradeRange::worst), standing) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part(part: Part, grade: Grade, standing: Standing) -> (Part, Option<PartVerdict>) {
        let verdict = PartVerdict {
            grade: Some(grade.into()),
            standing,
            is_poor_when_idle: grade == Grade::Poor,
            has_few_gaps: false,
            is_stated_only: false,
        };
        (part, Some(verdict))
    }

    #[test]
    fn a_check_is_poor_because_of_programs_only_if_each_of_its_worst_parts_is() {
        let busy = Standing::Noted(Disturbance::OtherPrograms(1.9));
        let blamed = part(Part::FrameIdle, Grade::Poor, busy);
        let good = part(Part::Spin, Grade::Good, Standing::Clear);
        let found = Conclusion::of(&[blamed, good]);
        assert_eq!((found.answer, found.standing), (Answer::Likely, busy));
        let own = part(Part::Sleep, Grade::Poor, Standing::Clear);
        let found = Conclusion::of(&[blamed, good, own]);
        assert_eq!((found.answer, found.standing), (Answer::Likely, Standing::Clear));
        // Few gaps count as Good, so their grade is not the worst.
        let (of_gaps, mut gaps) = part(Part::Gaps, Grade::Fair, Standing::Clear);
        gaps.as_mut().unwrap().has_few_gaps = true;
        let fair = part(Part::FrameLoad, Grade::Fair, busy);
        assert_eq!(Conclusion::of(&[fair, (of_gaps, gaps)]).standing, busy);
        let found = Conclusion::of(&[good]);
        assert_eq!((found.answer, found.standing), (Answer::Unlikely, Standing::Clear));
    }
}
