//! The one loop that runs every paced trial of every test.
//!
//! Between `due` and `woke` there is the wait and one clock read, nothing else. Between two samples
//! there is no allocation, no lock, no formatting, and no system call but the wait's and, only if a
//! trial requests evidence, the read of the thread's counters: in the slack after the work, and
//! right after a late wake-up, where the work's own start is then stamped.

use std::sync::atomic::{AtomicBool, Ordering};

use super::evidence::EvidenceReader;
use super::recorder::Recorder;
use super::waiting::{self, WaitResult};
use super::work::Prepared;
use crate::nanos::Nanos;
use crate::plan::pace::{Slot, next_slot};
use crate::plan::{OnMiss, SpinStrategy};
use crate::platform::{Sleeper, clock_nanos, current_cpu};
use crate::sample::{Evidence, Sample};

/// A wait with everything filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiter {
    /// The system's sleep to an instant.
    OsSleep,
    /// The system's sleep for a length.
    Relative,
    /// The system's sleep for whole milliseconds.
    WholeMillis,
    /// The system's sleep, then a spin of this length.
    Hybrid(Nanos),
    /// A spin.
    Spin(SpinStrategy),
}

/// A paced trial with everything filled in.
#[derive(Clone, Copy, Debug)]
pub struct Paced {
    /// The length of a slot.
    pub period: Nanos,
    /// What happens to slots that have passed.
    pub on_miss: OnMiss,
    /// Slots before samples count.
    pub warm_up_slots: i64,
    /// Slots that count.
    pub slots: i64,
    /// How to wait.
    pub waiter: Waiter,
    /// What to do after waking.
    pub work: Prepared,
    /// Lateness above which evidence is recorded.
    pub evidence_above: Nanos,
}

/// Result of a paced loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopResult {
    /// Slots of the schedule that passed, including missed ones.
    pub slots: i64,
    /// Whether the whole schedule was run.
    pub complete: bool,
}

/// Outputs of a paced loop.
#[derive(Debug)]
pub struct Sinks<'a> {
    /// Receives all samples.
    pub samples: &'a mut Recorder<Sample>,
    /// Receives evidence of late samples.
    pub evidence: &'a mut Recorder<Evidence>,
    /// Reads the thread's counters; absent if no evidence is requested.
    pub reader: Option<&'a mut EvidenceReader>,
}

/// Runs a paced trial to its end or until stopped.
///
/// `measured` is called once, right before the wait for the first slot that counts, and returns the
/// clock: the trial's start. Allocates nothing itself.
pub fn run_paced(
    paced: &Paced,
    sleeper: &Sleeper,
    stop: &AtomicBool,
    sinks: &mut Sinks<'_>,
    measured: impl FnMut() -> i64,
) -> LoopResult {
    // The wait is selected here, outside the loop, to keep branches out of the loop.
    match paced.waiter {
        Waiter::OsSleep => iterations(paced, stop, sinks, measured, |due, now| {
            waiting::os_sleep(sleeper, due, now, stop)
        }),
        Waiter::Relative => iterations(paced, stop, sinks, measured, |due, now| {
            waiting::relative(sleeper, due, now, stop)
        }),
        Waiter::WholeMillis => iterations(paced, stop, sinks, measured, |due, now| {
            waiting::whole_millis(sleeper, due, now, stop)
        }),
        Waiter::Hybrid(tail) => iterations(paced, stop, sinks, measured, |due, now| {
            waiting::hybrid(sleeper, tail, due, now, stop)
        }),
        Waiter::Spin(SpinStrategy::None) => iterations(paced, stop, sinks, measured, |due, now| {
            waiting::spin(due, now, stop, || {})
        }),
        Waiter::Spin(SpinStrategy::SpinLoopHint) => {
            iterations(paced, stop, sinks, measured, |due, now| {
                waiting::spin(due, now, stop, std::hint::spin_loop)
            })
        }
        Waiter::Spin(SpinStrategy::YieldThread) => {
            iterations(paced, stop, sinks, measured, |due, now| {
                waiting::spin(due, now, stop, std::thread::yield_now)
            })
        }
    }
}

#[inline]
fn iterations(
    paced: &Paced,
    stop: &AtomicBool,
    sinks: &mut Sinks<'_>,
    mut measured: impl FnMut() -> i64,
    wait: impl Fn(i64, i64) -> WaitResult,
) -> LoopResult {
    let period = paced.period;
    // Slot 0 is the first that counts; warm-up slots are before it, at negative positions.
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
            // The warm-up is over: begin a new schedule, so that what counts starts at 0.
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
        paced.work.run(stop);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::recorder::ring;

    const BLANK: Sample = Sample {
        began: Nanos::ZERO,
        due: Nanos::ZERO,
        slept: None,
        woke: Nanos::ZERO,
        done: Nanos::ZERO,
        spins: 0,
        cpu: None,
    };

    fn check(paced: &Paced) -> Vec<Sample> {
        let (mut samples, mut tap) = ring(4_096, BLANK);
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
        // 200 ms: a busy PC may take the CPU away for tens of them.
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
    fn a_stopped_loop_shows_that_it_is_not_complete() {
        let (mut samples, _tap) = ring(16, BLANK);
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
