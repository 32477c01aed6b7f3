//! Counters that Windows provides without privileges: CPU time, switches of the calling thread,
//! interrupts of each CPU.

use std::collections::BTreeMap;
use std::os::windows::io::AsRawHandle as _;
use std::sync::OnceLock;

use windows_sys::Wdk::System::SystemInformation::{
    NtQuerySystemInformation, SystemProcessorPerformanceInformation,
};
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetSystemTimes, GetThreadTimes,
};
use windows_sys::Win32::System::WindowsProgramming::{
    QueryThreadCycleTime, SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION,
};

use super::super::activity::{self, ActivityCounts};
use super::super::{CpuInterrupts, MachineCpuTime, ThreadCounters, Ticks, usable_cpus};
use super::affinity::current_cpu;
use super::elevation::starter;
use super::living::open_process;
use super::profiling::Profiling;
use super::topology::GROUP_SIZE;
use super::{cpu_nanos, nanos};
use crate::sample::WaitReasons;

/// Reads the calling thread's counters.
#[derive(Debug)]
pub struct CounterReader {
    profiling: Option<Profiling>,
}

impl CounterReader {
    /// Creates a reader for the calling thread. Only one reader per thread can count context switches.
    pub fn new(counts_switches: bool) -> Self {
        Self { profiling: counts_switches.then(Profiling::open).flatten() }
    }

    /// Returns the current counters. Allocates nothing.
    #[inline]
    pub fn read(&self) -> ThreadCounters {
        let switches = self.profiling.as_ref().and_then(Profiling::read);
        ThreadCounters {
            switches: switches.map(|switches| switches.count),
            wait_reasons: switches.map(|switches| WaitReasons::from_bits(switches.reasons)),
            interrupts: interrupts_of_this_cpu(),
            ..ThreadCounters::default()
        }
    }

    /// Returns `None`: the run-queue delay is not reported.
    #[inline]
    pub fn run_delay_nanos(&self) -> Option<i64> {
        None
    }
}

fn interrupts_of_this_cpu() -> Option<CpuInterrupts> {
    let cpu = current_cpu()?;
    let one = counts_of(cpu, cpu)?;
    Some(CpuInterrupts { cpu, nanos: one.Reserved1.iter().sum::<i64>().saturating_mul(100) })
}

/// Returns the counters of a CPU in the processor group of the calling thread, which runs on CPU `here`.
fn counts_of(cpu: u32, here: u32) -> Option<SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION> {
    let is_in_group = here / GROUP_SIZE == cpu / GROUP_SIZE;
    let (all, count) = each_cpu().filter(|_| is_in_group)?;
    all.iter().take(count).nth(usize::try_from(cpu % GROUP_SIZE).ok()?).copied()
}

/// Returns the activity counters of a CPU: its interrupts, and the time of interrupts and of
/// deferred calls.
pub fn cpu_activity(cpu: u32) -> ActivityCounts {
    let Some(one) = current_cpu().and_then(|here| counts_of(cpu, here)) else {
        return ActivityCounts::new();
    };
    let [deferred, interrupts] = one.Reserved1.map(|ticks| ticks.saturating_mul(100));
    ActivityCounts::from([
        (activity::ALL_INTERRUPTS.to_owned(), i64::from(one.Reserved2)),
        (activity::INTERRUPT_TIME.to_owned(), interrupts),
        (activity::DEFERRED_TIME.to_owned(), deferred),
    ])
}

/// Returns the CPU time of the calling thread in nanoseconds: from its CPU cycles, or else in steps of the system's
/// ticks, which are 15.6 ms long.
pub fn thread_cpu_nanos() -> Option<i64> {
    static TICKS: OnceLock<Option<Ticks>> = OnceLock::new();
    // The source is chosen only once: the difference of times from two sources would be meaningless.
    match *TICKS.get_or_init(|| thread_cycles().and_then(|_| Ticks::of_cycles())) {
        Some(ticks) => thread_cycles().map(|cycles| ticks.nanos(cycles)),
        None => thread_tick_nanos(),
    }
}

/// Returns the CPU cycles of the calling thread; `None` if the system does not count them.
#[expect(unsafe_code, reason = "only the system reports it")]
fn thread_cycles() -> Option<u64> {
    let mut cycles = 0_u64;
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: `thread` is the calling thread, and `cycles` is a valid place.
    let is_reported = unsafe { QueryThreadCycleTime(thread, &raw mut cycles) };
    (is_reported != 0 && 0 < cycles).then_some(cycles)
}

#[expect(unsafe_code, reason = "only the system reports it")]
fn thread_tick_nanos() -> Option<i64> {
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: `thread` is the calling thread.
    unsafe { cpu_nanos(thread, GetThreadTimes) }
}

/// Returns the CPU time of this process, and of the program that requested its start with administrator rights,
/// in nanoseconds.
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn process_cpu_nanos() -> Option<i64> {
    // SAFETY: GetCurrentProcess gives a pseudo-handle that is always valid.
    let own = unsafe { GetCurrentProcess() };
    // SAFETY: `own` is this process.
    let own = unsafe { cpu_nanos(own, GetProcessTimes) }?;
    // The process of the starter cannot be opened once it has ended.
    let starter = starter().and_then(open_process).and_then(|starter| {
        // SAFETY: the handle is that of a process, and open.
        unsafe { cpu_nanos(starter.as_raw_handle(), GetProcessTimes) }
    });
    Some(own.saturating_add(starter.unwrap_or(0)))
}

/// Returns the total CPU time of all CPUs since boot.
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn machine_cpu_time() -> Option<MachineCpuTime> {
    let [mut idle, mut kernel, mut user] = [FILETIME::default(); 3];
    // SAFETY: the three pointers are valid places for one FILETIME each.
    let is_reported = unsafe { GetSystemTimes(&raw mut idle, &raw mut kernel, &raw mut user) };
    // Kernel time includes idle time.
    (is_reported != 0).then(|| MachineCpuTime {
        busy: nanos(kernel) + nanos(user) - nanos(idle),
        steal: None,
        interrupt: interrupt_nanos(),
    })
}

/// Returns the time in nanoseconds that the CPUs of this processor group spent on interrupts and
/// deferred calls. Kernel time includes this time.
fn interrupt_nanos() -> Option<i64> {
    // `Reserved1` has the time of deferred calls and that of interrupts, in units of 100 ns.
    let ticks = |one: &SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION| one.Reserved1.iter().sum::<i64>();
    Some(sum_of_cpus(ticks)?.saturating_mul(100))
}

/// Returns the CPU time of each CPU since boot; `None` with more than one processor group.
pub fn cpu_times() -> Option<BTreeMap<u32, MachineCpuTime>> {
    let (all, count) = each_cpu()?;
    let times: BTreeMap<u32, MachineCpuTime> = (0..)
        .zip(all.iter().take(count))
        .map(|(cpu, one)| {
            let nanos = |ticks: i64| ticks.saturating_mul(100);
            // Kernel time includes idle time, interrupts and deferred calls.
            let busy = nanos(one.KernelTime + one.UserTime - one.IdleTime);
            let interrupt = Some(nanos(one.Reserved1.iter().sum()));
            (cpu, MachineCpuTime { busy, steal: None, interrupt })
        })
        .collect();
    usable_cpus().iter().all(|cpu| times.contains_key(cpu)).then_some(times)
}

/// Returns the number of interrupts on the CPUs of this processor group since boot.
pub fn interrupt_count() -> Option<u64> {
    u64::try_from(sum_of_cpus(|one| i64::from(one.Reserved2))?).ok()
}

/// Returns the sum of a value over the CPUs of this processor group.
fn sum_of_cpus(value: impl Fn(&SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION) -> i64) -> Option<i64> {
    let (all, count) = each_cpu()?;
    Some(all.iter().take(count).map(value).sum())
}

/// Returns the counters of each CPU of this processor group, and the number of these CPUs.
#[expect(unsafe_code, reason = "only the system reports it")]
fn each_cpu() -> Option<([SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION; 64], usize)> {
    let mut all = [SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION::default(); 64];
    let bytes = u32::try_from(size_of_val(&all)).ok()?;
    let mut written = 0_u32;
    let place = all.as_mut_ptr().cast();
    let class = SystemProcessorPerformanceInformation;
    // SAFETY: `place` has room for `bytes` bytes, and `written` is a valid place.
    let status = unsafe { NtQuerySystemInformation(class, place, bytes, &raw mut written) };
    if status < 0 {
        return None;
    }
    let each = size_of::<SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION>();
    Some((all, usize::try_from(written).ok()? / each))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_works_uses_cpu_time() {
        let (began, before) = (super::super::clock_nanos(), thread_cpu_nanos().unwrap());
        while super::super::clock_nanos() - began < 60_000_000 {}
        let used = thread_cpu_nanos().unwrap() - before;
        assert!(0 < used, "{used}");
    }

    #[test]
    fn interrupts_are_counted_around_the_cpu_of_this_thread() {
        let cpu = current_cpu().unwrap();
        let before = cpu_activity(cpu);
        assert!(before.contains_key(activity::DEFERRED_TIME), "{before:?}");
        assert!(interrupts_of_this_cpu().is_some());
        assert!(cpu_activity(u32::MAX).is_empty());
    }
}
