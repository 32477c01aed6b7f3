//! Lateness corrected for coordinated omission: what frames that never ran would have waited.

use super::steps::Round;
use crate::nanos::Nanos;

/// Maximum number of values added per frame, over all frames. If more are missing, too small a part
/// of the whole was measured; and a hostile file cannot fill the memory.
const MAX_ADDED_A_FRAME: usize = 4;
/// This many may be added regardless of the number of frames.
const MAX_ADDED_ANYWAY: usize = 100_000;

/// Lateness in nanoseconds of all rounds, one after the other, and then the missing values: for each slot
/// that passed empty after a frame, how late a frame of that slot would have started, which is when this
/// one was done: `done − due(k + i)`, be it that the wait stalled or the work (after Tene's correction,
/// HdrHistogram's `recordCorrectedValue`). A slot that was run, however late, has a separate sample and
/// would count twice: nothing is added where slots are caught up with or forgiven.
///
/// `None` if more than four values per frame are missing, and more than 100 000. Time: O(n) in the
/// result.
pub fn corrected(rounds: &[Round<'_>], period: Nanos) -> Option<Vec<i64>> {
    let count: usize = rounds.iter().map(|round| round.samples.len()).sum();
    let most = count.saturating_mul(MAX_ADDED_A_FRAME).max(MAX_ADDED_ANYWAY);
    let missing = || rounds.iter().flat_map(move |&round| missing_of(round, period));
    // Counted first: a list that is too long is not begun, and one that is not need not be moved.
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

/// How long after it was due each frame was done, and in how many of the empty slots after it a frame would
/// have been late.
fn missing_of(round: Round<'_>, period: Nanos) -> impl Iterator<Item = (i64, i64)> {
    // Nobody knows what passed after the last one.
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

    /// Frames given by when they were due and woke; each is done immediately.
    fn frames(of: &[(i64, i64)]) -> Samples {
        let sample = |&(due, woke): &(i64, i64)| {
            let (due, woke) = (Nanos::new(due), Nanos::new(woke));
            Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: None }
        };
        of.iter().map(sample).collect()
    }

    #[test]
    fn a_stall_adds_the_frames_that_never_ran() {
        // After the second frame two slots pass empty; the one after them is run, 5 late.
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
        // On time, but its work takes three and a half periods: three slots pass empty.
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
        // A re-based loop whose lateness happens to be whole periods seems to skip slots.
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
        // Each of them alone may be: 4 000 frames, each `missing` slots before the next.
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
