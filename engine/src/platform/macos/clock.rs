//! The Mach clock, and sleeping until a time of this clock.

use std::sync::OnceLock;

use mach2::mach_time::{
    mach_absolute_time, mach_continuous_time, mach_timebase_info, mach_timebase_info_data_t,
    mach_wait_until,
};

use super::super::unix_clock::Sleeper;

/// Returns the nanoseconds per tick as a fraction; read once. Apple silicon: 125/3, Intel: 1/1.
#[expect(unsafe_code, reason = "only the system reports it")]
fn timebase() -> (u64, u64) {
    static TIMEBASE: OnceLock<(u64, u64)> = OnceLock::new();
    *TIMEBASE.get_or_init(|| {
        let mut info = mach_timebase_info_data_t { numer: 0, denom: 0 };
        // SAFETY: `info` is a valid place for one timebase.
        unsafe { mach_timebase_info(&raw mut info) };
        (u64::from(info.numer).max(1), u64::from(info.denom).max(1))
    })
}

fn nanos_of(ticks: u64) -> i64 {
    let (numerator, denominator) = timebase();
    let nanos = u128::from(ticks) * u128::from(numerator) / u128::from(denominator);
    i64::try_from(nanos).unwrap_or(i64::MAX)
}

pub(super) fn ticks_of(nanos: i64) -> u64 {
    let (numerator, denominator) = timebase();
    let nanos = u128::from(nanos.max(0).unsigned_abs());
    let ticks = (nanos * u128::from(denominator)).div_ceil(u128::from(numerator));
    u64::try_from(ticks).unwrap_or(u64::MAX)
}

/// Returns the time of the Mach clock in nanoseconds.
#[inline]
#[expect(unsafe_code, reason = "the standard library's clock gives no number to sleep until")]
pub fn clock_nanos() -> i64 {
    // SAFETY: mach_absolute_time takes nothing.
    nanos_of(unsafe { mach_absolute_time() })
}

/// Returns how long the machine has been asleep since it started, in nanoseconds.
#[expect(clippy::unnecessary_wraps, reason = "other systems may not report it")]
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn suspended_nanos() -> Option<i64> {
    // SAFETY: mach_continuous_time takes nothing.
    let all = nanos_of(unsafe { mach_continuous_time() });
    Some(all - clock_nanos())
}

/// Returns the name of the clock, with the length of its tick.
pub fn clock_name() -> String {
    let (numerator, denominator) = timebase();
    format!("mach_absolute_time, {numerator}/{denominator} ns per tick")
}

impl Sleeper {
    /// Sleeps until the clock shows `due_nanos`. Allocates nothing.
    #[inline]
    #[expect(unsafe_code, reason = "the standard library has no sleep until an instant")]
    pub fn sleep_until(&self, due_nanos: i64) {
        // SAFETY: mach_wait_until takes a number.
        unsafe { mach_wait_until(ticks_of(due_nanos)) };
    }

    /// Returns the name of the mechanism of `sleep_until`.
    pub fn call(&self) -> &'static str {
        "mach_wait_until"
    }

    /// Returns the name of the call with which the standard library sleeps in `sleep_for`.
    pub fn relative_call(&self) -> &'static str {
        "nanosleep"
    }
}
