//! A run in a word and a number, for a list.

use super::evaluation_of;
use crate::nanos::Nanos;
use crate::report::capture::RecordingFigures;
use crate::report::model::configuration::Configuration;
use crate::report::model::grading::Standing;
use crate::report::model::report::{Options, Report};
use crate::report::model::verdict::{Doubt, wide};
use crate::report::scheduling_gaps::GapFigures;
use crate::run::{Ending, Run};
use crate::stats::GradeRange;
use crate::units::{format_count, format_time};

/// A run in a word and a number, for a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// The grade, where there is one, or a bound.
    pub grade: Option<GradeRange>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// The grade in a word, or what takes its place.
    pub word: String,
    /// The key number.
    pub number: String,
    /// The lowest p99 lateness of what ran as requested, where there is one.
    pub best_p99: Option<Nanos>,
    /// The longest gap on any CPU, where gaps were measured.
    pub longest_gap: Option<Nanos>,
    /// How many configurations there are.
    pub rows: usize,
    /// How many did not run as requested.
    pub refused: usize,
    /// How the run ended.
    pub ending: Ending,
}

impl Headline {
    /// The headline of a run.
    pub fn of(run: &Run) -> Self {
        let report = Report::of(run, &Options::default());
        Self::of_report(run, &report)
    }

    /// The headline of a run that was judged already.
    pub fn of_report(run: &Run, report: &Report) -> Self {
        let verdict = &report.verdict;
        let doubt = Doubt::of(verdict.standing);
        let word = match (&run.ending, verdict.grade) {
            (Ending::Stopped, None) => "Stopped",
            (Ending::Recovered, None) => "Recovered",
            (Ending::Failed(_), _) => "Failed",
            (_, Some(grade)) => verdict.finding.word.as_deref().unwrap_or_else(|| grade.word()),
            (_, None) if run.capture().is_some() => verdict.word(),
            (_, None) => {
                let word = doubt.map(Doubt::words).or(verdict.finding.word.as_deref());
                word.unwrap_or("Not graded")
            }
        };
        let best_p99 = run
            .plan()
            .filter(|plan| evaluation_of(plan).lists_p99())
            .and_then(|_| report.best())
            .and_then(Configuration::p99);
        let rows = report.rows.len().max(report.results::<RecordingFigures>().len());
        let number = match (&verdict.finding.key, best_p99) {
            (Some(key), _) => key.clone(),
            (None, Some(p99)) if rows == 1 => format!("p99 {}", format_time(p99)),
            (None, Some(p99)) => format!("best p99 {}", format_time(p99)),
            (None, None) => {
                format!("{} {}", format_count(wide(run.sample_count())), run.subject.samples_name())
            }
        };
        Self {
            grade: verdict.grade,
            standing: verdict.standing,
            word: word.to_owned(),
            number,
            best_p99,
            longest_gap: report
                .rows
                .iter()
                .filter_map(|row| Some(row.figures.get::<GapFigures>()?.graded))
                .max(),
            rows,
            refused: report
                .rows
                .iter()
                .filter(|row| row.granted.is_some() && !row.is_as_requested())
                .count(),
            ending: run.ending.clone(),
        }
    }
}
