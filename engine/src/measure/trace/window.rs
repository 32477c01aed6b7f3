//! Determines which trace records a late sample needs.

use crate::nanos::Nanos;
use crate::sample::{Sample, TRACE_LEAD};

/// The range of trace records that a late sample needs.
#[derive(Debug)]
pub(super) struct Window {
    /// Start of the records of the measuring thread: its previous wake-up.
    pub(super) own_from: Nanos,
    /// Start of the records of other threads on `cpus`: [`TRACE_LEAD`] before the sample was due, or `own_from`
    /// if the previous work had not finished when the sample was due.
    pub(super) from: Nanos,
    /// End of all records: the end of the sample's work.
    pub(super) to: Nanos,
    /// The ID of the measuring thread.
    pub(super) thread: u32,
    /// The CPUs on which the measuring thread woke for the previous sample and for this one.
    pub(super) cpus: Vec<u32>,
}

impl Window {
    /// Returns the window of a late sample. `before` is the previous sample, and `start` is the clock value from
    /// which the times of the samples count.
    pub(super) fn of(before: Option<&Sample>, sample: &Sample, start: Nanos, thread: u32) -> Self {
        let due = start + sample.due;
        let own_from = before.map_or(sample.began, |before| before.woke).min(sample.began) + start;
        let is_behind = before.is_some_and(|before| sample.due < before.done);
        let from = (due - TRACE_LEAD).min(if is_behind { own_from } else { due });
        let cpus = [before.and_then(|before| before.cpu), sample.cpu].into_iter().flatten();
        Self { own_from, from, to: start + sample.done, thread, cpus: cpus.collect() }
    }
}
