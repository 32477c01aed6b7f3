//! Location and spread of a set of values.

use super::percentile::{PercentileRule, Quantile, Sorted, Sufficiency};
use super::statistic::Statistic;
use super::{float, nanos_float};
use crate::nanos::Nanos;

/// Location and spread of a set of values. The percentiles are computed by R type 7.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Number of values, at least 1.
    pub count: usize,
    /// The smallest value.
    pub min: Nanos,
    /// The median: half of the values are at or below it.
    pub p50: Nanos,
    /// The 95th percentile; `None` below 20 values.
    pub p95: Option<Nanos>,
    /// The 99th percentile; `None` below 100 values.
    pub p99: Option<Nanos>,
    /// The 99.9th percentile; `None` below 1 000 values.
    pub p99_9: Option<Nanos>,
    /// The largest value.
    pub max: Nanos,
    /// The mean, in nanoseconds.
    pub mean_nanos: f64,
    /// The standard deviation with divisor n − 1, in nanoseconds; `None` below two values.
    pub std_dev_nanos: Option<f64>,
}

impl Spread {
    /// Computes the spread of values in nanoseconds; `None` if there are no values. Time: O(n log n).
    pub fn of(values: Vec<i64>) -> Option<Self> {
        Sorted::of(values).map(|sorted| Self::of_sorted(&sorted))
    }

    /// Computes the spread of sorted values. Time: O(n).
    pub fn of_sorted(sorted: &Sorted) -> Self {
        let count = sorted.count();
        let percentile = |quantile| {
            // A huge value rounded to `f64` can be outside the range of the values.
            Nanos::from_nanos_f64(sorted.percentile(quantile, PercentileRule::R7))
                .clamp(Nanos::new(sorted.min()), Nanos::new(sorted.max()))
        };
        let enough = |quantile| match Sufficiency::of(quantile, count) {
            Sufficiency::Needs(_) => None,
            Sufficiency::Weak | Sufficiency::Enough => Some(percentile(quantile)),
        };
        let (mean_nanos, std_dev_nanos) = mean_and_deviation(sorted.values());
        Self {
            count,
            min: Nanos::new(sorted.min()),
            p50: percentile(Quantile::P50),
            p95: enough(Quantile::P95),
            p99: enough(Quantile::P99),
            p99_9: enough(Quantile::P99_9),
            max: Nanos::new(sorted.max()),
            mean_nanos,
            std_dev_nanos,
        }
    }

    /// Returns the value of a statistic, times in nanoseconds; `None` if there are too few values for it, or if it is
    /// not a field of `Spread`.
    pub fn statistic(&self, statistic: Statistic) -> Option<f64> {
        match statistic {
            Statistic::Mean => Some(self.mean_nanos),
            Statistic::StdDev => self.std_dev_nanos,
            Statistic::Min => Some(self.min.as_f64()),
            Statistic::Max => Some(self.max.as_f64()),
            Statistic::P50 => Some(self.p50.as_f64()),
            Statistic::P95 => self.p95.map(Nanos::as_f64),
            Statistic::P99 => self.p99.map(Nanos::as_f64),
            Statistic::P99_9 => self.p99_9.map(Nanos::as_f64),
            _ => None,
        }
    }

    /// Returns how many values a `Spread` needs to have this statistic.
    pub const fn values_needed(statistic: Statistic) -> usize {
        match statistic {
            Statistic::StdDev => 2,
            Statistic::P95 => 20,
            Statistic::P99 => 100,
            Statistic::P99_9 => 1_000,
            _ => 1,
        }
    }
}

/// Computes the mean, and the standard deviation with divisor n − 1 (`None` below two values). The second of two
/// passes corrects the rounding error of the mean (Chan, Golub and LeVeque 1983).
fn mean_and_deviation(values: impl ExactSizeIterator<Item = i64> + Clone) -> (f64, Option<f64>) {
    let count = values.len();
    let sum: i128 = values.clone().map(i128::from).sum();
    #[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
    let mean = sum as f64 / float(count);
    if count < 2 {
        return (mean, None);
    }
    let (mut squares, mut rest) = (0.0, 0.0);
    for value in values {
        let off = nanos_float(value) - mean;
        squares += off * off;
        rest += off;
    }
    let variance = (squares - rest * rest / float(count)) / float(count - 1);
    (mean, Some(variance.max(0.0).sqrt()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_spread_is_what_numpy_shows() {
        // The expected numbers are numpy.mean, numpy.std(ddof=1), and numpy.percentile of these values. The median is
        // rounded from 4.5 to 5 ns.
        let spread = Spread::of(vec![9, 2, 4, 4, 5, 4, 7, 5]).unwrap();
        assert_eq!((spread.count, spread.min, spread.max), (8, Nanos::new(2), Nanos::new(9)));
        assert!((spread.mean_nanos - 5.0).abs() < 1e-12);
        assert!((spread.std_dev_nanos.unwrap() - 2.138_089_935_299_395).abs() < 1e-12);
        assert_eq!(spread.p50, Nanos::new(5));
        assert_eq!((spread.p95, spread.p99, spread.p99_9), (None, None, None));
    }

    #[test]
    fn one_value_has_no_deviation_and_none_has_nothing() {
        assert_eq!(Spread::of(vec![7]).unwrap().std_dev_nanos, None);
        assert_eq!(Spread::of(vec![]), None);
    }

    #[test]
    fn a_far_offset_costs_no_precision() {
        let spread = Spread::of((0..1_000).map(|k| 1_000_000_000_000 + k % 2).collect()).unwrap();
        assert!((spread.std_dev_nanos.unwrap() - 0.500_25).abs() < 1e-4);
    }

    proptest! {
        #[test]
        fn hostile_values_do_not_panic(values in proptest::collection::vec(any::<i64>(), 0..200)) {
            if let Some(spread) = Spread::of(values) {
                prop_assert!(spread.min <= spread.p50 && spread.p50 <= spread.max);
                prop_assert!(spread.mean_nanos.is_finite());
            }
        }
    }
}
