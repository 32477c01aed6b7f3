//! The record of one event that the system traced around a late sample.

use crate::nanos::Nanos;

/// The records of a late sample begin this long before the sample was due.
pub const TRACE_LEAD: Nanos = Nanos::from_millis(4);

/// The kind of an event. Each kind has a number in run files, which never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A thread got a CPU; `value` is the kernel priority of the thread, if known.
    SwitchIn,
    /// A thread lost its CPU while it was ready to run.
    Preempted,
    /// A thread gave up its CPU to sleep.
    Slept,
    /// A thread was stopped by a signal or frozen.
    Stopped,
    /// A thread gave up its CPU to wait for a device or for memory.
    Blocked,
    /// A thread became ready to run. In the detail of a recording, `cpu` is the CPU that woke the thread, and `value`
    /// is the number of what it was doing (thread, interrupt, softirq), if known.
    Waking,
    /// An interrupt began.
    InterruptBegin,
    /// An interrupt ended.
    InterruptEnd,
    /// A softirq began.
    SoftirqBegin,
    /// A softirq ended.
    SoftirqEnd,
    /// A thread had a page fault, or several within a short time; `value` is the time from the first to the
    /// last page fault in nanoseconds.
    PageFault,
    /// Records of the CPU were lost. One such event marks the start of the loss, with the number of lost
    /// records as `value`; another one marks its end, with the value 0.
    Lost,
    /// A program was busy in the last interval of 250 ms or 1 s; `value` is its CPU time in thousandths of one
    /// CPU. It is a hint for times at which no record shows which thread had a CPU.
    Busy,
    /// All events that could explain a delay are recorded on this CPU.
    Covered,
    /// A kind of event is not recorded on this CPU: `name` is the name of the kind, and `value` is the error number
    /// if an error is the reason.
    NotRecorded,
    /// An interrupt began; the kernel does not record its end.
    Interrupted,
    /// A thread belongs to the kernel or to this program; `value` is [`ThreadOwner::number`]. Saved once per
    /// thread, so that readers need not guess the owner from the thread's name.
    Owner,
    /// The timer that ends a thread's sleep expired; `value` is the lateness of the timer in nanoseconds, counted
    /// from the latest time at which it was set to expire.
    TimerExpired,
    /// A CPU entered an idle state; `value` is the time that leaving the state takes in nanoseconds, if known.
    IdleBegin,
    /// A CPU left an idle state.
    IdleEnd,
    /// The records that explain one late sample are saved: all from this time on, for `value` nanoseconds. A late
    /// sample outside of all such times has no records, because the limit of saved records excluded it.
    Saved,
    /// Records of the CPU may be missing from this time on, for `value` nanoseconds, although the system reported no
    /// loss: an event was counted more often than its records arrived.
    Incomplete,
    /// How often the system counted a kind of event on this CPU during the trace: `name` is the name of the kind, and
    /// `value` is the count.
    Counted,
    /// How many records of a kind of event arrived from this CPU: `name` is the name of the kind, and `value` is the
    /// count.
    Received,
    /// How many records of a kind of event the system reported as lost on this CPU: `name` is the name of the kind, and
    /// `value` is the count.
    ReportedLost,
    /// A thread began to free memory because memory was short.
    ReclaimBegin,
    /// A thread stopped freeing memory.
    ReclaimEnd,
    /// The kernel began to complete a request of a storage device on this CPU; `name` is the name of the device.
    BlockCompleteBegin,
    /// The kernel had completed a request of a storage device on this CPU.
    BlockCompleteEnd,
    /// A softirq was requested on this CPU; `value` is its number. `thread` is the thread that requested it, or `None`
    /// if an interrupt or another softirq did.
    SoftirqRaised,
    /// A thread was created; `value` is the number of its process. Its number may have belonged to another thread.
    Started,
    /// A thread ended. Its number may be used again.
    Exited,
}

/// Who woke a thread: what the CPU that wrote the record was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeContext {
    /// The thread that was current on the CPU.
    Thread,
    /// An interrupt.
    Interrupt,
    /// A softirq, or on Windows a deferred procedure call.
    Softirq,
}

impl WakeContext {
    /// Returns the number of the context in records.
    pub const fn number(self) -> i64 {
        match self {
            Self::Thread => 0,
            Self::Interrupt => 1,
            Self::Softirq => 2,
        }
    }

    /// Returns the context with a number in records; `None` if this version does not know the number.
    pub const fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Thread),
            1 => Some(Self::Interrupt),
            2 => Some(Self::Softirq),
            _ => None,
        }
    }
}

/// The owner of a thread that does not belong to another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadOwner {
    /// The kernel.
    Kernel,
    /// This program.
    Own,
}

impl ThreadOwner {
    /// Returns the number of the owner in files.
    pub const fn number(self) -> i64 {
        match self {
            Self::Kernel => 1,
            Self::Own => 2,
        }
    }

    /// Returns the owner with a number in files; `None` if this version does not know the number.
    pub fn from_number(number: i64) -> Option<Self> {
        [Self::Kernel, Self::Own].into_iter().find(|owner| owner.number() == number)
    }
}

impl TraceEvent {
    /// Every kind of event with its number in files.
    const NUMBERS: [(Self, i64); 32] = [
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
        (Self::Saved, 21),
        (Self::Incomplete, 22),
        (Self::Counted, 23),
        (Self::Received, 24),
        (Self::ReportedLost, 25),
        (Self::ReclaimBegin, 26),
        (Self::ReclaimEnd, 27),
        (Self::BlockCompleteBegin, 28),
        (Self::BlockCompleteEnd, 29),
        (Self::SoftirqRaised, 30),
        (Self::Started, 31),
        (Self::Exited, 32),
    ];

    /// Returns the number of the kind of event in files.
    pub fn number(self) -> i64 {
        Self::NUMBERS.iter().find(|(event, _)| *event == self).map_or(0, |(_, number)| *number)
    }

    /// Returns the kind of event with a number in files; `None` if this version does not know the number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::NUMBERS.iter().find(|(_, one)| *one == number).map(|(event, _)| *event)
    }

    /// Whether the event describes what is recorded, rather than something that happened on a CPU.
    pub const fn is_about_records(self) -> bool {
        matches!(
            self,
            Self::Busy
                | Self::Covered
                | Self::NotRecorded
                | Self::Owner
                | Self::Saved
                | Self::Incomplete
                | Self::Counted
                | Self::Received
                | Self::ReportedLost
        )
    }

    /// Whether the event is that a thread lost or gave up its CPU.
    pub const fn is_switch_out(self) -> bool {
        matches!(self, Self::Preempted | Self::Slept | Self::Stopped | Self::Blocked)
    }
}

/// Thread IDs from this value on are of threads outside of this PID namespace; the lower bits are the kernel's ID.
pub const OUTSIDE: u32 = 1 << 31;

/// End of the name of a thread outside of this PID namespace.
pub const OUTSIDE_NAME: &str = " (outside this container)";

/// The ID for a thread whose ID is not known: the thread is outside of this PID namespace, has exited, or its record was lost.
pub const UNKNOWN_THREAD: u32 = u32::MAX;

/// An event with its time, CPU, and thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// Time of the event: by the system's raw clock during recording, and from the trial's start in saved records.
    pub at: Nanos,
    /// Kind of the event.
    pub event: TraceEvent,
    /// CPU on which the event happened; 0 for `Busy` and `Owner`, which belong to no CPU.
    pub cpu: u32,
    /// ID of the thread that the event is about; for `Busy`, ID of the process. 0 if the CPU became idle,
    /// `None` for events without a thread, such as interrupts and losses.
    pub thread: Option<u32>,
    /// Position of the name of the thread, interrupt, or other subject in the trace's list of names, if it has one.
    pub name: Option<u32>,
    /// Number that belongs to the event; its meaning depends on the kind. `None` without such a number.
    pub value: Option<i64>,
}

impl TraceRecord {
    /// Creates a record without a thread, a name, and a value.
    pub const fn new(at: Nanos, event: TraceEvent, cpu: u32) -> Self {
        Self { at, event, cpu, thread: None, name: None, value: None }
    }

    /// Returns a record of a loss of records on a CPU: for the start of the loss, with the number of lost
    /// records as `count`, or for its end, with 0.
    pub const fn lost(at: Nanos, cpu: u32, count: i64) -> Self {
        Self { value: Some(count), ..Self::new(at, TraceEvent::Lost, cpu) }
    }
}
