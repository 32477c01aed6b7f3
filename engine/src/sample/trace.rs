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
    /// Everything that could explain a delay is recorded on this CPU.
    Covered,
    /// An event is not recorded on this CPU: `name` is its name, `value` the error number, where an error is why.
    NotRecorded,
    /// An interrupt began whose end the kernel does not record.
    Interrupted,
    /// A thread belongs to the kernel or to this program; `value` is [`ThreadOwner::number`]. Saved once per
    /// thread, so that it is known by its number and not by its name.
    Owner,
    /// The timer that ends a sleep of the thread expired; `value` is how long after the latest time for which it was
    /// set, in nanoseconds.
    TimerExpired,
    /// A CPU entered an idle state; `value` is how long it takes to leave it, in nanoseconds, where that is known.
    IdleBegin,
    /// A CPU left an idle state.
    IdleEnd,
}

/// Whose a thread is that belongs to no other program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadOwner {
    /// The kernel's.
    Kernel,
    /// This program's.
    Own,
}

impl ThreadOwner {
    /// The number in files.
    pub const fn number(self) -> i64 {
        match self {
            Self::Kernel => 1,
            Self::Own => 2,
        }
    }

    /// The owner of a number; `None` for one that this version does not have.
    pub fn from_number(number: i64) -> Option<Self> {
        [Self::Kernel, Self::Own].into_iter().find(|owner| owner.number() == number)
    }
}

impl TraceEvent {
    /// Every event with its number in files.
    const NUMBERS: [(Self, i64); 20] = [
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
        (Self::Covered, 14),
        (Self::NotRecorded, 15),
        (Self::Interrupted, 16),
        (Self::Owner, 17),
        (Self::TimerExpired, 18),
        (Self::IdleBegin, 19),
        (Self::IdleEnd, 20),
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

/// Numbers from here on are not those of threads in this PID namespace: the rest of the bits is the kernel's number.
pub const OUTSIDE: u32 = 1 << 31;

/// How the name of such a thread ends.
pub const OUTSIDE_NAME: &str = " (outside this container)";

/// A thread without any number: outside of this PID namespace, or one that has exited.
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

impl TraceRecord {
    /// One end of a loss of records on a CPU: the first end has the count, the second one 0.
    pub const fn lost(at: Nanos, cpu: u32, count: i64) -> Self {
        Self { at, event: TraceEvent::Lost, cpu, thread: None, name: None, value: Some(count) }
    }
}
