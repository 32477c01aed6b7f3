//! The conclusions of one run.

use std::any::Any;

use super::caution::Caution;
use super::configuration::Configuration;
use super::delays::{Delay, Delays};
use super::figures::Figures;
use super::ranking;
use super::table::Table;
use super::verdict::Verdict;
use crate::plan::DEFAULT_LATE_PERCENT;
use crate::stats::LowDefinition;

/// How a report counts where there is more than one definition. Grades and comparisons do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The late threshold in percent of a frame; a plan with its own threshold uses that.
    pub late_percent: f64,
    /// The definition of the 1% and 0.1% lows.
    pub low: LowDefinition,
}

impl Default for Options {
    fn default() -> Self {
        Self { late_percent: DEFAULT_LATE_PERCENT.into(), low: LowDefinition::default() }
    }
}

/// What a run means.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it counts.
    pub options: Options,
    /// What its samples are called, in lower case.
    pub samples_name: &'static str,
    /// The configurations, in the order of the plan.
    pub rows: Vec<Configuration>,
    /// The verdict on the run, and why.
    pub verdict: Verdict,
    /// Reasons to trust it less.
    pub cautions: Vec<Caution>,
    /// What its test finds beyond the configurations.
    pub results: Figures,
    /// Everything above as typed columns and cells; the first table has one row per configuration.
    pub tables: Vec<Table>,
    /// What delayed its late samples; empty while the run is in progress.
    pub delays: Delays,
    /// The keys of the columns that a short report shows of the first table.
    pub key_columns: &'static [&'static str],
}

impl Report {
    /// What its test finds of a type, beyond the configurations; empty where it finds nothing of it.
    pub fn results<T: Any>(&self) -> &[T] {
        self.results.get::<Vec<T>>().map_or(&[], Vec::as_slice)
    }

    /// The first table with the names of its rows, the columns that a short report shows, and these after them.
    pub fn key_table(&self, more: &[&str]) -> Option<Table> {
        let whole = self.tables.first()?;
        let keys = self.key_columns.iter().chain(more);
        let columns = std::iter::once(0).chain(keys.filter_map(|key| whole.position(key)));
        Some(whole.of_columns(&columns.collect::<Vec<_>>()))
    }

    /// What is likely to help, in a sentence or two: against what delayed most late samples, or what would allow
    /// what was denied.
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
        // What the numbers end with is not repeated.
        let numbers = self.verdict.numbers().to_lowercase();
        let is_new = |to_do: &String| !numbers.ends_with(&to_do.to_lowercase());
        advice.or(delay).filter(is_new).or_else(denied)
    }

    /// All samples.
    pub(in crate::report) fn sample_count(&self) -> usize {
        let counts = self.rows.iter().filter_map(|row| row.summary.as_ref());
        counts.map(|summary| summary.lateness.count).sum()
    }

    /// The row of the configuration to recommend: the lowest p99 lateness of those that ran as requested, a
    /// tie going to the lower priority and to no pin.
    pub fn best(&self) -> Option<&Configuration> {
        ranking::best(&self.rows)
    }

    /// The row with the highest p99 lateness.
    pub fn worst(&self) -> Option<&Configuration> {
        ranking::worst(&self.rows)
    }

    /// The grade in a word, or what takes its place.
    pub fn word(&self) -> &str {
        self.verdict.word()
    }

    /// What was found, in one sentence; where there is no grade although there are figures, why.
    pub fn sentence(&self) -> String {
        self.verdict.sentence(self.samples_name)
    }

    /// The numbers behind the sentence, in a line.
    pub fn evidence(&self) -> String {
        self.verdict.evidence()
    }
}
