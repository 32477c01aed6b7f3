//! CPU time of thread and process, and the kernel's counters of the process.

use super::super::{MachineCpuTime, ThreadCounters};

/// Reads the calling thread's counters: none, as they are counted for whole processes.
#[derive(Debug, Default)]
pub struct CounterReader {}

impl CounterReader {
    /// The counters of the calling thread.
    pub fn new() -> Self {
        Self {}
    }

    /// The counters now: none that this system reports for a thread. Allocates nothing.
    #[inline]
    pub fn read(&self) -> ThreadCounters {
        ThreadCounters::default()
    }

    /// The run-queue delay: not reported.
    #[inline]
    pub fn run_delay_nanos(&self) -> Option<i64> {
        None
    }
}

#[expect(unsafe_code, reason = "the standard library does not report CPU time")]
fn cpu_clock(clock: libc::clockid_t) -> Option<i64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for one timespec for the length of the call.
    let code = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (code == 0).then(|| time.tv_sec * 1_000_000_000 + time.tv_nsec)
}

/// CPU time the calling thread used.
pub fn thread_cpu_nanos() -> Option<i64> {
    cpu_clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time this process used.
pub fn process_cpu_nanos() -> Option<i64> {
    cpu_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The load of all CPUs is reported in ticks too coarse to trust, so it is absent.
pub fn machine_cpu_time() -> Option<MachineCpuTime> {
    None
}
