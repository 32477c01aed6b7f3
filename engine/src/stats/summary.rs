//! The numbers of a paced trial.

use super::lows::{LowDefinition, Lows, average_fps};
use super::percentile::Sorted;
use super::spread::Spread;
use crate::nanos::Nanos;
use crate::sample::{MISSING, Samples};

/// The numbers of a paced trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// How late each frame started: `woke − due`.
    pub lateness: Spread,
    /// Time from each start to the next; absent below two frames.
    pub frame_time: Option<Spread>,
    /// Frame time less period.
    pub period_error: Option<Spread>,
    /// How long the work took: `done − woke`.
    pub work: Spread,
    /// What the system's sleep did, which a spin hides: `slept − (due − tail)`; absent where no frame
    /// slept.
    pub os_wake_up: Option<Spread>,
    /// Frames that started later than the late limit.
    pub late_count: usize,
    /// Frames that were not finished when the next one was due: `done > due + period`.
    pub unfinished_count: usize,
    /// Slots that passed without a frame.
    pub empty_count: usize,
    /// Slots of the schedule: frames and empty slots.
    pub slot_count: usize,
    /// How far the last start had moved off the schedule against the first one:
    /// `(woke(n) − woke(0)) − n × period`.
    pub drift: Nanos,
    /// Frames a second: their number over their time.
    pub average_fps: Option<f64>,
    /// The 1 % low by the default definition, in frames a second; needs 100 frames.
    pub one_percent_low_fps: Option<f64>,
    /// The same by every definition.
    pub lows: Option<Lows>,
}

impl Summary {
    /// Sums a trial up; `None` where it has no sample. Time: O(n log n). At most one sorted list is in
    /// memory at once.
    pub fn of(
        samples: &Samples,
        period: Nanos,
        late_limit: Nanos,
        tail: Option<Nanos>,
    ) -> Option<Self> {
        let (lateness, late_count) = {
            let lateness = Sorted::of(samples.late_nanos())?;
            (Spread::of_sorted(&lateness), lateness.count_above(late_limit.get()))
        };
        let tail = tail.unwrap_or(Nanos::ZERO);
        let slept = samples.slept_nanos().zip(samples.due_nanos());
        let wake_ups = slept
            .filter(|&(slept, _)| slept != MISSING)
            .map(|(slept, due)| (Nanos::new(slept) - (Nanos::new(due) - tail)).get());
        let mut os_wake_ups = Vec::with_capacity(samples.slept_count());
        os_wake_ups.extend(wake_ups);
        let os_wake_up = Spread::of(os_wake_ups);
        let empty_count = empty_slots(samples, period);
        let (first, last) = (samples.get(0)?, samples.last()?);
        let slots =
            i64::try_from((samples.len() - 1).saturating_add(empty_count)).unwrap_or(i64::MAX);
        let work = Spread::of(samples.work_nanos())?;
        let frame_times = Sorted::of(samples.frame_time_nanos());
        let lows = frame_times.as_ref().and_then(Lows::of);
        Some(Self {
            late_count,
            unfinished_count: unfinished(samples, period),
            empty_count,
            slot_count: samples.len().saturating_add(empty_count),
            drift: (last.woke - first.woke) - period * slots,
            average_fps: frame_times.as_ref().and_then(average_fps),
            one_percent_low_fps: lows.map(|lows| lows.by(LowDefinition::default())),
            lows,
            frame_time: frame_times.as_ref().map(Spread::of_sorted),
            period_error: frame_times.map(|times| Spread::of_sorted(&times.less(period.get()))),
            work,
            os_wake_up,
            lateness,
        })
    }

    /// Sums values up that follow no schedule: nothing can be missed, and nothing drifts. `None` where
    /// there is none. Time: O(n log n).
    pub fn of_values(values: Vec<i64>, samples: &Samples, late_limit: Nanos) -> Option<Self> {
        let values = Sorted::of(values)?;
        Some(Self {
            late_count: values.count_above(late_limit.get()),
            unfinished_count: 0,
            empty_count: 0,
            slot_count: values.count(),
            drift: Nanos::ZERO,
            average_fps: None,
            one_percent_low_fps: None,
            lows: None,
            frame_time: None,
            period_error: None,
            work: Spread::of(samples.work_nanos())?,
            os_wake_up: None,
            lateness: Spread::of_sorted(&values),
        })
    }

    /// Missed frames: those not finished when the next was due, and slots that passed empty. A slot is
    /// one or the other, so none counts twice.
    pub fn missed_count(&self) -> usize {
        self.unfinished_count.saturating_add(self.empty_count)
    }
}

/// Frames whose work was not done a period after they were due.
fn unfinished(samples: &Samples, period: Nanos) -> usize {
    samples
        .done_nanos()
        .zip(samples.due_nanos())
        .filter(|&(done, due)| period.get() < done.saturating_sub(due))
        .count()
}

/// Slots between the frames' that were left out: on a grid, `due` then moves by several periods. A
/// re-based loop moves its grid and leaves none out.
fn empty_slots(samples: &Samples, period: Nanos) -> usize {
    if period.get() <= 0 {
        return 0;
    }
    let pairs = samples.due_nanos().zip(samples.due_nanos().skip(1));
    pairs
        .map(|(due, next)| next.saturating_sub(due))
        .filter(|step| step % period.get() == 0)
        .filter_map(|step| usize::try_from(step / period.get() - 1).ok())
        .fold(0, usize::saturating_add)
}

/// What moving the grid after every late frame hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebasing {
    /// How much later than on a fixed schedule the last frame starts.
    pub behind: Nanos,
    /// Whole frames in that time.
    pub frame_count: u64,
}

impl Rebasing {
    /// What a re-based loop really hid: how far it ended behind the schedule it began.
    pub fn hidden_by(samples: &Samples, period: Nanos) -> Option<Self> {
        let first = samples.get(0)?;
        let steps = i64::try_from(samples.len() - 1).unwrap_or(i64::MAX);
        Some(Self::of((samples.last()?.woke - first.due) - period * steps, period))
    }

    /// What re-basing would have hidden in a run on a fixed schedule: every frame's lateness would have
    /// moved all that follow.
    pub fn would_hide(samples: &Samples, period: Nanos) -> Self {
        let sum = samples.lateness().fold(Nanos::ZERO, |sum, late| sum + Nanos::new(late.max(0)));
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
    use crate::sample::Sample;

    const PERIOD: Nanos = Nanos::new(1_000);

    /// Frames given by when they were due, woke, and were done.
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

    #[test]
    fn a_slot_is_unfinished_or_empty_and_never_both() {
        // Slot 2 is done after slot 3 was due and over; slots 3 and 4 pass empty.
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
    fn re_basing_hides_what_a_fixed_schedule_shows() {
        // Every frame starts 300 ns late and moves the next.
        let moved: Vec<_> =
            (0..10).map(|k| (1_000 + k * 1_300, 1_300 + k * 1_300, 1_400 + k * 1_300)).collect();
        let samples = frames(&moved);
        let hidden = Rebasing::hidden_by(&samples, PERIOD).unwrap();
        assert_eq!(hidden, Rebasing { behind: Nanos::new(3_000), frame_count: 3 });
        let summary = Summary::of(&samples, PERIOD, Nanos::new(50), None).unwrap();
        assert_eq!(summary.missed_count(), 0, "and nothing seems missed");
        let fixed: Vec<_> =
            (1..=10).map(|k| (k * 1_000, k * 1_000 + 300, k * 1_000 + 400)).collect();
        assert_eq!(Rebasing::would_hide(&frames(&fixed), PERIOD), hidden);
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
            Rebasing::hidden_by(&samples, period);
            Rebasing::would_hide(&samples, period);
        }
    }
}
