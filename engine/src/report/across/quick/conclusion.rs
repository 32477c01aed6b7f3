//! The answer of a quick check from the verdicts of its parts: lists give it without opening the runs.

use super::Answer;
use super::card::is_stated_only;
use crate::plan::quick::Part;
use crate::report::model::grading::conclude;
use crate::report::model::verdict::worst_grades;
use crate::report::{Configuration, Disturbance, GapFigures, Grading, Report, Standing};
use crate::run::Run;
use crate::stats::{Grade, GradeRange};

/// The verdict of a part, as far as the answer rests on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartVerdict {
    /// The grade that may be stated, or a bound.
    pub grade: Option<GradeRange>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// Whether it is Poor without any load.
    pub is_poor_when_idle: bool,
    /// Whether its gaps are Fair by fewer than three: the check then counts them as Good.
    pub has_few_gaps: bool,
    /// Whether it is stated without a grade.
    pub is_stated_only: bool,
}

/// Fewer gaps above what is typical of PCs do not lower the answer to Fair.
const MIN_GAPS: usize = 3;

impl PartVerdict {
    /// The verdict of a part with this report.
    pub fn of(part: Part, run: &Run, report: &Report) -> Self {
        let verdict = &report.verdict;
        let idle = match part {
            Part::FrameLoad => None,
            Part::Sleep => worst_grades(report.rows.iter()).0,
            Part::FrameIdle | Part::Gaps | Part::Spin => verdict.grade,
        };
        let above = |row: &Configuration| {
            let own = row.figures.get::<GapFigures>().map_or(0, |gaps| gaps.own_late_count);
            row.summary.as_ref().map_or(0, |it| it.late_count).saturating_sub(own)
        };
        Self {
            grade: verdict.grade,
            standing: verdict.standing,
            is_poor_when_idle: idle.is_some_and(|grade| grade.worst() == Grade::Poor),
            is_stated_only: is_stated_only(part, run),
            has_few_gaps: part == Part::Gaps
                && report.rows.iter().map(above).sum::<usize>() < MIN_GAPS,
        }
    }

    /// Its grading with what disturbed it; absent where it is not graded.
    fn graded(&self) -> Option<(Grading, Option<Disturbance>)> {
        if self.is_stated_only {
            return None;
        }
        let (grading, disturbance) = match (self.grade, self.standing) {
            // A bad grade that is stated does not rest on what was disturbed.
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
        let is_few = self.has_few_gaps && grading.worst == Grade::Fair;
        Some((if is_few { Grading::observed(Grade::Good) } else { grading }, disturbance))
    }
}

/// The answer of a check, and how good it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conclusion {
    /// The worst grade of the five parts, where it may be stated.
    pub grade: Option<GradeRange>,
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
        let stated = verdicts().filter(|verdict| verdict.is_stated_only).count();
        let ungraded = parts.len() - graded.len() - stated;
        let (grade, standing) = match ungraded {
            0 => conclude(graded.into_iter()),
            _ => (None, Standing::Clear),
        };
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
