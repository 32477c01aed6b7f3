//! Runs a paced task in a pool of workers. A worker that is free runs the task if it is due, and otherwise
//! runs an operator, which is background load.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

use super::hot_loop::{LoopResult, Paced};
use super::recorder::Recorder;
use super::work::arithmetic;
use crate::nanos::Nanos;
use crate::plan::pace::{Slot, next_slot};
use crate::platform::{clock_nanos, current_cpu};
use crate::sample::Sample;

/// Iterations of arithmetic between two reads of the clock: some tens of microseconds.
const ITERATIONS_PER_LOOK: u64 = 20_000;

/// The parameters of a pool of workers, which run the frames of a loop one after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    /// Number of workers, at least 1. Each worker calls operators without a pause unless a frame is due.
    pub(super) workers: u32,
    /// The duration of a call of an operator.
    pub(super) call: Nanos,
}

/// The paced task, whose frames run one after another on any worker that is free.
struct Task<'a> {
    paced: &'a Paced,
    start: i64,
    slot: Slot,
    /// When the previous frame was done, from the start of the schedule.
    since: Nanos,
    samples: Option<&'a mut Recorder<Sample>>,
}

impl Task<'_> {
    /// Runs a frame that is due, on this thread. Returns when the next frame is due (`i64::MAX` after the last);
    /// `None` if no frame is due.
    fn run(&mut self, stop: &AtomicBool) -> Option<i64> {
        let woke = Nanos::new(clock_nanos() - self.start);
        if woke < self.slot.due || self.paced.slots <= self.slot.index {
            return None;
        }
        let cpu = current_cpu();
        // A stop shortened the work, so its duration is not that of a frame.
        if !self.paced.work.run(stop) {
            return None;
        }
        let done = Nanos::new(clock_nanos() - self.start);
        let (began, due) = (self.since, self.slot.due);
        if let Some(samples) = self.samples.as_deref_mut() {
            samples.record(Sample { began, due, slept: None, woke, done, spins: 0, cpu });
        }
        self.since = done;
        self.slot = next_slot(self.slot, self.paced.period, self.paced.on_miss, woke, done);
        let is_over = self.paced.slots <= self.slot.index;
        Some(if is_over { i64::MAX } else { self.start + self.slot.due.get() })
    }
}

/// Runs a paced task in a pool to its end or until stopped; the calling thread is one of the workers.
/// `measured` is called once, after the warm-up, and returns the start of the schedule. Returns an error if a worker
/// cannot start.
pub(super) fn run_pooled(
    paced: &Paced,
    pool: Pool,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
    mut measured: impl FnMut() -> i64,
) -> Result<LoopResult, String> {
    if 0 < paced.warm_up_slots {
        let warm_up = Paced { slots: paced.warm_up_slots, ..*paced };
        run_part(&warm_up, pool, clock_nanos(), stop, None)?;
    }
    run_part(paced, pool, measured(), stop, Some(samples))
}

fn run_part(
    paced: &Paced,
    pool: Pool,
    start: i64,
    stop: &AtomicBool,
    samples: Option<&mut Recorder<Sample>>,
) -> Result<LoopResult, String> {
    let slot = Slot { index: 0, due: paced.period };
    let next_due = AtomicI64::new(start + slot.due.get());
    let task = Mutex::new(Task { paced, start, slot, since: Nanos::ZERO, samples });
    let work = || {
        loop {
            let due = next_due.load(Ordering::Relaxed);
            if due == i64::MAX || stop.load(Ordering::Relaxed) {
                return;
            }
            // If another worker is running the task, this worker continues with the next call of an operator.
            if due <= clock_nanos()
                && let Ok(mut task) = task.try_lock()
            {
                if let Some(next) = task.run(stop) {
                    next_due.store(next, Ordering::Relaxed);
                }
                continue;
            }
            call(pool.call, stop);
        }
    };
    thread::scope(|scope| {
        for index in 1..pool.workers {
            let worker = thread::Builder::new().name(format!("pool-{index}"));
            if let Err(error) = worker.spawn_scoped(scope, work) {
                // Ends the workers that did start. The run fails anyway.
                stop.store(true, Ordering::Relaxed);
                let workers = pool.workers;
                return Err(format!("only {index} of {workers} pool threads could start: {error}"));
            }
        }
        work();
        Ok(())
    })?;
    let slots = task.into_inner().map_or(0, |task| task.slot.index);
    Ok(LoopResult { slots: slots.clamp(0, paced.slots), complete: paced.slots <= slots })
}

/// Runs one call of an operator: arithmetic until `length` is over or a stop is requested.
pub(super) fn call(length: Nanos, stop: &AtomicBool) {
    let end = clock_nanos() + length.get();
    while clock_nanos() < end && !stop.load(Ordering::Relaxed) {
        black_box(arithmetic(ITERATIONS_PER_LOOK));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::recorder::ring;
    use crate::measure::waiting::Waiter;
    use crate::measure::work::Prepared;
    use crate::plan::OnMiss;

    fn paced(slots: i64) -> Paced {
        Paced {
            period: Nanos::from_millis(5),
            on_miss: OnMiss::CatchUp,
            warm_up_slots: 2,
            slots,
            waiter: Waiter::OsSleep,
            work: Prepared::Nothing,
            evidence_above: Nanos::MAX,
        }
    }

    #[test]
    fn every_frame_runs_once_and_never_before_it_is_due() {
        for workers in [1, 2] {
            let (mut samples, mut tap) = ring(64, Sample::default());
            let (stop, mut begun) = (AtomicBool::new(false), 0);
            let pool = Pool { workers, call: Nanos::from_millis(1) };
            let ended = run_pooled(&paced(30), pool, &stop, &mut samples, || {
                begun += 1;
                clock_nanos()
            });
            assert_eq!((ended, begun), (Ok(LoopResult { slots: 30, complete: true }), 1));
            let mut taken = Vec::new();
            tap.drain(|sample| taken.push(sample));
            let due: Vec<i64> = taken.iter().map(|sample| sample.due.get()).collect();
            assert_eq!(due, (1..=30).map(|slot| slot * 5_000_000).collect::<Vec<_>>());
            for pair in taken.windows(2) {
                assert!(pair[0].done == pair[1].began && pair[1].due <= pair[1].woke, "{pair:?}");
            }
        }
    }

    #[test]
    fn a_stopped_pool_is_not_complete() {
        let (mut samples, _tap) = ring(4, Sample::default());
        let pool = Pool { workers: 2, call: Nanos::from_secs(600) };
        let ended = run_pooled(&paced(30), pool, &AtomicBool::new(true), &mut samples, clock_nanos);
        assert_eq!(ended, Ok(LoopResult { slots: 0, complete: false }));
    }
}
