//! The dataset of samples, which has one row per sample of a run.

use super::{Field, Kind, Source};
use crate::sample::Sample;

const fn field(key: &'static str, kind: Kind, definition: &'static str) -> Field {
    Field {
        key: std::borrow::Cow::Borrowed(key),
        kind,
        definition: std::borrow::Cow::Borrowed(definition),
    }
}

/// The columns of the dataset of samples: first the columns of [`SampleRow::texts`], then those of
/// [`SampleRow::numbers`].
pub const SAMPLE_FIELDS: [Field; 15] = [
    field("run_id", Kind::Text, "ID of the run."),
    field("machine_key", Kind::Text, "Key of the PC that measured it."),
    field("configuration", Kind::Text, "Name of the configuration."),
    field("exported_at", Kind::Instant, "When the row was exported."),
    field("schema_version", Kind::Whole, "Version of these columns."),
    field("trial", Kind::Whole, "Position of the trial in the run."),
    field("sample", Kind::Whole, "Position of the sample in its trial."),
    field(
        "value_nanos",
        Kind::Whole,
        "What the test is about: lateness, overshoot, length of a gap, time of a cycle.",
    ),
    field("began_nanos", Kind::Whole, "When the wait began, from the start of the trial."),
    field("due_nanos", Kind::Whole, "When the wait was due to end."),
    field("slept_nanos", Kind::Whole, "When the sleep of the OS returned; absent without one."),
    field("woke_nanos", Kind::Whole, "When the thread ran again."),
    field("done_nanos", Kind::Whole, "When the work was done."),
    field("spins", Kind::Whole, "Iterations of the spin."),
    field(
        "cpu",
        Kind::Whole,
        "CPU on which the thread woke; absent where the system does not report it.",
    ),
];

/// A row of the dataset of samples: the values in the order of [`SAMPLE_FIELDS`].
#[derive(Clone, Copy, Debug)]
pub struct SampleRow<'a> {
    /// The text columns: ID of the run, key of the machine, and name of the configuration.
    pub texts: [&'a str; 3],
    /// The other columns, including the timestamp of the export; `None` for an absent value.
    pub numbers: [Option<i64>; 12],
}

pub(super) fn each<E>(
    source: &Source<'_>,
    each: &mut dyn FnMut(&SampleRow<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let Source { run, machine_key, exported_at, .. } = source;
    for (trial, number) in run.trials.iter().zip(0_i64..) {
        let texts = [run.id.as_str(), machine_key.as_str(), trial.trial.label.as_str()];
        let values = trial.samples.iter().zip(trial.each_value()).zip(0_i64..);
        for ((sample, value), index) in values {
            let Sample { began, due, slept, woke, done, spins, cpu } = sample;
            let numbers = [
                Some(exported_at.as_microsecond()),
                Some(super::SCHEMA_VERSION),
                Some(number),
                Some(index),
                Some(value),
                Some(began.get()),
                Some(due.get()),
                slept.map(crate::nanos::Nanos::get),
                Some(woke.get()),
                Some(done.get()),
                Some(i64::from(spins)),
                cpu.map(i64::from),
            ];
            each(&SampleRow { texts, numbers })?;
        }
    }
    Ok(())
}
