//! What Linux and macOS have alike: clocks and ticks of CPU time, and sleeping without state.

use std::sync::OnceLock;
use std::time::Duration;

/// Returns the CPU time of the calling thread, in nanoseconds.
#[inline]
pub fn thread_cpu_nanos() -> Option<i64> {
    cpu_clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

#[inline]
#[expect(unsafe_code, reason = "the standard library does not report CPU time")]
pub(super) fn cpu_clock(clock: libc::clockid_t) -> Option<i64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for one timespec for the length of the call.
    let code = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (code == 0).then(|| time.tv_sec * 1_000_000_000 + time.tv_nsec)
}

/// Returns the length of a tick, in which the system counts the CPU time of CPUs, in nanoseconds.
pub(super) fn nanos_a_tick() -> i64 {
    static NANOS: OnceLock<i64> = OnceLock::new();
    *NANOS.get_or_init(|| {
        #[expect(unsafe_code, reason = "only sysconf reports it")]
        // SAFETY: sysconf takes a number.
        let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        1_000_000_000 / ticks.max(1)
    })
}

/// The sleep functions of the system, which need no state.
#[derive(Debug, Default)]
pub struct Sleeper {}

impl Sleeper {
    /// Creates the sleep functions for the calling thread.
    pub fn new() -> Self {
        Self {}
    }

    /// Sleeps for a duration with the standard library, as programs commonly do.
    #[inline]
    pub fn sleep_for(&self, length: Duration) {
        std::thread::sleep(length);
    }

    /// Sleeps for whole milliseconds.
    #[inline]
    pub fn sleep_millis(&self, millis: u32) {
        self.sleep_for(Duration::from_millis(millis.into()));
    }

    /// Returns the name of the system call in `sleep_millis`: the same as in `sleep_for`.
    pub fn millis_call(&self) -> &'static str {
        self.relative_call()
    }
}
