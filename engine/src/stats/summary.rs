//! The numbers of a paced configuration: of one trial, or of several trials, one per round.

use super::lows::{LowDefinition, Lows, average_fps};
use super::percentile::Sorted;
use super::spread::Spread;
use super::steps::Round;
use crate::nanos::Nanos;
use crate::sample::{MISSING, Samples};

/// The numbers of a paced configuration. A frame time is always between two frames of the same round.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Lateness of each frame: `woke − due`. In a result of [`Summary::of_values`], the given values instead.
    pub lateness: Spread,
    /// Time from each frame's start to the next one's, without steps over lost samples; `None` if there are no such
    /// times.
    pub frame_time: Option<Spread>,
    /// Frame time minus period; `None` without frame times.
    pub period_error: Option<Spread>,
    /// Duration of the work: from the wake-up, or from the end of reading the counters, to `done`.
    pub work: Spread,
    /// Overshoot of the system's sleep, before a spin corrects it: `slept − (due − tail)`. `None` if no frame slept, or
    /// in a result of [`Summary::of_values`].
    pub os_wake_up: Option<Spread>,
    /// Number of frames with a lateness above the late threshold.
    pub late_count: usize,
    /// Number of frames that started before they were due.
    pub early_count: usize,
    /// Number of frames that were not finished when the next frame was due: `done > due + period`.
    pub unfinished_count: usize,
    /// Number of slots in which no frame ran. Frames whose samples were lost are not counted.
    pub empty_count: usize,
    /// Number of slots of the schedule: recorded frames and empty slots.
    pub slot_count: usize,
    /// How much later the last frame started than on a fixed schedule that begins at the first start:
    /// `(woke(n) − woke(0)) − n × period`. For several rounds, the sum.
    pub drift: Nanos,
    /// Average frame rate in frames per second: the number of frame times divided by their sum. `None`
    /// without frame times, or if their mean is 0 or less.
    pub average_fps: Option<f64>,
    /// The 1% low by the default definition, in frames per second; `None` below 100 frame times, or if a frame time is
    /// 0 or less.
    pub one_percent_low_fps: Option<f64>,
    /// The 1% low by every definition; `None` below 100 frame times, or if a frame time is 0 or less.
    pub lows: Option<Lows>,
    /// The 0.1% low by every definition; `None` below 1 000 frame times, or if a frame time is 0 or less.
    pub tenth_lows: Option<Lows>,
}

impl Summary {
    /// Summarizes a trial that lost no samples; `None` if there are no samples. Time: O(n log n).
    pub fn of(
        samples: &Samples,
        period: Nanos,
        late_limit: Nanos,
        tail: Option<Nanos>,
    ) -> Option<Self> {
        Self::of_rounds(&[Round { tail, ..Round::of(samples) }], period, late_limit)
    }

    /// Summarizes the trials of several rounds; `None` if there are no samples. Time: O(n log n). At most one sorted
    /// list is in memory at once.
    pub fn of_rounds(rounds: &[Round<'_>], period: Nanos, late_limit: Nanos) -> Option<Self> {
        let (lateness, late_count, early_count) = {
            let lateness = Sorted::of(joined(rounds, |round| round.samples.lateness()))?;
            let early_count = lateness.count_while(|late| late < 0);
            (Spread::of_sorted(&lateness), lateness.count_above(late_limit.get()), early_count)
        };
        let count = lateness.count;
        let os_wake_up = os_wake_ups(rounds);
        let work = work(rounds)?;
        let mut frame_times = Vec::with_capacity(count);
        let (mut empty_count, mut drift) = (0_usize, Nanos::ZERO);
        for round in rounds {
            let mut slots = 0_i64;
            for step in round.steps(period) {
                frame_times.extend(step.frame_time_nanos);
                let empty = usize::try_from(step.empty_count).unwrap_or(usize::MAX);
                empty_count = empty_count.saturating_add(empty);
                let skipped = step.empty_count.saturating_add(step.lost_count);
                slots = slots.saturating_add(skipped).saturating_add(1);
            }
            if let Some((first, last)) = round.samples.get(0).zip(round.samples.last()) {
                drift += (last.woke - first.woke) - period * slots;
            }
        }
        let frame_times = Sorted::of(frame_times);
        let low = |share| frame_times.as_ref().and_then(|times| Lows::of(times, share));
        let (lows, tenth_lows) = (low(0.01), low(0.001));
        Some(Self {
            late_count,
            early_count,
            unfinished_count: rounds.iter().map(|round| unfinished(round.samples, period)).sum(),
            empty_count,
            slot_count: count.saturating_add(empty_count),
            drift,
            average_fps: frame_times.as_ref().and_then(average_fps),
            one_percent_low_fps: lows.map(|lows| lows.by(LowDefinition::default())),
            lows,
            tenth_lows,
            frame_time: frame_times.as_ref().map(Spread::of_sorted),
            period_error: frame_times.map(|times| Spread::of_sorted(&times.less(period.get()))),
            work,
            os_wake_up,
            lateness,
        })
    }

    /// Summarizes values that follow no schedule, so nothing is missed and nothing drifts. `None` if there are no
    /// values. Time: O(n log n).
    pub fn of_values(values: Vec<i64>, rounds: &[Round<'_>], late_limit: Nanos) -> Option<Self> {
        let values = Sorted::of(values)?;
        Some(Self {
            late_count: values.count_above(late_limit.get()),
            early_count: values.count_while(|value| value < 0),
            unfinished_count: 0,
            empty_count: 0,
            slot_count: values.count(),
            drift: Nanos::ZERO,
            average_fps: None,
            one_percent_low_fps: None,
            lows: None,
            tenth_lows: None,
            frame_time: None,
            period_error: None,
            work: work(rounds)?,
            os_wake_up: None,
            lateness: Spread::of_sorted(&values),
        })
    }

    /// Returns the number of missed frames: unfinished frames and empty slots. No slot is counted twice, because an
    /// empty slot has no frame.
    pub fn missed_count(&self) -> usize {
        self.unfinished_count.saturating_add(self.empty_count)
    }
}

/// Collects one value per sample, round after round.
fn joined<'a, V: Iterator<Item = i64>>(
    rounds: &[Round<'a>],
    of: impl Fn(Round<'a>) -> V,
) -> Vec<i64> {
    let mut values = Vec::with_capacity(rounds.iter().map(|round| round.samples.len()).sum());
    for &round in rounds {
        values.extend(of(round));
    }
    values
}

/// Computes the duration of the work, without the reading of counters before it; `None` if there are no samples.
fn work(rounds: &[Round<'_>]) -> Option<Spread> {
    Spread::of(joined(rounds, |round| {
        let started = round.samples.work_started_nanos(round.evidence, round.lost_count);
        let both = round.samples.done_nanos().zip(started);
        both.map(|(done, started)| done.saturating_sub(started))
    }))
}

/// Computes the overshoot of the system's sleep in the frames that slept: `slept − (due − tail)`, with the spin tail
/// of each round. `None` if no frame slept.
fn os_wake_ups(rounds: &[Round<'_>]) -> Option<Spread> {
    let count = rounds.iter().map(|round| round.samples.slept_count()).sum();
    let mut wake_ups = Vec::with_capacity(count);
    for round in rounds {
        let tail = round.tail.unwrap_or(Nanos::ZERO);
        let slept = round.samples.slept_nanos().zip(round.samples.due_nanos());
        wake_ups.extend(
            slept
                .filter(|&(slept, _)| slept != MISSING)
                .map(|(slept, due)| (Nanos::new(slept) - (Nanos::new(due) - tail)).get()),
        );
    }
    Spread::of(wake_ups)
}

/// Counts the frames whose work was not done one period after the frame was due.
fn unfinished(samples: &Samples, period: Nanos) -> usize {
    samples
        .done_nanos()
        .zip(samples.due_nanos())
        .filter(|&(done, due)| period.get() < done.saturating_sub(due))
        .count()
}

/// The lateness that re-basing hides. Re-basing moves the schedule after every late frame, so that the next frames
/// seem to be on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebasing {
    /// How much later the last frame starts than on a fixed schedule. For several rounds, the sum.
    pub behind: Nanos,
    /// Number of whole periods in `behind`.
    pub frame_count: u64,
}

impl Rebasing {
    /// Computes the lateness that re-based loops hid: how far the last frame of each round was behind the schedule of
    /// its first frame, `(woke(n) − due(0)) − n × period`, summed over rounds. `None` if there are no samples.
    pub fn hidden_by(rounds: &[Round<'_>], period: Nanos) -> Option<Self> {
        let behind = rounds.iter().filter_map(|round| {
            let (first, last) = (round.samples.get(0)?, round.samples.last()?);
            let steps = round
                .steps(period)
                .fold(0_i64, |steps, step| steps.saturating_add(step.lost_count).saturating_add(1));
            Some((last.woke - first.due) - period * steps)
        });
        behind.reduce(|sum, behind| sum + behind).map(|behind| Self::of(behind, period))
    }

    /// Computes the lateness that re-basing would have hidden in rounds on a fixed schedule: the summed lateness of all
    /// late frames, because each late frame would have moved all later frames.
    pub fn hidden_if_rebased(rounds: &[Round<'_>], period: Nanos) -> Self {
        let late = rounds.iter().flat_map(|round| round.samples.lateness());
        let sum = late.fold(Nanos::ZERO, |sum, late| sum + Nanos::new(late.max(0)));
        Self::of(sum, period)
    }

    fn of(behind: Nanos, period: Nanos) -> Self {
        let frames = behind.get().max(0).checked_div(period.get().max(1)).unwrap_or(0);
        Self { behind, frame_count: frames.unsigned_abs() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sample::{Evidence, Sample};

    const PERIOD: Nanos = Nanos::new(1_000);

    /// Creates samples from the instants `due`, `woke`, and `done` of each frame, in nanoseconds.
    fn frames(of: &[(i64, i64, i64)]) -> Samples {
        of.iter()
            .map(|&(due, woke, done)| Sample {
                began: Nanos::new(due - 500),
                due: Nanos::new(due),
                slept: Some(Nanos::new(due - 90)),
                woke: Nanos::new(woke),
                done: Nanos::new(done),
                spins: 1,
                cpu: Some(0),
            })
            .collect()
    }

    /// Returns the samples without the ones at the `skipped` positions.
    fn without(samples: &Samples, skipped: &std::ops::Range<usize>) -> Samples {
        let retained = samples.iter().enumerate().filter(|(at, _)| !skipped.contains(at));
        retained.map(|(_, sample)| sample).collect()
    }

    #[test]
    fn a_slot_is_unfinished_or_empty_and_never_both() {
        // The work of the frame at 2 000 ends at 5 050, so the slots at 3 000 and 4 000 have no frame.
        let samples = frames(&[
            (1_000, 1_010, 1_100),
            (2_000, 2_030, 5_050),
            (5_000, 5_060, 5_160),
            (6_000, 6_000, 6_100),
        ]);
        let summary = Summary::of(&samples, PERIOD, Nanos::new(50), Some(Nanos::new(100))).unwrap();
        assert_eq!(summary.unfinished_count, 1);
        assert_eq!(summary.empty_count, 2);
        assert_eq!(summary.missed_count(), 3);
        assert_eq!(summary.slot_count, 6);
        assert_eq!(summary.late_count, 1);
        assert_eq!(summary.drift, Nanos::new(4_990 - 5_000));
        assert_eq!(summary.os_wake_up.unwrap().p50, Nanos::new(10));
        assert_eq!(summary.frame_time.unwrap().max, Nanos::new(3_030));
        assert_eq!(summary.period_error.unwrap().min, Nanos::new(-60));
        assert_eq!(summary.work.max, Nanos::new(3_020));
    }

    #[test]
    fn work_starts_once_the_counters_are_read() {
        let samples = frames(&[(1_000, 1_010, 1_100), (2_000, 2_030, 2_230)]);
        let started = Some(Nanos::new(2_130));
        let evidence = [Evidence { index: 1, work_started: started, ..Evidence::default() }];
        let of = |lost_count| {
            let round = Round { evidence: &evidence, lost_count, ..Round::of(&samples) };
            Summary::of_rounds(&[round], PERIOD, Nanos::new(50)).unwrap().work.max
        };
        assert_eq!((of(0), of(1)), (Nanos::new(100), Nanos::new(200)));
    }

    #[test]
    fn re_basing_hides_what_a_fixed_schedule_shows() {
        // Every frame starts 300 ns late and moves the next frame by as much.
        let moved: Vec<_> =
            (0..10).map(|k| (1_000 + k * 1_300, 1_300 + k * 1_300, 1_400 + k * 1_300)).collect();
        let samples = frames(&moved);
        let moved = Round { is_skipping: false, ..Round::of(&samples) };
        let hidden = Rebasing::hidden_by(&[moved], PERIOD).unwrap();
        assert_eq!(hidden, Rebasing { behind: Nanos::new(3_000), frame_count: 3 });
        let summary = Summary::of(&samples, PERIOD, Nanos::new(50), None).unwrap();
        assert_eq!(summary.missed_count(), 0, "and nothing seems missed");
        let fixed: Vec<_> =
            (1..=10).map(|k| (k * 1_000, k * 1_000 + 300, k * 1_000 + 400)).collect();
        assert_eq!(Rebasing::hidden_if_rebased(&[Round::of(&frames(&fixed))], PERIOD), hidden);
        // Frames whose samples were lost still count as frames of the schedule.
        let retained = without(&samples, &(3..6));
        let lost = Round { lost_count: 3, is_skipping: false, ..Round::of(&retained) };
        assert_eq!(Rebasing::hidden_by(&[lost], PERIOD), Some(hidden));
    }

    #[test]
    fn rounds_add_up_and_nothing_lies_between_them() {
        let one = frames(&[(1_000, 1_010, 1_100), (2_000, 2_030, 2_100), (4_000, 4_000, 4_100)]);
        let other = frames(&[(1_000, 1_100, 1_150), (2_000, 2_020, 2_100)]);
        let (none, limit) = (Samples::new(), Nanos::new(50));
        let round = |samples, tail| Round { tail: Some(Nanos::new(tail)), ..Round::of(samples) };
        let rounds = [round(&one, 90), round(&none, 0), round(&other, 100)];
        let summary = Summary::of_rounds(&rounds, PERIOD, limit).unwrap();
        let frame_time = summary.frame_time.unwrap();
        assert_eq!((frame_time.count, frame_time.min), (3, Nanos::new(920)));
        assert_eq!(frame_time.max, Nanos::new(1_970));
        assert_eq!((summary.empty_count, summary.slot_count), (1, 6));
        assert_eq!((summary.late_count, summary.lateness.count), (1, 5));
        assert_eq!(summary.drift, Nanos::new(-10 - 80));
        // The sleeps end 90 ns before `due`: 0 ns late with a spin tail of 90 ns, and 10 ns late with one of 100 ns.
        let os_wake_up = summary.os_wake_up.unwrap();
        assert_eq!((os_wake_up.min, os_wake_up.max), (Nanos::ZERO, Nanos::new(10)));
        let alone = Summary::of_rounds(&rounds[..1], PERIOD, limit);
        assert_eq!(alone, Summary::of(&one, PERIOD, limit, Some(Nanos::new(90))));
    }

    #[test]
    fn lost_samples_are_no_missed_frames_and_no_long_one() {
        let of: Vec<_> = (1..=400).map(|k| (k * 1_000, k * 1_000 + 5, k * 1_000 + 100)).collect();
        let whole = frames(&of);
        let retained = without(&whole, &(200..250));
        let summary = |lost_count| {
            let round = Round { lost_count, ..Round::of(&retained) };
            Summary::of_rounds(&[round], PERIOD, Nanos::new(50)).unwrap()
        };
        let all_lost = summary(50);
        assert_eq!((all_lost.missed_count(), all_lost.slot_count), (0, 350));
        assert_eq!(all_lost.frame_time.as_ref().unwrap().max, PERIOD);
        assert_eq!(all_lost.drift, Nanos::ZERO);
        let low = Summary::of(&whole, PERIOD, Nanos::new(50), None).unwrap().one_percent_low_fps;
        assert!(low.is_some());
        assert_eq!(all_lost.one_percent_low_fps, low);
        assert_eq!(summary(30).missed_count(), 20, "what was not lost passed empty");
        let none_lost = summary(0);
        assert_eq!(none_lost.missed_count(), 50);
        assert_eq!(none_lost.frame_time.unwrap().max, PERIOD * 51);
        assert_eq!(none_lost.drift, Nanos::ZERO);
    }

    #[test]
    fn a_step_back_over_all_of_time_leaves_no_slot_out() {
        let at = |nanos| {
            let at = Nanos::new(nanos);
            Sample { began: at, due: at, slept: None, woke: at, done: at, spins: 0, cpu: None }
        };
        let samples: Samples = [at(i64::MAX), at(i64::MIN)].into_iter().collect();
        let summary = Summary::of(&samples, Nanos::new(1), Nanos::ZERO, None).unwrap();
        assert_eq!((summary.empty_count, summary.slot_count), (0, 2));
    }

    #[test]
    fn no_sample_is_no_summary() {
        assert_eq!(Summary::of(&Samples::new(), PERIOD, Nanos::ZERO, None), None);
    }

    proptest! {
        #[test]
        fn hostile_instants_do_not_panic(
            of in proptest::collection::vec(any::<(i64, i64, i64)>(), 1..60),
            period in any::<i64>(),
        ) {
            let samples: Samples = of
                .iter()
                .map(|&(due, woke, done)| Sample {
                    began: Nanos::new(due),
                    due: Nanos::new(due),
                    slept: Some(Nanos::new(done)),
                    woke: Nanos::new(woke),
                    done: Nanos::new(done),
                    spins: 0,
                    cpu: None,
                })
                .collect();
            let period = Nanos::new(period);
            let summary = Summary::of(&samples, period, period, Some(period)).unwrap();
            prop_assert_eq!(summary.lateness.count, of.len());
            let of = |lost_count, is_skipping| {
                let round = Round { lost_count, is_skipping, ..Round::of(&samples) };
                Rebasing::hidden_by(&[round], period);
                Rebasing::hidden_if_rebased(&[round], period);
                Summary::of_rounds(&[round, round], period, period)
            };
            prop_assert!(of(7, true).is_some());
            prop_assert!(of(u64::MAX, false).is_some());
        }
    }
}
