//! Confidence intervals for samples that depend on their neighbours: the moving-block bootstrap.

use super::percentile::Quantile;
use super::{float, nanos_float, position};
use crate::nanos::Nanos;

/// How often samples are drawn anew.
const RESAMPLES: usize = 400;
/// More samples than this are thinned by taking stretches, so that the time stays bounded.
const MOST_DRAWN: usize = 20_000;
/// The seed: the same samples always give the same interval.
const SEED: u64 = 0x6a69_7474_6572;

/// The 95 % interval of a percentile of samples in order of time, by drawing blocks of neighbours
/// (Künsch 1989), n^(1/3) long. `None` below 50 samples.
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
    Some((Nanos::from_nanos_f64(at(0.025)?), Nanos::from_nanos_f64(at(0.975)?)))
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
    fn neighbours_that_agree_widen_the_interval() {
        let apart: Vec<i64> = (0..2_000).map(|k| (k * 7_919) % 2_000).collect();
        let together: Vec<i64> = (0..2_000).collect();
        let width = |values: &[i64]| {
            let (low, high) = percentile_interval(values, Quantile::P50).unwrap();
            high - low
        };
        assert!(width(&apart) < width(&together));
    }
}
