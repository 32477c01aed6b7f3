//! The CPU's own counter, if the system's clock is derived from that counter: reading the counter takes less time
//! than calling the system's clock.

use super::{clock_name, clock_nanos};

/// Duration of the comparison of the counter with the clock, in nanoseconds.
const CALIBRATION_NANOS: i64 = 20_000_000;

/// The rate of the CPU's counter, as nanoseconds per tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ticks {
    nanos_a_tick: f64,
}

impl Ticks {
    /// Measures the counter's rate for 20 ms, to within a few parts per million. `None` if the
    /// system's clock is not derived from the counter, which may then stop, change its rate, or
    /// differ between CPUs.
    pub fn measured() -> Option<Self> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64"))
            || !clock_name().ends_with(", tsc")
        {
            return None;
        }
        Self::calibrated()
    }

    /// Measures the counter's rate for 20 ms, for converting CPU cycles to nanoseconds, even if the
    /// system's clock is not derived from the counter. `None` if the rate is not constant.
    #[cfg(windows)]
    pub(super) fn of_cycles() -> Option<Self> {
        is_steady().then(Self::calibrated).flatten()
    }

    fn calibrated() -> Option<Self> {
        let (first, first_nanos) = pair();
        while clock_nanos() - first_nanos < CALIBRATION_NANOS {}
        let (last, last_nanos) = pair();
        let ticks = last.checked_sub(first).filter(|&ticks| 0 < ticks)?;
        Some(Self { nanos_a_tick: float(last_nanos - first_nanos) / float(ticks) })
    }

    /// Converts a number of cycles to nanoseconds.
    #[cfg(windows)]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "the cycles of a month are exact to a microsecond"
    )]
    pub(super) fn nanos(self, cycles: u64) -> i64 {
        (cycles as f64 * self.nanos_a_tick) as i64
    }

    /// Returns the nanoseconds per tick.
    pub fn nanos_a_tick(self) -> f64 {
        self.nanos_a_tick
    }
}

/// Whether the counter has the same rate in all power states of the processor.
#[cfg(all(windows, target_arch = "x86_64"))]
fn is_steady() -> bool {
    use core::arch::x86_64::__cpuid;

    const POWER: u32 = 0x8000_0007;
    POWER <= __cpuid(0x8000_0000).eax && __cpuid(POWER).edx & 1 << 8 != 0
}

/// Returns `false`: whether the counter always has the same rate is not known.
#[cfg(all(windows, not(target_arch = "x86_64")))]
const fn is_steady() -> bool {
    false
}

/// Returns the current value of the counter.
#[inline]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the counter is read by a dedicated instruction")]
pub fn ticks() -> i64 {
    // SAFETY: every processor of this kind has the instruction, and it touches no memory.
    unsafe { core::arch::x86_64::_rdtsc() }.cast_signed()
}

/// Returns the current time of the clock in nanoseconds, which replaces the counter on this architecture.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub fn ticks() -> i64 {
    clock_nanos()
}

/// Reads the counter and the clock at nearly the same time. Returns the ticks, and the time in nanoseconds.
fn pair() -> (i64, i64) {
    let mut best = (i64::MAX, 0, 0);
    for _ in 0..32 {
        let before = ticks();
        let nanos = clock_nanos();
        let after = ticks();
        if after - before < best.0 {
            best = (after - before, before + (after - before) / 2, nanos);
        }
    }
    (best.1, best.2)
}

#[expect(clippy::cast_precision_loss, reason = "a span of seconds, far below 2^53")]
const fn float(span: i64) -> f64 {
    span as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_goes_at_the_clocks_pace() {
        let Some(pace) = Ticks::measured() else {
            println!("skipped: the system's clock is not made of the processor's counter here");
            return;
        };
        let (from, from_nanos) = pair();
        while clock_nanos() - from_nanos < 5_000_000 {}
        let (to, to_nanos) = pair();
        let ratio = float(to - from) * pace.nanos_a_tick() / float(to_nanos - from_nanos);
        assert!((ratio - 1.0).abs() < 0.001, "{ratio}");
    }
}
