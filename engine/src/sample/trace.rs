//! One event that the system recorded around a late sample.

use crate::nanos::Nanos;

/// How long before a late sample was due its records of the CPU begin.
pub const TRACE_LEAD: Nanos = Nanos::from_millis(4);

/// What happened. The numbers stand in run files and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A thread got a CPU; `value` is its kernel priority, where that is known.
    SwitchIn,
    /// A thread lost its CPU while it was ready to run.
    Preempted,
    /// A thread gave its CPU away to sleep.
    Slept,
    /// A thread was stopped by a signal or frozen.
    Stopped,
    /// A thread gave its CPU away to wait for a device or for memory.
    Blocked,
    /// A thread became ready to run.
    Waking,
    /// An interrupt began.
    InterruptBegin,
    /// An interrupt ended.
    InterruptEnd,
    /// A softirq began.
    SoftirqBegin,
    /// A softirq ended.
    SoftirqEnd,
    /// A page fault of the thread began, or the first of several close together; `value` is the time to
    /// the last of them in nanoseconds.
    PageFault,
    /// Records were lost before this one; `value` is how many.
    Lost,
    /// A program used the CPUs in the last quarter of a second; `value` is its share of one CPU in
    /// thousandths. A hint, where it is not recorded who had a CPU.
    Busy,
}

impl TraceEvent {
    /// Every event with its number in files.
    const NUMBERS: [(Self, i64); 13] = [
        (Self::SwitchIn, 1),
        (Self::Preempted, 2),
        (Self::Slept, 3),
        (Self::Stopped, 4),
        (Self::Blocked, 5),
        (Self::Waking, 6),
        (Self::InterruptBegin, 7),
        (Self::InterruptEnd, 8),
        (Self::SoftirqBegin, 9),
        (Self::SoftirqEnd, 10),
        (Self::PageFault, 11),
        (Self::Lost, 12),
        (Self::Busy, 13),
    ];

    /// The number in files.
    pub fn number(self) -> i64 {
        Self::NUMBERS.iter().find(|(event, _)| *event == self).map_or(0, |(_, number)| *number)
    }

    /// The event of a number; `None` for one that this version does not have.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::NUMBERS.iter().find(|(_, one)| *one == number).map(|(event, _)| *event)
    }

    /// Whether a thread lost its CPU.
    pub const fn is_switch_out(self) -> bool {
        matches!(self, Self::Preempted | Self::Slept | Self::Stopped | Self::Blocked)
    }
}

/// The number that the kernel reports for a thread of another PID namespace, or one that has exited.
pub const UNKNOWN_THREAD: u32 = u32::MAX;

/// An event with its time and its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// When: the raw clock while it is recorded, from the trial's start once it is saved.
    pub at: Nanos,
    /// What happened.
    pub event: TraceEvent,
    /// On which CPU.
    pub cpu: u32,
    /// The thread it is about, 0 where the CPU became idle; absent for interrupts.
    pub thread: Option<u32>,
    /// The position of the thread's or interrupt's name in a list; absent where it has none.
    pub name: Option<u32>,
    /// Name of the event.
    pub value: Option<i64>,
}
