//! The values of one configuration, for file formats that can contain only one configuration.

use crate::report::{Configuration, chart};
use crate::run::capture::Recording;
use crate::run::{Run, TrialRun};

/// Returns the trials of a configuration; none if `row` is `None`.
fn trials<'a>(run: &'a Run, row: Option<&'a Configuration>) -> impl Iterator<Item = &'a TrialRun> {
    row.into_iter().flat_map(|row| chart::trials(run, row))
}

/// Returns the frame times in nanoseconds of all rounds of a configuration, in order; for an
/// imported run, the frame times of its longest recording.
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

/// Returns the lateness in nanoseconds of all samples of a configuration, in order of rounds.
pub(super) fn lateness(run: &Run, row: Option<&Configuration>) -> Vec<i64> {
    trials(run, row).flat_map(TrialRun::values).collect()
}
