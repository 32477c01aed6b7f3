//! The kinds of time that make a sample late.

use crate::nanos::Nanos;

/// Leaving an idle state that takes longer than this makes a wake-up late.
pub(in crate::report) const DEEP_IDLE: Nanos = Nanos::from_micros(20);

/// Where a segment of a lateness went. The cause of a late sample is that of its largest segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The frame before was not finished at the scheduled start.
    PreviousFrame,
    /// The thread was ready to run while another one, known by name, had its CPU.
    Thread,
    /// The thread was ready to run and had no CPU; preemption included.
    WaitedForCpu,
    /// An interrupt or a softirq had the CPU.
    Interrupt,
    /// Memory had to be fetched.
    PageFault,
    /// The thread was stopped, throttled, or blocked on something other than its wait.
    Blocked,
    /// The hypervisor gave the CPU to others: steal time.
    Hypervisor,
    /// Nothing that was recorded explains it. Known only where every interrupt and switch was
    /// recorded.
    NoEvent,
    /// The OS sleep ended late although the thread did not wait for a CPU.
    TimerLate,
    /// The CPU was in an idle state that takes long to leave.
    DeepIdle,
    /// This system does not report what happened.
    NotObservable,
}

impl Cause {
    /// Every cause, in the order of lists.
    pub const ALL: [Self; 11] = [
        Self::PreviousFrame,
        Self::Thread,
        Self::WaitedForCpu,
        Self::Interrupt,
        Self::PageFault,
        Self::Blocked,
        Self::Hypervisor,
        Self::NoEvent,
        Self::TimerLate,
        Self::DeepIdle,
        Self::NotObservable,
    ];

    /// The label.
    pub const fn label(self) -> &'static str {
        match self {
            Self::PreviousFrame => "Previous frame overran",
            Self::Thread => "Another thread ran",
            Self::WaitedForCpu => "Waited for a CPU",
            Self::Interrupt => "Interrupt or softirq",
            Self::PageFault => "Page fault",
            Self::Blocked => "Blocked, stopped, or throttled",
            Self::Hypervisor => "Preempted by the hypervisor",
            Self::NoEvent => "No event recorded",
            Self::TimerLate => "OS timer fired late",
            Self::DeepIdle => "CPU left deep idle late",
            Self::NotObservable => "Not observable here",
        }
    }

    /// What may help; empty where nothing is known to.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::PreviousFrame => "Less work per frame is likely to help.",
            Self::Thread => "Closing that program or raising the priority is likely to help.",
            Self::WaitedForCpu => "A higher priority is likely to help.",
            Self::Interrupt => "Moving the interrupt or the thread to another CPU may help.",
            Self::PageFault => "Prefaulting or locking memory is likely to help.",
            Self::Hypervisor => "Cannot be fixed inside this virtual machine.",
            Self::NoEvent => "A hypervisor, firmware, or hardware may be the cause.",
            Self::TimerLate => {
                "A spin tail, a lower timer slack, or keeping CPUs out of deep idle may help."
            }
            Self::DeepIdle => "Keeping CPUs out of deep idle, or a spin tail, is likely to help.",
            Self::Blocked | Self::NotObservable => "",
        }
    }
}
