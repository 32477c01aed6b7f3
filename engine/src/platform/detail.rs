//! What a system tells of itself beyond what is kept with a run. What it does not tell is absent, never 0.

/// A cache and the logical CPUs that share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cache {
    /// 1 is the nearest to the core.
    pub level: u8,
    /// "Data", "Instruction", "Unified".
    pub kind: String,
    /// Its size.
    pub bytes: u64,
    /// Who shares it; empty where the system does not tell.
    pub cpus: Vec<u32>,
}

/// How much CPU time real-time threads may take of each period, all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealtimeBandwidth {
    /// Microseconds of each period; `None` for all of it.
    pub runtime_micros: Option<u64>,
    /// The period in microseconds.
    pub period_micros: u64,
}

/// What a system tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemDetail {
    /// Each cache once.
    pub caches: Vec<Cache>,
    /// Whether cores run two threads at a time at present.
    pub smt: Option<bool>,
    /// The hardware clock in use, and those it could be.
    pub clock_source: Option<(String, Vec<String>)>,
    /// Each frequency governor in use, with how many CPUs it governs.
    pub governors: Vec<(String, usize)>,
    /// Whether the processor may go faster than its base frequency.
    pub boost: Option<bool>,
    /// How the kernel lets threads be interrupted: "PREEMPT_DYNAMIC", "PREEMPT_RT".
    pub preemption: Option<String>,
    /// How much CPU time real-time threads may take.
    pub realtime_bandwidth: Option<RealtimeBandwidth>,
    /// The highest real-time priority this user may ask for, and the most it could be raised to.
    pub rtprio_limit: Option<(u64, u64)>,
    /// The lowest nice value this user may ask for: −20 to 20.
    pub least_nice: Option<i64>,
    /// Whether this program holds the right `CAP_SYS_NICE`.
    pub may_set_priority: Option<bool>,
    /// In which kind of container this program runs; absent outside of one.
    pub container: Option<String>,
    /// The most CPU time this program may take, in percent of one CPU; absent where there is no limit.
    pub cpu_quota_percent: Option<u32>,
    /// How memory in large pages is given out: "always", "madvise", "never".
    pub large_pages: Option<String>,
    /// The hottest sensor of the processor, in thousandths of a degree Celsius.
    pub millicelsius: Option<i64>,
    /// The microcode of the processor.
    pub microcode: Option<String>,
    /// Board and firmware, without serial numbers.
    pub board: Option<String>,
}
