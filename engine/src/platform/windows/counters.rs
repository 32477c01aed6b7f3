//! CPU time of thread, process and machine; Windows counts no more without privilege.

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetSystemTimes, GetThreadTimes,
};

use super::super::ThreadCounters;

/// Reads the calling thread's counters.
#[derive(Debug, Default)]
pub struct CounterReader {}

impl CounterReader {
    /// The counters of the calling thread.
    pub fn new() -> Self {
        Self {}
    }

    /// The counters now. Allocates nothing.
    #[inline]
    pub fn read(&self) -> ThreadCounters {
        ThreadCounters { cpu_nanos: thread_cpu_nanos(), ..ThreadCounters::default() }
    }
}

fn nanos(time: FILETIME) -> i64 {
    let ticks = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    i64::try_from(ticks).unwrap_or(i64::MAX).saturating_mul(100)
}

/// CPU time the calling thread used.
#[expect(unsafe_code, reason = "only the system tells")]
pub fn thread_cpu_nanos() -> Option<i64> {
    let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: the four are valid places for one FILETIME each.
    let is_told = unsafe {
        GetThreadTimes(thread, &raw mut created, &raw mut ended, &raw mut kernel, &raw mut user)
    };
    (is_told != 0).then(|| nanos(kernel) + nanos(user))
}

/// CPU time this process used.
#[expect(unsafe_code, reason = "only the system tells")]
pub fn process_cpu_nanos() -> Option<i64> {
    let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: GetCurrentProcess gives a pseudo-handle that is always valid.
    let process = unsafe { GetCurrentProcess() };
    // SAFETY: the four are valid places for one FILETIME each.
    let is_told = unsafe {
        GetProcessTimes(process, &raw mut created, &raw mut ended, &raw mut kernel, &raw mut user)
    };
    (is_told != 0).then(|| nanos(kernel) + nanos(user))
}

/// CPU time all CPUs of the machine were busy.
#[expect(unsafe_code, reason = "only the system tells")]
pub fn busy_cpu_nanos() -> Option<i64> {
    let [mut idle, mut kernel, mut user] = [FILETIME::default(); 3];
    // SAFETY: the three are valid places for one FILETIME each.
    let is_told = unsafe { GetSystemTimes(&raw mut idle, &raw mut kernel, &raw mut user) };
    // Kernel time holds idle time.
    (is_told != 0).then(|| nanos(kernel) + nanos(user) - nanos(idle))
}
