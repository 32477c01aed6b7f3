//! The summary of a run in a list of runs: one word and one number.

use super::evaluation_of;
use crate::nanos::Nanos;
use crate::report::capture::RecordingFigures;
use crate::report::model::configuration::Configuration;
use crate::report::model::grading::Standing;
use crate::report::model::report::Report;
use crate::report::scheduling_gaps::GapFigures;
use crate::run::{Ending, Run};
use crate::stats::GradeRange;
use crate::units::{count_text, format_time};

/// The summary of a run in a list of runs: one word and one number.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// The grade, or a bound such as Good or better; absent if the run has no grade.
    pub grade: Option<GradeRange>,
    /// What qualifies or replaces the grade: missing data or a disturbance.
    pub standing: Standing,
    /// The grade as a word, or a word that replaces the grade, such as "Stopped".
    pub word: String,
    /// The key result of the run, such as "best p99 12 µs", or else the number of samples.
    pub number: String,
    /// The p99 lateness of the recommended configuration; absent if the list shows no p99 for the
    /// test, or no configuration can be recommended.
    pub best_p99: Option<Nanos>,
    /// The longest gap on any CPU; absent if the test does not measure gaps.
    pub longest_gap: Option<Nanos>,
    /// Number of configurations.
    pub rows: usize,
    /// Number of configurations that did not run as requested.
    pub refused: usize,
    /// How the run ended.
    pub ending: Ending,
    /// Whether an exported file of the run was changed after it was written.
    pub is_edited: bool,
}

impl Headline {
    /// What lists show for an edited run.
    pub const EDITED: &str = "edited after export";

    /// Returns the summary of a run whose report is already computed.
    pub fn of_report(run: &Run, report: &Report) -> Self {
        let verdict = &report.verdict;
        let word = match (&run.ending, verdict.grade) {
            (Ending::Stopped, None) => "Stopped",
            (Ending::Recovered, None) => "Recovered",
            (Ending::Failed(_), _) => "Failed",
            (_, Some(grade)) => verdict.finding.word.as_deref().unwrap_or_else(|| grade.word()),
            (_, None) if run.capture().is_some() => verdict.word(),
            (_, None) => {
                let word = verdict.standing.doubt().or(verdict.finding.word.as_deref());
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
            (None, None) => count_text(run.sample_count(), run.subject.samples_name()),
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
            is_edited: run.health.edited_after_export,
        }
    }
}
