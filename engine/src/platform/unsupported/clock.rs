//! The clock and the sleep of the standard library.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Returns the nanoseconds since the first call.
#[inline]
pub fn clock_nanos() -> i64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let elapsed = FIRST.get_or_init(Instant::now).elapsed();
    i64::try_from(elapsed.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns the name of the clock.
pub fn clock_name() -> String {
    "Instant of the standard library".to_owned()
}

/// Returns `None`: how long the machine was asleep is not known.
pub const fn suspended_nanos() -> Option<i64> {
    None
}

/// The sleep of the standard library, which needs no state.
#[derive(Debug, Default)]
pub struct Sleeper {}

impl Sleeper {
    /// Creates a sleeper for the calling thread.
    pub fn new() -> Self {
        Self {}
    }

    /// Sleeps until the clock shows `due_nanos`. Allocates nothing.
    #[inline]
    pub fn sleep_until(&self, due_nanos: i64) {
        let left = due_nanos.saturating_sub(clock_nanos());
        self.sleep_for(Duration::from_nanos(u64::try_from(left).unwrap_or(0)));
    }

    /// Sleeps for a duration.
    #[inline]
    pub fn sleep_for(&self, length: Duration) {
        std::thread::sleep(length);
    }

    /// Sleeps for whole milliseconds.
    #[inline]
    pub fn sleep_millis(&self, millis: u32) {
        self.sleep_for(Duration::from_millis(millis.into()));
    }

    /// Returns the name of the mechanism of `sleep_until`.
    pub fn call(&self) -> &'static str {
        "thread::sleep"
    }

    /// Returns the name of the mechanism of `sleep_for`.
    pub fn relative_call(&self) -> &'static str {
        self.call()
    }

    /// Returns the name of the mechanism of `sleep_millis`.
    pub fn millis_call(&self) -> &'static str {
        self.call()
    }
}

/// Returns the time of the monotonic clock: there is no other one whose rate is never adjusted.
pub fn raw_clock_nanos() -> i64 {
    super::super::clock_nanos()
}
