//! A run as it is exported: without the names that go.

use jitterscope_engine::export::{self, Identity, Options};

use super::{ExportRequest, LoadedRun};
use crate::text::local_date;

/// How a run is written.
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

/// A run as it was measured, without the names that go; `None` where it is that already.
pub(super) fn exported(shown: &LoadedRun, request: &ExportRequest) -> Option<LoadedRun> {
    let measured = shown.as_measured();
    let own = measured.as_ref().unwrap_or(shown);
    let clean = export::cleaned(&own.run, &own.report, &options(request));
    clean.map(|run| LoadedRun::of(run, None)).or(measured)
}
