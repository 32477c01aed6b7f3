//! Facts that a system reports about itself, in addition to the facts saved with a run. A value
//! that is not reported is absent, never 0.

use serde::{Deserialize, Serialize};

use super::capabilities::FileCapabilities;

/// A cache and the logical CPUs that share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cache {
    /// The level of the cache; level 1 is the closest to the core.
    pub level: u8,
    /// The kind of the cache: "Data", "Instruction", or "Unified".
    pub kind: String,
    /// The size of the cache in bytes.
    pub bytes: u64,
    /// The logical CPUs that share the cache; empty if the system does not report them.
    pub cpus: Vec<u32>,
}

/// CPU time that all real-time threads together may use per period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealtimeBandwidth {
    /// CPU time per period in microseconds; `None` for no limit.
    pub runtime_micros: Option<u64>,
    /// The period in microseconds.
    pub period_micros: u64,
}

/// What a system reports about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SystemDetail {
    /// All caches, each once.
    pub caches: Vec<Cache>,
    /// Whether cores run two threads each (SMT is on).
    pub smt: Option<bool>,
    /// The clock source in use, and the available ones.
    pub clock_source: Option<(String, Vec<String>)>,
    /// Each frequency governor in use, with the number of CPUs that use it.
    pub governors: Vec<(String, usize)>,
    /// Whether the processor may exceed its base frequency.
    pub boost: Option<bool>,
    /// The preemption model of the kernel: "PREEMPT_DYNAMIC", "PREEMPT_RT".
    pub preemption: Option<String>,
    /// CPU time that real-time threads may use; absent if the system does not report it.
    pub realtime_bandwidth: Option<RealtimeBandwidth>,
    /// The highest real-time priority that this user may request, and the hard limit.
    pub rtprio_limit: Option<(u64, u64)>,
    /// The lowest nice value that this user may request: −20 to 20.
    pub min_nice: Option<i64>,
    /// Whether this program has the capability `CAP_SYS_NICE`.
    pub may_set_priority: Option<bool>,
    /// The path of this program's file; absent where it is not known.
    pub program: Option<String>,
    /// The capabilities of this program's file.
    pub file_capabilities: FileCapabilities,
    /// Kind of container that this program runs in; absent outside of one.
    pub container: Option<String>,
    /// The CPU quota of this program, in percent of one CPU; absent without a limit.
    pub cpu_quota_percent: Option<u32>,
    /// Policy for huge pages: "always", "madvise", "never".
    pub large_pages: Option<String>,
    /// The hottest sensor of the processor, in thousandths of a degree Celsius.
    pub millicelsius: Option<i64>,
    /// The microcode of the processor.
    pub microcode: Option<String>,
    /// Board and firmware, without serial numbers.
    pub board: Option<String>,
}
