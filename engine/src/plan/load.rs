//! Background load.

use serde::{Deserialize, Serialize};

use super::CpuFacts;
use crate::nanos::Nanos;

/// What a load thread does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoadKind {
    /// Integer arithmetic: no clock, no allocation.
    #[default]
    Cpu,
    /// Strided writes over four times the last-level cache, at most 256 MiB in total.
    Memory,
    /// Bursts of 2 ms of arithmetic and 2 ms of sleep, like a busy desktop.
    Mixed,
    /// Calls of arithmetic that yield the CPU in between, like a task pool.
    Calls,
    /// The same calls in a pool of as many workers as there are load threads, of which the measured loop is
    /// one more task: a worker that is free takes it when it is due.
    Pool,
}

/// The number of load threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoadCount {
    /// A fixed number; 0 is none.
    Threads(u32),
    /// One per logical CPU.
    PerLogicalCpu,
    /// One per physical core.
    PerPhysicalCore,
    /// One per two logical CPUs, at least one: what a game with other programs meets.
    HalfOfCpus,
}

impl LoadCount {
    /// The number on this machine. If physical cores are unknown, logical CPUs count.
    pub fn resolve(self, cpus: &CpuFacts) -> u32 {
        match self {
            Self::Threads(count) => count,
            Self::PerLogicalCpu => cpus.logical_count(),
            Self::PerPhysicalCore => cpus.physical_count.unwrap_or_else(|| cpus.logical_count()),
            Self::HalfOfCpus => (cpus.logical_count() / 2).max(1),
        }
    }
}

/// Priorities of load threads. Never real-time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoadPriority {
    /// All at normal priority.
    #[default]
    Normal,
    /// All below normal.
    BelowNormal,
    /// Alternately normal and below normal, the first one normal.
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

/// Background load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Load {
    /// What each thread does.
    pub kind: LoadKind,
    /// The number of threads.
    pub count: LoadCount,
    /// Their priorities.
    pub priority: LoadPriority,
    /// Whether thread i is pinned to CPU i, modulo the number of CPUs.
    pub pinned: bool,
    /// How long each call takes, where load threads work in calls.
    #[serde(rename = "call_nanos", default = "default_call")]
    pub call: Nanos,
}

/// The length of a call where nothing else is requested, and in older files.
pub const DEFAULT_CALL: Nanos = Nanos::from_millis(20);

const fn default_call() -> Nanos {
    DEFAULT_CALL
}

impl Load {
    /// No load threads.
    pub const NONE: Self = Self {
        kind: LoadKind::Cpu,
        count: LoadCount::Threads(0),
        priority: LoadPriority::Normal,
        pinned: false,
        call: DEFAULT_CALL,
    };

    /// Whether there is any load.
    pub fn is_none(&self) -> bool {
        self.count == LoadCount::Threads(0)
    }
}
