//! A quick check as one file: an HTML page or JSON with its runs, or Markdown for a ticket.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{IncludedNames, ticket};
use crate::format::exported::{self, ExportedRun};
use crate::format::{KeptSamples, check_result, measurement_sum};
use crate::report::document::check::{self, CheckParts};
use crate::report::document::{Block, Document, Fact, Summary};
use crate::report::quick::{Measured, Scorecard};
use crate::report::{Chart, Report};
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
    /// The samples that an HTML page and a JSON file hold.
    pub samples: KeptSamples,
}

impl CheckFile<'_> {
    /// Returns the runs of the parts that were measured.
    pub(super) fn runs(&self) -> Vec<&Run> {
        self.parts.iter().filter_map(|(_, measured)| Some((*measured)?.0)).collect()
    }

    /// Returns when the first run began.
    fn began(&self) -> jiff::Timestamp {
        self.runs().iter().map(|run| run.started_at).min().unwrap_or_default()
    }

    /// Returns the date of the first run.
    pub(super) fn when(&self) -> String {
        (self.date)(self.began())
    }

    /// Writes the result and the runs as JSON, and returns the checksum.
    pub(super) fn write_runs(&self, to: &mut dyn Write) -> io::Result<String> {
        let measured = self.parts.iter().filter_map(|(_, measured)| *measured);
        let runs: Vec<ExportedRun<'_>> = measured
            .map(|(run, report)| {
                let verdict = Cow::Owned(report.sentence());
                ExportedRun { run, report, verdict, kept: self.samples }
            })
            .collect();
        exported::write_check(check_result(self.parts, self.card, self.began()), &runs, to)
    }

    /// Returns the result as a document; `privacy` states which names are excluded.
    pub(super) fn document(&self, privacy: &str) -> Document {
        let runs: Vec<(&'static str, &Run, &Report)> = self
            .parts
            .iter()
            .filter_map(|(part, measured)| {
                (*measured).map(|(run, report)| (part.name(), run, report))
            })
            .collect();
        let of_run = |(name, run, _): &(&'static str, &Run, &Report)| {
            let sum = measurement_sum(run);
            Fact::new(*name, format!("run {}, SHA-256 of the measurement {sum}", run.id))
        };
        let mut file: Vec<Fact> = runs.iter().map(of_run).collect();
        let kept = self.samples;
        file.extend((kept != KeptSamples::All).then(|| Fact::new("Samples", kept.statement())));
        file.extend((!privacy.is_empty()).then(|| Fact::new("Names", format!("{privacy}."))));
        let parts = CheckParts { runs: &runs, chart: self.chart, when: &self.when(), file: &file };
        check::document(self.card, parts)
    }

    /// Returns which names the file does not contain.
    pub(super) fn privacy(&self) -> String {
        self.included_names.sentence_of_runs(self.runs().into_iter())
    }

    /// Returns the first lines of the result, for a ticket.
    pub fn summary(&self) -> Summary {
        self.document("").summary
    }

    /// Returns the result as the blocks of a text file: the lines of a ticket, then a section with everything else.
    pub(super) fn blocks(&self) -> Vec<Block> {
        ticket::complete(self.document(&self.privacy()))
    }

    /// Returns the result as blocks in the order of a page.
    pub fn outline(&self) -> Vec<Block> {
        ticket::outline(self.document(&self.privacy()))
    }
}
