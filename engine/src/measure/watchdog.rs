//! Watches real-time threads: a canary, which is a thread of normal priority, must still get CPU time.
//!
//! A limit of the Linux kernel (`RLIMIT_RTTIME`, set by `platform`) catches a single thread that never
//! sleeps. The watchdog catches several real-time threads that together leave no CPU time to others.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::join::join_all;
use super::spawner::Spawner;
use crate::platform::{self, RealtimeGuard, ThreadId, clock_nanos};

/// Interval at which the canary, a thread of normal priority, increments its counter.
const CANARY_BEAT: Duration = Duration::from_millis(50);
/// Interval at which the supervisor thread checks the counter of the canary.
const SUPERVISOR_BEAT: Duration = Duration::from_millis(250);
/// Number of consecutive checks without an increment of the canary's counter, 1.5 s, after which all real-time
/// threads lose their priority.
const PATIENCE: u32 = 6;
/// Number of consecutive checks at full CPU use, 1 s, after which a real-time thread counts as a runaway.
const RUNAWAY_LOOKS: u32 = 4;
/// CPU time, in percent of an interval, that counts as full CPU use. It is below 100 because clocks of CPU
/// time are coarse.
const ALL_PERCENT: i64 = 95;

/// Guards against real-time threads that use all CPU time. Dropping this ends the guards.
#[derive(Debug)]
pub(super) struct Watchdog {
    stop: Arc<AtomicBool>,
    failed: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    _limit: RealtimeGuard,
}

impl Watchdog {
    /// Sets the kernel's limit, and starts the canary and the supervisor. The supervisor stops the run
    /// through `run_stop` if the system does not revoke a priority.
    pub(super) fn start(spawner: &Spawner, run_stop: &Arc<AtomicBool>) -> io::Result<Self> {
        let limit = RealtimeGuard::install();
        let stop = Arc::new(AtomicBool::new(false));
        let failed = Arc::new(AtomicBool::new(false));
        let beats = Arc::new(AtomicU64::new(0));
        let canary = {
            let (stop, beats) = (Arc::clone(&stop), Arc::clone(&beats));
            spawner.spawn("canary", move || {
                while !stop.load(Ordering::Relaxed) {
                    beats.fetch_add(1, Ordering::Relaxed);
                    std::thread::park_timeout(CANARY_BEAT);
                }
            })?
        };
        let mut watchdog = Self { stop, failed, threads: vec![canary], _limit: limit };
        let supervisor = {
            let (stop, failed) = (Arc::clone(&watchdog.stop), Arc::clone(&watchdog.failed));
            let run_stop = Arc::clone(run_stop);
            spawner.spawn("watchdog", move || {
                platform::raise_supervisor();
                supervise(&stop, &beats, || {
                    if !platform::demote_all_registered() {
                        failed.store(true, Ordering::Relaxed);
                        run_stop.store(true, Ordering::Relaxed);
                    }
                });
            })?
        };
        watchdog.threads.push(supervisor);
        Ok(watchdog)
    }

    /// Returns whether the run was stopped because a real-time priority could not be revoked.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        join_all(&mut self.threads, "a watchdog thread");
    }
}

/// Checks the canary's counter and the CPU time of real-time threads until stopped. Calls `revoke` if the
/// counter does not increase or if a real-time thread never sleeps.
fn supervise(stop: &AtomicBool, beats: &AtomicU64, mut revoke: impl FnMut()) {
    let mut last = beats.load(Ordering::Relaxed);
    let mut still = 0;
    let mut runaways = Runaways::default();
    while !stop.load(Ordering::Relaxed) {
        std::thread::park_timeout(SUPERVISOR_BEAT);
        let now = beats.load(Ordering::Relaxed);
        still = if now == last { still + 1 } else { 0 };
        last = now;
        let has_runaway = runaways.look(clock_nanos(), platform::registered_cpu_nanos());
        if still == PATIENCE || has_runaway {
            revoke();
        }
    }
}

/// Finds real-time threads that never sleep. Needed on Windows, whose kernel does not limit such threads.
#[derive(Debug, Default)]
struct Runaways {
    at: i64,
    used: Vec<(ThreadId, i64)>,
    looks: u32,
}

impl Runaways {
    /// Compares the CPU time of each real-time thread, in nanoseconds, with the previous call. Returns `true` once:
    /// in the [`RUNAWAY_LOOKS`]th consecutive call in which a thread has used all CPU time since the last call.
    fn look(&mut self, at: i64, used: Vec<(ThreadId, i64)>) -> bool {
        let whole = (at - self.at) * ALL_PERCENT / 100;
        let runs_on = used.iter().any(|(thread, now)| {
            let before = self.used.iter().find(|(other, _)| other == thread);
            before.is_some_and(|(_, before)| whole <= now - before)
        });
        self.looks = if runs_on { self.looks + 1 } else { 0 };
        (self.at, self.used) = (at, used);
        self.looks == RUNAWAY_LOOKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watchdog_with_nothing_to_watch_stops_nothing() {
        let run_stop = Arc::new(AtomicBool::new(false));
        let watchdog = Watchdog::start(&Spawner::start().unwrap(), &run_stop).unwrap();
        std::thread::sleep(Duration::from_millis(600));
        assert!(!watchdog.has_failed() && !run_stop.load(Ordering::Relaxed));
    }

    #[test]
    fn a_thread_without_a_pause_is_a_runaway_after_a_second() {
        let millis = |value: i64| value * 1_000_000;
        let check = |percent: i64, expected: Option<i64>| {
            let mut runaways = Runaways::default();
            let found = (0..20).find(|look| {
                let at = millis(1_000 + look * 250);
                runaways.look(at, vec![(ThreadId(7), millis(look * 250) * percent / 100)])
            });
            assert_eq!(found, expected, "{percent}%");
        };
        check(100, Some(4));
        check(96, Some(4));
        check(90, None);
        check(0, None);
    }

    #[test]
    fn a_canary_that_stands_still_demotes() {
        let (stop, beats) = (AtomicBool::new(false), AtomicU64::new(7));
        supervise(&stop, &beats, || stop.store(true, Ordering::Relaxed));
        assert!(stop.load(Ordering::Relaxed));
    }
}
