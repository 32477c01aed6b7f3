//! Exports a quick check as one file: HTML page, Markdown for a ticket, or image.

use std::borrow::Cow;
use std::sync::Arc;

use jitterscope_engine::export::CheckFile;

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
    text::check_file_name(check.began, group, extension)
}

/// Calls `write` with the file of a check, without the private names that the request excludes.
pub(super) fn with_file<T>(
    check: &FinishedCheck,
    request: &ExportRequest,
    write: impl FnOnce(&CheckFile<'_>) -> T,
) -> T {
    let check = cleaned(check, request);
    write(&CheckFile {
        card: &check.card,
        parts: &measured(&check.parts),
        chart: check.chart.as_ref(),
        date: text::local_date,
        included_names: request.included_names,
        samples: request.parts.samples,
    })
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
