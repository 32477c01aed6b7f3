//! Steps from one recorded frame of a paced trial to the next: the frame time, the slots without a frame, and the
//! slots whose samples were lost.

use crate::nanos::Nanos;
use crate::sample::{Evidence, Sample, Samples};

/// One trial of a configuration, with the data to evaluate its samples. A configuration can have several trials.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// The samples of the trial.
    pub samples: &'a Samples,
    /// What the system counted around the late samples.
    pub evidence: &'a [Evidence],
    /// The spin tail of a hybrid wait; `None` for other waits.
    pub tail: Option<Nanos>,
    /// Number of samples that were lost because the collector was too slow.
    pub lost_count: u64,
    /// Whether the loop skips slots that have passed. Otherwise, it runs their frames late, or moves the schedule
    /// (re-bases).
    pub is_skipping: bool,
}

/// The step from a recorded frame to the next recorded frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Time between the starts of the two frames in nanoseconds: `woke(k) − woke(k−1)`; `None` if samples of frames
    /// between the two were lost.
    pub frame_time_nanos: Option<i64>,
    /// Number of slots between the two frames in which no frame ran, 0 or more.
    pub empty_count: i64,
    /// Number of slots between the two frames whose samples were lost, 0 or more.
    pub lost_count: i64,
}

/// The instants of a recorded frame, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Instants {
    /// When the frame was scheduled.
    pub due: i64,
    /// When the thread woke for the frame.
    pub woke: i64,
    /// When the work of the frame ended.
    pub done: i64,
}

impl From<&Sample> for Instants {
    fn from(sample: &Sample) -> Self {
        Self { due: sample.due.get(), woke: sample.woke.get(), done: sample.done.get() }
    }
}

/// Distinguishes slots without a frame from slots whose samples were lost, from frame to frame.
///
/// A slot without a sample is visible in `due`, which advances by several periods. Such a slot counts as lost if
/// the loop had no reason to leave it without a frame, up to the number of lost samples in all. A loop that skips slots
/// has a reason only if the previous work ended after them. A re-based loop skips no slots: its schedule moves, and
/// `due` is a period after the previous wake-up unless samples were lost.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    period: i64,
    /// Whether the loop skips slots that have passed.
    pub is_skipping: bool,
    /// Number of lost samples whose slots were not found yet.
    lost_left: i64,
}

impl Steps {
    /// Creates the state before the first step of a loop, without lost samples.
    pub const fn new(period: Nanos, is_skipping: bool) -> Self {
        Self { period: period.get(), is_skipping, lost_left: 0 }
    }

    /// Counts further lost samples, whose slots are between the following frames.
    pub fn lose(&mut self, count: u64) {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.lost_left = self.lost_left.saturating_add(count);
    }

    /// Returns the step from a recorded frame to the next recorded frame.
    #[inline]
    pub fn step(&mut self, before: Instants, next: Instants) -> Step {
        let length = next.due.saturating_sub(before.due);
        let between = slots_between(length, self.period);
        let explained = if self.is_skipping {
            slots_between(before.done.saturating_sub(before.due), self.period)
        } else if next.due == before.woke.saturating_add(self.period) {
            between
        } else {
            0
        };
        let lost_count = between.saturating_sub(explained).clamp(0, self.lost_left);
        self.lost_left -= lost_count;
        let is_on_grid = 0 < between && length % self.period == 0;
        Step {
            frame_time_nanos: (lost_count == 0).then(|| next.woke.saturating_sub(before.woke)),
            empty_count: if is_on_grid { between - lost_count } else { 0 },
            lost_count,
        }
    }
}

impl<'a> Round<'a> {
    /// Creates a trial that skips passed slots, and that has no evidence, no spin tail, and no lost samples.
    pub const fn of(samples: &'a Samples) -> Self {
        Self { samples, evidence: &[], tail: None, lost_count: 0, is_skipping: true }
    }

    /// Returns the steps in order of time, one fewer than there are samples. Time: O(n).
    pub fn steps(self, period: Nanos) -> impl Iterator<Item = Step> + 'a {
        let mut steps = Steps::new(period, self.is_skipping);
        steps.lose(self.lost_count);
        let samples = self.samples;
        let instants = samples.due_nanos().zip(samples.woke_nanos()).zip(samples.done_nanos());
        let mut before = None;
        instants.filter_map(move |((due, woke), done)| {
            let next = Instants { due, woke, done };
            Some(steps.step(before.replace(next)?, next))
        })
    }

    /// Returns the frame times in nanoseconds, in order of time. Steps over lost samples have none.
    pub fn frame_times(self, period: Nanos) -> impl Iterator<Item = i64> + 'a {
        self.steps(period).filter_map(|step| step.frame_time_nanos)
    }
}

/// Returns the number of slots strictly between two frames that start `length` nanoseconds apart: one fewer than the
/// whole periods in this time.
fn slots_between(length: i64, period: i64) -> i64 {
    // Most steps have no slot between their frames. This check avoids a division, the slowest part of a step.
    if length < period.saturating_mul(2) {
        return 0;
    }
    let periods = length.max(0).checked_div(period).unwrap_or(0);
    periods.saturating_sub(1).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Nanos = Nanos::new(1_000);

    /// Creates samples from the instants `due`, `woke`, and `done` of each frame, in nanoseconds.
    fn frames(of: &[(i64, i64, i64)]) -> Samples {
        of.iter()
            .map(|&(due, woke, done)| Sample {
                began: Nanos::new(due),
                due: Nanos::new(due),
                slept: None,
                woke: Nanos::new(woke),
                done: Nanos::new(done),
                spins: 0,
                cpu: None,
            })
            .collect()
    }

    /// Checks the frame time, the empty slots, and the lost slots of each step.
    #[track_caller]
    fn check(
        of: &[(i64, i64, i64)],
        is_skipping: bool,
        lost: u64,
        expected: &[(Option<i64>, i64, i64)],
    ) {
        let samples = frames(of);
        let round = Round { lost_count: lost, is_skipping, ..Round::of(&samples) };
        let found: Vec<_> = round
            .steps(PERIOD)
            .map(|step| (step.frame_time_nanos, step.empty_count, step.lost_count))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_hole_that_no_late_work_explains_is_one_of_lost_samples() {
        // The work of the second frame ends three slots later, at 5 050, so the slots at 3 000 and 4 000 are skipped.
        // The slots from 6 000 to 8 000 are missing without such a reason.
        let of = [
            (1_000, 1_010, 1_100),
            (2_000, 2_030, 5_050),
            (5_000, 5_060, 5_160),
            (9_000, 9_000, 9_100),
        ];
        let long = (Some(3_030), 2, 0);
        check(&of, true, 0, &[(Some(1_020), 0, 0), long, (Some(3_940), 3, 0)]);
        check(&of, true, 3, &[(Some(1_020), 0, 0), long, (None, 0, 3)]);
        check(&of, true, 2, &[(Some(1_020), 0, 0), long, (None, 1, 2)]);
        check(&of, true, u64::MAX, &[(Some(1_020), 0, 0), long, (None, 0, 3)]);
    }

    #[test]
    fn a_loop_that_catches_up_leaves_nothing_out_so_every_hole_is_lost() {
        let of = [(1_000, 1_010, 4_500), (2_000, 4_500, 4_600), (5_000, 5_000, 5_100)];
        check(&of, false, 2, &[(Some(3_490), 0, 0), (None, 0, 2)]);
    }

    #[test]
    fn a_re_based_loop_is_due_a_period_after_it_woke() {
        // The second frame is three periods late and moves the schedule. Only before the last frame is `due` later than
        // a period after the previous wake-up.
        let of = [
            (1_000, 1_010, 1_100),
            (2_010, 5_110, 5_200),
            (6_110, 6_120, 6_200),
            (9_150, 9_160, 9_200),
        ];
        check(&of, false, 0, &[(Some(4_100), 0, 0), (Some(1_010), 0, 0), (Some(3_040), 0, 0)]);
        check(&of, false, 2, &[(Some(4_100), 0, 0), (Some(1_010), 0, 0), (None, 0, 2)]);
    }

    #[test]
    fn extreme_instants_and_periods_give_no_slots_they_cannot() {
        let (min, most) = (i64::MIN, i64::MAX);
        let back = frames(&[(most, most, most), (min, min, min)]);
        let forth = frames(&[(min, min, min), (most, most, most)]);
        for period in [min, -1, 0, 1, most] {
            let steps = |samples| Round::of(samples).steps(Nanos::new(period)).next().unwrap();
            assert_eq!(steps(&back).empty_count, 0, "{period}");
            let slots = if period == 1 { most - 1 } else { 0 };
            assert_eq!(steps(&forth).empty_count, slots, "{period}");
        }
    }
}
