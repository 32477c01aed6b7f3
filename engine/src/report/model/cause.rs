//! The causes of late samples.

use crate::nanos::Nanos;

/// Exit latency above which an idle state of a CPU counts as deep: leaving such a state makes a
/// wake-up late.
pub(in crate::report) const DEEP_IDLE: Nanos = Nanos::from_micros(20);

/// The cause of a segment of the lateness of a sample. The cause of the longest segment is the
/// cause of the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The previous frame was not finished at the scheduled start.
    PreviousFrame,
    /// The measuring thread was ready to run while another thread, whose name is known, ran on its
    /// CPU.
    Thread,
    /// The measuring thread was ready to run but waited for a CPU (run-queue delay), including
    /// preemption.
    WaitedForCpu,
    /// An interrupt or a softirq occupied the CPU.
    Interrupt,
    /// The measuring thread waited for a page fault.
    PageFault,
    /// The measuring thread was stopped, throttled, or blocked on something other than its wait.
    Blocked,
    /// The hypervisor ran something else on the CPU (steal time).
    Hypervisor,
    /// No recorded event explains the lateness. Only stated if every interrupt and context switch
    /// was recorded.
    NoEvent,
    /// The timer of the sleep fired late; the measuring thread did not wait for a CPU.
    TimerLate,
    /// The CPU was in an idle state with a long exit latency.
    DeepIdle,
    /// This system does not report what made the sample late.
    #[default]
    NotObservable,
}

impl Cause {
    /// All causes, in the order in which lists show them.
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

    /// Returns the name of the cause in results, such as "Page fault".
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

    /// Returns advice against this cause; empty if there is none.
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
