//! The account of a late sample (its lateness, split by cause) from counters alone: the lengths of the
//! segments are known, but not their starts.

use super::{Account, Segment, Source};
use crate::nanos::Nanos;
use crate::report::Cause;
use crate::sample::{Evidence, Sample};

/// Steal time is counted in ticks of 10 ms: it cannot explain a shorter lateness.
const STEAL_TICK: Nanos = Nanos::from_millis(10);

/// Steal time of a trial (CPU time that the hypervisor gave to others) that is not yet assigned to a
/// sample. Samples with a higher lateness get steal time first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steal(Nanos);

impl Steal {
    /// Returns the steal time of a trial; 0 if the system does not report it.
    pub(super) fn of(nanos: Option<i64>) -> Self {
        Self(Nanos::new(nanos.unwrap_or(0)))
    }

    /// Takes and returns steal time that explains up to `rest` of the lateness `late` of a sample.
    /// Returns 0 if the lateness is shorter than a tick, or if other counters rule out steal
    /// (`is_possible` is false). Older files have the steal time of the sample itself, `counted`: if
    /// it is present, the steal time of the trial and `is_possible` are ignored.
    fn take(
        &mut self,
        counted: Option<Nanos>,
        late: Nanos,
        rest: Nanos,
        is_possible: bool,
    ) -> Nanos {
        if late < STEAL_TICK || !(is_possible || counted.is_some()) {
            return Nanos::ZERO;
        }
        let taken = counted.unwrap_or(self.0).min(rest).max(Nanos::ZERO);
        if counted.is_none() {
            self.0 = self.0 - taken;
        }
        taken
    }
}

/// Splits the lateness of a sample by cause; the part that no counter explains gets the cause
/// [`Cause::NotObservable`].
/// `spin_from` is the scheduled start of the spin tail of a hybrid wait.
pub(super) fn account(
    (sample, spin_from): (&Sample, Option<Nanos>),
    before: Option<&Sample>,
    evidence: Option<&Evidence>,
    steal: &mut Steal,
) -> Account {
    let late = sample.late();
    let mut parts = CounterParts { rest: late.max(Nanos::ZERO), segments: Vec::new() };
    let overran = before.map_or(Nanos::ZERO, |before| before.done - sample.due).max(Nanos::ZERO);
    let Some(evidence) = evidence else {
        parts.take(Cause::PreviousFrame, overran);
        return parts.account(Source::Nothing);
    };
    let waited = late_run_delay(sample, spin_from, evidence);
    if Nanos::ZERO < overran {
        // The run-queue delay is counted from before the work of the previous frame: subtract it,
        // as waiting for a CPU is not work.
        parts.take(Cause::PreviousFrame, overran - waited);
    }
    parts.take(Cause::WaitedForCpu, waited);
    if evidence.major_faults.is_some_and(|count| 0 < count) {
        parts.take(Cause::PageFault, parts.rest);
    }
    // A single wait makes one voluntary switch. A further switch means that the thread was stopped or
    // waited for a lock, so that neither the hypervisor nor the timer is blamed. If a trace replaced
    // the counter, the number of switches is not known.
    let waited_once = evidence.voluntary_switches.is_some_and(|count| count <= 1);
    let stolen = steal.take(evidence.steal, late, parts.rest, waited_once);
    parts.take(Cause::Hypervisor, stolen);
    if evidence.run_delay.is_some()
        && waited_once
        && overran == Nanos::ZERO
        && let Some(slept) = sample.slept
    {
        parts.take(Cause::TimerLate, slept - sample.due);
    }
    parts.take(Cause::NotObservable, parts.rest);
    parts.account(Source::Counters)
}

/// Returns the part of the run-queue delay that can be after the due time. If the sleep ended before
/// the due time, the spin tail absorbed the delay of its wake-up: only the delay by a preemption
/// during the spin then remains.
fn late_run_delay(sample: &Sample, spin_from: Option<Nanos>, evidence: &Evidence) -> Nanos {
    let delay = evidence.run_delay.unwrap_or(Nanos::ZERO);
    let (Some(slept), Some(spin_from)) = (sample.slept, spin_from) else { return delay };
    if sample.due <= slept {
        return delay;
    }
    if evidence.involuntary_switches == Some(0) {
        return Nanos::ZERO;
    }
    let absorbed = (slept - spin_from.max(sample.began)).max(Nanos::ZERO);
    (delay - absorbed).max(Nanos::ZERO)
}

/// The lateness of a sample while it is being split into segments.
struct CounterParts {
    rest: Nanos,
    segments: Vec<Segment>,
}

impl CounterParts {
    /// Moves up to `length` of the unexplained rest into a new segment.
    fn take(&mut self, cause: Cause, length: Nanos) {
        let length = length.min(self.rest);
        if Nanos::ZERO < length {
            self.rest = self.rest - length;
            self.segments.push(Segment {
                start: None,
                length,
                cause,
                culprit: None,
                cpu: None,
                origin: None,
            });
        }
    }

    fn account(self, source: Source) -> Account {
        Account { source, segments: self.segments, remainder: self.rest, is_complete: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: i64 = 1_000_000;

    /// A sample that was due at 16 ms and woke 2 ms late, at the end of its sleep.
    const LATE: Sample = Sample {
        began: Nanos::from_millis(2),
        due: Nanos::from_millis(16),
        slept: Some(Nanos::from_millis(18)),
        woke: Nanos::from_millis(18),
        done: Nanos::from_millis(19),
        spins: 0,
        cpu: Some(1),
    };

    /// The counters of an undisturbed wait: one sleep, no preemption, page fault, or run-queue delay.
    const QUIET: Evidence = Evidence {
        index: 0,
        involuntary_switches: Some(0),
        voluntary_switches: Some(1),
        minor_faults: Some(0),
        major_faults: Some(0),
        run_delay: Some(Nanos::ZERO),
        steal: None,
        cpu_before: Some(1),
        cpu_after: Some(1),
        work_started: None,
        switches: None,
        wait_reasons: None,
        interrupt_time: None,
    };

    /// Returns the cause and length of each segment, and the length of the remainder, in nanoseconds.
    fn split(
        sample: &Sample,
        before: Option<Sample>,
        evidence: Option<Evidence>,
        steal: i64,
    ) -> (Vec<(Cause, i64)>, i64) {
        let mut steal = Steal::of(Some(steal));
        let account = account((sample, None), before.as_ref(), evidence.as_ref(), &mut steal);
        assert_eq!(account.total(), sample.late(), "segments add up");
        let segments = account.segments.iter();
        let lengths = segments.map(|segment| (segment.cause, segment.length.get())).collect();
        (lengths, account.remainder.get())
    }

    #[track_caller]
    fn check(evidence: Evidence, expected: &[(Cause, i64)]) {
        assert_eq!(split(&LATE, None, Some(evidence), 0), (expected.to_vec(), 0));
    }

    #[test]
    fn each_part_is_what_it_explains() {
        check(QUIET, &[(Cause::TimerLate, 2 * MILLI)]);
        let waited = Evidence { run_delay: Some(Nanos::new(1_930_000)), ..QUIET };
        check(waited, &[(Cause::WaitedForCpu, 1_930_000), (Cause::TimerLate, 70_000)]);
        // The run-queue delay after a preemption is a wait for a CPU; it is cut to the lateness.
        let preempted = Evidence {
            involuntary_switches: Some(2),
            run_delay: Some(Nanos::from_millis(3)),
            ..QUIET
        };
        check(preempted, &[(Cause::WaitedForCpu, 2 * MILLI)]);
        // A preemption or a minor page fault whose duration is not counted explains no lateness.
        let brief = Evidence { involuntary_switches: Some(1), minor_faults: Some(3), ..QUIET };
        check(brief, &[(Cause::TimerLate, 2 * MILLI)]);
        let from_disk = Evidence { major_faults: Some(1), ..waited };
        check(from_disk, &[(Cause::WaitedForCpu, 1_930_000), (Cause::PageFault, 70_000)]);
        let slept_twice = Evidence { voluntary_switches: Some(2), ..QUIET };
        check(slept_twice, &[(Cause::NotObservable, 2 * MILLI)]);
    }

    #[test]
    fn what_a_system_does_not_report_is_not_observable() {
        let nothing = Evidence { index: 0, ..Evidence::default() };
        check(nothing, &[(Cause::NotObservable, 2 * MILLI)]);
        let no_delay = Evidence { run_delay: None, involuntary_switches: Some(4), ..QUIET };
        check(no_delay, &[(Cause::NotObservable, 2 * MILLI)]);
        assert_eq!(split(&LATE, None, None, 0), (Vec::new(), 2 * MILLI));
    }

    #[test]
    fn a_spin_that_ends_late_does_not_blame_the_timer() {
        let spun = Sample { slept: Some(Nanos::from_millis(15)), ..LATE };
        let split = split(&spun, None, Some(QUIET), 0);
        assert_eq!(split, (vec![(Cause::NotObservable, 2 * MILLI)], 0));
    }

    #[test]
    fn a_previous_frame_explains_what_it_overran_without_its_waiting() {
        let behind = Sample { began: Nanos::from_millis(17), slept: None, ..LATE };
        let long = Sample { due: Nanos::ZERO, done: Nanos::from_millis(17), ..LATE };
        let (segments, _) = split(&behind, Some(long), Some(QUIET), 0);
        assert_eq!(segments, [(Cause::PreviousFrame, MILLI), (Cause::NotObservable, MILLI)]);
        let waited = Evidence { run_delay: Some(Nanos::new(800_000)), ..QUIET };
        let (segments, _) = split(&behind, Some(long), Some(waited), 0);
        let expected = [
            (Cause::PreviousFrame, 200_000),
            (Cause::WaitedForCpu, 800_000),
            (Cause::NotObservable, MILLI),
        ];
        assert_eq!(segments, expected);
        assert_eq!(
            split(&behind, Some(long), None, 0),
            (vec![(Cause::PreviousFrame, MILLI)], MILLI)
        );
    }

    #[test]
    fn a_tick_of_steal_explains_no_short_lateness() {
        let tick = 10 * MILLI;
        let short =
            Sample { slept: Some(Nanos::new(16_060_000)), woke: Nanos::new(16_060_000), ..LATE };
        let (segments, _) = split(&short, None, Some(QUIET), tick);
        assert_eq!(segments, [(Cause::TimerLate, 60_000)]);
        let long =
            Sample { slept: Some(Nanos::from_millis(31)), woke: Nanos::from_millis(31), ..LATE };
        let (segments, _) = split(&long, None, Some(QUIET), tick);
        assert_eq!(segments, [(Cause::Hypervisor, tick), (Cause::TimerLate, 5 * MILLI)]);
        // If the thread was stopped, or may have been, the hypervisor is not blamed.
        for voluntary_switches in [Some(2), None] {
            let (segments, _) =
                split(&long, None, Some(Evidence { voluntary_switches, ..QUIET }), tick);
            assert_eq!(segments, [(Cause::NotObservable, 15 * MILLI)]);
        }
    }

    #[test]
    fn steal_of_a_trial_is_assigned_once() {
        let mut steal = Steal::of(Some(15 * MILLI));
        let late = Nanos::from_millis(12);
        let taken = |steal: &mut Steal, counted| steal.take(counted, late, late, true).get();
        assert_eq!(taken(&mut steal, None), 12 * MILLI);
        assert_eq!(taken(&mut steal, None), 3 * MILLI);
        assert_eq!(taken(&mut steal, None), 0);
        assert_eq!(taken(&mut steal, Some(Nanos::new(10 * MILLI))), 10 * MILLI, "of an older file");
    }

    #[test]
    fn delay_that_a_spin_absorbed_is_not_blamed() {
        let ready = Nanos::from_micros(15_000);
        let split = |slept: i64, delay: i64, involuntary: Option<u32>| {
            let slept = Some(Nanos::from_micros(slept));
            let sample = Sample { slept, ..LATE };
            let evidence = Evidence {
                run_delay: Some(Nanos::from_micros(delay)),
                involuntary_switches: involuntary,
                ..QUIET
            };
            let account =
                account((&sample, Some(ready)), None, Some(&evidence), &mut Steal::of(None));
            let part = |segment: &Segment| (segment.cause, segment.length.get() / 1_000);
            account.segments.iter().map(part).collect::<Vec<_>>()
        };
        let hidden = [(Cause::NotObservable, 2_000)];
        assert_eq!(split(15_900, 900, Some(0)), hidden, "it waited, and was in time");
        assert_eq!(split(15_900, 900, Some(1)), hidden, "the preemption was not the delay");
        let waited = [(Cause::WaitedForCpu, 2_000)];
        assert_eq!(split(15_060, 2_400, Some(1)), waited, "the spin lost its CPU");
        assert_eq!(split(15_060, 2_400, None), waited, "switches are recorded, not counted");
        let late = [(Cause::WaitedForCpu, 1_900), (Cause::TimerLate, 100)];
        assert_eq!(split(18_000, 1_900, Some(0)), late, "the sleep ended after the due time");
    }
}
