//! CPU time of thread, process and machine; Windows counts no more without privilege.

use std::collections::BTreeMap;

use windows_sys::Wdk::System::SystemInformation::{
    NtQuerySystemInformation, SystemProcessorPerformanceInformation,
};
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetSystemTimes, GetThreadTimes,
};
use windows_sys::Win32::System::WindowsProgramming::SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;

use super::super::{MachineCpuTime, ThreadCounters, usable_cpus};

/// Reads the calling thread's counters.
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

pub(super) fn nanos(time: FILETIME) -> i64 {
    let ticks = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    i64::try_from(ticks).unwrap_or(i64::MAX).saturating_mul(100)
}

/// CPU time the calling thread used.
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn thread_cpu_nanos() -> Option<i64> {
    let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: the four are valid places for one FILETIME each.
    let is_reported = unsafe {
        GetThreadTimes(thread, &raw mut created, &raw mut ended, &raw mut kernel, &raw mut user)
    };
    (is_reported != 0).then(|| nanos(kernel) + nanos(user))
}

/// CPU time this process used.
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn process_cpu_nanos() -> Option<i64> {
    let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: GetCurrentProcess gives a pseudo-handle that is always valid.
    let process = unsafe { GetCurrentProcess() };
    // SAFETY: the four are valid places for one FILETIME each.
    let is_reported = unsafe {
        GetProcessTimes(process, &raw mut created, &raw mut ended, &raw mut kernel, &raw mut user)
    };
    (is_reported != 0).then(|| nanos(kernel) + nanos(user))
}

/// Total activity of all CPUs since boot.
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn machine_cpu_time() -> Option<MachineCpuTime> {
    let [mut idle, mut kernel, mut user] = [FILETIME::default(); 3];
    // SAFETY: the three are valid places for one FILETIME each.
    let is_reported = unsafe { GetSystemTimes(&raw mut idle, &raw mut kernel, &raw mut user) };
    // Kernel time includes idle time.
    (is_reported != 0).then(|| MachineCpuTime {
        busy: nanos(kernel) + nanos(user) - nanos(idle),
        steal: None,
        interrupt: interrupt_nanos(),
    })
}

/// Time the CPUs of this processor group spent on interrupts and deferred calls, which kernel time
/// includes.
fn interrupt_nanos() -> Option<i64> {
    // The reserved pair is the time of deferred calls and of interrupts, in units of 100 ns.
    let ticks = |one: &SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION| one.Reserved1.iter().sum::<i64>();
    Some(sum_of_cpus(ticks)?.saturating_mul(100))
}

/// Activity of each CPU since boot; not reported where there is more than one processor group.
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

/// How many interrupts the CPUs of this processor group served since boot.
pub fn interrupt_count() -> Option<u64> {
    u64::try_from(sum_of_cpus(|one| i64::from(one.Reserved2))?).ok()
}

/// The sum of a value of each CPU of this processor group.
fn sum_of_cpus(value: impl Fn(&SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION) -> i64) -> Option<i64> {
    let (all, count) = each_cpu()?;
    Some(all.iter().take(count).map(value).sum())
}

/// What is counted of each CPU of this processor group, and how many they are.
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
