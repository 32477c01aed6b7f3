//! 95% confidence intervals of percentiles and means. Values are in order of time and can depend on their neighbors.

use super::binomial::{fewest_for, likely_counts};
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
}

/// Returns the 95% confidence interval of a percentile of values in order of time. Time: O(n).
///
/// The ends are order statistics, so the interval is valid for every distribution: of n independent values,
/// the number above the percentile is binomial. Values that depend on their neighbors count for fewer: n is
/// divided by the larger of two factors. The first is `1 + 2 Σ (1 − k/(L+1)) ρ(k)`, where ρ is the
/// autocorrelation of "is above the percentile" and `L = 2 ⌈n^⅓⌉` (Bartlett 1946). It is uncertain, because
/// few values are above a high percentile. The second is based on neighbors on the same side of the median.
///
/// # Errors
///
/// Returns [`TooFew`] if even the largest value may be below the percentile.
pub fn percentile(in_time: &[i64], quantile: Quantile) -> Result<(Nanos, Nanos), TooFew> {
    let above = 1.0 - quantile.share();
    let fewest = fewest_for(above);
    let count = in_time.len();
    if count == 0 {
        return Err(TooFew { needed: position(fewest), low: None });
    }
    let mut values = in_time.to_vec();
    let dependence = dependence(in_time, &mut values, above).max(by_sides(in_time, &mut values));
    let independent = float(count) / dependence;
    // Ranks count from the largest value, which has rank 1.
    let mut from_largest = |rank: f64| {
        let rank = position(rank).clamp(1, count);
        let (_, &mut value, _) = values.select_nth_unstable(count - rank);
        Nanos::new(value)
    };
    let (fewer, more) = likely_counts(independent, above);
    let low = from_largest((more * dependence).ceil());
    match fewer {
        Some(fewer) => Ok((low, from_largest(((fewer + 1.0) * dependence).floor()))),
        None => Err(TooFew { needed: position((fewest * dependence).ceil()), low: Some(low) }),
    }
}

/// Returns the factor, at least 1, by which autocorrelation inflates the variance of the share of the largest
/// values. This many values count as one independent value.
fn dependence(in_time: &[i64], values: &mut [i64], above: f64) -> f64 {
    let count = in_time.len();
    let rank = position((float(count) * above).ceil()).clamp(1, count);
    let (_, &mut threshold, _) = values.select_nth_unstable(count - rank);
    let places: Vec<usize> = in_time
        .iter()
        .enumerate()
        .filter(|(_, value)| threshold <= **value)
        .map(|(place, _)| place)
        .collect();
    let share = float(places.len()) / float(count);
    let variance = share * (1.0 - share);
    if variance <= 0.0 {
        return 1.0;
    }
    let reach = 2 * position(float(count).cbrt().ceil());
    let weight = |distance: usize| 1.0 - float(distance) / float(reach + 1);
    let mut pairs = 0.0;
    for (at, &place) in places.iter().enumerate() {
        let later = places.iter().skip(at + 1).map(|later| later - place);
        pairs += later.take_while(|&distance| distance <= reach).map(weight).sum::<f64>();
    }
    let expected: f64 =
        (1..=reach).map(|k| weight(k) * float(count.saturating_sub(k))).sum::<f64>()
            * share
            * share;
    (1.0 + 2.0 * (pairs - expected) / (float(count) * variance)).max(1.0)
}

/// Returns the same factor as `dependence`, but assumes a normal process in which each value depends on the
/// previous one. The correlation of neighbors is `sin(π (share − ½))`, where `share` is the share of neighbors
/// on the same side of the median. Its power 2.5 is about the correlation of "is above a high percentile".
fn by_sides(in_time: &[i64], values: &mut [i64]) -> f64 {
    /// With fewer pairs of neighbors, their dependence cannot be estimated.
    const MIN_PAIRS: usize = 30;
    let (_, &mut median, _) = values.select_nth_unstable(in_time.len() / 2);
    let sides = || in_time.iter().map(|value| value.cmp(&median));
    let pairs = || sides().zip(sides().skip(1)).filter(|(one, next)| one.is_ne() && next.is_ne());
    let count = pairs().count();
    if count < MIN_PAIRS {
        return 1.0;
    }
    let same = pairs().filter(|(one, next)| one == next).count();
    let correlation = (std::f64::consts::PI * (float(same) / float(count) - 0.5)).sin();
    let joint = correlation.clamp(0.0, 0.999).powf(2.5);
    1.0 + 2.0 * joint / (1.0 - joint)
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
