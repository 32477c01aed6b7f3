//! The paced loop of all tests: in each iteration, it waits until a slot is due and then does the work.
//!
//! **The idea.** The loop is the instrument, so it must not move what it measures. Between `due` and `woke` there is the wait and one
//! read of the clock, nothing else. Between two samples there is no allocation, no lock, and no formatting: a sample goes into a
//! ring that another thread empties. The only system calls are those of the wait and, if the trial requests evidence, the reads
//! of the thread's counters. The way of waiting is selected outside the loop ([`Waiter::run`]), so that each has a separate loop
//! without a branch on the kind of wait.
//!
//! **An absolute schedule.** Slot k is due at start + k × period, computed from k and not from the slot before: an error of a
//! nanosecond per slot would be 0.2 ms after an hour at 60 FPS, and a loop that adds the period to each wake-up drifts by
//! its own lateness. What was not reached in time is not forgotten: `on_miss` decides whether the loop catches up, skips to the
//! next slot of the grid, or begins a new grid at the wake-up.
//!
//! **An example.** 60 FPS, 16 667 µs a slot. Slot 3 is due at 50 001 µs and wakes at 50 009, 8 µs late; its work ends at
//! 85 000, after the whole of slot 4, which was due at 66 668. With *skip*, the default, slot 4 is missed, and slot 5 runs at once,
//! 1 665 µs after it was due at 83 335. With *catch up*, slot 4 runs first, 18 332 µs late, then slot 5. With *rebase*, the next
//! slot is due one period after the wake-up, at 66 676, and the one after it a period after 85 000: the grid has moved by 18 ms, and
//! no later figure shows it. So that is only for comparison with programs that do it, and what it hides is counted.
//!
//! **Evidence.** The counters of the thread are read in the slack after the work, when nobody waits, and once more right after a
//! late wake-up. Their difference is what happened in the wait. Reading takes time that the work then starts later, so `work_started`
//! is recorded for these samples: the frame time is not charged with it.
//!
//! **Warm-up.** The first slots have negative indexes and are not recorded. Then the schedule begins again at slot 0, so that
//! caches, clock rate, and the page faults of first touches are those of a running loop, and recorded times begin at 0.
//!
//! **Why not the simpler way.** A timer callback or a thread per frame adds the wake-up of another thread to each sample. Recording
//! into a growing list copies it, in the middle of a run, exactly when many samples were measured.

use std::sync::atomic::{AtomicBool, Ordering};

use super::evidence::EvidenceReader;
use super::recorder::Recorder;
use super::waiting::{WaitResult, Waiter, WaitingLoop};
use super::work::Prepared;
use crate::nanos::Nanos;
use crate::plan::OnMiss;
use crate::plan::pace::{Slot, next_slot};
use crate::platform::{Sleeper, clock_nanos, current_cpu};
use crate::sample::{Evidence, Sample};

/// The parameters of a paced loop.
#[derive(Clone, Copy, Debug)]
pub struct Paced {
    /// The length of a slot.
    pub period: Nanos,
    /// What happens to slots that have already passed.
    pub on_miss: OnMiss,
    /// Number of slots before the first recorded sample.
    pub warm_up_slots: i64,
    /// Number of slots after the warm-up.
    pub slots: i64,
    /// How the loop waits for a slot.
    pub waiter: Waiter,
    /// The work in each slot, after the wake-up.
    pub work: Prepared,
    /// Lateness above which evidence is recorded.
    pub evidence_above: Nanos,
}

/// The result of a measuring loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopResult {
    /// Slots that passed, including missed ones; without a schedule, the number of samples.
    pub slots: i64,
    /// Whether the loop ran to its planned end.
    pub complete: bool,
}

/// Where a paced loop writes its results, and the reader of its evidence.
#[derive(Debug)]
pub struct Sinks<'a> {
    /// Receives all samples.
    pub samples: &'a mut Recorder<Sample>,
    /// Receives the evidence of late samples.
    pub evidence: &'a mut Recorder<Evidence>,
    /// Reads the thread's counters; `None` if no evidence is requested.
    pub reader: Option<&'a mut EvidenceReader>,
}

/// Runs a paced trial to its end or until stopped.
///
/// `measured` is called once, right before the wait for the first slot after the warm-up. It returns a
/// clock reading, which is the start of the trial. The loop allocates nothing itself.
pub fn run_paced(
    paced: &Paced,
    sleeper: &Sleeper,
    stop: &AtomicBool,
    sinks: &mut Sinks<'_>,
    measured: impl FnMut() -> i64,
) -> LoopResult {
    paced.waiter.run(sleeper, stop, HotIterations { paced, stop, sinks, measured })
}

/// The iterations of a paced trial.
struct HotIterations<'a, 'b, M> {
    paced: &'a Paced,
    stop: &'a AtomicBool,
    sinks: &'a mut Sinks<'b>,
    measured: M,
}

impl<M: FnMut() -> i64> WaitingLoop for HotIterations<'_, '_, M> {
    type Result = LoopResult;

    #[inline]
    fn run(self, wait: impl Fn(i64, i64) -> WaitResult) -> LoopResult {
        let Self { paced, stop, sinks, mut measured } = self;
        let period = paced.period;
        // Slot 0 is the first recorded slot; the warm-up slots before it have negative indexes.
        let mut slot = Slot { index: -paced.warm_up_slots, due: period };
        let mut start = clock_nanos();
        if paced.warm_up_slots == 0 {
            start = measured();
        }
        let mut recorded = 0_u64;
        let mut cpu_before = current_cpu();
        let mut was_behind = false;
        while slot.index < paced.slots && !stop.load(Ordering::Relaxed) {
            if slot.index >= 0 && recorded == 0 && paced.warm_up_slots > 0 && slot.due != period {
                // The warm-up is over: a new schedule begins, so that recorded samples start at 0.
                start = measured();
                slot = Slot { index: 0, due: period };
                was_behind = false;
            }
            let due = start + slot.due.get();
            let began = clock_nanos();
            let woken = wait(due, began);
            if woken.stopped {
                break;
            }
            let cpu = current_cpu();
            let late = Nanos::new(woken.woke - due);
            let counts = slot.index >= 0;
            if let Some(reader) = sinks.reader.as_deref_mut()
                && counts
                && late > paced.evidence_above
            {
                let mut evidence = reader.since_slack(was_behind);
                evidence.index = recorded;
                evidence.cpu_before = cpu_before;
                evidence.cpu_after = cpu;
                evidence.work_started = Some(Nanos::new(clock_nanos() - start));
                sinks.evidence.record(evidence);
            }
            if !paced.work.run(stop) {
                // A stop shortened the work, so its duration is not that of a frame.
                break;
            }
            let done = clock_nanos();
            if counts {
                sinks.samples.record(Sample {
                    began: Nanos::new(began - start),
                    due: slot.due,
                    slept: woken.slept.map(|slept| Nanos::new(slept - start)),
                    woke: Nanos::new(woken.woke - start),
                    done: Nanos::new(done - start),
                    spins: woken.spins,
                    cpu,
                });
                recorded += 1;
            }
            cpu_before = cpu;
            let next = next_slot(
                slot,
                period,
                paced.on_miss,
                Nanos::new(woken.woke - start),
                Nanos::new(done - start),
            );
            was_behind = next.due < Nanos::new(done - start);
            if let Some(reader) = sinks.reader.as_deref_mut() {
                reader.in_slack();
            }
            slot = next;
        }
        LoopResult { slots: slot.index.clamp(0, paced.slots), complete: slot.index >= paced.slots }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::pool::{Pool, run_pooled};
    use crate::measure::recorder::ring;
    use crate::plan::SpinStrategy;

    fn check(paced: &Paced) -> Vec<Sample> {
        let (mut samples, mut tap) = ring(4_096, Sample::default());
        let (mut evidence, _) = ring(16, Evidence::default());
        let mut begun = 0;
        let ended = run_paced(
            paced,
            &Sleeper::new(),
            &AtomicBool::new(false),
            &mut Sinks { samples: &mut samples, evidence: &mut evidence, reader: None },
            || {
                begun += 1;
                clock_nanos()
            },
        );
        assert_eq!(begun, 1);
        assert!(ended.complete);
        let mut taken = Vec::new();
        tap.drain(|sample| taken.push(sample));
        assert!(!taken.is_empty());
        for sample in &taken {
            assert!(sample.began <= sample.woke && sample.woke <= sample.done);
            assert!(sample.due <= sample.woke, "woke before it was due");
        }
        taken
    }

    fn paced(waiter: Waiter) -> Paced {
        Paced {
            period: Nanos::from_micros(500),
            on_miss: OnMiss::CatchUp,
            warm_up_slots: 5,
            slots: 40,
            waiter,
            work: Prepared::Nothing,
            evidence_above: Nanos::MAX,
        }
    }

    #[test]
    fn a_grid_that_catches_up_gives_every_slot_once_and_never_moves() {
        for waiter in [
            Waiter::OsSleep,
            Waiter::Hybrid(Nanos::from_micros(100)),
            Waiter::Spin(SpinStrategy::None),
            Waiter::Spin(SpinStrategy::SpinLoopHint),
            Waiter::Spin(SpinStrategy::YieldThread),
        ] {
            let samples = check(&paced(waiter));
            let due: Vec<_> = samples.iter().map(|sample| sample.due).collect();
            let expected: Vec<_> = (1..=40).map(|k| Nanos::from_micros(500) * k).collect();
            assert_eq!(due, expected);
        }
    }

    #[test]
    fn a_grid_that_skips_stays_on_its_grid() {
        let work = Prepared::Timed(Nanos::from_micros(800));
        // 400 slots take 200 ms, because on a busy PC the loop may lose its CPU for tens of milliseconds.
        let samples =
            check(&Paced { on_miss: OnMiss::Skip, work, slots: 400, ..paced(Waiter::OsSleep) });
        assert!(samples.len() < 400, "work of 1.6 periods leaves slots empty");
        assert!(samples.iter().all(|sample| sample.due.get() % 500_000 == 0));
    }

    #[test]
    fn a_re_based_loop_counts_from_the_last_wake_up() {
        let samples =
            check(&Paced { on_miss: OnMiss::Rebase, warm_up_slots: 0, ..paced(Waiter::OsSleep) });
        assert_eq!(samples.len(), 40);
        for pair in samples.windows(2) {
            assert_eq!(pair[1].due, pair[0].woke + Nanos::from_micros(500));
        }
    }

    #[test]
    fn a_frame_whose_work_a_stop_shortens_is_not_recorded() {
        let arithmetic = Prepared::Arithmetic { iterations: u64::MAX, slice: 1_000_000 };
        for work in [Prepared::Timed(Nanos::from_secs(600)), arithmetic] {
            for pool in [None, Some(Pool { workers: 2, call: Nanos::from_millis(1) })] {
                let (mut samples, mut tap) = ring(16, Sample::default());
                let (mut evidence, _) = ring(16, Evidence::default());
                let stop = AtomicBool::new(false);
                let paced = Paced { warm_up_slots: 0, work, ..paced(Waiter::OsSleep) };
                let ended = std::thread::scope(|scope| {
                    scope.spawn(|| {
                        std::thread::sleep(std::time::Duration::from_millis(30));
                        stop.store(true, Ordering::Relaxed);
                    });
                    if let Some(pool) = pool {
                        return run_pooled(&paced, pool, &stop, &mut samples, clock_nanos);
                    }
                    let mut sinks =
                        Sinks { samples: &mut samples, evidence: &mut evidence, reader: None };
                    Ok(run_paced(&paced, &Sleeper::new(), &stop, &mut sinks, clock_nanos))
                });
                assert_eq!(ended, Ok(LoopResult { slots: 0, complete: false }));
                tap.drain(|sample| panic!("{sample:?}"));
            }
        }
    }

    #[test]
    fn a_stopped_loop_shows_that_it_is_not_complete() {
        let (mut samples, _tap) = ring(16, Sample::default());
        let (mut evidence, _) = ring(16, Evidence::default());
        let ended = run_paced(
            &Paced { period: Nanos::from_secs(3_600), ..paced(Waiter::OsSleep) },
            &Sleeper::new(),
            &AtomicBool::new(true),
            &mut Sinks { samples: &mut samples, evidence: &mut evidence, reader: None },
            clock_nanos,
        );
        assert_eq!(ended, LoopResult { slots: 0, complete: false });
    }
}
