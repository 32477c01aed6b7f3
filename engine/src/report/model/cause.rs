//! The causes of late samples.

use super::mark::Mark;
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
    /// A CPU quota was used up: the measuring thread was ready to run, and its CPU was idle.
    Quota,
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
    pub const ALL: [Self; 12] = [
        Self::PreviousFrame,
        Self::Thread,
        Self::WaitedForCpu,
        Self::Interrupt,
        Self::PageFault,
        Self::Quota,
        Self::Blocked,
        Self::Hypervisor,
        Self::NoEvent,
        Self::TimerLate,
        Self::DeepIdle,
        Self::NotObservable,
    ];

    /// Returns what users read and see of this cause, the same in window, terminal, and exported
    /// files.
    pub const fn row(self) -> &'static CauseRow {
        match self {
            Self::PreviousFrame => &CauseRow {
                names: ["Previous frame overran", "Previous frame"],
                predicate: "started late because the previous frame overran",
                advice: "Less work per frame is likely to help.",
                look: ("previous", Mark::Cross, 2),
            },
            Self::Thread => &CauseRow {
                names: ["Another thread ran", "Thread"],
                predicate: "were delayed by",
                advice: "Closing that program or raising the priority is likely to help.",
                look: ("thread", Mark::Circle, 0),
            },
            Self::WaitedForCpu => &CauseRow {
                names: ["Waited for a CPU", "Waited for CPU"],
                predicate: "waited for a CPU",
                advice: "A higher priority is likely to help.",
                look: ("queue", Mark::Ring, 5),
            },
            Self::Interrupt => &CauseRow {
                names: ["Interrupt or softirq", "Interrupt"],
                predicate: "were delayed by",
                advice: "Moving the interrupt or the thread to another CPU may help.",
                look: ("interrupt", Mark::Diamond, 6),
            },
            Self::PageFault => &CauseRow {
                names: ["Page fault", "Page fault"],
                predicate: "were delayed by page faults",
                advice: "Prefaulting or locking memory is likely to help.",
                look: ("fault", Mark::TriangleUp, 3),
            },
            Self::Quota => &CauseRow {
                names: ["CPU quota", "Quota"],
                predicate: "were throttled by a CPU quota",
                advice: "Raise or remove the CPU limit of the container or service that this program runs in.",
                look: ("quota", Mark::HollowTriangle, 3),
            },
            Self::Blocked => &CauseRow {
                names: ["Blocked, stopped, or throttled", "Blocked"],
                predicate: "were blocked, stopped, or throttled",
                advice: "",
                look: ("blocked", Mark::Plus, 2),
            },
            // These two causes share a look: steal is detected when no event is recorded, so both
            // describe the same situation.
            Self::Hypervisor => &CauseRow {
                names: ["Preempted by the hypervisor", "Hypervisor"],
                predicate: "were delayed by the hypervisor",
                advice: "Cannot be fixed inside this virtual machine.",
                look: ("hypervisor", Mark::TriangleDown, 4),
            },
            Self::NoEvent => &CauseRow {
                names: ["No event recorded", "No event"],
                predicate: "were delayed without a recorded event: a hypervisor, firmware, or \
                            hardware may be the cause",
                advice: "A hypervisor, firmware, or hardware may be the cause.",
                look: ("none", Mark::TriangleDown, 4),
            },
            Self::TimerLate => &CauseRow {
                names: ["OS timer fired late", "OS timer"],
                predicate: "were woken late by the OS timer",
                advice: "A spin tail, a lower timer slack, or keeping CPUs out of deep idle may help.",
                look: ("timer", Mark::Square, 1),
            },
            Self::DeepIdle => &CauseRow {
                names: ["CPU left deep idle late", "Deep idle"],
                predicate: "waited for a CPU to leave deep idle",
                advice: "Keeping CPUs out of deep idle, or a spin tail, is likely to help.",
                look: ("idle", Mark::HollowSquare, 1),
            },
            Self::NotObservable => &CauseRow {
                names: ["Not observable here", "Not observable"],
                predicate: "",
                advice: "",
                look: ("unseen", Mark::HollowDiamond, 7),
            },
        }
    }

    /// Returns the name of the cause in results, such as "Page fault".
    pub const fn label(self) -> &'static str {
        self.row().names[0]
    }
}

/// What users read and see of a cause.
#[derive(Clone, Copy, Debug)]
pub struct CauseRow {
    /// The name in results, and a shorter one for a narrow column.
    pub names: [&'static str; 2],
    /// What happened to the late samples of this cause, after their number; empty if not observable.
    /// The name of the thread or the interrupt follows where one is known.
    pub predicate: &'static str,
    /// What may help against this cause; empty if nothing is known.
    pub advice: &'static str,
    /// The key of the mark in classes and symbols of HTML, its shape, and the index of the series
    /// whose color it has.
    pub look: (&'static str, Mark, usize),
}
