//! Exports a quick check as one file: HTML page, Markdown for a ticket, or image.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

use jitterscope_engine::export::markdown;
use jitterscope_engine::run::Run;

use super::cleaned::exported;
use super::{ExportKind, ExportRequest, FinishedCheck, LoadedRun};
use crate::session::finished_check::measured;
use crate::text;

/// Returns the name of the file to which a quick check is exported.
pub(super) fn file_name(check: &FinishedCheck, kind: ExportKind) -> String {
    let group = check.runs().find_map(|shown| shown.run.group.as_ref());
    let extension = match kind {
        ExportKind::File(format) => format.extension(),
        ExportKind::Image | ExportKind::Comparison | ExportKind::ComparisonPage => "png",
    };
    text::quick::file_name(check.began, group, extension)
}

/// Returns the text for a ticket, without the private names that the request excludes.
pub(super) fn ticket(check: &FinishedCheck, request: &ExportRequest) -> String {
    let check = cleaned(check, request);
    let runs: Vec<&Run> = check.runs().map(|shown| shown.run.as_ref()).collect();
    markdown::text(&text::quick::ticket(&check.card, &runs))
}

/// Writes a quick check as an HTML page or, for any other `kind`, as Markdown.
pub(super) fn write(
    check: &FinishedCheck,
    kind: ExportKind,
    request: &ExportRequest,
    to: &mut dyn Write,
) -> io::Result<()> {
    let check = cleaned(check, request);
    let parts = measured(&check.parts);
    let chart = check.chart.as_ref();
    text::quick::write(kind.is_page(), &check.card, &parts, chart, request.included_names, to)
}

/// Returns the check without the private names that the request excludes.
pub(super) fn cleaned(check: &FinishedCheck, request: &ExportRequest) -> FinishedCheck {
    let cleaned = |shown: &Arc<LoadedRun>| match exported(shown, request) {
        Cow::Owned(run) => Arc::new(run),
        Cow::Borrowed(_) => Arc::clone(shown),
    };
    let parts = check.parts.iter().map(|(part, shown)| (*part, shown.as_ref().map(cleaned)));
    FinishedCheck::of(parts.collect(), check.began, check.took)
}
