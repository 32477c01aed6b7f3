//! 95% confidence intervals of percentiles and means. Values are in order of time and can depend on their neighbors.

use super::binomial::{fewest_for, likely_counts};
use super::effective::{Dependence, dependence};
use super::percentile::Quantile;
use super::{Score, float, nanos_float, position};
use crate::nanos::Nanos;

/// A mean of fewer values has no confidence interval.
pub const MIN_MEAN_COUNT: usize = 100;
/// Neighboring values are combined into this many means. Student's t accounts for the small number of means.
const BATCHES: usize = 12;

/// The result for a percentile that may be above even the largest value, so that its interval has no upper end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFew {
    /// Number of values that a complete interval needs.
    pub needed: usize,
    /// Lower end of the interval; `None` without values.
    pub low: Option<Nanos>,
    /// The largest value; `None` without values.
    pub largest: Option<Nanos>,
    /// The number of bursts in which the values above the percentile came; `None` if each came alone.
    pub burst_count: Option<usize>,
}

/// Returns the 95% confidence interval of a percentile of values in order of time. Time: O(n).
///
/// The ends are order statistics, so the interval is valid for every distribution: of n independent values,
/// the number above the percentile is binomial. Values that depend on their neighbors count for fewer: n is
/// divided by the inflation that [`dependence`] finds.
///
/// # Errors
///
/// Returns [`TooFew`] if even the largest value may be below the percentile.
pub fn percentile(in_time: &[i64], quantile: Quantile) -> Result<(Nanos, Nanos), TooFew> {
    let above = 1.0 - quantile.share();
    let fewest = fewest_for(above);
    let count = in_time.len();
    if count == 0 {
        let needed = position(fewest);
        return Err(TooFew { needed, low: None, largest: None, burst_count: None });
    }
    let mut values = in_time.to_vec();
    let Dependence { inflation, burst_count } = dependence(in_time, &mut values, above);
    // Ranks count from the largest value, which has rank 1.
    let mut from_largest = |rank: f64| {
        let rank = position(rank).clamp(1, count);
        let (_, &mut value, _) = values.select_nth_unstable(count - rank);
        Nanos::new(value)
    };
    let (fewer, more) = likely_counts(float(count) / inflation, above);
    let low = from_largest((more * inflation).ceil());
    match fewer {
        Some(fewer) => Ok((low, from_largest(((fewer + 1.0) * inflation).floor()))),
        None => Err(TooFew {
            needed: position((fewest * inflation).ceil()),
            low: Some(low),
            largest: Some(from_largest(1.0)),
            burst_count,
        }),
    }
}

/// Returns the 95% confidence interval of the mean in nanoseconds, by Student's t over the means of batches
/// of neighbors; `None` below [`MIN_MEAN_COUNT`] values.
pub fn mean(in_time: &[i64]) -> Option<(f64, f64)> {
    let count = in_time.len();
    if count < MIN_MEAN_COUNT {
        return None;
    }
    let batch = |at: usize| in_time.get(at * count / BATCHES..(at + 1) * count / BATCHES);
    let means: Vec<f64> = (0..BATCHES)
        .filter_map(batch)
        .map(|values| values.iter().copied().map(nanos_float).sum::<f64>() / float(values.len()))
        .collect();
    let score = Score::of(&means, 0.95)?;
    Some((score.mean - score.error, score.mean + score.error))
}

#[cfg(test)]
mod tests;
