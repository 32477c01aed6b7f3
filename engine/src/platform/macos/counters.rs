//! CPU time of thread and process, and the kernel's counters of the process.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use mach2::mach_init::mach_host_self;

use super::super::tick_totals::TickTotals;
use super::super::{MachineCpuTime, ThreadCounters};

/// Reads the calling thread's counters: none, as they are counted for whole processes.
#[derive(Debug, Default)]
pub struct CounterReader {}

impl CounterReader {
    /// The counters of the calling thread.
    pub fn new() -> Self {
        Self {}
    }

    /// The same: the system counts switches for every thread.
    pub fn with_switches() -> Self {
        Self::new()
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

/// The states of a CPU in the order of its ticks.
const STATES: usize = libc::CPU_STATE_MAX as usize;

/// Total activity of all CPUs since boot, in ticks of 10 ms; it includes interrupts, which the system does not
/// report apart.
pub fn machine_cpu_time() -> Option<MachineCpuTime> {
    static COUNTED: Mutex<TickTotals<STATES>> = Mutex::new(TickTotals::new());
    // The lock covers the reading too: two threads must not add in another order than they read.
    let mut counted = COUNTED.lock().ok()?;
    let [user, system, _idle, nice] = counted.add(cpu_ticks()?);
    let busy = (user + system + nice).checked_mul(nanos_a_tick())?;
    Some(MachineCpuTime { busy, steal: None, interrupt: None })
}

/// Not read: threads cannot be pinned, so no gap is of one CPU.
pub const fn cpu_times() -> Option<BTreeMap<u32, MachineCpuTime>> {
    None
}

/// The ticks that all CPUs together spent in each state, which wrap around.
#[expect(unsafe_code, reason = "sysinfo computes shares only, and mach2 does not declare it")]
fn cpu_ticks() -> Option<[u32; STATES]> {
    static HOST: OnceLock<libc::mach_port_t> = OnceLock::new();
    // SAFETY: it takes nothing. Every call adds a reference to the port, so there is one call.
    let host = *HOST.get_or_init(|| unsafe { mach_host_self() });
    let mut info = libc::host_cpu_load_info { cpu_ticks: [0; STATES] };
    let mut count = libc::HOST_CPU_LOAD_INFO_COUNT;
    let place = (&raw mut info).cast();
    // SAFETY: `place` has room for `count` numbers for the length of the call.
    let code =
        unsafe { libc::host_statistics(host, libc::HOST_CPU_LOAD_INFO, place, &raw mut count) };
    (code == libc::KERN_SUCCESS).then_some(info.cpu_ticks)
}

fn nanos_a_tick() -> i64 {
    #[expect(unsafe_code, reason = "only sysconf reports it")]
    // SAFETY: sysconf takes a number.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    1_000_000_000 / ticks.max(1)
}
