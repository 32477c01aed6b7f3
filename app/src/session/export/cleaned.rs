//! Prepares runs for an export by removing the private names that the request excludes.

use std::borrow::Cow;

use jitterscope_engine::export::{self, Identity, Options};

use super::{ExportRequest, LoadedRun};
use crate::text::local_date;

/// Returns the options for writing a run in the requested format.
pub(super) fn options(request: &ExportRequest) -> Options {
    Options {
        date: Some(local_date),
        row: request.row,
        table: 0,
        plot: None,
        parts: request.parts,
        leave_out: Identity::here().clone(),
        included_names: request.included_names,
    }
}

/// Returns a run with its original late threshold and without the private names that the request
/// excludes.
pub(super) fn exported<'a>(shown: &'a LoadedRun, request: &ExportRequest) -> Cow<'a, LoadedRun> {
    let own = shown.as_measured();
    let clean = export::cleaned(&own.run, &own.report, &options(request));
    let view = &shown.report.options.capture;
    clean.map_or(own, |run| {
        let clean = LoadedRun::of(run, None);
        let is_same = clean.report.options.capture == *view;
        Cow::Owned(if is_same { clean } else { clean.viewed(view.clone()) })
    })
}
