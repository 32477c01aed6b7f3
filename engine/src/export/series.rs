//! The values of one row, for formats that hold one configuration.

use crate::report::{Configuration, chart};
use crate::run::capture::Recording;
use crate::run::{Run, TrialRun};

/// The trials of a row.
fn trials<'a>(run: &'a Run, row: Option<&'a Configuration>) -> impl Iterator<Item = &'a TrialRun> {
    row.into_iter().flat_map(|row| chart::trials(run, row))
}

/// Frame times of a row's rounds, one after the other; those of the longest recording of an imported run.
pub(super) fn frame_times<'a>(
    run: &'a Run,
    row: Option<&'a Configuration>,
) -> Box<dyn Iterator<Item = i64> + 'a> {
    if let Some(capture) = run.capture() {
        let longest = capture.recordings().iter().max_by_key(|one| one.frame_times.len());
        return Box::new(longest.into_iter().flat_map(Recording::present));
    }
    Box::new(trials(run, row).flat_map(|trial| trial.samples.frame_time_nanos()))
}

/// Lateness of a row's rounds, one after the other.
pub(super) fn lateness(run: &Run, row: Option<&Configuration>) -> Vec<i64> {
    trials(run, row).flat_map(TrialRun::values).collect()
}
