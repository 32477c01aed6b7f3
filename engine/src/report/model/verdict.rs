//! The verdict on a run: a grade, and in words what was found.

use super::configuration::Configuration;
use super::grading::{Standing, conclude};
use crate::stats::GradeRange;
use crate::units::format_count;

/// The verdict on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The grade that may be stated, or a bound; absent where there is too little data, where a bad result was
    /// disturbed, where the run was stopped, and where nothing ran as it was asked to.
    pub grade: Option<GradeRange>,
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
    /// What may help, in one line; empty where nothing is known to.
    pub advice: String,
    /// The key number for a list of runs; a frame loop's is its p99.
    pub key: Option<String>,
}

impl Finding {
    /// A finding of one sentence and the numbers behind it.
    pub(in crate::report) fn new(sentence: impl Into<String>, evidence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), evidence: evidence.into(), ..Self::default() }
    }

    /// The same with what may help.
    pub(in crate::report) fn with_advice(self, advice: String) -> Self {
        Self { advice, ..self }
    }

    /// The same with a word in place of the grade's own.
    pub(in crate::report) fn with_word(self, word: impl Into<String>) -> Self {
        Self { word: Some(word.into()), ..self }
    }

    /// The same with a key number.
    pub(in crate::report) fn with_key(self, key: Option<String>) -> Self {
        Self { key, ..self }
    }

    /// There is no sample.
    pub(in crate::report) fn nothing() -> Self {
        Self::new("No frame was measured.", "")
    }

    /// Nothing ran as it was asked to.
    pub(in crate::report) fn nothing_as_requested() -> Self {
        Self::new(
            "No configuration ran as requested, so there is no verdict.",
            "The table shows what was applied, and what would allow more.",
        )
    }

    pub(in crate::report) fn incomplete(complete: usize, planned: usize, frames: usize) -> Self {
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
    pub(in crate::report) const fn without_grade(finding: Finding) -> Self {
        Self { grade: None, standing: Standing::Clear, finding }
    }

    /// The verdict on samples that are too few for a p99.
    pub(in crate::report) fn too_few(count: usize) -> Self {
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
    pub(in crate::report) fn by<'a>(
        rows: impl Iterator<Item = &'a Configuration>,
        finding: Finding,
    ) -> Self {
        let (grade, standing) = conclude(rows.filter_map(Configuration::part));
        Self { grade, standing, finding }
    }

    /// The grade in a word, or what takes its place.
    pub fn word(&self) -> &str {
        if let Some(doubt) = Doubt::of(self.standing) {
            return doubt.words();
        }
        let word = self.grade.map_or("No verdict", GradeRange::word);
        self.finding.word.as_deref().unwrap_or(word)
    }

    /// Whether a longer or less disturbed measurement may give a grade or a finding.
    pub fn is_open(&self) -> bool {
        let word = self.finding.word.as_deref();
        let lacks_data = word.is_none_or(|word| word == Doubt::NotEnoughData.words());
        lacks_data || Doubt::of(self.standing).is_some()
    }

    /// What was found, in one sentence; where there is no grade although there are figures, why.
    pub fn sentence(&self, samples_name: &str) -> String {
        match self.standing {
            Standing::NotEnoughData(grading) => sentence_case(&grading.what_decides(samples_name)),
            Standing::Inconclusive { disturbance, .. } => sentence_case(&disturbance.to_string()),
            Standing::Clear | Standing::Noted(_) => self.finding.sentence.clone(),
        }
    }

    /// The numbers behind the sentence, in a line, and what may help.
    pub fn evidence(&self) -> String {
        format!("{} {}", self.numbers(), self.finding.advice).trim().to_owned()
    }

    /// The numbers behind the sentence, in a line; a grade that is not stated is in second place.
    pub fn numbers(&self) -> String {
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
pub(in crate::report) fn grades_phrase(
    grades: (Option<GradeRange>, Option<GradeRange>),
) -> Option<String> {
    match grades {
        (Some(idle), Some(load)) if idle != load => {
            Some(format!("{} under load, {} when idle", load.word(), idle.word()))
        }
        _ => None,
    }
}

/// A number of frames: `1 frame`, `3 frames`.
pub(in crate::report) fn frames_text(frames: u64) -> String {
    match frames {
        1 => "1 frame".to_owned(),
        frames => format!("{} frames", format_count(frames)),
    }
}

/// A count for text.
pub(in crate::report) fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The worst grade of idle and of loaded configurations.
pub(in crate::report) fn worst_grades<'a>(
    rows: impl Iterator<Item = &'a Configuration>,
) -> (Option<GradeRange>, Option<GradeRange>) {
    rows.fold((None, None), |(idle, load), row| {
        let grade = row.grade();
        if row.load.is_none() { (idle.max(grade), load) } else { (idle, load.max(grade)) }
    })
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
