//! An exported run: the run file with its report and a checksum added at the end.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::checksum::Hashing;
use super::figure::{Figures, figures};
use super::in_page::InPage;
use super::{RunOut, run_out};
use crate::plan::Plan;
use crate::report::{Report, Row};
use crate::run::Run;

/// What is hashed and written at once.
const BUFFER_BYTES: usize = 64 << 10;

#[derive(Serialize)]
struct ExportedOut<'a> {
    #[serde(flatten)]
    run: RunOut<'a>,
    report: ReportOut<'a>,
}

#[derive(Serialize)]
struct ReportOut<'a> {
    grade: Option<&'static str>,
    verdict: &'a str,
    /// What the figures are of: `lateness: woke − due`.
    value: String,
    cautions: Vec<String>,
    rows: Vec<RowOut<'a>>,
}

#[derive(Serialize)]
struct RowOut<'a> {
    label: &'a str,
    requested: String,
    granted: String,
    as_asked: bool,
    complete: bool,
    lost: u64,
    grade: Option<&'static str>,
    skipped: Option<&'a str>,
    /// Positions of its trials in `trials`.
    trials: &'a [usize],
    figures: Figures,
}

impl<'a> RowOut<'a> {
    fn of(row: &'a Row) -> Self {
        Self {
            label: &row.label,
            requested: row.conditions.to_string(),
            granted: row.granted_text(),
            as_asked: row.is_as_asked(),
            complete: row.is_complete,
            lost: row.lost_count,
            grade: row.grade().map(crate::stats::Grade::word),
            skipped: row.skipped.as_deref(),
            trials: &row.trials,
            figures: Figures(figures(row)),
        }
    }
}

/// Writes a run with its report and gives the checksum back; `verdict` is the report's own in words.
///
/// It may stand in a page as it is, so that a report holds the same text as a file, with the same checksum.
/// What is written is read by [`read`](super::read) and held against its checksum by
/// [`verify`](super::checksum::verify).
pub fn write(run: &Run, report: &Report, verdict: &str, to: &mut dyn Write) -> io::Result<String> {
    let out = ExportedOut {
        run: run_out(run),
        report: ReportOut {
            grade: report.verdict.grade.map(crate::stats::Grade::word),
            verdict,
            value: match run.plan() {
                Some(Plan::GameTick(_)) => "cycle time: done − woke".to_owned(),
                Some(plan) => format!("{}: woke − due", plan.value_name()),
                None => run.subject.value_name().to_owned(),
            },
            cautions: report.cautions.iter().map(ToString::to_string).collect(),
            rows: report.rows.iter().map(RowOut::of).collect(),
        },
    };
    let mut hashing = Hashing::new(to);
    // Numbers come a few bytes at a time; the checksum is faster over many.
    let mut buffer = BufWriter::with_capacity(BUFFER_BYTES, InPage(&mut hashing));
    serde_json::to_writer(&mut buffer, &out)?;
    buffer.flush()?;
    drop(buffer);
    hashing.finish()
}
