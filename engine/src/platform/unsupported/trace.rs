//! Traces: programs cannot record context switches, so that a trace contains no records.

use super::super::{Missing, SystemRecordFacts, ThreadId, TraceReader, TraceState};
use crate::nanos::Nanos;
use crate::sample::{ThreadOwner, TraceRecord};

/// Records nothing.
#[derive(Debug, Default)]
pub struct Tracer {
    state: TraceState,
}

impl Tracer {
    /// Opens a trace that records nothing.
    pub fn open(_threads: &[ThreadId]) -> Self {
        Self::default()
    }

    /// Returns the state, which has no source of records.
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// Returns `None`: no thread has to read records, as none arrive.
    pub const fn reader(&mut self) -> Option<TraceReader> {
        None
    }

    /// Passes no records to `take`.
    pub fn drain(&mut self, _take: impl FnMut(TraceRecord)) {}

    /// Passes nothing to `take`: there are no records whose number could be checked.
    pub fn close(&mut self, _take: impl FnMut(TraceRecord)) {}

    /// Returns `false`: counters are still needed, as there are no records.
    pub const fn replaces_counters(&self) -> bool {
        false
    }

    /// Returns an empty list of CPUs: the CPUs of a thread are not needed, as nothing is recorded.
    pub const fn cpus_of(&self, _thread: ThreadId) -> Vec<u32> {
        Vec::new()
    }

    /// Returns an empty list: without records, no interrupts can be missing from them.
    pub const fn untraced(&self) -> Vec<Missing> {
        Vec::new()
    }

    /// Returns 0: no records were lost.
    pub const fn lost_count(&self) -> u64 {
        0
    }

    /// Returns `false`: no CPU has records, whether idle or not.
    pub const fn is_blind_when_idle(&self) -> bool {
        false
    }

    /// Returns `None`: there are no records with names.
    pub fn name_of(&mut self, _record: &TraceRecord) -> Option<String> {
        None
    }
}

/// Records nothing of other threads.
#[derive(Debug, Default)]
pub struct SystemTracer {
    state: TraceState,
}

impl SystemTracer {
    /// Creates a recorder that records nothing.
    pub fn open(_max_bytes: usize) -> Self {
        Self::default()
    }

    /// Returns the state, which has no source of records.
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// Returns no kind of records.
    pub const fn facts(&self) -> SystemRecordFacts {
        SystemRecordFacts {
            has_wakeups: false,
            has_storage: false,
            has_reclaim: false,
            has_page_faults: false,
        }
    }

    /// Follows nothing: no switches are recorded.
    pub const fn follow(&mut self, _process: u32) {}

    /// Returns what is not recorded, in a sentence.
    pub fn sentence(&self) -> String {
        self.state.sentence()
    }

    /// Moves nothing: there are no records.
    pub const fn collect(&mut self) {}

    /// Returns `None`: nothing is recorded.
    pub const fn held_from(&self) -> Option<Nanos> {
        None
    }

    /// Passes no records to `take`.
    pub fn cut(&mut self, _from: Nanos, _to: Nanos, _take: impl FnMut(TraceRecord)) {}

    /// Returns `None`: there are no records with names.
    pub fn name_of(&mut self, _record: &TraceRecord) -> Option<String> {
        None
    }

    /// Returns zeros: no record is written, and none is lost.
    pub const fn counts(&self) -> [u64; 2] {
        [0, 0]
    }
}

/// Returns `None`: the owner of a thread is not known.
pub fn thread_owner(_thread: u32) -> Option<ThreadOwner> {
    None
}

/// Returns a state without a source: nothing can be recorded.
pub fn trace_state() -> TraceState {
    TraceState::default()
}
