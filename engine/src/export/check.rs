//! A quick check as one file: an HTML page, or Markdown for a ticket.

use super::IncludedNames;
use crate::report::Chart;
use crate::report::document::{Document, check};
use crate::report::quick::{Measured, Scorecard};
use crate::run::Run;

/// A quick check whose excluded names are already removed.
#[derive(Clone, Debug)]
pub struct CheckFile<'a> {
    /// The result.
    pub card: &'a Scorecard,
    /// The parts of the check.
    pub parts: &'a [Measured<'a>],
    /// The plot of the page.
    pub chart: Option<&'a Chart>,
    /// Formats the date of the check.
    pub date: fn(jiff::Timestamp) -> String,
    /// The names that the file may contain.
    pub included_names: IncludedNames,
}

impl CheckFile<'_> {
    /// Returns the runs of the parts that were measured.
    pub(super) fn runs(&self) -> Vec<&Run> {
        self.parts.iter().filter_map(|(_, measured)| Some((*measured)?.0)).collect()
    }

    /// Returns the date of the first run.
    pub(super) fn when(&self) -> String {
        let runs = self.runs();
        (self.date)(runs.iter().map(|run| run.started_at).min().unwrap_or_default())
    }

    /// Returns the result as a document.
    pub fn document(&self) -> Document {
        check::document(self.card, &self.runs(), &self.when())
    }
}
