//! Where a system records no switches for programs: nothing to open.

use std::path::Path;

use super::{FileCapabilities, Missing, ThreadId, TraceReader, TraceState};
use crate::sample::{ThreadOwner, TraceRecord};

/// Records nothing on this system.
#[derive(Debug, Default)]
pub struct Tracer {
    state: TraceState,
}

impl Tracer {
    /// Opens nothing.
    pub fn open(_threads: &[ThreadId]) -> Self {
        Self::default()
    }

    /// That nothing is recorded.
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// What a thread has to run for records to arrive: nothing.
    pub const fn reader(&mut self) -> Option<TraceReader> {
        None
    }

    /// Takes nothing out.
    pub fn drain(&mut self, _take: impl FnMut(TraceRecord)) {}

    /// Whether counters of the threads add nothing to the records: no.
    pub const fn replaces_counters(&self) -> bool {
        false
    }

    /// The CPUs on which a thread may run: nothing is recorded on them.
    pub const fn cpus_of(&self, _thread: ThreadId) -> Vec<u32> {
        Vec::new()
    }

    /// What no tracepoint records: nothing is recorded.
    pub const fn untraced(&self) -> Vec<Missing> {
        Vec::new()
    }

    /// How many records were lost: none.
    pub const fn lost_count(&self) -> u64 {
        0
    }

    /// Whether interrupts of an idle CPU are missing: none are recorded.
    pub const fn is_blind_when_idle(&self) -> bool {
        false
    }

    /// The name of what a record is about: unknown.
    pub fn name_of(&mut self, _record: &TraceRecord) -> Option<String> {
        None
    }
}

/// Whose a thread is: unknown.
pub fn thread_owner(_thread: u32) -> Option<ThreadOwner> {
    None
}

/// What can be recorded for threads of this process: nothing.
pub fn trace_state() -> TraceState {
    TraceState::default()
}

/// The capabilities of a program file: no such system has them.
pub fn file_capabilities(_program: &Path) -> FileCapabilities {
    FileCapabilities::default()
}
