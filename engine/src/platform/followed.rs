//! A process and its threads that a recorder follows, as the system describes them.

use crate::nanos::Nanos;
use crate::sample::ThreadOwner;

/// A process or a thread of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadFacts {
    /// The ID of the process.
    pub process: u32,
    /// The name of the thread; that of the program for the first thread of a process.
    pub name: String,
    /// The name of the program.
    pub process_name: String,
    /// When the thread started, by `clock_nanos`; `None` if it is not known.
    pub started: Option<Nanos>,
    /// The owner, if the thread belongs to no other program.
    pub owner: Option<ThreadOwner>,
}

/// What the system counts of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadWaits {
    /// For how long it was ready to run and waited for a CPU.
    pub delay: Nanos,
    /// How often it gave up its CPU to sleep.
    pub slept_count: u64,
}
