//! The tail distribution: the share of values at or above each value. As a plot, it compares runs of different
//! lengths.

use super::percentile::Sorted;
use super::{float, nanos_float, position};

/// Returns points of the tail distribution of N values: each is a value and the share of values at or above it. The
/// shares fall from 1 to 1/N. Up to `most` points are evenly spaced on the logarithm of the share, and the largest
/// `most / 4` values are added.
pub fn tail_points(sorted: &Sorted, most: usize) -> Vec<(f64, f64)> {
    let count = sorted.count();
    let mut ranks: Vec<usize> = (0..most.max(2))
        .map(|step| {
            let share = float(count).powf(float(step) / float(most.max(2) - 1));
            position(share.round()).clamp(1, count)
        })
        .collect();
    ranks.extend(1..=count.min(most / 4).max(1));
    ranks.sort_unstable();
    ranks.dedup();
    let point = |&rank: &usize| (nanos_float(sorted.at(count - rank)), float(rank) / float(count));
    ranks.iter().rev().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_falls_from_all_to_one_and_retains_the_max() {
        let sorted = Sorted::of((1..=10_000).collect()).unwrap();
        let points = tail_points(&sorted, 100);
        assert!(points.len() <= 130);
        assert_eq!(points.first(), Some(&(1.0, 1.0)));
        assert_eq!(points.last(), Some(&(10_000.0, 0.000_1)));
        assert!(points.is_sorted_by(|a, b| a.0 <= b.0 && b.1 <= a.1));
    }

    #[test]
    fn one_value_is_one_point() {
        let sorted = Sorted::of(vec![7]).unwrap();
        assert_eq!(tail_points(&sorted, 50), [(7.0, 1.0)]);
    }
}
