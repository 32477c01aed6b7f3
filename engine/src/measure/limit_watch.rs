//! Watches the limits of the program during a run: its CPU quota and the CPUs it may use.

use crate::nanos::Nanos;
use crate::platform::{self, clock_nanos};
use crate::run::CpuLimits;

/// The interval between readings of the limits, in nanoseconds. On Linux, a reading opens a few small files.
const EVERY_NANOS: i64 = 1_000_000_000;

/// The limits before the run, and the clock times of the start and of the next reading.
#[derive(Debug)]
pub(super) struct LimitWatch {
    began: i64,
    next: i64,
    before: WatchedLimits,
}

/// The limits of the program at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct WatchedLimits {
    quota_percent: Option<u32>,
    /// How long each control group was throttled so far.
    throttled: Vec<Nanos>,
    cpus: Option<Vec<u32>>,
}

impl LimitWatch {
    /// Reads the limits before the run.
    pub(super) fn start() -> Self {
        let began = clock_nanos();
        Self { began, next: began, before: WatchedLimits::read() }
    }

    /// Reads the limits and adds changes to `limits`, but does nothing within 1 s of the last reading.
    pub(super) fn look(&mut self, limits: &mut CpuLimits) {
        let now = clock_nanos();
        if self.next <= now {
            self.next = now + EVERY_NANOS;
            self.look_now(limits);
        }
    }

    /// Reads the limits immediately, and adds the changes since the start of the run to `limits`.
    pub(super) fn look_now(&self, limits: &mut CpuLimits) {
        let at = Nanos::new(clock_nanos() - self.began);
        self.before.changes(&WatchedLimits::read(), at, limits);
    }
}

impl WatchedLimits {
    fn read() -> Self {
        Self {
            quota_percent: platform::cpu_quota_percent(),
            throttled: platform::throttled_times(),
            cpus: platform::cpu_set(),
        }
    }

    /// Adds the differences between these limits and `now` to `limits`; `at` is the time since the start of the run.
    fn changes(&self, now: &Self, at: Nanos, limits: &mut CpuLimits) {
        if let Some(percent) = now.quota_percent {
            if self.quota_percent.is_none() && limits.quota_percent.is_none() {
                limits.quota_began = Some(at);
            }
            let tightest = limits.quota_percent.map_or(percent, |old| old.min(percent));
            limits.quota_percent = Some(tightest);
            let throttled = now.throttled.iter().zip(&self.throttled);
            limits.throttled =
                throttled.map(|(now, before)| (*now - *before).max(Nanos::ZERO)).max();
        }
        if self.cpus != now.cpus {
            limits.cpus_changed.get_or_insert(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota(percent: u32, throttled_millis: i64) -> WatchedLimits {
        let throttled = [0, throttled_millis].map(Nanos::from_millis).to_vec();
        WatchedLimits { quota_percent: Some(percent), throttled, cpus: Some(vec![0, 1]) }
    }

    #[test]
    fn throttled_time_counts_from_the_start_of_the_run() {
        let mut limits = CpuLimits::default();
        quota(50, 700).changes(&quota(50, 900), Nanos::from_secs(1), &mut limits);
        let expected = CpuLimits {
            quota_percent: Some(50),
            throttled: Some(Nanos::from_millis(200)),
            ..CpuLimits::default()
        };
        assert_eq!(limits, expected);
    }

    #[test]
    fn a_limit_that_appears_has_the_time_it_began() {
        let mut limits = CpuLimits::default();
        let free = WatchedLimits {
            cpus: Some(vec![0, 1]),
            throttled: vec![Nanos::ZERO; 2],
            ..WatchedLimits::default()
        };
        free.changes(&free, Nanos::from_secs(1), &mut limits);
        assert_eq!(limits, CpuLimits::default());
        free.changes(&quota(80, 10), Nanos::from_secs(2), &mut limits);
        free.changes(&quota(50, 60), Nanos::from_secs(3), &mut limits);
        let one = WatchedLimits { cpus: Some(vec![0]), ..WatchedLimits::default() };
        free.changes(&one, Nanos::from_secs(4), &mut limits);
        free.changes(&one, Nanos::from_secs(5), &mut limits);
        let expected = CpuLimits {
            quota_percent: Some(50),
            quota_began: Some(Nanos::from_secs(2)),
            throttled: Some(Nanos::from_millis(60)),
            cpus_changed: Some(Nanos::from_secs(4)),
        };
        assert_eq!(limits, expected);
    }
}
