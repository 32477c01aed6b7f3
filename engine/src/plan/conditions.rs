//! The conditions that a measuring thread requests from the operating system, such as priority and pinning.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// The highest real-time priority that a plan can request. Threads of the kernel have priorities of 50 or
/// higher, so that they always run before the threads of a plan.
pub const MAX_REALTIME_PRIORITY: u8 = 20;

/// Scheduling priority of a thread; `platform` defines what each level means on each system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// Runs only when no other thread needs the CPU.
    Idle,
    /// Below the priority of other programs.
    BelowNormal,
    /// The default priority of every program.
    Normal,
    /// Above the priority of other programs.
    AboveNormal,
    /// The highest level that programs commonly request.
    Highest,
    /// The highest safe level.
    TimeCritical,
    /// Linux `SCHED_FIFO` at this priority, 1 to 20.
    Fifo(u8),
    /// Linux `SCHED_RR` at this priority, 1 to 20.
    RoundRobin(u8),
    /// Linux `SCHED_DEADLINE`.
    Deadline(Deadline),
    /// A task of the Windows Multimedia Class Scheduler Service.
    Mmcss(MmcssTask),
}

/// Parameters of a `SCHED_DEADLINE` request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Deadline {
    /// CPU time per period; 0 uses p99.9 of the measured CPU time of the work plus 20%, between 10%
    /// and 50% of the period and at most the deadline.
    #[serde(rename = "runtime_nanos")]
    pub runtime: Nanos,
    /// Time from the start of each period by which the CPU time must have been granted.
    #[serde(rename = "deadline_nanos")]
    pub deadline: Nanos,
    /// Period in which the CPU time is granted once.
    #[serde(rename = "period_nanos")]
    pub period: Nanos,
}

impl Deadline {
    /// How often the work is run to measure its CPU time, if the runtime is automatic.
    pub const TRIES: usize = 300;

    /// Returns how long it takes to measure the CPU time of work of this length before a trial; 0 if the
    /// runtime is given.
    pub fn calibration(self, work: Nanos) -> Nanos {
        if self.runtime == Nanos::ZERO {
            work * i64::try_from(Self::TRIES).unwrap_or(i64::MAX)
        } else {
            Nanos::ZERO
        }
    }
}

/// A task of the Windows Multimedia Class Scheduler Service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MmcssTask {
    /// The task `Games`.
    Games,
    /// The task `Pro Audio`.
    ProAudio,
}

impl MmcssTask {
    /// Returns the name that the service uses for the task.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Games => "Games",
            Self::ProAudio => "Pro Audio",
        }
    }
}

impl Priority {
    /// The four priority levels of the matrix of priority × pinning.
    pub const LEVELS: [Self; 4] =
        [Self::Normal, Self::AboveNormal, Self::Highest, Self::TimeCritical];

    /// Returns the name on screen.
    pub fn name(self) -> String {
        match self {
            Self::Idle => "Idle".to_owned(),
            Self::BelowNormal => "Below normal".to_owned(),
            Self::Normal => "Normal".to_owned(),
            Self::AboveNormal => "Above normal".to_owned(),
            Self::Highest => "Highest".to_owned(),
            Self::TimeCritical => "Time-critical".to_owned(),
            Self::Fifo(priority) => format!("FIFO {priority}"),
            Self::RoundRobin(priority) => format!("RR {priority}"),
            Self::Deadline(_) => "DEADLINE".to_owned(),
            Self::Mmcss(task) => format!("MMCSS {}", task.name()),
        }
    }

    /// Returns a number by which priorities can be sorted from the lowest to the highest.
    pub fn rank(self) -> u8 {
        match self {
            Self::Idle => 0,
            Self::BelowNormal => 1,
            Self::Normal => 2,
            Self::AboveNormal => 3,
            Self::Highest => 4,
            Self::TimeCritical => 5,
            Self::Mmcss(MmcssTask::Games) => 6,
            Self::Mmcss(MmcssTask::ProAudio) => 7,
            Self::RoundRobin(priority) => 10 + priority,
            Self::Fifo(priority) => 40 + priority,
            Self::Deadline(_) => 100,
        }
    }
}

/// The CPU that the thread is pinned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CpuChoice {
    /// Unpinned.
    Any,
    /// A performance core. If there are several, the first one that is not CPU 0.
    Performance,
    /// The first logical CPU of the first performance core. This is usually CPU 0, which serves most interrupts.
    FirstPerformance,
    /// An efficiency core.
    Efficiency,
    /// The logical CPU with this number.
    Cpu(u32),
}

impl CpuChoice {
    /// Returns what the thread is pinned to, as part of a sentence.
    pub fn phrase(self) -> String {
        match self {
            Self::Any => "no CPU".to_owned(),
            Self::Performance => "a performance core".to_owned(),
            Self::FirstPerformance => "the first performance core".to_owned(),
            Self::Efficiency => "an efficiency core".to_owned(),
            Self::Cpu(cpu) => format!("CPU {cpu}"),
        }
    }

    /// Returns the name on screen.
    pub fn name(self) -> String {
        match self {
            Self::Any => "None".to_owned(),
            Self::Performance => "P-core".to_owned(),
            Self::FirstPerformance => "first P-core".to_owned(),
            Self::Efficiency => "E-core".to_owned(),
            Self::Cpu(cpu) => format!("CPU {cpu}"),
        }
    }
}

/// What a measuring thread requests from the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Conditions {
    /// The scheduling priority of the thread.
    pub priority: Priority,
    /// The CPU that the thread is pinned to.
    pub cpu: CpuChoice,
    /// Linux: how long the kernel may delay a wake-up to bundle it with others; 0 retains the
    /// system's default (50 µs). Real-time policies ignore it.
    #[serde(rename = "timer_slack_nanos")]
    pub timer_slack: Nanos,
    /// Whether the finest timer is requested: the finest timer resolution of Windows. macOS has none and denies it.
    pub fine_timer: bool,
    /// Linux: whether `/dev/cpu_dma_latency` is held at 0, which prevents deep idle states of the CPUs.
    pub no_deep_idle: bool,
}

impl Conditions {
    /// Normal priority, unpinned, default timers.
    pub const NORMAL: Self = Self {
        priority: Priority::Normal,
        cpu: CpuChoice::Any,
        timer_slack: Nanos::ZERO,
        fine_timer: false,
        no_deep_idle: false,
    };
}

impl fmt::Display for Conditions {
    /// Writes priority and pinning: `Above normal, P-core`. Omits the pinning of an unpinned thread.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.priority.name())?;
        if self.cpu == CpuChoice::Any { Ok(()) } else { write!(f, ", {}", self.cpu.name()) }
    }
}

/// One cell of a matrix of priority × pinning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cell {
    /// The priority, which is the row of the cell.
    pub priority: Priority,
    /// The pinning, which is the column of the cell.
    pub cpu: CpuChoice,
}

impl Cell {
    /// Returns the conditions of a thread with the priority and the pinning of the cell, and default timers.
    pub const fn conditions(self) -> Conditions {
        Conditions { priority: self.priority, cpu: self.cpu, ..Conditions::NORMAL }
    }
}
