//! The verdict on a run: a grade, and in words what was found.

use super::configuration::Configuration;
use super::grading::{Standing, conclude};
use super::{Report, capture};
use crate::nanos::Nanos;
use crate::run::{Ending, Run};
use crate::stats::Grade;
use crate::units::{format_count, format_time};

/// The verdict on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The grade that may be stated; absent where there is too little data, where a bad result was
    /// disturbed, where the run was stopped, and where nothing ran as it was asked to.
    pub grade: Option<Grade>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// What was found.
    pub finding: Finding,
}

/// What was found, in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// Shown in place of the grade's own word: grades of several conditions, or why there is no grade.
    pub word: Option<String>,
    /// What was found, in one sentence.
    pub sentence: String,
    /// The numbers behind it, in one line.
    pub evidence: String,
    /// The key number for a list of runs; a frame loop's is its p99.
    pub key: Option<String>,
}

impl Finding {
    /// A finding of one sentence and the numbers behind it.
    pub(super) fn new(sentence: impl Into<String>, evidence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), evidence: evidence.into(), ..Self::default() }
    }

    /// The same with a word in place of the grade's own.
    pub(super) fn with_word(self, word: impl Into<String>) -> Self {
        Self { word: Some(word.into()), ..self }
    }

    /// The same with a key number.
    pub(super) fn with_key(self, key: Option<String>) -> Self {
        Self { key, ..self }
    }

    /// There is no sample.
    pub(super) fn nothing() -> Self {
        Self::new("No frame was measured.", "")
    }

    /// Nothing ran as it was asked to.
    pub(super) fn nothing_as_requested() -> Self {
        Self::new(
            "No configuration ran as requested, so there is no verdict.",
            "The table shows what was applied, and what would allow more.",
        )
    }

    fn incomplete(complete: usize, planned: usize, frames: usize) -> Self {
        let sentence = if planned == 1 {
            format!("{} were measured and saved.", frames_text(wide(frames)))
        } else {
            format!("{complete} of {planned} configurations are complete and saved.")
        };
        Self::new(sentence, "Saved without a verdict.").with_word("Stopped early")
    }
}

impl Verdict {
    /// A verdict that states no grade.
    pub(super) const fn without_grade(finding: Finding) -> Self {
        Self { grade: None, standing: Standing::Clear, finding }
    }

    /// The verdict on samples that are too few for a p99.
    pub(super) fn too_few(count: usize) -> Self {
        Self::without_grade(Finding::new(
            format!(
                "Not enough samples for a verdict: {} measured, at least 100 needed.",
                format_count(wide(count))
            ),
            "p99 needs 100 samples per configuration: run a longer test.",
        ))
    }

    /// The same finding with the grade of one configuration alone.
    #[must_use]
    pub(crate) fn of_row(self, row: &Configuration) -> Self {
        Self::by(std::iter::once(row), Finding { word: None, ..self.finding })
    }

    /// A verdict by configurations of which the worst decides.
    pub(super) fn by<'a>(rows: impl Iterator<Item = &'a Configuration>, finding: Finding) -> Self {
        let (grade, standing) = conclude(rows.filter_map(Configuration::part));
        Self { grade, standing, finding }
    }

    /// The grade in a word, or what takes its place.
    pub fn word(&self) -> &str {
        if let Some(doubt) = Doubt::of(self.standing) {
            return doubt.words();
        }
        let word = self.grade.map_or("No verdict", Grade::word);
        self.finding.word.as_deref().unwrap_or(word)
    }

    /// What was found, in one sentence; where there is no grade although there are figures, why.
    pub fn sentence(&self, samples_name: &str) -> String {
        match self.standing {
            Standing::NotEnoughData(grading) => sentence_case(&grading.what_decides(samples_name)),
            Standing::Inconclusive { disturbance, .. } => sentence_case(&disturbance.to_string()),
            Standing::Clear | Standing::Noted(_) => self.finding.sentence.clone(),
        }
    }

    /// The numbers behind the sentence, in a line; a grade that is not stated is in second place.
    pub fn evidence(&self) -> String {
        let Finding { sentence, evidence, .. } = &self.finding;
        let line = match self.standing {
            Standing::Clear => return evidence.clone(),
            Standing::NotEnoughData(_) => format!("So far: {sentence} {evidence}"),
            Standing::Inconclusive { measured, .. } => {
                format!("Measured anyway: {}. {evidence}", measured.words())
            }
            Standing::Noted(disturbance) => {
                format!("{evidence} Measured while {}.", disturbance.words())
            }
        };
        line.trim().to_owned()
    }
}

/// Words as a sentence: with a capital letter and a period.
fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{}{}.", first.collect::<String>(), letters.as_str())
}

/// Grades when idle and under load in one phrase; `None` where one grade is enough.
pub(super) fn grades_phrase(grades: (Option<Grade>, Option<Grade>)) -> Option<String> {
    match grades {
        (Some(idle), Some(load)) if idle != load => {
            Some(format!("{} under load, {} when idle", load.word(), idle.word()))
        }
        _ => None,
    }
}

/// A number of frames: `1 frame`, `3 frames`.
pub(super) fn frames_text(frames: u64) -> String {
    match frames {
        1 => "1 frame".to_owned(),
        frames => format!("{} frames", format_count(frames)),
    }
}

/// A count for text.
pub(super) fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Rows that may be judged: they ran as requested and have a p99.
pub(super) fn evaluated(rows: &[Configuration]) -> impl Iterator<Item = &Configuration> {
    rows.iter().filter(|row| row.is_as_requested() && row.is_complete && row.p99().is_some())
}

/// The worst grade of idle and of loaded configurations.
pub(super) fn worst_grades<'a>(
    rows: impl Iterator<Item = &'a Configuration>,
) -> (Option<Grade>, Option<Grade>) {
    rows.fold((None, None), |(idle, load), row| {
        let grade = row.grade();
        if row.load.is_none() { (idle.max(grade), load) } else { (idle, load.max(grade)) }
    })
}

/// Judges a run.
pub(super) fn of(run: &Run, report: &Report) -> Verdict {
    let without_grade = Verdict::without_grade;
    let Some(plan) = run.plan() else {
        return without_grade(capture::finding(&report.recordings));
    };
    let test = super::evaluation_of(plan);
    let measured: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.skipped.is_none()).collect();
    let frames = sample_count(report);
    if frames == 0 && !test.is_result_without_samples() {
        return without_grade(Finding::nothing());
    }
    let complete = measured.iter().filter(|row| row.is_complete).count();
    if run.ending != Ending::Finished && complete < measured.len() {
        return without_grade(Finding::incomplete(complete, measured.len(), frames));
    }
    let mut verdict = test.verdict(run, report);
    report.delays.add_to(&mut verdict, run.subject.samples_name());
    verdict
}

/// All samples of a report.
pub(super) fn sample_count(report: &Report) -> usize {
    let counts = report.rows.iter().filter_map(|row| row.summary.as_ref());
    counts.map(|summary| summary.lateness.count).sum()
}

/// A run in a word and a number, for a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// The grade, where there is one.
    pub grade: Option<Grade>,
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

/// Why a complete run has no grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The data is not enough for one.
    NotEnoughData,
    /// The measurement was disturbed.
    Inconclusive,
}

impl Doubt {
    /// The words that take the place of a grade.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotEnoughData => "Not enough data",
            Self::Inconclusive => "Inconclusive",
        }
    }

    /// What a standing leaves of a grade.
    pub const fn of(standing: Standing) -> Option<Self> {
        match standing {
            Standing::NotEnoughData(_) => Some(Self::NotEnoughData),
            Standing::Inconclusive { .. } => Some(Self::Inconclusive),
            Standing::Clear | Standing::Noted(_) => None,
        }
    }
}

impl Headline {
    /// The headline of a run.
    pub fn of(run: &Run) -> Self {
        let report = Report::of(run, &super::Options::default());
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
            (_, Some(grade)) => grade.word(),
            (_, None) if run.capture().is_some() => verdict.word(),
            (_, None) => {
                let word = doubt.map(Doubt::words).or(verdict.finding.word.as_deref());
                word.unwrap_or("Not graded")
            }
        };
        let best_p99 = run
            .plan()
            .filter(|plan| super::evaluation_of(plan).lists_p99())
            .and_then(|_| report.best())
            .and_then(Configuration::p99);
        let rows = report.rows.len().max(report.recordings.len());
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
                .filter_map(|row| Some(row.figures.gaps()?.longest))
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
