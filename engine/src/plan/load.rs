//! Background load: threads that keep CPUs busy while a test measures.

use serde::{Deserialize, Serialize};

use super::CpuFacts;
use crate::nanos::Nanos;

/// What a load thread does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoadKind {
    /// Integer arithmetic, without clock reads and memory allocation.
    #[default]
    Cpu,
    /// Each thread writes to every 64th byte of a separate buffer, which is four times the last-level cache. All
    /// buffers together have at most 256 MiB.
    Memory,
    /// Bursts of 2 ms of arithmetic and 2 ms of sleep, like a busy desktop.
    Mixed,
    /// Calls of arithmetic; the thread yields its CPU between two calls, as in a task pool.
    Calls,
    /// Calls of arithmetic in a pool with one worker per load thread. The measured loop is another task of the pool:
    /// a free worker runs the next frame when the frame is due.
    Pool,
}

/// The number of load threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoadCount {
    /// A fixed number of load threads; 0 is no load.
    Threads(u32),
    /// One load thread per logical CPU.
    PerLogicalCpu,
    /// One load thread per physical core.
    PerPhysicalCore,
    /// One load thread per two logical CPUs, at least one, like a PC that runs a game and other programs.
    HalfOfCpus,
}

impl LoadCount {
    /// Returns the number of load threads on a machine with `cpus`. If the number of physical cores is unknown, uses
    /// the number of logical CPUs.
    pub fn resolve(self, cpus: &CpuFacts) -> u32 {
        match self {
            Self::Threads(count) => count,
            Self::PerLogicalCpu => cpus.logical_count(),
            Self::PerPhysicalCore => cpus.physical_count.unwrap_or_else(|| cpus.logical_count()),
            Self::HalfOfCpus => (cpus.logical_count() / 2).max(1),
        }
    }
}

/// Priorities of the load threads, which are never real-time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoadPriority {
    /// All load threads run at normal priority.
    #[default]
    Normal,
    /// All load threads run below normal priority.
    BelowNormal,
    /// Load threads run alternately at normal and below normal priority, starting with normal.
    Mixed,
    /// Like `Mixed`, but on Linux with nice 10 instead of nice 5, as in gdt-cpus 2025.5.0.
    MixedLow,
}

/// The priority of a single load thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadLevel {
    /// Normal priority.
    Normal,
    /// Below normal priority; on Linux nice 5.
    BelowNormal,
    /// On Linux nice 10, elsewhere below normal priority.
    Low,
}

impl LoadPriority {
    /// Returns the priority of the load thread at this position.
    pub const fn level(self, index: u32) -> LoadLevel {
        match (self, index % 2) {
            (Self::Normal, _) | (Self::Mixed | Self::MixedLow, 0) => LoadLevel::Normal,
            (Self::BelowNormal | Self::Mixed, _) => LoadLevel::BelowNormal,
            (Self::MixedLow, _) => LoadLevel::Low,
        }
    }
}

/// Background load of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Load {
    /// What each load thread does.
    pub kind: LoadKind,
    /// Number of load threads.
    pub count: LoadCount,
    /// Priorities of the load threads.
    pub priority: LoadPriority,
    /// Whether load thread i is pinned to the usable CPU at position i, modulo the number of usable CPUs.
    pub pinned: bool,
    /// Length of each call. Only the kinds `Calls` and `Pool` use it.
    #[serde(rename = "call_nanos", default = "default_call")]
    pub call: Nanos,
}

/// Default length of a call, also for older files, which do not contain a length.
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

    /// One load thread per logical CPU, which occupies all CPUs.
    pub const PER_CPU: Self = Self { count: LoadCount::PerLogicalCpu, ..Self::NONE };

    /// Returns whether there are no load threads.
    pub fn is_none(&self) -> bool {
        self.count == LoadCount::Threads(0)
    }
}
