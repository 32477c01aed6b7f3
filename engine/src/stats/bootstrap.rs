//! Confidence intervals for samples that depend on their neighbors: the moving-block bootstrap.

use super::percentile::Quantile;
use super::{float, nanos_float, position};
use crate::nanos::Nanos;

/// How often samples are drawn anew.
const RESAMPLES: usize = 400;
/// Of more samples than this only so many are drawn each time, so that the time stays bounded.
const MOST_DRAWN: usize = 20_000;
/// The seed: the same samples always give the same interval.
const SEED: u64 = 0x6a69_7474_6572;

/// The 95 % interval, in nanoseconds, of a percentile of samples in order of time, by drawing blocks of
/// neighbors (Künsch 1989), n^(1/3) long. `None` below 50 samples.
///
/// Of n samples at most m = 20 000 are drawn (the m out of n bootstrap: Bickel, Götze and van Zwet 1997). A
/// percentile of m strays by √(n/m) times as much as one of n, so the ends are drawn in towards the
/// percentile of all samples by √(m/n).
pub fn percentile_interval(in_time: &[i64], quantile: Quantile) -> Option<(Nanos, Nanos)> {
    let count = in_time.len();
    if count < 50 {
        return None;
    }
    let block = position(float(count).cbrt().ceil()).clamp(1, count);
    let drawn = count.min(MOST_DRAWN);
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut found: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let mut values = Vec::with_capacity(drawn + block);
            while values.len() < drawn {
                let start = random.usize(0..=count - block);
                values.extend_from_slice(in_time.get(start..start + block)?);
            }
            values.truncate(drawn);
            percentile(&mut values, quantile)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found.get(position(share * float(found.len() - 1))).copied();
    let ends = (at(0.025)?, at(0.975)?);
    let (low, high) = if drawn < count {
        let middle = percentile(&mut in_time.to_vec(), quantile)?;
        let share = (float(drawn) / float(count)).sqrt();
        let drawn_in = |end: f64| middle + (end - middle) * share;
        (drawn_in(ends.0), drawn_in(ends.1))
    } else {
        ends
    };
    Some((Nanos::from_nanos_f64(low), Nanos::from_nanos_f64(high)))
}

/// A percentile by R-7 of values in no order, without sorting them all. Time: O(n).
fn percentile(values: &mut [i64], quantile: Quantile) -> Option<f64> {
    let at = float(values.len().checked_sub(1)?) * quantile.share();
    let below = position(at);
    let (_, &mut low, above) = values.select_nth_unstable(below);
    let (low, high) = (nanos_float(low), nanos_float(above.iter().copied().min().unwrap_or(low)));
    Some(low + (high - low) * (at - float(below)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::percentile::{PercentileRule, Sorted};
    use super::*;

    proptest! {
        #[test]
        fn a_percentile_without_sorting_is_the_same(
            mut values in proptest::collection::vec(any::<i64>(), 1..300),
            parts in 0..=100_000_u32,
        ) {
            let quantile = Quantile::new(parts);
            let sorted = Sorted::of(values.clone()).unwrap();
            let expected = sorted.percentile(quantile, PercentileRule::R7);
            prop_assert_eq!(percentile(&mut values, quantile), Some(expected));
        }
    }

    #[test]
    fn the_interval_holds_the_percentile_and_is_the_same_each_time() {
        let values: Vec<i64> = (0..2_000).map(|k| (k * 7_919) % 2_000).collect();
        let (low, high) = percentile_interval(&values, Quantile::P99).unwrap();
        assert!(low <= Nanos::new(1_980) && Nanos::new(1_980) <= high, "{low} {high}");
        assert_eq!(percentile_interval(&values, Quantile::P99), Some((low, high)));
        assert_eq!(percentile_interval(&values[..49], Quantile::P99), None);
    }

    #[test]
    fn more_samples_than_are_drawn_narrow_the_interval() {
        let interval = |count: usize| {
            let mut random = fastrand::Rng::with_seed(7);
            let values: Vec<i64> = (0..count).map(|_| random.i64(0..1_000_000)).collect();
            let (low, high) = percentile_interval(&values, Quantile::P99).unwrap();
            let whole = Sorted::of(values).unwrap().percentile(Quantile::P99, PercentileRule::R7);
            assert!(low.as_f64() <= whole && whole <= high.as_f64(), "{low} {whole} {high}");
            (high - low).as_f64()
        };
        // Sixteen times as many make it a quarter as wide.
        let share = interval(16 * MOST_DRAWN) / interval(MOST_DRAWN);
        assert!((0.15..0.4).contains(&share), "{share}");
    }

    #[test]
    fn neighbors_that_agree_widen_the_interval() {
        let apart: Vec<i64> = (0..2_000).map(|k| (k * 7_919) % 2_000).collect();
        let together: Vec<i64> = (0..2_000).collect();
        let width = |values: &[i64]| {
            let (low, high) = percentile_interval(values, Quantile::P50).unwrap();
            high - low
        };
        assert!(width(&apart) < width(&together));
    }
}
