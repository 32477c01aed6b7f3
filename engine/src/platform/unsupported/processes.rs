//! For systems on which the CPU times of all processes are read at once: no process has a clock that others may read.

use super::super::{ThreadFacts, ThreadWaits};

/// Reads the CPU times of processes one at a time, which this system does not support.
#[derive(Debug)]
pub enum ProcessClocks {}

impl ProcessClocks {
    /// Returns `None`: the caller has to read all processes at once.
    pub const fn open() -> Option<Self> {
        None
    }

    /// Is never called: no value of this type exists.
    pub fn step(&mut self, _take: impl FnOnce(u32, i64)) -> bool {
        false
    }
}

/// Returns `None`: names are read together with the CPU times.
pub const fn program_name(_process: u32) -> Option<String> {
    None
}

/// Returns `None`: processes cannot be found.
pub const fn find_process(_wanted: &str) -> Option<u32> {
    None
}

/// Returns `None`: threads are not described.
pub const fn thread_facts(_thread: u32) -> Option<ThreadFacts> {
    None
}

/// Returns nothing: threads cannot be found.
pub const fn find_threads(_wanted: &str) -> Vec<u32> {
    Vec::new()
}

/// Returns `None`: the waits of threads are not counted.
pub const fn thread_waits(_thread: u32) -> Option<ThreadWaits> {
    None
}
