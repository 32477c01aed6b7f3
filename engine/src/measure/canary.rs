//! Canaries: threads that sleep until set times at normal priority, and record how late they woke.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use super::join::join_all;
use super::recorder::{Tap, ring};
use super::start_thread;
use crate::nanos::Nanos;
use crate::platform::{self, Sleeper, clock_nanos};

/// Maximum number of canaries.
const MAX_CANARIES: usize = 8;
/// The shortest time from one wake-up of a canary to the next.
const MIN_PERIOD: Nanos = Nanos::from_millis(5);
/// Maximum number of wake-ups of all canaries together, per second.
const MAX_WAKEUPS_HZ: i64 = 400;
/// Number of wake-ups that wait to be read: those of 40 s.
const CAPACITY: usize = 8_192;

/// A wake-up, by `clock_nanos`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CanaryWake {
    /// When the thread should have woken.
    pub due: Nanos,
    /// When it ran.
    pub woke: Nanos,
}

/// A running canary.
#[derive(Debug)]
pub struct RunningCanary {
    /// The CPU to which the thread is pinned; `None` for one that is not pinned, or could not be.
    pub cpu: Option<u32>,
    /// Time from one set time to the next.
    pub period: Nanos,
    thread: Arc<AtomicU64>,
    tap: Tap<CanaryWake>,
}

impl RunningCanary {
    /// Returns the ID of the thread; 0 until it runs.
    pub fn thread(&self) -> u32 {
        u32::try_from(self.thread.load(Ordering::Acquire)).unwrap_or_default()
    }

    /// Passes the wake-ups since the last call to `take`.
    pub fn drain(&mut self, take: impl FnMut(CanaryWake)) {
        self.tap.drain(take);
    }
}

/// The canaries of a recording. Dropping this ends them.
#[derive(Debug)]
pub struct Canaries {
    /// Each canary; the first one is not pinned.
    pub all: Vec<RunningCanary>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Canaries {
    /// Starts one canary that is not pinned, and one per CPU of `cpus`, as many as are permitted. With many canaries,
    /// each wakes more rarely.
    ///
    /// # Errors
    ///
    /// The system could not start a thread.
    pub fn start(cpus: &[u32]) -> std::io::Result<Self> {
        let places = std::iter::once(None).chain(cpus.iter().copied().map(Some));
        let places: Vec<Option<u32>> = places.take(MAX_CANARIES).collect();
        let period = period(places.len());
        let stop = Arc::new(AtomicBool::new(false));
        let mut canaries = Self { all: Vec::new(), stop, threads: Vec::new() };
        let start = clock_nanos();
        for (cpu, number) in places.into_iter().zip(0..) {
            let (mut recorder, tap) = ring(CAPACITY, CanaryWake::default());
            let thread = Arc::new(AtomicU64::new(0));
            let (own, stop) = (Arc::clone(&thread), Arc::clone(&canaries.stop));
            // Canaries do not wake at the same time.
            let first = start + period.get() * number / i64::try_from(MAX_CANARIES).unwrap_or(1);
            canaries.threads.push(start_thread("canary", move || {
                if let Some(cpu) = cpu
                    && let Err(refusal) = platform::pin_self(cpu)
                {
                    log::info!("a canary is not pinned: {refusal:?}");
                }
                own.store(platform::thread_id().0, Ordering::Release);
                let sleeper = Sleeper::new();
                let mut due = first;
                while !stop.load(Ordering::Relaxed) {
                    sleeper.sleep_until(due);
                    let woke = clock_nanos();
                    recorder.record(CanaryWake { due: Nanos::new(due), woke: Nanos::new(woke) });
                    // Set times that passed during a stall are skipped.
                    let passed = (woke - due).max(0) / period.get() + 1;
                    due += passed * period.get();
                }
            })?);
            canaries.all.push(RunningCanary { cpu, period, thread, tap });
        }
        Ok(canaries)
    }
}

impl Drop for Canaries {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        join_all(&mut self.threads, "a canary");
    }
}

/// Returns the time from one wake-up to the next where this many canaries run.
fn period(count: usize) -> Nanos {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    MIN_PERIOD.max(Nanos::new(count.saturating_mul(1_000_000_000) / MAX_WAKEUPS_HZ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_canaries_wake_more_rarely() {
        assert_eq!([1, 2, 3, 8].map(|count| period(count).get() / 100_000), [50, 50, 75, 200]);
    }

    #[test]
    fn canaries_wake_at_set_times() {
        let mut canaries = Canaries::start(&[]).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(60));
        let mut wakes = Vec::new();
        canaries.all.iter_mut().for_each(|canary| canary.drain(|wake| wakes.push(wake)));
        assert!(!wakes.is_empty());
        assert!(wakes.iter().all(|wake| wake.due <= wake.woke), "{wakes:?}");
        let steps = wakes.windows(2).map(|pair| (pair[1].due - pair[0].due).get());
        assert!(steps.into_iter().all(|step| 0 < step && step % MIN_PERIOD.get() == 0));
        assert_ne!(canaries.all[0].thread(), 0);
    }
}
