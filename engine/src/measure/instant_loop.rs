//! The loop of spin waits that spin_sleep's experiment `spin_strategy_latency` runs, iteration by iteration: it reads
//! [`Instant`] and compares durations. An iteration of [`wait_loop`](super::wait_loop) is shorter, so that more of them
//! fit into a wait; their numbers are not comparable with published ones.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::hot_loop::LoopResult;
use super::recorder::Recorder;
use super::wait_loop::WaitSeries;
use crate::nanos::Nanos;
use crate::plan::SpinStrategy;
use crate::platform::{clock_nanos, current_cpu};
use crate::sample::Sample;

/// Runs a series of spin waits until all are done, the time is up, or a stop is requested. The parameters are those of
/// [`run_waits`](super::wait_loop::run_waits); a wait cannot be stopped. Allocates no memory.
pub(super) fn run_instant_waits(
    waits: &WaitSeries,
    strategy: SpinStrategy,
    start: i64,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
) -> LoopResult {
    match strategy {
        SpinStrategy::None => run(waits, start, stop, samples, || {}),
        SpinStrategy::SpinLoopHint => run(waits, start, stop, samples, std::hint::spin_loop),
        SpinStrategy::YieldThread => run(waits, start, stop, samples, std::thread::yield_now),
    }
}

#[inline]
fn run(
    waits: &WaitSeries,
    start: i64,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
    between: impl Fn(),
) -> LoopResult {
    let end = start.saturating_add(waits.at_most.get());
    let length = waits.length.to_duration();
    let mut turn = 0_u64;
    let mut began = start;
    while turn < waits.count && began < end && !stop.load(Ordering::Relaxed) {
        began = clock_nanos();
        let (spins, elapsed) = spin(length, &between);
        let since_start = Nanos::new(began - start);
        let [woke, done] = elapsed.map(|time| since_start + Nanos::from(time));
        samples.record(Sample {
            began: since_start,
            due: since_start + waits.length,
            slept: None,
            woke,
            done,
            spins,
            cpu: current_cpu(),
        });
        turn += 1;
    }
    let is_whole = turn >= waits.count || (end <= began && !stop.load(Ordering::Relaxed));
    LoopResult { slots: i64::try_from(turn).unwrap_or(i64::MAX), complete: is_whole }
}

/// Spins for a duration. Returns the number of iterations, the reading that ended the loop, and a second one, of which
/// the experiment reports the mean.
#[inline]
fn spin(length: Duration, between: impl Fn()) -> (u32, [Duration; 2]) {
    let started = Instant::now();
    let mut spins = 0_u32;
    loop {
        let elapsed = started.elapsed();
        if length <= elapsed {
            return (spins, [elapsed, started.elapsed()]);
        }
        between();
        spins = spins.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::recorder::ring;
    use crate::measure::waiting::Waiter;

    #[test]
    fn every_wait_is_retained_and_none_ends_early() {
        for strategy in SpinStrategy::ALL {
            let (mut samples, mut tap) = ring(64, Sample::default());
            let waits = WaitSeries {
                length: Nanos::from_micros(50),
                count: 30,
                at_most: Nanos::from_secs(60),
                waiter: Waiter::Spin(strategy),
            };
            let stop = AtomicBool::new(false);
            let ended = run_instant_waits(&waits, strategy, clock_nanos(), &stop, &mut samples);
            let mut taken = Vec::new();
            tap.drain(|sample| taken.push(sample));
            assert_eq!((ended.complete, taken.len()), (true, 30), "{strategy:?}");
            for sample in taken {
                assert!(sample.due <= sample.woke && sample.woke <= sample.done);
            }
        }
    }

    #[test]
    fn a_wait_of_0_has_no_iteration() {
        let (spins, [first, second]) = spin(Duration::ZERO, || {});
        assert!(spins == 0 && first <= second);
    }
}
