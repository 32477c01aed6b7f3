//! Which records a late sample needs.

use crate::nanos::Nanos;
use crate::sample::{Sample, TRACE_LEAD};

/// The records that a late sample needs.
#[derive(Debug)]
pub(super) struct Window {
    /// From when on switches of the thread itself are needed: its previous wake-up.
    pub(super) own_from: Nanos,
    /// From when on everything on its CPUs is needed.
    pub(super) from: Nanos,
    /// Until when.
    pub(super) to: Nanos,
    /// The measuring thread.
    pub(super) thread: u32,
    /// Its CPUs.
    pub(super) cpus: Vec<u32>,
}

impl Window {
    /// The window of a sample, after the sample before, of a trial that began then.
    pub(super) fn of(before: Option<&Sample>, sample: &Sample, start: Nanos, thread: u32) -> Self {
        let due = start + sample.due;
        let own_from = before.map_or(sample.began, |before| before.woke).min(sample.began) + start;
        let is_behind = before.is_some_and(|before| sample.due < before.done);
        let from = (due - TRACE_LEAD).min(if is_behind { own_from } else { due });
        let cpus = [before.and_then(|before| before.cpu), sample.cpu].into_iter().flatten();
        Self { own_from, from, to: start + sample.done, thread, cpus: cpus.collect() }
    }
}
