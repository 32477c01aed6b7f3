//! The verdict on a run: a grade, and a finding in words.

use super::configuration::Configuration;
use super::grading::{NOT_ENOUGH_DATA, Standing, conclude};
use crate::stats::GradeRange;
use crate::units::{capitalized, count_text, format_count, singular};

/// The verdict on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The grade, or a bound such as "Good or better". `None` with too little data, if a disturbance may explain a bad
    /// result, if the run was stopped, or if no configuration ran as requested.
    pub grade: Option<GradeRange>,
    /// Whether the grade holds, was measured under a disturbance, or is missing, and why.
    pub standing: Standing,
    /// The result in words.
    pub finding: Finding,
}

/// The result of a run in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// Text shown instead of the word for the grade: grades of several conditions, or why there is no grade.
    pub word: Option<String>,
    /// The result in one sentence.
    pub sentence: String,
    /// The numbers behind `sentence`, in one line.
    pub evidence: String,
    /// Advice on what may help, in one line; empty if no advice is known.
    pub advice: String,
    /// The part of a capture that the numbers are of, such as a range; empty if there is nothing to choose from.
    pub part: String,
    /// The key number that a list of runs shows. `None` for a frame loop, of which the list shows p99 lateness.
    pub key: Option<String>,
}

impl Finding {
    /// Returns a finding of one sentence and the numbers behind it, without advice, word, and key number.
    pub(in crate::report) fn new(sentence: impl Into<String>, evidence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), evidence: evidence.into(), ..Self::default() }
    }

    /// Returns the finding with this advice.
    pub(in crate::report) fn with_advice(self, advice: String) -> Self {
        Self { advice, ..self }
    }

    /// Returns the finding with the part of a capture that it is of.
    pub(in crate::report) fn with_part(self, part: String) -> Self {
        Self { part, ..self }
    }

    /// Returns the finding with a text that replaces the word for the grade.
    pub(in crate::report) fn with_word(self, word: impl Into<String>) -> Self {
        Self { word: Some(word.into()), ..self }
    }

    /// Returns the finding with this key number.
    pub(in crate::report) fn with_key(self, key: Option<String>) -> Self {
        Self { key, ..self }
    }

    /// Returns the finding of a run without samples; `samples_name` is the plural noun for them.
    pub(in crate::report) fn nothing(samples_name: &str) -> Self {
        Self::new(format!("No {} was measured.", singular(samples_name)), "")
    }

    /// Returns the finding of a run in which no configuration ran as requested.
    pub(in crate::report) fn nothing_as_requested() -> Self {
        Self::new(
            "No configuration ran as requested, so there is no verdict.",
            "The table shows what was applied, and what would allow more.",
        )
    }

    /// Returns the finding of an incomplete run: how many of its configurations are complete, or
    /// for a single configuration the number of samples with their plural noun.
    pub(in crate::report) fn incomplete(
        (complete, planned): (usize, usize),
        (count, samples_name): (usize, &str),
    ) -> Self {
        let sentence = if planned == 1 {
            let verb = if count == 1 { "was" } else { "were" };
            format!("{} {verb} measured.", count_text(count, samples_name))
        } else {
            format!("{complete} of {planned} configurations are complete.")
        };
        Self::new(sentence, "An incomplete run has no verdict.").with_word("Stopped early")
    }
}

impl Verdict {
    /// Returns a verdict that states no grade.
    pub(in crate::report) const fn without_grade(finding: Finding) -> Self {
        Self { grade: None, standing: Standing::Clear, finding }
    }

    /// Returns the verdict on a run with too few samples for a p99.
    pub(in crate::report) fn too_few(count: usize) -> Self {
        Self::without_grade(Finding::new(
            format!(
                "Not enough samples for a verdict: {} measured, at least 100 needed.",
                format_count(count)
            ),
            "p99 needs 100 samples per configuration: run a longer test.",
        ))
    }

    /// Returns the verdict with the grade of a single configuration instead of the grade of the run.
    #[must_use]
    pub(crate) fn of_row(self, row: &Configuration) -> Self {
        Self::by(std::iter::once(row), Finding { word: None, ..self.finding })
    }

    /// Returns a verdict with this finding, in which the worst of the configurations decides the grade.
    pub(in crate::report) fn by<'a>(
        rows: impl Iterator<Item = &'a Configuration>,
        finding: Finding,
    ) -> Self {
        let (grade, standing) = conclude(rows.filter_map(Configuration::part));
        Self { grade, standing, finding }
    }

    /// Returns the word for the grade, or the text that replaces the word.
    pub fn word(&self) -> &str {
        if let Some(doubt) = self.standing.doubt() {
            return doubt;
        }
        let word = self.grade.map_or("No verdict", GradeRange::word);
        self.finding.word.as_deref().unwrap_or(word)
    }

    /// Whether a longer or less disturbed measurement may give the missing grade. Has no meaning if there is a grade.
    pub fn is_open(&self) -> bool {
        let word = self.finding.word.as_deref();
        let lacks_data = word.is_none_or(|word| word == NOT_ENOUGH_DATA);
        lacks_data || self.standing.doubt().is_some()
    }

    /// Returns the result in one sentence, or why the figures allow no grade. `samples_name` is a noun for the samples.
    pub fn sentence(&self, samples_name: &str) -> String {
        match self.standing {
            Standing::NotEnoughData(grading) => sentence_case(&grading.what_decides(samples_name)),
            Standing::Inconclusive { disturbance, .. } => sentence_case(&disturbance.to_string()),
            Standing::Clear | Standing::Noted(_) => self.finding.sentence.clone(),
        }
    }

    /// Returns the numbers behind the sentence and the advice, in one line.
    pub fn evidence(&self) -> String {
        format!("{} {}", self.numbers(), self.finding.advice).trim().to_owned()
    }

    /// Returns the numbers behind the sentence and the part that they are of, in one line. The line includes the result
    /// so far if no grade is stated.
    pub fn numbers(&self) -> String {
        let numbers = self.numbers_without_part();
        if self.finding.part.is_empty() {
            return numbers;
        }
        format!("{numbers} {}.", capitalized(&self.finding.part)).trim().to_owned()
    }

    /// Returns the numbers behind the sentence as [`Verdict::numbers`] does, for where the part is stated elsewhere.
    pub fn numbers_without_part(&self) -> String {
        let Finding { sentence, evidence, .. } = &self.finding;
        let line = match self.standing {
            Standing::Clear => return evidence.clone(),
            Standing::NotEnoughData(_) => format!("So far: {sentence} {evidence}"),
            Standing::Inconclusive { measured, .. } => {
                // The sentence is about this PC, so only its number stays.
                let grades = measured.words();
                match self.finding.key.as_ref().filter(|key| !evidence.contains(key.as_str())) {
                    Some(key) => format!("Measured anyway: {grades}, {key}. {evidence}"),
                    None => format!("Measured anyway: {grades}. {evidence}"),
                }
            }
            Standing::Noted(disturbance) => {
                format!("{evidence} Measured while {}.", disturbance.words())
            }
        };
        line.trim().to_owned()
    }
}

/// Returns the words as a sentence: with a capital letter and a period.
fn sentence_case(words: &str) -> String {
    format!("{}.", capitalized(words))
}

/// Returns the grades when idle and under load in one phrase; `None` if the grades are equal or one is missing.
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

/// Returns the worst grade of the idle configurations and the worst grade of the configurations under load.
pub(in crate::report) fn worst_grades<'a>(
    rows: impl Iterator<Item = &'a Configuration>,
) -> (Option<GradeRange>, Option<GradeRange>) {
    rows.fold((None, None), |(idle, load), row| {
        let grade = row.grade();
        if row.load.is_none() { (idle.max(grade), load) } else { (idle, load.max(grade)) }
    })
}
