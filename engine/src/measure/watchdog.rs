//! Watches over real-time threads: a canary of normal priority that must keep moving.
//!
//! The kernel's own limit (`RLIMIT_RTTIME`, held by `platform`) catches a thread that never sleeps;
//! this catches real-time threads that together leave nothing to the rest.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::join::join_all;
use super::spawner::Spawner;
use crate::platform::{self, RealtimeGuard};

/// How often the canary moves.
const CANARY_BEAT: Duration = Duration::from_millis(50);
/// How often the supervisor looks.
const SUPERVISOR_BEAT: Duration = Duration::from_millis(250);
/// Looks without a move after which everything is demoted: 2 s.
const PATIENCE: u32 = 8;

/// Holds every guard of real-time threads until it is dropped.
#[derive(Debug)]
pub(super) struct Watchdog {
    stop: Arc<AtomicBool>,
    starved: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    _limit: RealtimeGuard,
}

impl Watchdog {
    /// Sets the limit and starts canary and supervisor.
    pub(super) fn start(spawner: &Spawner) -> io::Result<Self> {
        let limit = RealtimeGuard::install();
        let stop = Arc::new(AtomicBool::new(false));
        let starved = Arc::new(AtomicBool::new(false));
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
        let mut watchdog = Self { stop, starved, threads: vec![canary], _limit: limit };
        let supervisor = {
            let (stop, starved) = (Arc::clone(&watchdog.stop), Arc::clone(&watchdog.starved));
            spawner.spawn("watchdog", move || {
                platform::raise_supervisor();
                supervise(&stop, &beats, &starved);
            })?
        };
        watchdog.threads.push(supervisor);
        Ok(watchdog)
    }

    /// Whether the canary stood still and everything real-time was demoted.
    pub(super) fn has_demoted(&self) -> bool {
        self.starved.load(Ordering::Relaxed)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        join_all(&mut self.threads, "a watchdog thread");
    }
}

/// Looks at the canary until told to stop; demotes every real-time thread when it stands still.
fn supervise(stop: &AtomicBool, beats: &AtomicU64, starved: &AtomicBool) {
    let mut last = beats.load(Ordering::Relaxed);
    let mut still = 0;
    while !stop.load(Ordering::Relaxed) {
        std::thread::park_timeout(SUPERVISOR_BEAT);
        let now = beats.load(Ordering::Relaxed);
        still = if now == last { still + 1 } else { 0 };
        last = now;
        if still == PATIENCE {
            platform::demote_all_registered();
            starved.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_that_moves_demotes_nobody() {
        let watchdog = Watchdog::start(&Spawner::start().unwrap()).unwrap();
        std::thread::sleep(Duration::from_millis(600));
        assert!(!watchdog.has_demoted());
    }

    #[test]
    fn a_canary_that_stands_still_demotes() {
        let (stop, beats, starved) =
            (AtomicBool::new(false), AtomicU64::new(7), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| supervise(&stop, &beats, &starved));
            while !starved.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
