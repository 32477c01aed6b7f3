//! When did a series of values change? Its levels, at a rate of false alarms that is fixed per month of daily looks.
//!
//! **The idea.** A trend has one value a day: the p99 of a nightly run, the frame rate of a build. Each day, somebody
//! looks whether it changed. A test at 5% per look would call a change that is none every three weeks. So the question
//! is asked as a control chart asks it: how often is there an alarm while nothing changes? Here: in 1 of 100 months of
//! 30 daily values. That is a chance of 1 − 0.99^(1/30) = 0.0335% per look, whatever was seen before.
//!
//! At each new value, the series since the last change is split at every place into an older and a newer part, each of two
//! values or more, and Student's t compares the parts, with the deviation pooled within them. A split counts only if half
//! of the difference or more remains without any one value: a single far value is an outlier, not a level.
//! The largest |t| of all splits is compared with a limit for this number of values. If it is larger, the series changed
//! at that split, and the newer part begins the next level. Later values can move a change, but take none away.
//!
//! **An example.** Eight builds have p99 latenesses of 100, 102, 99, 101, 100, 98, 101, 99 µs: no split counts. Then 118
//! and 119 µs follow. After the first one, every split that ends before it depends on it alone, so none counts. After the
//! second one, the logarithms before and from 118 on have the means 4.605 and 4.775 and the pooled deviation 0.0124, so
//! |t| = 0.170 / (0.0124 × √(1/8 + 1/2)) = 17.3. The limit for 10 values is 7.4: the level rose by 18.5% with the ninth
//! build, two builds after it happened.
//!
//! **The limits** (`LIMITS`) have no formula. They follow from simulation: of two million series of normal values, at each
//! length the 0.0335% with the largest |t| have an alarm and end. As t does not depend on mean and deviation, the
//! same limits hold for every metric. Few values have high limits: for a change of the last two of five values, it has to
//! be 22 deviations large, of ten 6, of thirty 3.5.
//!
//! **What is assumed.** Values are independent, and their logarithms close to normal. Of 50 000 simulated series of
//! normal values, 0.84% have a false alarm in the first month, and 0.94% per month over half a year. For other values it
//! is more: 1.5 and 2.8% for Student's t with 5 degrees of freedom, 3.7 and 5.8% for a lognormal skewness of 1.75, 6.4 and
//! 3.6% where one value in five is 5 deviations higher for no reason. Values of one session are not independent, so runs
//! of one day or build are one value, their mean.
//!
//! **Why not the simpler way.** A limit at three deviations needs the true mean and deviation, alarms once a year
//! (0.27% per value) even if it knows them, and looks at one value, so it is slow to find a small lasting change. A CUSUM
//! finds that, but needs the true mean and deviation, too. Binary segmentation with a permutation test looks once, at the
//! end: repeated each day, its rate of false alarms is that of 30 looks; and with eight values, no permutation is rare
//! enough for 0.0335%.
//!
//! Source: Hawkins, Qiu, and Kang 2003, *The changepoint model for statistical process control*, Journal of Quality
//! Technology 35(4), sections 3 and 4; the limits are computed again for parts of at least two values and this rate.

use std::ops::Range;

use super::float;

/// Minimum number of values for a change: below, there is no limit.
pub const MIN_VALUES: usize = 5;
/// Minimum number of values on both sides of a change: a single value is no level.
pub const MIN_SIDE: usize = 2;
/// The probability of a false alarm in 30 looks, a month of daily values.
pub const FALSE_ALARM: f64 = 0.01;

/// The limit of |t| by the number of values, the mean of two simulations of 2 000 000 series each. Between two numbers, the limit is
/// interpolated linearly in 1 / n; beyond the last one, it is that of the last one, which is too high and so cautious.
const LIMITS: [(usize, f64); 25] = [
    (5, 23.85),
    (6, 14.69),
    (7, 11.11),
    (8, 9.262),
    (9, 8.163),
    (10, 7.424),
    (11, 6.907),
    (12, 6.506),
    (13, 6.238),
    (14, 6.008),
    (15, 5.785),
    (16, 5.630),
    (18, 5.393),
    (20, 5.206),
    (22, 5.073),
    (25, 4.898),
    (30, 4.725),
    (35, 4.599),
    (40, 4.513),
    (50, 4.389),
    (60, 4.314),
    (80, 4.220),
    (100, 4.182),
    (120, 4.149),
    (150, 4.101),
];

/// A change between two adjacent parts of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Split {
    /// The number of values before the change.
    at: usize,
    /// |t| of the difference between both parts.
    t: f64,
}

/// Returns the levels of a series of values: ranges of positions that cover it, one after another. The series changed
/// where a level begins, except for the first. Where values vary less than `min_deviation`, they count as if they
/// varied by that much, so that rounding makes no change certain.
///
/// Time: O(n²) in the number of values.
pub fn levels(values: &[f64], min_deviation: f64) -> Vec<Range<usize>> {
    let mut starts = vec![0];
    let mut start = 0;
    for end in 1..=values.len() {
        let window = values.get(start..end).unwrap_or_default();
        if let Some(split) = largest(window, min_deviation)
            && limit(window.len()).is_some_and(|limit| limit < split.t)
        {
            start += split.at;
            starts.push(start);
        }
    }
    // More values have arrived since each change was found: they show better where it was.
    for place in 1..starts.len() {
        let before = place.checked_sub(1).and_then(|before| starts.get(before)).copied();
        let after = starts.get(place + 1).copied().unwrap_or(values.len());
        let window = before.and_then(|before| values.get(before..after)).unwrap_or_default();
        if let (Some(split), Some(before)) = (largest(window, min_deviation), before)
            && let Some(start) = starts.get_mut(place)
        {
            *start = before + split.at;
        }
    }
    let ends = starts.iter().skip(1).copied().chain([values.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Returns the split with the largest |t|; `None` with too few values.
fn largest(values: &[f64], min_deviation: f64) -> Option<Split> {
    let first = *values.first()?;
    let count = values.len();
    let last = count.checked_sub(MIN_SIDE)?;
    let all = float(count);
    // Relative to the first value, because sums of squares of nearly equal values lose digits.
    let (sum, squares) = values.iter().fold((0.0, 0.0), |(sum, squares), value| {
        let value = value - first;
        (sum + value, squares + value * value)
    });
    let total = squares - sum * sum / all;
    // The lowest and the highest value from each position on.
    let mut rest: Vec<(f64, f64)> = Vec::with_capacity(count);
    for value in values.iter().rev() {
        rest.push(widened(rest.last().copied(), value - first));
    }
    let (mut before, mut before_range) = (0.0, None);
    // The part of the total that a split explains; the rest is within its parts.
    let mut best: Option<(usize, f64)> = None;
    for (value, at) in values.iter().zip(1..=last) {
        before += value - first;
        let range = widened(before_range, value - first);
        before_range = Some(range);
        let after = rest.get(count - 1 - at).copied();
        let Some(after_range) = after.filter(|_| MIN_SIDE <= at) else { continue };
        let part = float(at);
        let between = (before - sum * part / all).powi(2) * all / (part * (all - part));
        let sides = [
            SplitSide { count: part, mean: before / part, range },
            SplitSide {
                count: all - part,
                mean: (sum - before) / (all - part),
                range: after_range,
            },
        ];
        if best.is_none_or(|(_, most)| most < between) && is_level(&sides) {
            best = Some((at, between));
        }
    }
    let (at, between) = best?;
    let freedom = count.checked_sub(2).filter(|&freedom| 0 < freedom)?;
    let within = ((total - between).max(0.0) / float(freedom)).max(min_deviation.powi(2));
    let t = (between / within.max(f64::MIN_POSITIVE)).sqrt();
    Some(Split { at, t })
}

/// One side of a split.
struct SplitSide {
    count: f64,
    mean: f64,
    /// The lowest and the highest value.
    range: (f64, f64),
}

/// Whether half of the difference of two sides or more remains without any one value.
fn is_level([older, newer]: &[SplitSide; 2]) -> bool {
    let difference = newer.mean - older.mean;
    let without = |side: &SplitSide, other: &SplitSide| {
        let (low, high) = side.range;
        // Away from the other side.
        let extreme = if side.mean < other.mean { low } else { high };
        let mean = (side.mean * side.count - extreme) / (side.count - 1.0);
        difference.abs() / 2.0 <= (mean - other.mean).abs()
            && (mean < other.mean) == (side.mean < other.mean)
    };
    without(older, newer) && without(newer, older)
}

/// Returns a range that also holds this value.
fn widened(range: Option<(f64, f64)>, value: f64) -> (f64, f64) {
    range.map_or((value, value), |(low, high)| (low.min(value), high.max(value)))
}

/// Returns the limit of |t| for this number of values; `None` below [`MIN_VALUES`].
fn limit(count: usize) -> Option<f64> {
    if count < MIN_VALUES {
        return None;
    }
    let after = LIMITS.iter().position(|(of, _)| count <= *of);
    let Some(after) = after else { return LIMITS.last().map(|(_, limit)| *limit) };
    let &(above, high) = LIMITS.get(after)?;
    let Some(&(below, low)) = after.checked_sub(1).and_then(|before| LIMITS.get(before)) else {
        return Some(high);
    };
    let inverse = |count: usize| 1.0 / float(count);
    let share = (inverse(count) - inverse(below)) / (inverse(above) - inverse(below));
    Some(low + (high - low) * share)
}

#[cfg(test)]
mod tests;
