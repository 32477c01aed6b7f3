//! How many independent values a run of dependent values counts for, when the question is how many of them are above a
//! high percentile.
//!
//! Of n independent values, the number above p99 is binomial, and a confidence interval of p99 follows from that alone.
//! Late frames come in bursts, though: one stall makes 5 or 20 frames late. The number above p99 then varies more. If
//! bursts have K frames, the variance is larger by E\[K²\]/E\[K\]: by 20 for bursts of 20. The run counts for n divided by
//! this *inflation*. 7 200 frames in bursts of 20 count for 360 independent ones, which are too few for an interval.
//!
//! Bursts are found by runs declustering: values above the threshold belong to one burst if at most r values lie between
//! them, where r follows from the extremal index (Ferro and Segers 2003, section 3). The extremal index alone is not
//! enough: its inverse is the mean size of a burst, but the variance of a count needs E\[K²\]/E\[K\]. Few values are above
//! p99, so bursts are also sought above p95, which has five times as many. Slow changes, such as a scale that drifts, look
//! like no burst at all, so the variance of the counts in 20 and in 10 blocks of the run is compared with the binomial
//! variance. The inflation is the largest of all these. No method sees a burst that did not happen during the run.

use super::{float, position};

/// The second threshold has this many times as many values above it as the percentile itself.
const LOWER_THRESHOLD: f64 = 5.0;
/// Numbers of blocks in which values above the percentile are counted.
const BLOCK_COUNTS: [usize; 2] = [20, 10];

/// How much dependence reduces the effective number of values, and what shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dependence {
    /// The number of values that count as one independent value, at least 1.
    pub inflation: f64,
    /// The number of bursts in which the values above the percentile came; `None` if each came alone.
    pub burst_count: Option<usize>,
}

impl Dependence {
    const NONE: Self = Self { inflation: 1.0, burst_count: None };
}

/// Returns the dependence of values in order of time; `share_above` is the share of values above the percentile.
/// `values` are the same values in any order, and are reordered. Time: O(n).
pub fn dependence(in_time: &[i64], values: &mut [i64], share_above: f64) -> Dependence {
    let mut places = |share: f64| places_above(in_time, values, share);
    let (high, low) = (places(share_above), places(share_above * LOWER_THRESHOLD));
    if high.len() == in_time.len() {
        return Dependence::NONE;
    }
    let bursts = bursts(&high);
    let of_bursts = [inflation_of(&bursts), inflation_of(&self::bursts(&low))];
    let of_blocks = BLOCK_COUNTS.map(|count| block_inflation(&high, in_time.len(), count));
    Dependence {
        inflation: of_bursts.into_iter().chain(of_blocks).fold(1.0, f64::max),
        burst_count: Some(bursts.len()).filter(|&count| count < high.len()),
    }
}

/// Returns the positions of the values that are at or above the threshold, above which a share of all values is.
fn places_above(in_time: &[i64], values: &mut [i64], share: f64) -> Vec<usize> {
    let count = values.len();
    if count == 0 {
        return Vec::new();
    }
    let rank = position((float(count) * share).ceil()).clamp(1, count);
    let (_, &mut threshold, _) = values.select_nth_unstable(count - rank);
    let is_above = |(_, value): &(usize, &i64)| threshold <= **value;
    in_time.iter().enumerate().filter(is_above).map(|(place, _)| place).collect()
}

/// Returns the sizes of bursts of values above a threshold, given the rising positions of these values.
fn bursts(places: &[usize]) -> Vec<usize> {
    let gaps: Vec<usize> = places.iter().zip(places.iter().skip(1)).map(|(a, b)| b - a).collect();
    let count = position(extremal_index(&gaps) * float(places.len())) + 1;
    let mut falling = gaps.clone();
    falling.sort_unstable_by(|a, b| b.cmp(a));
    // One gap fewer than there are bursts separates bursts; a gap as long as the longest one within a burst does not.
    let longest_within = falling.get(count - 1).copied().unwrap_or(0);
    let mut sizes: Vec<usize> = places.first().map(|_| 1).into_iter().collect();
    for gap in gaps {
        match sizes.last_mut() {
            Some(size) if gap <= longest_within => *size += 1,
            _ => sizes.push(1),
        }
    }
    sizes
}

/// Estimates the extremal index, which is the inverse of the mean size of a burst, from the gaps between values above a
/// threshold (Ferro and Segers 2003, equations 5 and 6). 1 without gaps.
fn extremal_index(gaps: &[usize]) -> f64 {
    // The second form corrects the bias of long gaps; without any, its denominator is 0.
    let (off, more) = if gaps.iter().any(|&gap| 2 < gap) { (1.0, 2.0) } else { (0.0, 0.0) };
    let lengths = || gaps.iter().map(|&gap| float(gap));
    let sum: f64 = lengths().map(|gap| gap - off).sum();
    let squares: f64 = lengths().map(|gap| (gap - off) * (gap - more)).sum();
    if squares <= 0.0 {
        return 1.0;
    }
    (2.0 * sum * sum / (float(gaps.len()) * squares)).min(1.0)
}

/// Returns E\[K²\]/E\[K\] over the sizes K of bursts; 1 without bursts.
fn inflation_of(bursts: &[usize]) -> f64 {
    let sizes = || bursts.iter().map(|&size| float(size));
    let (sum, squares) = (sizes().sum::<f64>(), sizes().map(|size| size * size).sum::<f64>());
    if 0.0 < sum { squares / sum } else { 1.0 }
}

/// Returns the variance of the number of values above the threshold in blocks of equal length, divided by the binomial
/// variance. `count` is the number of all values.
fn block_inflation(places: &[usize], count: usize, block_count: usize) -> f64 {
    let mut counts = vec![0_usize; block_count];
    for place in places {
        if let Some(block) = counts.get_mut(place * block_count / count) {
            *block += 1;
        }
    }
    let mean = float(places.len()) / float(block_count);
    let squares: f64 = counts.iter().map(|&count| (float(count) - mean).powi(2)).sum();
    let binomial = mean * (1.0 - float(places.len()) / float(count));
    squares / float(block_count - 1) / binomial
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns values below 1 000 000 that look random (Knuth's multiplier).
    fn values(count: usize, seed: u64) -> Vec<i64> {
        let mut state = seed;
        let next = || {
            let step = state.wrapping_mul(6_364_136_223_846_793_005);
            state = step.wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((state >> 33) % 1_000_000).unwrap()
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    fn check(in_time: &[i64], inflation: f64, burst_count: Option<usize>) {
        let found = dependence(in_time, &mut in_time.to_vec(), 0.01);
        assert!((found.inflation - inflation).abs() < 1e-9, "{found:?}, not {inflation}");
        assert_eq!(found.burst_count, burst_count);
    }

    /// The expected numbers are by NumPy: `inflation` and `burst_sizes` of `tests/recompute.py`.
    #[test]
    fn inflation_is_that_of_numpy() {
        check(&values(1_000, 1), 1.169_590_643_274_854, None);
        // Every value five times in a row.
        let five: Vec<i64> = values(200, 1).into_iter().flat_map(|value| [value; 5]).collect();
        check(&five, 7.0, Some(2));
        // Eight late values every 400 values, of which about half are above p99.
        let late = |(at, value): (usize, i64)| {
            value + if (37..45).contains(&(at % 400)) { 1_000_000 } else { 0 }
        };
        let bursts: Vec<i64> = values(1_600, 3).into_iter().enumerate().map(late).collect();
        check(&bursts, 4.275, Some(6));
        // A level that rises four times has no bursts, but most of its largest values are in the last quarter.
        let risen = |(at, value): (usize, i64)| value + i64::try_from(at / 250).unwrap() * 300_000;
        let drift: Vec<i64> = values(1_000, 5).into_iter().enumerate().map(risen).collect();
        check(&drift, 3.591_470_258_136_924_4, None);
    }

    #[test]
    fn equal_values_and_few_values_have_no_inflation() {
        check(&[5; 1_000], 1.0, None);
        check(&[7], 1.0, None);
        check(&[], 1.0, None);
    }

    proptest! {
        #[test]
        fn hostile_values_have_a_finite_inflation(
            in_time in proptest::collection::vec(prop_oneof![any::<i64>(), 0_i64..4], 0..300),
            parts in 1_u32..100_000,
        ) {
            let share = 1.0 - super::super::Quantile::new(parts).share();
            let found = dependence(&in_time, &mut in_time.clone(), share);
            prop_assert!(1.0 <= found.inflation && found.inflation.is_finite(), "{found:?}");
        }
    }
}
