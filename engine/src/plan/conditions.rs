//! What a measuring thread requests from the operating system.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// The highest real-time priority that is ever requested: kernel threads (50 and up) always win.
pub const MAX_REALTIME_PRIORITY: u8 = 20;

/// Scheduling priority of a thread; `platform` defines what each level means on each system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// Runs only when nothing else does.
    Idle,
    /// Below other programs.
    BelowNormal,
    /// The default of every program.
    Normal,
    /// Above other programs.
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
    /// CPU time per period; 0 uses the measured p99.9 of the work plus a fifth, at least a tenth of
    /// the period.
    #[serde(rename = "runtime_nanos")]
    pub runtime: Nanos,
    /// Deadline within the period by which the CPU time must have been granted.
    #[serde(rename = "deadline_nanos")]
    pub deadline: Nanos,
    /// The period.
    #[serde(rename = "period_nanos")]
    pub period: Nanos,
}

impl Deadline {
    /// How often the work is tried for an automatic runtime.
    pub const TRIES: usize = 300;

    /// How long it takes to find the runtime for this work before a trial.
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
    /// `Games`.
    Games,
    /// `Pro Audio`.
    ProAudio,
}

impl MmcssTask {
    /// The name that the service uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Games => "Games",
            Self::ProAudio => "Pro Audio",
        }
    }
}

impl Priority {
    /// The four levels of the matrix.
    pub const LEVELS: [Self; 4] =
        [Self::Normal, Self::AboveNormal, Self::Highest, Self::TimeCritical];

    /// The name on screen.
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

    /// Rank among all priorities, the lowest first.
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

impl fmt::Display for Priority {
    /// As the command line writes it: `above-normal`, `fifo:10`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => f.write_str("idle"),
            Self::BelowNormal => f.write_str("below-normal"),
            Self::Normal => f.write_str("normal"),
            Self::AboveNormal => f.write_str("above-normal"),
            Self::Highest => f.write_str("highest"),
            Self::TimeCritical => f.write_str("time-critical"),
            Self::Fifo(priority) => write!(f, "fifo:{priority}"),
            Self::RoundRobin(priority) => write!(f, "rr:{priority}"),
            Self::Deadline(_) => f.write_str("deadline"),
            Self::Mmcss(MmcssTask::Games) => f.write_str("mmcss-games"),
            Self::Mmcss(MmcssTask::ProAudio) => f.write_str("mmcss-pro-audio"),
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
    /// A performance core: the first that is not CPU 0, if there are several.
    Performance,
    /// An efficiency core.
    Efficiency,
    /// This logical CPU.
    Cpu(u32),
}

impl CpuChoice {
    /// What a thread is pinned to, in a sentence.
    pub fn phrase(self) -> String {
        match self {
            Self::Any => "no CPU".to_owned(),
            Self::Performance => "a performance core".to_owned(),
            Self::Efficiency => "an efficiency core".to_owned(),
            Self::Cpu(cpu) => format!("CPU {cpu}"),
        }
    }
}

impl fmt::Display for CpuChoice {
    /// As the command line writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("none"),
            Self::Performance => f.write_str("performance"),
            Self::Efficiency => f.write_str("efficiency"),
            Self::Cpu(cpu) => write!(f, "{cpu}"),
        }
    }
}

impl CpuChoice {
    /// The name on screen.
    pub fn name(self) -> String {
        match self {
            Self::Any => "None".to_owned(),
            Self::Performance => "P-core".to_owned(),
            Self::Efficiency => "E-core".to_owned(),
            Self::Cpu(cpu) => format!("CPU {cpu}"),
        }
    }
}

/// What a measuring thread requests from the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Conditions {
    /// Scheduling priority.
    pub priority: Priority,
    /// Pinning.
    pub cpu: CpuChoice,
    /// Linux: how long the kernel may delay a wake-up to bundle it with others; 0 retains the
    /// system's default (50 µs). Real-time policies ignore it.
    #[serde(rename = "timer_slack_nanos")]
    pub timer_slack: Nanos,
    /// Windows: whether the finest timer resolution is requested.
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
    /// `Above normal, performance core`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.priority.name())?;
        if self.cpu == CpuChoice::Any { Ok(()) } else { write!(f, ", {}", self.cpu.name()) }
    }
}

/// One cell of a matrix of priority × pinning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cell {
    /// The row.
    pub priority: Priority,
    /// The column.
    pub cpu: CpuChoice,
}

impl Cell {
    /// In the title of a run: `FIFO 10, CPU 2`.
    pub fn title(&self) -> String {
        let priority = self.priority.name();
        match self.cpu {
            CpuChoice::Any => priority,
            CpuChoice::Performance => format!("{priority}, P-core"),
            CpuChoice::Efficiency => format!("{priority}, E-core"),
            CpuChoice::Cpu(cpu) => format!("{priority}, CPU {cpu}"),
        }
    }
}
