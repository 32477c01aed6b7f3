//! CPU time of this process, and of all CPUs together, in nanoseconds.

use std::sync::{Mutex, OnceLock};

use mach2::mach_init::mach_host_self;

use super::super::MachineCpuTime;
use super::super::tick_totals::TickTotals;
use super::super::unix_clock::{cpu_clock, nanos_a_tick};

/// Returns the CPU time of this process, in nanoseconds.
pub fn process_cpu_nanos() -> Option<i64> {
    cpu_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Number of CPU states for which the system counts ticks.
const STATES: usize = libc::CPU_STATE_MAX as usize;

/// Returns the total CPU time of all CPUs since boot, which the system counts in ticks of 10 ms. The
/// time includes interrupts, which the system does not report separately.
pub fn machine_cpu_time() -> Option<MachineCpuTime> {
    static COUNTED: Mutex<TickTotals<STATES>> = Mutex::new(TickTotals::new());
    // The lock also covers the reading: threads must add readings in the order in which they were taken.
    let mut counted = COUNTED.lock().ok()?;
    let [user, system, _idle, nice] = counted.add(cpu_ticks()?);
    let busy = (user + system + nice).checked_mul(nanos_a_tick())?;
    Some(MachineCpuTime { busy, steal: None, interrupt: None })
}

/// Returns the ticks that all CPUs together spent in each CPU state; the 32-bit counters wrap around.
#[expect(unsafe_code, reason = "sysinfo computes shares only, and mach2 does not declare it")]
fn cpu_ticks() -> Option<[u32; STATES]> {
    static HOST: OnceLock<libc::mach_port_t> = OnceLock::new();
    // SAFETY: the call takes nothing. Each call adds a reference to the port, so it is made only once.
    let host = *HOST.get_or_init(|| unsafe { mach_host_self() });
    let mut info = libc::host_cpu_load_info { cpu_ticks: [0; STATES] };
    let mut count = libc::HOST_CPU_LOAD_INFO_COUNT;
    let place = (&raw mut info).cast();
    // SAFETY: `place` has room for `count` numbers for the length of the call.
    let code =
        unsafe { libc::host_statistics(host, libc::HOST_CPU_LOAD_INFO, place, &raw mut count) };
    (code == libc::KERN_SUCCESS).then_some(info.cpu_ticks)
}
