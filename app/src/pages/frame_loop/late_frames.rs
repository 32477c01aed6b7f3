//! The frames of a trial that are later than a limit, with all that every picture asks of them found once.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Cause, LateSample, late_samples};
use jitterscope_engine::run::TrialRun;

/// The frames of a trial that are later than a limit.
#[derive(Debug, Default)]
pub(super) struct LateFrames {
    /// The limit.
    over: Nanos,
    /// The frames, the latest first.
    frames: Vec<LateSample>,
    /// The causes that were found and how often, in the order in which they are looked for.
    causes: Vec<(Cause, u64)>,
    /// The position of each frame in its trial and in the list above, in order of time.
    in_time: Vec<(usize, usize)>,
}

impl LateFrames {
    /// Finds them. Time: O(n + k log k) for k late frames of n.
    pub(super) fn of(trial: &TrialRun, over: Nanos) -> Self {
        Self::new(late_samples(trial, over), over)
    }

    fn new(frames: Vec<LateSample>, over: Nanos) -> Self {
        let mut counts = Cause::ALL.map(|cause| (cause, 0));
        for frame in &frames {
            if let Some((_, count)) = counts.iter_mut().find(|(cause, _)| *cause == frame.cause) {
                *count += 1;
            }
        }
        let mut in_time: Vec<(usize, usize)> =
            frames.iter().enumerate().map(|(at, frame)| (frame.index, at)).collect();
        in_time.sort_unstable();
        let causes = counts.into_iter().filter(|(_, count)| 0 < *count).collect();
        Self { over, frames, causes, in_time }
    }

    /// The limit that they are later than.
    pub(super) const fn over(&self) -> Nanos {
        self.over
    }

    /// The frames, the latest first.
    pub(super) fn latest_first(&self) -> &[LateSample] {
        &self.frames
    }

    /// The causes that were found and how often.
    pub(super) fn causes(&self) -> &[(Cause, u64)] {
        &self.causes
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        wide(self.frames.len())
    }

    /// The late frame at a position of the trial. Time: O(log k).
    pub(super) fn get(&self, index: usize) -> Option<&LateSample> {
        let found = self.in_time.binary_search_by_key(&index, |&(index, _)| index).ok()?;
        let &(_, at) = self.in_time.get(found)?;
        self.frames.get(at)
    }

    /// How many there are up to a position of the trial, with the one there. Time: O(log k).
    pub(super) fn count_up_to(&self, index: usize) -> u64 {
        wide(self.in_time.partition_point(|frame| frame.0 <= index))
    }

    /// The position of the one after the chosen one in time, or of the one before; the chosen one where
    /// there is no other. Time: O(log k).
    pub(super) fn step(&self, chosen: Option<usize>, is_forwards: bool) -> Option<usize> {
        let next = match (chosen, is_forwards) {
            (None, true) => self.in_time.first(),
            (None, false) => self.in_time.last(),
            (Some(at), true) => {
                self.in_time.get(self.in_time.partition_point(|frame| frame.0 <= at))
            }
            (Some(at), false) => {
                let after = self.in_time.partition_point(|frame| frame.0 < at);
                after.checked_sub(1).and_then(|before| self.in_time.get(before))
            }
        };
        next.map(|frame| frame.0).or(chosen)
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use jitterscope_engine::sample::Sample;

    use super::*;

    /// Frames at these positions that were late for these reasons, over 200 µs.
    pub(in super::super) fn late(frames: &[(usize, Cause)]) -> LateFrames {
        let frame = |&(index, cause): &(usize, Cause)| LateSample {
            index,
            sample: Sample {
                began: Nanos::ZERO,
                due: Nanos::ZERO,
                slept: None,
                woke: Nanos::from_millis(1),
                done: Nanos::from_millis(2),
                spins: 0,
                cpu: None,
            },
            evidence: None,
            cause,
            explained: None,
        };
        LateFrames::new(frames.iter().map(frame).collect(), Nanos::from_micros(200))
    }

    #[test]
    fn steps_go_by_time_and_end_at_the_last_one() {
        let late = late(&[(70, Cause::Moved), (10, Cause::Unknown), (40, Cause::Moved)]);
        let steps = |chosen| (late.step(chosen, false), late.step(chosen, true));
        assert_eq!(steps(None), (Some(70), Some(10)));
        assert_eq!(steps(Some(10)), (Some(10), Some(40)));
        assert_eq!(steps(Some(50)), (Some(40), Some(70)), "from a frame that is not late");
        assert_eq!(steps(Some(70)), (Some(40), Some(70)));
        assert_eq!(LateFrames::default().step(None, true), None);
    }

    #[test]
    fn each_frame_is_found_and_each_cause_counted() {
        let late = late(&[(70, Cause::Moved), (10, Cause::Unknown), (40, Cause::Moved)]);
        assert_eq!(late.causes(), [(Cause::Moved, 2), (Cause::Unknown, 1)]);
        assert_eq!(late.get(10).map(|frame| frame.cause), Some(Cause::Unknown));
        assert_eq!(late.get(70).map(|frame| frame.index), Some(70));
        assert!(late.get(11).is_none());
        assert_eq!([9, 10, 40, 99].map(|index| late.count_up_to(index)), [0, 1, 2, 3]);
        assert_eq!(late.count(), 3);
    }
}
