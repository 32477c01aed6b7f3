//! The values of one configuration, for file formats that can contain only one configuration.

use crate::report::{Configuration, chart};
use crate::run::{Run, TrialRun};

/// Returns the trials of a configuration; none if `row` is `None`.
fn trials<'a>(run: &'a Run, row: Option<&'a Configuration>) -> impl Iterator<Item = &'a TrialRun> {
    row.into_iter().flat_map(|row| chart::trials(run, row))
}

/// Returns the frame times in nanoseconds of all rounds of a configuration, in order.
pub(super) fn frame_times<'a>(
    run: &'a Run,
    row: Option<&'a Configuration>,
) -> impl Iterator<Item = i64> + 'a {
    trials(run, row).flat_map(|trial| trial.samples.frame_time_nanos())
}

/// Returns the lateness in nanoseconds of all samples of a configuration, in order of rounds.
pub(super) fn lateness(run: &Run, row: Option<&Configuration>) -> Vec<i64> {
    trials(run, row).flat_map(TrialRun::values).collect()
}
