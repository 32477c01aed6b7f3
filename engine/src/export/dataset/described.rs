//! The columns of every dataset. They are taken from the rows of runs without samples, so that the
//! documentation lists exactly the columns of the exported files.

use jiff::Timestamp;

use super::key::Salt;
use super::{Dataset, Field, Row, SAMPLE_FIELDS, Source};
use crate::export::Options;
use crate::plan::Plan;
use crate::report::metric::Track;
use crate::report::{Delay, empty_run};
use crate::run::capture::{Distribution, Recording};
use crate::run::{Capture, Subject};

/// Returns the plural name of the values from which a metric is computed, for its description.
pub(super) const fn track(track: Track) -> &'static str {
    match track {
        Track::Values => "values of the test",
        Track::FrameTimes => "frame times",
        Track::Work => "times of the work",
        Track::Slots => "slots of the schedule",
        Track::Stutter => "time of all frames",
    }
}

/// Returns a subject for every kind of run that can be exported: every test with default settings,
/// and every kind of import.
pub fn subjects() -> Vec<Subject> {
    let frames = || {
        vec![Recording {
            frame_times: [1, 1].into_iter().collect(),
            logged_at: [0, 1].into_iter().collect(),
            ..Recording::default()
        }]
    };
    let bins = [(1, 1)].into_iter().collect();
    let imports = [
        Capture::Frames(frames()),
        Capture::SampledLog(frames()),
        Capture::Ticks(frames()),
        Capture::SampledTicks(frames()),
        Capture::Histogram(vec![Distribution { bins, ..Distribution::default() }]),
    ];
    let plans = Plan::all().into_iter().map(Subject::Measured);
    plans.chain(imports.map(Subject::Imported)).collect()
}

/// Returns the columns of a dataset for runs of a test or an import, in the order in which files of
/// the dataset have the columns.
pub fn fields(dataset: Dataset, subject: &Subject) -> Vec<Field> {
    if dataset == Dataset::Samples {
        return SAMPLE_FIELDS.to_vec();
    }
    let run = empty_run(subject.clone());
    let (options, salt) = (Options::default(), Salt::none());
    let mut source = Source::new(&run, &options, &salt, Timestamp::UNIX_EPOCH);
    source.delays = vec![Delay::default()];
    let rows = if dataset == Dataset::Runs { source.runs() } else { source.culprits() };
    // Rows can have different columns: the baseline of an experiment has no effect and therefore
    // fewer columns. Use the row with the most columns.
    let cells = rows.iter().map(Row::cells).max_by_key(|cells| cells.len()).unwrap_or_default();
    cells.iter().map(|(field, _)| field.clone()).collect()
}
