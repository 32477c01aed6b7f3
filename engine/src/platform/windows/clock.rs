//! The performance counter, the high-resolution waitable timer, and the timer resolution.

use std::sync::OnceLock;
use std::time::Duration;

use windows_sys::Wdk::System::SystemInformation::NtQueryTimerResolution;
use windows_sys::Win32::Foundation::{CloseHandle, HANDLE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::Threading::{
    CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, CreateWaitableTimerExW, INFINITE, SetWaitableTimer,
    Sleep, TIMER_ALL_ACCESS, WaitForSingleObject,
};

use crate::nanos::Nanos;

const NANOS_A_SEC: i64 = 1_000_000_000;
/// Length of the unit in which Windows counts times, in nanoseconds.
const NANOS_A_TICK: i64 = 100;

/// Returns the ticks of the performance counter per second; read once.
#[expect(unsafe_code, reason = "the standard library's clock gives no number to sleep until")]
fn frequency() -> i64 {
    static FREQUENCY: OnceLock<i64> = OnceLock::new();
    *FREQUENCY.get_or_init(|| {
        let mut frequency = 0;
        // SAFETY: `frequency` is a valid place for one i64.
        unsafe { QueryPerformanceFrequency(&raw mut frequency) };
        frequency.max(1)
    })
}

/// Returns the performance counter in nanoseconds, minus the time that the machine has been asleep.
/// The counter includes that time; with it, frames that were due during sleep would count as late
/// and missed.
#[inline]
pub fn clock_nanos() -> i64 {
    let mut asleep = asleep_nanos();
    loop {
        let count = performance_count();
        let before = asleep;
        asleep = asleep_nanos();
        if asleep == before {
            return in_nanos(count) - asleep;
        }
    }
}

/// Converts a reading of the performance counter to a time of `clock_nanos`. Correct only for readings
/// since the machine was last asleep.
pub(super) fn nanos_at(count: i64) -> i64 {
    in_nanos(count) - asleep_nanos()
}

#[inline]
fn in_nanos(count: i64) -> i64 {
    let frequency = frequency();
    // Converts whole seconds and the rest separately, which cannot overflow for centuries.
    let whole = (count / frequency).saturating_mul(NANOS_A_SEC);
    whole.saturating_add(count % frequency * NANOS_A_SEC / frequency)
}

#[inline]
#[expect(unsafe_code, reason = "the standard library's clock gives no number to sleep until")]
fn performance_count() -> i64 {
    let mut count = 0;
    // SAFETY: `count` is a valid place for one i64.
    unsafe { QueryPerformanceCounter(&raw mut count) };
    count
}

/// Returns how long the machine has been asleep since boot, in nanoseconds.
/// `QueryUnbiasedInterruptTime` subtracts this value, too. The value is in the page that the kernel
/// shares with all processes (`KUSER_SHARED_DATA` in the driver kit's `ntddk.h`).
#[inline]
#[expect(unsafe_code, reason = "only the system reports it, and a call per clock read is too long")]
fn asleep_nanos() -> i64 {
    const PAGE: usize = 0x7FFE_0000;
    /// Address of `InterruptTimeBias`; windows-sys has the structure, too, but in a module that
    /// takes long to compile.
    const PLACE: usize = PAGE + 0x3B0;
    // SAFETY: the page is mapped for reading at this address in every process, and this is an aligned u64
    // of it.
    let bias = unsafe { std::ptr::with_exposed_provenance::<u64>(PLACE).read_volatile() };
    i64::try_from(bias).unwrap_or(0).saturating_mul(NANOS_A_TICK)
}

/// Returns the name of the clock with its frequency.
pub fn clock_name() -> String {
    format!("QueryPerformanceCounter, {} kHz", frequency() / 1_000)
}

/// Returns how long the machine has been asleep since boot, in nanoseconds.
#[expect(clippy::unnecessary_wraps, reason = "other systems may not report it")]
pub fn suspended_nanos() -> Option<i64> {
    Some(asleep_nanos())
}

/// Returns the current resolution of the system's timers; `None` if the system does not report it.
#[expect(unsafe_code, reason = "only the system reports it")]
pub(super) fn timer_resolution() -> Option<Nanos> {
    let (mut coarsest, mut finest, mut current) = (0_u32, 0_u32, 0_u32);
    // SAFETY: the three pointers are valid places for one u32 each.
    let status =
        unsafe { NtQueryTimerResolution(&raw mut coarsest, &raw mut finest, &raw mut current) };
    (status == 0 && current != 0).then(|| Nanos::new(i64::from(current) * NANOS_A_TICK))
}

/// Puts the calling thread to sleep: with a high-resolution waitable timer, or a plain sleep if there is no such timer.
#[derive(Debug)]
pub struct Sleeper {
    timer: Option<Timer>,
}

/// A waitable timer that is closed when dropped.
#[derive(Debug)]
struct Timer(HANDLE);

impl Drop for Timer {
    #[expect(unsafe_code, reason = "a handle must be closed by hand")]
    fn drop(&mut self) {
        // SAFETY: the handle is this timer's own and is closed once.
        unsafe { CloseHandle(self.0) };
    }
}

impl Timer {
    #[expect(unsafe_code, reason = "the standard library has no sleep until an instant")]
    fn new() -> Option<Self> {
        // SAFETY: no name and no security attributes are given; both may be null.
        let handle = unsafe {
            CreateWaitableTimerExW(
                std::ptr::null(),
                std::ptr::null(),
                CREATE_WAITABLE_TIMER_HIGH_RESOLUTION,
                TIMER_ALL_ACCESS,
            )
        };
        (!handle.is_null()).then_some(Self(handle))
    }

    #[inline]
    #[expect(unsafe_code, reason = "the standard library has no sleep until an instant")]
    fn sleep(&self, ticks: i64) -> bool {
        // A negative time is relative, in units of 100 ns.
        let due = -ticks;
        // SAFETY: the handle is this timer's own, `due` is a valid i64, and there is no routine to call.
        let is_set =
            unsafe { SetWaitableTimer(self.0, &raw const due, 0, None, std::ptr::null(), 0) };
        if is_set == 0 {
            return false;
        }
        // SAFETY: the handle is this timer's own.
        let woken_by = unsafe { WaitForSingleObject(self.0, INFINITE) };
        // A failed wait returns at once; the caller then uses a plain sleep.
        woken_by == WAIT_OBJECT_0
    }
}

impl Sleeper {
    /// Creates a sleeper for the calling thread.
    pub fn new() -> Self {
        Self { timer: Timer::new() }
    }

    /// Sleeps until the clock shows `due_nanos`. Allocates nothing.
    #[inline]
    pub fn sleep_until(&self, due_nanos: i64) {
        loop {
            let left = due_nanos - clock_nanos();
            if left <= 0 {
                return;
            }
            let ticks = (left + NANOS_A_TICK - 1) / NANOS_A_TICK;
            let slept = self.timer.as_ref().is_some_and(|timer| timer.sleep(ticks));
            if !slept {
                std::thread::sleep(Duration::from_nanos(left.unsigned_abs()));
            }
        }
    }

    /// Sleeps for a duration through the standard library, as programs commonly do.
    #[inline]
    pub fn sleep_for(&self, length: Duration) {
        std::thread::sleep(length);
    }

    /// Sleeps for whole milliseconds, as programs that call `Sleep` do.
    #[inline]
    #[expect(unsafe_code, reason = "the standard library prefers a high-resolution timer")]
    pub fn sleep_millis(&self, millis: u32) {
        // SAFETY: Sleep takes a number.
        unsafe { Sleep(millis) };
    }

    /// Returns the name of the mechanism of `sleep_until`.
    pub fn call(&self) -> &'static str {
        if self.timer.is_some() { "high-resolution waitable timer" } else { "Sleep" }
    }

    /// Returns the name of the mechanism of `sleep_for`.
    pub fn relative_call(&self) -> &'static str {
        self.call()
    }

    /// Returns the name of the mechanism of `sleep_millis`.
    pub fn millis_call(&self) -> &'static str {
        "Sleep"
    }
}

impl Default for Sleeper {
    fn default() -> Self {
        Self::new()
    }
}
