//! What a measuring thread does around the hot loop: asks for its conditions, calibrates, measures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::SyncSender;

use super::after_loop::{Waits, run_waits};
use super::evidence::EvidenceReader;
use super::gap_loop::{Gaps, Intervals, run_gaps, usual_threshold};
use super::hot_loop::{Ended, Paced, Sinks, Waiter, run_paced};
use super::recorder::{Recorder, ring};
use super::tick_loop::{Ticks, run_ticks};
use super::waiting;
use super::work::Prepared;
use crate::nanos::Nanos;
use crate::plan::conditions::Deadline;
use crate::plan::{Length, Pace, Priority, Tail, Trial, Wait, Work};
use crate::platform::{
    self, Applied, Refusal, RequestOutcome, Sleeper, ThreadCounters, clock_nanos,
};
use crate::run::{Counters, counter};
use crate::sample::{Evidence, Sample};

/// Pieces of work from which DEADLINE's runtime is found.
const DEADLINE_TRIES: usize = 300;
/// The length of the sleeps from which a tail is measured.
const CALIBRATION_SLEEP: Nanos = Nanos::from_millis(1);

/// Everything a measuring thread needs.
pub(super) struct Setup {
    pub(super) trial: Trial,
    pub(super) turns_a_second: f64,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) samples: Recorder<Sample>,
    pub(super) evidence: Recorder<Evidence>,
    pub(super) notes: SyncSender<Note>,
    /// The raw clock when the first slot that counts began; 0 before.
    pub(super) measured_at: Arc<AtomicI64>,
    /// The raw clock when the stage began, the same for all its trials.
    pub(super) origin: i64,
    /// When the run began, on the same clock.
    pub(super) run_began: i64,
}

/// A sample that stands for room in a ring.
pub(super) const BLANK: Sample = Sample {
    began: Nanos::ZERO,
    due: Nanos::ZERO,
    slept: None,
    woke: Nanos::ZERO,
    done: Nanos::ZERO,
    spins: 0,
    cpu: None,
};

/// What a measuring thread tells outside the loop.
pub(super) enum Note {
    /// What it was granted, and the tail it uses.
    Applied(Box<Applied>, Option<Nanos>),
    /// How it ended.
    Ended(Box<TrialEnd>),
}

/// How a trial ended.
pub(super) struct TrialEnd {
    pub(super) complete: bool,
    pub(super) demoted: bool,
    pub(super) counters: Counters,
}

impl Setup {
    /// Measures; runs on a thread of its own.
    pub(super) fn run(mut self) {
        let mut counters = Counters::new();
        self.fill_in_deadline(&mut counters);
        let (applied, held) = apply_safely(&self.trial);
        let registration = applied
            .effective
            .policy
            .is_realtime()
            .then(|| platform::register_realtime(platform::thread_id()));
        let sleeper = Sleeper::new();
        let waiter = self.waiter(&sleeper);
        let tail = match waiter {
            Waiter::Hybrid(tail) => Some(tail),
            Waiter::OsSleep | Waiter::Relative | Waiter::Spin(_) => None,
        };
        if let Some(tail) = tail {
            counters.insert(counter::TAIL_NANOS.to_owned(), tail.get());
        }
        let work = Prepared::new(self.trial.work, self.turns_a_second);
        if let Prepared::Arithmetic { turns, .. } = work {
            insert(&mut counters, counter::WORK_TURNS, turns);
        }
        let mut reader = EvidenceReader::new();
        counters.insert(counter::EVIDENCE_READ_NANOS.to_owned(), reader.read_cost().get());
        if self.notes.send(Note::Applied(Box::new(applied), tail)).is_err() {
            return;
        }
        let (ended, before, began) =
            self.measure(waiter, work, &sleeper, &mut reader, &mut counters);
        let now = reader.read();
        counters.insert(counter::WALL_NANOS.to_owned(), clock_nanos() - began);
        insert(&mut counters, counter::SLOTS, ended.slots.unsigned_abs());
        differences(&mut counters, &before, &now);
        let demoted = registration.as_ref().is_some_and(platform::Registration::has_demoted);
        drop(registration);
        drop(held);
        let end = TrialEnd { complete: ended.complete, demoted, counters };
        // A collector that is gone has stopped the run and wants nothing more.
        self.notes.send(Note::Ended(Box::new(end))).ok();
    }

    /// DEADLINE's runtime where it is left open: p99.9 of the CPU time of the work and a fifth more, at
    /// least a tenth and at most half of the period.
    fn fill_in_deadline(&mut self, counters: &mut Counters) {
        let Priority::Deadline(asked) = self.trial.conditions.priority else { return };
        let mut runtime = asked.runtime;
        if runtime == Nanos::ZERO {
            let work = Prepared::new(self.trial.work, self.turns_a_second);
            let mut used: Vec<i64> = Vec::with_capacity(DEADLINE_TRIES);
            for _ in 0..DEADLINE_TRIES {
                let Some(before) = platform::thread_cpu_nanos() else { break };
                work.run(&self.stop);
                let Some(after) = platform::thread_cpu_nanos() else { break };
                used.push(after - before);
                if self.stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            used.sort_unstable();
            let rank = (used.len() * 999).div_ceil(1_000);
            let most = rank.checked_sub(1).and_then(|at| used.get(at)).copied().unwrap_or(0);
            let (least, limit) = (asked.period.get() / 10, asked.period.get() / 2);
            runtime = Nanos::new((most + most / 5).clamp(least, limit.max(least)));
        }
        counters.insert(counter::RUNTIME_NANOS.to_owned(), runtime.get());
        self.trial.conditions.priority = Priority::Deadline(Deadline { runtime, ..asked });
    }

    /// Runs the trial's loop; what it costs is counted from the first turn that counts.
    fn measure(
        &mut self,
        waiter: Waiter,
        work: Prepared,
        sleeper: &Sleeper,
        reader: &mut EvidenceReader,
        counters: &mut Counters,
    ) -> (Ended, ThreadCounters, i64) {
        let at_start = EvidenceReader::new();
        let measured_at = Arc::clone(&self.measured_at);
        let mut before = reader.read();
        let mut began = clock_nanos();
        let mut measured = || {
            before = at_start.read();
            began = clock_nanos();
            measured_at.store(began, Ordering::Release);
        };
        let ended = match self.trial.pace {
            Pace::Grid { period, on_miss } => {
                let warm_up = self.trial.warm_up.get().max(0);
                let paced = Paced {
                    period,
                    on_miss,
                    warm_up_slots: (warm_up + period.get() - 1) / period.get().max(1),
                    slots: i64::try_from(self.trial.slot_count()).unwrap_or(i64::MAX),
                    waiter,
                    work,
                    evidence_above: self.trial.evidence_above.unwrap_or(Nanos::MAX),
                };
                let mut sinks = Sinks {
                    samples: &mut self.samples,
                    evidence: &mut self.evidence,
                    reader: self.trial.evidence_above.is_some().then_some(reader),
                };
                run_paced(&paced, sleeper, &self.stop, &mut sinks, measured)
            }
            Pace::After { length } => {
                let at_most = match self.trial.length {
                    Length::Turns { at_most, .. } | Length::Time(at_most) => at_most,
                    Length::Slots(_) => Nanos::MAX,
                };
                let waits = Waits { length, count: self.trial.slot_count(), at_most, waiter };
                if Nanos::ZERO < self.trial.warm_up {
                    let (mut scratch, _tap) = ring(1, BLANK);
                    let warm_up = Waits { count: u64::MAX, at_most: self.trial.warm_up, ..waits };
                    run_waits(&warm_up, sleeper, &self.stop, &mut scratch);
                }
                measured();
                run_waits(&waits, sleeper, &self.stop, &mut self.samples)
            }
            Pace::Gaps { threshold } => {
                let threshold = match threshold.get() {
                    0 => usual_threshold(),
                    given => given,
                };
                counters.insert(counter::THRESHOLD_NANOS.to_owned(), threshold);
                let pace = platform::Ticks::measured();
                let mut intervals = Intervals::new(pace);
                let warm_up = Gaps { threshold, length: self.trial.warm_up };
                let (mut scratch, _tap) = ring(1, BLANK);
                run_gaps(&warm_up, self.origin, &self.stop, &mut scratch, &mut intervals);
                let mut intervals = Intervals::new(pace);
                let gaps = Gaps { threshold, length: self.time() };
                measured();
                let ended =
                    run_gaps(&gaps, self.origin, &self.stop, &mut self.samples, &mut intervals);
                counters.extend(intervals.counters());
                ended
            }
            Pace::BackToBack => {
                let Work::GameCycle(cycle) = self.trial.work else {
                    return (Ended { slots: 0, complete: false }, before, began);
                };
                let ticks = Ticks { cycle, warm_up: self.trial.warm_up, length: self.time() };
                run_ticks(&ticks, &self.stop, &mut self.samples, counters, measured)
            }
        };
        counters.insert(counter::STARTED_NANOS.to_owned(), began - self.origin);
        counters.insert(counter::STARTED_IN_RUN_NANOS.to_owned(), began - self.run_began);
        (ended, before, began)
    }

    /// How long measuring goes on where time ends it.
    const fn time(&self) -> Nanos {
        match self.trial.length {
            Length::Time(length) => length,
            Length::Slots(_) | Length::Turns { .. } => Nanos::MAX,
        }
    }

    /// The trial's wait with its tail filled in.
    fn waiter(&self, sleeper: &Sleeper) -> Waiter {
        match self.trial.wait {
            Wait::OsSleep => Waiter::OsSleep,
            Wait::Relative => Waiter::Relative,
            Wait::Spin(strategy) => Waiter::Spin(strategy),
            Wait::Hybrid(Tail::Fixed(tail)) => Waiter::Hybrid(tail),
            Wait::Hybrid(Tail::Measured) => {
                Waiter::Hybrid(measured_tail(sleeper, &self.stop, Tail::CALIBRATION))
            }
        }
    }
}

/// Asks for the trial's conditions; a pure spin is never run at real-time priority.
fn apply_safely(trial: &Trial) -> (Applied, platform::Held) {
    let asked = trial.conditions;
    if trial.wait.sleeps() || !platform::is_realtime(asked.priority) {
        return platform::apply(&asked);
    }
    let mut conditions = asked;
    conditions.priority = Priority::Normal;
    let (mut applied, held) = platform::apply(&conditions);
    applied.priority = RequestOutcome::Refused;
    applied.refusals.insert(
        0,
        Refusal {
            asked: asked.priority.name(),
            call: "safety".to_owned(),
            errno: None,
            error_name: String::new(),
            reason:
                "a pure spin never sleeps; at real-time priority it would hold its CPU for good"
                    .to_owned(),
            remedy: "choose the wait os-sleep or hybrid".to_owned(),
        },
    );
    (applied, held)
}

/// The p99.9 of the system sleep's overshoot, between 200 µs and 2 ms.
fn measured_tail(sleeper: &Sleeper, stop: &AtomicBool, length: Nanos) -> Nanos {
    let end = clock_nanos() + length.get();
    let mut overshoots = Vec::with_capacity(2_048);
    while clock_nanos() < end && !stop.load(Ordering::Relaxed) {
        let now = clock_nanos();
        let due = now + CALIBRATION_SLEEP.get();
        let woken = waiting::os_sleep(sleeper, due, now, stop);
        overshoots.push(woken.woke - due);
    }
    tail_of(overshoots)
}

fn tail_of(mut overshoots: Vec<i64>) -> Nanos {
    overshoots.sort_unstable();
    let rank = (overshoots.len() * 999).div_ceil(1_000);
    let p999 = rank.checked_sub(1).and_then(|index| overshoots.get(index)).copied();
    p999.map_or(Tail::MOST_MEASURED, Nanos::new).clamp(Tail::LEAST_MEASURED, Tail::MOST_MEASURED)
}

fn insert(counters: &mut Counters, name: &str, value: u64) {
    counters.insert(name.to_owned(), i64::try_from(value).unwrap_or(i64::MAX));
}

/// What the thread's counters rose by; what the system does not tell is left out.
fn differences(counters: &mut Counters, before: &ThreadCounters, now: &ThreadCounters) {
    for (name, before, now) in [
        (counter::INVOLUNTARY_SWITCHES, before.involuntary, now.involuntary),
        (counter::VOLUNTARY_SWITCHES, before.voluntary, now.voluntary),
        (counter::MINOR_FAULTS, before.minor_faults, now.minor_faults),
        (counter::MAJOR_FAULTS, before.major_faults, now.major_faults),
    ] {
        if let (Some(before), Some(now)) = (before, now) {
            insert(counters, name, now.saturating_sub(before));
        }
    }
    for (name, before, now) in [
        (counter::CPU_NANOS, before.cpu_nanos, now.cpu_nanos),
        (counter::STEAL_NANOS, before.steal_nanos, now.steal_nanos),
    ] {
        if let (Some(before), Some(now)) = (before, now) {
            counters.insert(name.to_owned(), now.saturating_sub(before));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_the_p99_9_between_its_limits() {
        assert_eq!(tail_of(vec![]), Tail::MOST_MEASURED);
        assert_eq!(tail_of(vec![60_000; 100]), Tail::LEAST_MEASURED);
        let mut overshoots = vec![60_000; 998];
        overshoots.extend([700_000, 9_000_000]);
        assert_eq!(tail_of(overshoots.clone()), Nanos::new(700_000));
        overshoots.push(9_000_000);
        assert_eq!(tail_of(overshoots), Tail::MOST_MEASURED);
    }
}
