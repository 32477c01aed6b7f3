//! Lateness corrected for coordinated omission: what frames that never ran would have waited.

use crate::nanos::Nanos;

/// More values than this are not added for one sample, so that a hostile file cannot fill the memory.
const MOST_ADDED: i64 = 100_000;

/// Lateness in nanoseconds with the missing values added: for a lateness L above the period P also
/// L − P, L − 2 P and so on (Tene's correction, HdrHistogram's `recordCorrectedValue`).
pub fn corrected(late_nanos: &[i64], period: Nanos) -> Vec<i64> {
    let period = period.get();
    if period <= 0 {
        return late_nanos.to_vec();
    }
    let missing = |late: i64| (late.saturating_sub(1).max(0) / period).min(MOST_ADDED);
    // Counted first, so that the list need not move to a larger place.
    let added = late_nanos.iter().fold(0_i64, |sum, &late| sum.saturating_add(missing(late)));
    let added = usize::try_from(added).unwrap_or(usize::MAX).min(late_nanos.len());
    let mut values = Vec::with_capacity(late_nanos.len() + added);
    values.extend_from_slice(late_nanos);
    for &late in late_nanos {
        values.extend((1..=missing(late)).map(|slot| late - slot * period));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_adds_the_frames_that_never_ran() {
        assert_eq!(corrected(&[5, 35, 10], Nanos::new(10)), [5, 35, 10, 25, 15, 5]);
        assert_eq!(corrected(&[5, 10], Nanos::new(10)), [5, 10]);
        assert_eq!(corrected(&[5], Nanos::ZERO), [5]);
        let hostile = corrected(&[i64::MAX, i64::MIN], Nanos::new(1));
        assert_eq!(hostile.len(), 100_002);
    }
}
