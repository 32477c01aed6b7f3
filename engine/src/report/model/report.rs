//! The report of one run: its verdict, figures, and tables.

use std::any::Any;

use super::capture_view::CaptureView;
use super::caution::Caution;
use super::configuration::Configuration;
use super::delays::{Delay, Delays};
use super::figures::Figures;
use super::ranking;
use super::table::Table;
use super::verdict::Verdict;
use crate::plan::DEFAULT_LATE_PERCENT;

/// The definitions that a user can choose for the figures of a report. Grades and comparisons do not depend on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The late threshold in percent of a frame. Not used if the plan has a late threshold.
    pub late_percent: f64,
    /// What is asked of a capture; of no other run.
    pub capture: CaptureView,
}

impl Default for Options {
    fn default() -> Self {
        Self { late_percent: DEFAULT_LATE_PERCENT.into(), capture: CaptureView::default() }
    }
}

/// The report of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The definitions with which the figures were computed.
    pub options: Options,
    /// What the samples are called, in lower case and in the plural: `frames`, `gaps`.
    pub samples_name: &'static str,
    /// The configurations, in the order in which they ran, or as the test sorts them.
    pub rows: Vec<Configuration>,
    /// The verdict on the run, with its reasons.
    pub verdict: Verdict,
    /// Reasons why the results may be unreliable.
    pub cautions: Vec<Caution>,
    /// Results that do not belong to one configuration, such as multi-CPU stalls.
    pub results: Figures,
    /// The figures as typed columns and cells. The first table of a test has one row per configuration, or per change
    /// in the What helps test.
    pub tables: Vec<Table>,
    /// What delayed the late samples; empty while the run is in progress.
    pub delays: Delays,
    /// The keys of the columns of the first table that a short report shows.
    pub key_columns: &'static [&'static str],
}

impl Report {
    /// Returns the items of `results` if they are of type `T`; empty if they are of another type or absent.
    pub fn results<T: Any>(&self) -> &[T] {
        self.results.get::<Vec<T>>().map_or(&[], Vec::as_slice)
    }

    /// Returns a part of the first table: its first column (the names of the rows), the columns that a short report
    /// shows, and then the columns with the keys in `more`. `None` if the report has no table.
    pub fn key_table(&self, more: &[&str]) -> Option<Table> {
        let whole = self.tables.first()?;
        let keys = self.key_columns.iter().chain(more);
        let columns = std::iter::once(0).chain(keys.filter_map(|key| whole.position(key)));
        Some(whole.of_columns(&columns.collect::<Vec<_>>()))
    }

    /// Returns what is likely to help, in one or two sentences: the advice of the verdict, or else advice against the
    /// main source of delay, or else how to allow a request that the system denied. `None` if nothing is known to help.
    pub fn what_to_do(&self) -> Option<String> {
        let advice = Some(self.verdict.finding.advice.clone()).filter(|advice| !advice.is_empty());
        let delay = self.delays.main().map(Delay::advice).filter(|advice| !advice.is_empty());
        let denied = || {
            let mut applied = self.rows.iter().filter_map(|row| row.granted.as_ref());
            let refusal =
                applied.find_map(|it| it.refusals.iter().find(|it| !it.remedy.is_empty()))?;
            Some(format!(
                "To allow {}, {}.",
                refusal.requested,
                refusal.remedy.trim_end_matches('.')
            ))
        };
        // Advice with which the numbers of the verdict already end is not repeated.
        let numbers = self.verdict.numbers().to_lowercase();
        let is_new = |to_do: &String| !numbers.ends_with(&to_do.to_lowercase());
        advice.or(delay).filter(is_new).or_else(denied)
    }

    /// Returns the number of samples of all configurations.
    pub(in crate::report) fn sample_count(&self) -> usize {
        let counts = self.rows.iter().filter_map(|row| row.summary.as_ref());
        counts.map(|summary| summary.lateness.count).sum()
    }

    /// Returns the configuration to recommend: the one with the lowest p99 lateness of those that ran as requested.
    /// If others cannot be distinguished from it, the lowest priority decides.
    pub fn best(&self) -> Option<&Configuration> {
        ranking::best(&self.rows)
    }

    /// Returns the configuration with the highest p99 lateness of those that are complete and ran as
    /// requested; `None` if none of them may be ranked.
    pub fn worst(&self) -> Option<&Configuration> {
        ranking::worst(&self.rows)
    }

    /// Returns the grade in a word, or the word that replaces it, such as "Inconclusive".
    pub fn word(&self) -> &str {
        self.verdict.word()
    }

    /// Returns the finding in one sentence, or why there is no grade if data is missing or the run was disturbed.
    pub fn sentence(&self) -> String {
        self.verdict.sentence(self.samples_name)
    }

    /// Returns the numbers behind the sentence and what may help, in one line.
    pub fn evidence(&self) -> String {
        self.verdict.evidence()
    }
}
