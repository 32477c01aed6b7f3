//! Joins threads that may never end, because a program of higher priority can use their CPU indefinitely.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::nanos::Nanos;

/// The maximum wait for stopped threads to end. A stopped thread that gets a CPU ends in a few milliseconds.
pub(super) const LIMIT: Duration = Duration::from_secs(2);
/// The interval at which a thread is checked for its end.
const LOOK: Duration = Duration::from_millis(2);

/// Waits until stopped threads have ended, at most [`LIMIT`] for all of them together. A thread that
/// has not ended is abandoned, and ends as soon as it gets a CPU. `what` names the threads in the log.
pub(super) fn join_all(threads: &mut Vec<JoinHandle<()>>, what: &str) {
    let began = Instant::now();
    for thread in threads.drain(..) {
        thread.thread().unpark();
        while !thread.is_finished() && began.elapsed() < LIMIT {
            std::thread::sleep(LOOK);
        }
        if !thread.is_finished() {
            log::warn!("{what} got no CPU for {LIMIT:?} and was abandoned");
        } else if thread.join().is_err() {
            log::error!("{what} panicked");
        }
    }
}

/// Measures the time since the run was stopped; empty until the stop is noticed.
#[derive(Default)]
pub(super) struct Waiting(Option<Instant>);

impl Waiting {
    /// Returns whether [`LIMIT`] has passed since the first call with `is_stopped`: until then, stopped
    /// threads have time to end.
    pub(super) fn is_over(&mut self, is_stopped: bool) -> bool {
        if is_stopped {
            self.0.get_or_insert_with(Instant::now);
        }
        LIMIT <= self.length().to_duration()
    }

    pub(super) fn length(&self) -> Nanos {
        self.0.map_or(Nanos::ZERO, |began| Nanos::from(began.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::Builder;

    use super::*;

    #[test]
    fn a_thread_that_does_not_end_is_left_behind() {
        let stop = Arc::new(AtomicBool::new(false));
        let stuck = {
            let stop = Arc::clone(&stop);
            Builder::new().spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(LOOK);
                }
            })
        };
        let quick = Builder::new().spawn(|| {});
        let mut threads = vec![quick.unwrap(), stuck.unwrap()];
        join_all(&mut threads, "a thread");
        assert!(threads.is_empty() && !stop.swap(true, Ordering::Relaxed));
    }
}
