//! Runs one trial on a measuring thread: requests its conditions, calibrates, runs its loop, and reports the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::SyncSender;

use super::evidence::EvidenceReader;
use super::gap_loop::{Gaps, Intervals, Totals, default_threshold, run_gaps, run_probe};
use super::hot_loop::{LoopResult, Paced, Sinks, run_paced};
use super::instant_loop::run_instant_waits;
use super::pool::{Pool, run_pooled};
use super::recorder::{Recorder, ring};
use super::tail_trial::{TriedTails, try_tails};
use super::tick_loop::{Ticks, run_ticks};
use super::trace::ThreadSlot;
use super::wait_loop::{WaitSeries, run_waits};
use super::waiting::Waiter;
use super::work::Prepared;
use crate::nanos::Nanos;
use crate::plan::conditions::Deadline;
use crate::plan::{Length, Pace, Priority, Tail, Trial, Wait, Work};
use crate::platform::{
    self, Applied, Policy, Refusal, RequestOutcome, Sleeper, ThreadCounters, clock_nanos,
};
use crate::run::{Counters, TailPoint, counter};
use crate::sample::{Evidence, Sample};

/// Everything that a measuring thread needs to run its trial.
pub(super) struct Setup {
    pub(super) trial: Trial,
    pub(super) turns_a_second: f64,
    /// The pool whose workers run the frames of the trial; `None` if this thread runs them.
    pub(super) pool: Option<Pool>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) samples: Recorder<Sample>,
    pub(super) evidence: Recorder<Evidence>,
    /// Receives the totals of a gap probe so far.
    pub(super) totals: Recorder<Totals>,
    pub(super) notes: SyncSender<Note>,
    /// Value of `clock_nanos` when the warm-up ended and measuring began; 0 until then.
    pub(super) measured_at: Arc<AtomicI64>,
    /// The values that the thread publishes for its trace.
    pub(super) slot: ThreadSlot,
    /// Value of `clock_nanos` when the stage began, the same for all trials of the stage.
    pub(super) origin: i64,
    /// Value of `clock_nanos` when the run began.
    pub(super) run_began: i64,
    /// The spin tails that an earlier trial of this run tried under the same load and conditions; `None` if
    /// there is no such trial.
    pub(super) known_tails: Option<TriedTails>,
    /// Whether the real-time priority of an earlier trial of this run was revoked.
    pub(super) was_revoked: bool,
}

/// A report that a measuring thread sends before or after its loop.
pub(super) enum Note {
    /// Before the loop: the conditions that the system applied, the spin tail in use, and the result of each
    /// tried tail.
    Applied(Box<Applied>, Option<Nanos>, Vec<TailPoint>),
    /// After the loop: the result of the trial.
    LoopResult(Box<TrialEnd>),
}

/// Result of a trial.
pub(super) struct TrialEnd {
    pub(super) complete: bool,
    /// Why the loop could not run; `None` if it ran.
    pub(super) failure: Option<String>,
    /// Whether a guard revoked the thread's real-time priority.
    pub(super) demoted: bool,
    /// The scheduling policy after the loop, read back from the system; `None` for MMCSS.
    pub(super) policy_at_end: Option<Policy>,
    pub(super) counters: Counters,
}

impl Setup {
    /// Runs the whole trial. Call it on a thread that does nothing else.
    pub(super) fn run(mut self) {
        let mut counters = Counters::new();
        self.fill_in_deadline(&mut counters);
        // Declared before `held`, so that it is dropped after `held` on every path: `held` restores the normal priority,
        // and the guards must know the thread for as long as it has real-time priority.
        let mut registration = None;
        let (mut applied, held) = apply_safely(&self.trial, self.was_revoked);
        // Publish the thread ID only after pinning: the trace opens records for the CPUs of the thread.
        self.slot.thread.store(platform::thread_id().0, Ordering::Release);
        match self.trial.wait {
            Wait::Relative => Sleeper::new().relative_call().clone_into(&mut applied.sleep_call),
            Wait::WholeMillis => Sleeper::new().millis_call().clone_into(&mut applied.sleep_call),
            _ => {}
        }
        let requested = self.trial.conditions.priority;
        if applied.is_realtime(requested) {
            registration = Some(platform::register_realtime(platform::thread_id()));
        }
        let sleeper = Sleeper::new();
        let work = Prepared::new(self.trial.work, self.turns_a_second);
        let (waiter, tail_curve) = self.waiter(work, &sleeper);
        let tail = match waiter {
            Waiter::Hybrid(tail) => Some(tail),
            Waiter::OsSleep | Waiter::Relative | Waiter::WholeMillis | Waiter::Spin(_) => None,
        };
        if let Some(tail) = tail {
            counters.insert(counter::TAIL_NANOS.to_owned(), tail.get());
        }
        if let Prepared::Arithmetic { iterations, .. } = work {
            insert(&mut counters, counter::WORK_TURNS, iterations);
        }
        let mut reader = EvidenceReader::new(Arc::clone(&self.slot.is_traced));
        counters.insert(counter::EVIDENCE_READ_NANOS.to_owned(), reader.read_cost().get());
        if self.notes.send(Note::Applied(Box::new(applied), tail, tail_curve)).is_err() {
            return;
        }
        let (ended, before) = self.measure(waiter, work, &sleeper, &mut reader, &mut counters);
        before.count_until(&ThreadMark::now(&reader), &mut counters);
        let (ended, failure) = match ended {
            Ok(ended) => (ended, None),
            Err(reason) => (LoopResult { slots: 0, complete: false }, Some(reason)),
        };
        insert(&mut counters, counter::SLOTS, ended.slots.unsigned_abs());
        let policy = platform::own_policy();
        let demoted = registration.as_ref().is_some_and(platform::Registration::has_demoted)
            && !policy.is_realtime();
        drop(held);
        drop(registration);
        // MMCSS changes the priority of its threads continually, so their final policy means nothing.
        let policy_at_end = (!matches!(requested, Priority::Mmcss(_))).then_some(policy);
        let complete = ended.complete;
        let end = TrialEnd { complete, failure, demoted, policy_at_end, counters };
        // Ignore an error: it means that the collector has stopped the run and needs no result.
        self.notes.send(Note::LoopResult(Box::new(end))).ok();
    }

    /// Determines an automatic DEADLINE runtime: p99.9 of the CPU time of the work, plus 20%. The runtime is
    /// between 10% and 50% of the period, and not above the deadline.
    fn fill_in_deadline(&mut self, counters: &mut Counters) {
        let Priority::Deadline(requested) = self.trial.conditions.priority else { return };
        let mut runtime = requested.runtime;
        if runtime == Nanos::ZERO {
            let work = Prepared::new(self.trial.work, self.turns_a_second);
            let mut used: Vec<i64> = Vec::with_capacity(Deadline::TRIES);
            for _ in 0..Deadline::TRIES {
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
            let (min, limit) = (requested.period.get() / 10, requested.period.get() / 2);
            let found = (most + most / 5).clamp(min, limit.max(min));
            runtime = Nanos::new(found).min(requested.deadline);
        }
        counters.insert(counter::RUNTIME_NANOS.to_owned(), runtime.get());
        self.trial.conditions.priority = Priority::Deadline(Deadline { runtime, ..requested });
    }

    /// Runs the loop of the trial. Returns the result or why the loop could not run, and the state of the counters
    /// when measuring began.
    fn measure(
        &mut self,
        waiter: Waiter,
        work: Prepared,
        sleeper: &Sleeper,
        reader: &mut EvidenceReader,
        counters: &mut Counters,
    ) -> (Result<LoopResult, String>, ThreadMark) {
        let at_start = EvidenceReader::second();
        let measured_at = Arc::clone(&self.measured_at);
        let mut before = ThreadMark::now(reader);
        let mut measured = || {
            before = ThreadMark::now(&at_start);
            measured_at.store(before.at, Ordering::Release);
            before.at
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
                match self.pool {
                    Some(pool) => run_pooled(&paced, pool, &self.stop, sinks.samples, measured),
                    None => Ok(run_paced(&paced, sleeper, &self.stop, &mut sinks, measured)),
                }
            }
            Pace::After { length } => {
                let at_most = match self.trial.length {
                    Length::Turns { at_most, .. } | Length::Time(at_most) => at_most,
                    Length::Slots(_) => Nanos::MAX,
                };
                let waits = WaitSeries { length, count: self.trial.slot_count(), at_most, waiter };
                if Nanos::ZERO < self.trial.warm_up {
                    let (mut scratch, _tap) = ring(1, Sample::default());
                    let warm_up =
                        WaitSeries { count: u64::MAX, at_most: self.trial.warm_up, ..waits };
                    run_waits(&warm_up, clock_nanos(), sleeper, &self.stop, &mut scratch);
                }
                let (start, samples) = (measured(), &mut self.samples);
                Ok(if let Wait::SpinInstant(strategy) = self.trial.wait {
                    run_instant_waits(&waits, strategy, start, &self.stop, samples)
                } else {
                    run_waits(&waits, start, sleeper, &self.stop, samples)
                })
            }
            Pace::Gaps { threshold } => {
                let threshold = match threshold.get() {
                    0 => default_threshold(),
                    given => given,
                };
                counters.insert(counter::THRESHOLD_NANOS.to_owned(), threshold);
                let pace = platform::Ticks::measured();
                let mut intervals = Intervals::new(pace);
                let warm_up = Gaps { threshold, length: self.trial.warm_up };
                let (mut scratch, _tap) = ring(1, Sample::default());
                run_gaps(&warm_up, self.origin, &self.stop, &mut scratch, &mut intervals);
                let mut intervals = Intervals::new(pace);
                let gaps = Gaps { threshold, length: self.time() };
                measured();
                let ended = run_probe(
                    &gaps,
                    self.origin,
                    &self.stop,
                    &mut self.samples,
                    &mut intervals,
                    &mut self.totals,
                );
                counters.extend(intervals.counters());
                Ok(ended)
            }
            Pace::BackToBack => {
                let Work::GameCycle(cycle) = self.trial.work else {
                    return (Ok(LoopResult { slots: 0, complete: false }), before);
                };
                let ticks = Ticks { cycle, warm_up: self.trial.warm_up, length: self.time() };
                run_ticks(&ticks, &self.stop, &mut self.samples, counters, measured)
            }
        };
        counters.insert(counter::STARTED_NANOS.to_owned(), before.at - self.origin);
        counters.insert(counter::STARTED_IN_RUN_NANOS.to_owned(), before.at - self.run_began);
        (ended, before)
    }

    /// Returns the measuring time of the trial, or the maximum if its length is not a time.
    const fn time(&self) -> Nanos {
        match self.trial.length {
            Length::Time(length) => length,
            Length::Slots(_) | Length::Turns { .. } => Nanos::MAX,
        }
    }

    /// Returns how the trial waits, including its spin tail, and the result of each tried tail. The results
    /// are empty unless the tail is calibrated.
    fn waiter(&mut self, work: Prepared, sleeper: &Sleeper) -> (Waiter, Vec<TailPoint>) {
        let waiter = match self.trial.wait {
            Wait::OsSleep => Waiter::OsSleep,
            Wait::Relative => Waiter::Relative,
            Wait::WholeMillis => Waiter::WholeMillis,
            Wait::Spin(strategy) | Wait::SpinInstant(strategy) => Waiter::Spin(strategy),
            Wait::Hybrid(Tail::Fixed(tail)) => Waiter::Hybrid(tail),
            Wait::Hybrid(Tail::Measured) => {
                let (tail, curve) = self.known_tails.take().unwrap_or_else(|| {
                    let period = self.trial.pace.period();
                    let tails = Tail::tried(self.trial.work.length(), period);
                    try_tails(tails, (period, work), sleeper, &self.stop)
                });
                return (Waiter::Hybrid(tail), curve);
            }
        };
        (waiter, Vec::new())
    }
}

/// Returns the reason why real-time priority is not safe for a trial, and a remedy; `None` if it is safe.
fn safety_reason(trial: &Trial, was_revoked: bool) -> Option<(&'static str, &'static str)> {
    if !trial.wait.sleeps() {
        let reason = "a spin never sleeps; at real-time priority it would never release its CPU";
        return Some((reason, "choose the wait os-sleep or hybrid"));
    }
    let reason = "real-time priority was revoked earlier in this run";
    was_revoked.then_some((reason, "lower the work per frame or the spin tail, and run again"))
}

/// Requests the conditions of a trial. Replaces an unsafe real-time priority with normal priority, and reports
/// the real-time priority as refused.
fn apply_safely(trial: &Trial, was_revoked: bool) -> (Applied, platform::Held) {
    let requested = trial.conditions;
    let unsafe_for = safety_reason(trial, was_revoked);
    let Some((reason, remedy)) = unsafe_for.filter(|_| platform::is_realtime(requested.priority))
    else {
        return platform::apply(&requested);
    };
    let mut conditions = requested;
    conditions.priority = Priority::Normal;
    let (mut applied, held) = platform::apply(&conditions);
    applied.priority = RequestOutcome::Refused;
    applied.refusals.insert(
        0,
        Refusal {
            remedy: remedy.to_owned(),
            ..Refusal::new(requested.priority.name(), "safety", reason)
        },
    );
    (applied, held)
}

fn insert(counters: &mut Counters, name: &str, value: u64) {
    counters.insert(name.to_owned(), i64::try_from(value).unwrap_or(i64::MAX));
}

/// State of the counters of a thread, of the steal time of the machine, and of the throttled times of the control groups,
/// at one moment.
struct ThreadMark {
    counters: ThreadCounters,
    cpu: Option<i64>,
    /// Steal time of all CPUs together, in nanoseconds; `None` if the system does not report it. The cost of
    /// reading it grows with the number of CPUs.
    steal: Option<i64>,
    /// How long each control group of this program was throttled so far. Reading it takes several system calls.
    throttled: Vec<Nanos>,
    /// Value of `clock_nanos`, read after the counters.
    at: i64,
}

impl ThreadMark {
    fn now(reader: &EvidenceReader) -> Self {
        let steal = platform::machine_cpu_time().and_then(|time| time.steal);
        let throttled = platform::throttled_times();
        let (counters, cpu) = (reader.read(), platform::thread_cpu_nanos());
        Self { counters, cpu, steal, throttled, at: clock_nanos() }
    }

    /// Adds the increase of each counter from this mark to `now`. Omits counters that the system does not report.
    fn count_until(&self, now: &Self, counters: &mut Counters) {
        let (before, after) = (&self.counters, &now.counters);
        for (name, before, after) in [
            (counter::INVOLUNTARY_SWITCHES, before.involuntary, after.involuntary),
            (counter::VOLUNTARY_SWITCHES, before.voluntary, after.voluntary),
            (counter::MINOR_FAULTS, before.minor_faults, after.minor_faults),
            (counter::MAJOR_FAULTS, before.major_faults, after.major_faults),
        ] {
            if let (Some(before), Some(after)) = (before, after) {
                insert(counters, name, after.saturating_sub(before));
            }
        }
        let groups = now.throttled.iter().zip(&self.throttled);
        if let Some(throttled) = groups.map(|(now, before)| *now - *before).max() {
            counters.insert(counter::THROTTLED_NANOS.to_owned(), throttled.get().max(0));
        }
        for (name, before, after) in [
            (counter::CPU_NANOS, self.cpu, now.cpu),
            (counter::STEAL_NANOS, self.steal, now.steal),
            (counter::WALL_NANOS, Some(self.at), Some(now.at)),
        ] {
            if let (Some(before), Some(after)) = (before, after) {
                counters.insert(name.to_owned(), after.saturating_sub(before));
            }
        }
    }
}
