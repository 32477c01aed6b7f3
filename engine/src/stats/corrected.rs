//! Lateness corrected for coordinated omission: adds the lateness of the frames that never ran.

use super::steps::Round;
use crate::nanos::Nanos;

/// Maximum number of added values per frame, as a mean over all frames. If more values are missing, too small a
/// part of all slots was measured. The limit also prevents a hostile file from filling the memory.
const MAX_ADDED_A_FRAME: usize = 4;
/// This many values can be added regardless of the number of frames.
const MAX_ADDED_ANYWAY: usize = 100_000;

/// Returns the lateness of all frames in nanoseconds, one round after the other, followed by a value for
/// each slot that passed without a frame. If slot `k + i` is empty after frame `k`, its frame would have
/// started when frame `k` was done. Its value is therefore `done − due(k + i)`, whether the wait or the work
/// was too long (after Tene's correction, HdrHistogram's `recordCorrectedValue`). Only rounds that skip
/// slots get such values: otherwise each slot has a sample, however late, and would count twice.
///
/// `None` if more than 100 000 values are missing, and more than four per frame. Time: O(n) in the
/// result.
pub fn corrected(rounds: &[Round<'_>], period: Nanos) -> Option<Vec<i64>> {
    let count: usize = rounds.iter().map(|round| round.samples.len()).sum();
    let most = count.saturating_mul(MAX_ADDED_A_FRAME).max(MAX_ADDED_ANYWAY);
    let missing = || rounds.iter().flat_map(move |&round| missing_of(round, period));
    // The missing values are counted first, so that a list is allocated once, and never if it is too long.
    let added = missing().fold(0_usize, |sum, (_, slots)| {
        sum.saturating_add(usize::try_from(slots).unwrap_or(usize::MAX))
    });
    if most < added {
        return None;
    }
    let mut values = Vec::with_capacity(count.saturating_add(added));
    values.extend(rounds.iter().flat_map(|round| round.samples.lateness()));
    for (taken, slots) in missing() {
        values.extend((1..=slots).map(|slot| taken - slot * period.get()));
    }
    Some(values)
}

/// Returns a pair for each frame: the time in nanoseconds from its due time until it was done, and the number
/// of empty slots after it in which a frame would have been late.
fn missing_of(round: Round<'_>, period: Nanos) -> impl Iterator<Item = (i64, i64)> {
    // The number of empty slots after the last frame is not known: 0 is assumed.
    let empty = round.steps(period).map(|step| step.empty_count).chain([0]);
    let taken = round.samples.done_nanos().zip(round.samples.due_nanos());
    taken.zip(empty).map(move |((done, due), empty)| {
        let taken = done.saturating_sub(due);
        let empty = if round.is_skipping { empty } else { 0 };
        let still_late = taken.saturating_sub(1).max(0).checked_div(period.get()).unwrap_or(0);
        (taken, still_late.clamp(0, empty))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, Samples};

    const PERIOD: Nanos = Nanos::new(10);

    /// Creates frames from the times at which they were due and woke; their work takes no time.
    fn frames(of: &[(i64, i64)]) -> Samples {
        let sample = |&(due, woke): &(i64, i64)| {
            let (due, woke) = (Nanos::new(due), Nanos::new(woke));
            Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: None }
        };
        of.iter().map(sample).collect()
    }

    #[test]
    fn a_stall_adds_the_frames_that_never_ran() {
        // After the second frame, two slots pass empty. The frame of the next slot runs, 5 ns late.
        let stalled = frames(&[(10, 15), (20, 55), (50, 55), (60, 70)]);
        let found = corrected(&[Round::of(&stalled)], PERIOD);
        assert_eq!(found, Some(vec![5, 35, 5, 10, 25, 15]));
        let twice = corrected(&[Round::of(&stalled), Round::of(&frames(&[(10, 12)]))], PERIOD);
        assert_eq!(twice, Some(vec![5, 35, 5, 10, 2, 25, 15]));
        let still = frames(&[(10, 15), (20, 30), (30, 32)]);
        assert_eq!(corrected(&[Round::of(&still)], PERIOD), Some(vec![5, 10, 2]));
        assert_eq!(corrected(&[Round::of(&stalled)], Nanos::ZERO), Some(vec![5, 35, 5, 10]));
        assert_eq!(corrected(&[], PERIOD), Some(vec![]));
    }

    #[test]
    fn a_stall_during_the_work_adds_them_too() {
        // The first frame is on time, but its work takes three and a half periods: three slots pass empty.
        let mut worked = frames(&[(10, 10), (50, 50)]);
        let first = worked.get(0).map(|first| Sample { done: Nanos::new(45), ..first });
        worked = first.into_iter().chain(worked.get(1)).collect();
        assert_eq!(corrected(&[Round::of(&worked)], PERIOD), Some(vec![0, 0, 25, 15, 5]));
    }

    #[test]
    fn a_slot_that_was_run_late_is_not_added_again() {
        let caught_up = frames(&[(10, 45), (20, 45), (30, 45), (40, 45), (50, 50)]);
        let late = Some(vec![35, 25, 15, 5, 0]);
        assert_eq!(corrected(&[Round::of(&caught_up)], PERIOD), late);
        // If a loop re-bases its schedule by a whole number of periods, it seems to skip slots.
        let moved = frames(&[(10, 40), (50, 50)]);
        let round = Round { is_skipping: false, ..Round::of(&moved) };
        assert_eq!(corrected(&[round], PERIOD), Some(vec![30, 0]));
    }

    #[test]
    fn one_hostile_sample_is_not_corrected() {
        let of = |slots: i64| frames(&[(0, slots), (slots + 1, slots + 1)]);
        let period = Nanos::new(1);
        let most = of(100_001);
        assert_eq!(corrected(&[Round::of(&most)], period).unwrap().len(), 100_002);
        assert_eq!(corrected(&[Round::of(&of(100_002))], period), None);
        assert_eq!(corrected(&[Round::of(&of(i64::MAX - 1))], period), None);
        let back = frames(&[(i64::MAX, i64::MIN), (i64::MIN, i64::MAX)]);
        assert_eq!(corrected(&[Round::of(&back)], period), Some(vec![i64::MIN, i64::MAX]));
    }

    #[test]
    fn many_hostile_samples_are_not_corrected_either() {
        // Each of the 4 000 frames is followed by `missing` empty slots. This number is below the limit for one frame.
        let of = |missing: i64| -> Samples {
            let step = (missing + 1) * PERIOD.get();
            frames(&(0..4_000).map(|k| (k * step, (k + 1) * step)).collect::<Vec<_>>())
        };
        let added = |missing| {
            let samples = of(missing);
            corrected(&[Round::of(&samples)], PERIOD).map(|values| values.len() - samples.len())
        };
        assert_eq!(added(25), Some(3_999 * 25));
        assert_eq!(added(26), None);
        assert_eq!(added(90_000), None);
    }
}
