//! The loop of single waits: each begins when the previous one is over.

use std::sync::atomic::{AtomicBool, Ordering};

use super::hot_loop::LoopResult;
use super::recorder::Recorder;
use super::waiting::{WaitResult, Waiter, WaitingLoop};
use crate::nanos::Nanos;
use crate::platform::{Sleeper, clock_nanos, current_cpu};
use crate::sample::Sample;

/// The parameters of a series of single waits.
#[derive(Clone, Copy, Debug)]
pub struct WaitSeries {
    /// Requested duration of each wait.
    pub length: Nanos,
    /// Maximum number of waits.
    pub count: u64,
    /// Maximum duration of the series. The last wait may exceed it.
    pub at_most: Nanos,
    /// How to wait.
    pub waiter: Waiter,
}

/// Runs a series of waits until all are done, the time is up, or a stop is requested. `start` is the value of
/// `clock_nanos` at the start of the trial. Allocates no memory.
pub fn run_waits(
    waits: &WaitSeries,
    start: i64,
    sleeper: &Sleeper,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
) -> LoopResult {
    waits.waiter.run(sleeper, stop, WaitIterations { waits, start, stop, samples })
}

/// The loop of a series of waits.
struct WaitIterations<'a> {
    waits: &'a WaitSeries,
    start: i64,
    stop: &'a AtomicBool,
    samples: &'a mut Recorder<Sample>,
}

impl WaitingLoop for WaitIterations<'_> {
    type Result = LoopResult;

    #[inline]
    fn run(self, wait: impl Fn(i64, i64) -> WaitResult) -> LoopResult {
        let Self { waits, start, stop, samples } = self;
        let end = start.saturating_add(waits.at_most.get());
        let mut turn = 0_u64;
        let mut began = start;
        while turn < waits.count && began < end && !stop.load(Ordering::Relaxed) {
            began = clock_nanos();
            let due = began.saturating_add(waits.length.get());
            let woken = wait(due, began);
            if woken.stopped {
                break;
            }
            let done = clock_nanos();
            samples.record(Sample {
                began: Nanos::new(began - start),
                due: Nanos::new(due - start),
                slept: woken.slept.map(|slept| Nanos::new(slept - start)),
                woke: Nanos::new(woken.woke - start),
                done: Nanos::new(done - start),
                spins: woken.spins,
                cpu: current_cpu(),
            });
            turn += 1;
        }
        let is_whole = turn >= waits.count || (end <= began && !stop.load(Ordering::Relaxed));
        LoopResult { slots: i64::try_from(turn).unwrap_or(i64::MAX), complete: is_whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::recorder::ring;
    use crate::plan::SpinStrategy;

    fn run(waiter: Waiter, length: Nanos, count: u64, at_most: Nanos) -> (LoopResult, Vec<Sample>) {
        let (mut samples, mut tap) = ring(4_096, Sample::default());
        let waits = WaitSeries { length, count, at_most, waiter };
        let ended = run_waits(
            &waits,
            clock_nanos(),
            &Sleeper::new(),
            &AtomicBool::new(false),
            &mut samples,
        );
        let mut taken = Vec::new();
        tap.drain(|sample| taken.push(sample));
        (ended, taken)
    }

    #[test]
    fn every_wait_is_retained_and_none_ends_early() {
        for waiter in [
            Waiter::OsSleep,
            Waiter::Spin(SpinStrategy::None),
            Waiter::Spin(SpinStrategy::SpinLoopHint),
            Waiter::Spin(SpinStrategy::YieldThread),
            Waiter::Hybrid(Nanos::from_micros(50)),
        ] {
            let length = Nanos::from_micros(100);
            let (ended, taken) = run(waiter, length, 30, Nanos::from_secs(60));
            assert_eq!((ended.complete, taken.len()), (true, 30), "{waiter:?}");
            for sample in taken {
                assert_eq!(sample.due - sample.began, length);
                assert!(sample.due <= sample.woke && sample.woke <= sample.done);
            }
        }
    }

    #[test]
    fn a_relative_sleep_is_retained_even_where_the_system_ends_it_early() {
        let (ended, taken) = run(Waiter::Relative, Nanos::new(1), 20, Nanos::from_secs(60));
        assert_eq!((ended.complete, taken.len()), (true, 20));
        assert!(taken.iter().all(|sample| sample.slept == Some(sample.woke)));
    }

    #[test]
    fn time_ends_a_series_and_that_is_whole() {
        let (ended, taken) =
            run(Waiter::OsSleep, Nanos::from_millis(1), 1_000_000, Nanos::from_millis(20));
        assert!(ended.complete);
        assert!(!taken.is_empty() && taken.len() < 1_000);
    }
}
