//! The words over a report, for what is written to files: the same as on screen.

use jitterscope_engine::export::Headline;
use jitterscope_engine::report::Report;
use jitterscope_engine::run::Run;

use super::{date, local, verdict};

/// The words over a run's report.
pub fn headline(run: &Run, report: &Report) -> Headline {
    let (title, about) = Headline::title_and_about(run, date(&local(run.started_at)));
    Headline {
        title,
        about,
        grade: verdict::grade_word(report),
        sentence: verdict::sentence(report),
        evidence: verdict::evidence(report),
    }
}
