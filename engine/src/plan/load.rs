//! What runs beside the measuring threads.

use serde::{Deserialize, Serialize};

use super::CpuFacts;

/// What a load thread does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadKind {
    /// Integer arithmetic: no clock, no allocation.
    #[default]
    Cpu,
    /// Strided writes over four times the last-level cache, 256 MiB at most in all.
    Memory,
    /// Bursts of 2 ms of arithmetic and 2 ms of sleep, as a busy desktop.
    Mixed,
    /// Calls of 20 ms of arithmetic, the CPU offered to others between two, as a pool of tasks.
    Calls,
}

/// How many load threads there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadCount {
    /// So many; 0 is none.
    Threads(u32),
    /// One for each logical CPU.
    PerLogicalCpu,
    /// One for each physical core.
    PerPhysicalCore,
}

impl LoadCount {
    /// The number on this machine. Where physical cores are unknown, logical CPUs count.
    pub fn resolve(self, cpus: &CpuFacts) -> u32 {
        match self {
            Self::Threads(count) => count,
            Self::PerLogicalCpu => cpus.logical_count(),
            Self::PerPhysicalCore => cpus.physical_count.unwrap_or_else(|| cpus.logical_count()),
        }
    }
}

/// At which priorities load threads run. Never real-time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadPriority {
    /// All at normal priority.
    #[default]
    Normal,
    /// All below normal.
    BelowNormal,
    /// Normal and below normal in turn, the first one normal.
    Mixed,
}

impl LoadPriority {
    /// Whether the thread at this position runs below normal.
    pub const fn is_below_normal(self, index: u32) -> bool {
        match self {
            Self::Normal => false,
            Self::BelowNormal => true,
            Self::Mixed => index % 2 == 1,
        }
    }
}

/// What runs beside the measuring threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// What each thread does.
    pub kind: LoadKind,
    /// How many there are.
    pub count: LoadCount,
    /// At which priorities.
    pub priority: LoadPriority,
    /// Whether thread i is tied to CPU i, round and round.
    pub pinned: bool,
}

impl Load {
    /// Nothing runs beside.
    pub const NONE: Self = Self {
        kind: LoadKind::Cpu,
        count: LoadCount::Threads(0),
        priority: LoadPriority::Normal,
        pinned: false,
    };

    /// Whether there is any load.
    pub fn is_none(&self) -> bool {
        self.count == LoadCount::Threads(0)
    }
}
