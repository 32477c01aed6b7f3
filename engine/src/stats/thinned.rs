//! Reduces values over time to few enough points to draw.

use super::Pyramid;
use crate::nanos::Nanos;

/// Divides the time into `columns` columns of equal width, and returns the first, min, max, and last point of each.
/// Returns all points if there are at most `4 × columns`, or if all are at one instant. A time before
/// that of the previous point counts as equal to it. Times and values are returned in nanoseconds. Time: O(n).
pub fn thinned(points: impl Iterator<Item = (Nanos, Nanos)>, columns: usize) -> Vec<(f64, f64)> {
    let mut pyramid = Pyramid::default();
    let mut latest = None;
    for (at, value) in points {
        let at = latest.map_or(at, |latest| at.max(latest));
        latest = Some(at);
        pyramid.push(at, value);
    }
    let from = pyramid.point(0).map_or(0.0, |first| first.0);
    let drawn = pyramid.query(from, pyramid.end().as_secs(), columns);
    drawn.into_iter().map(|(secs, value)| (secs * 1e9, value)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::float;

    /// Returns the first, min, max, and last point of each column, found in a list of all points of the column; all
    /// points if there are few, or if all are at one instant.
    fn expected(points: &[(Nanos, Nanos)], columns: usize) -> Vec<(f64, f64)> {
        let ends = points.first().zip(points.last());
        let (from, to) =
            ends.map_or((0.0, 0.0), |(first, last)| (first.0.as_secs(), last.0.as_secs()));
        let is_all = points.len() <= columns * 4 || to <= from;
        let width = (to - from) / float(columns);
        let column = |at: Nanos| {
            (1..columns).filter(|&edge| from + width * float(edge) <= at.as_secs()).count()
        };
        let drawn = points.chunk_by(|a, b| column(a.0) == column(b.0)).flat_map(|own| {
            let lowest = own.iter().map(|point| point.1).min();
            let highest = own.iter().map(|point| point.1).max();
            let place = |value| own.iter().position(|point| Some(point.1) == value);
            let places = [Some(0), place(lowest), place(highest), Some(own.len() - 1)];
            let positions: Vec<_> =
                (0..own.len()).filter(|at| is_all || places.contains(&Some(*at))).collect();
            positions.into_iter().map(|at| own[at])
        });
        drawn.map(|(at, value)| (at.as_secs() * 1e9, value.as_f64())).collect()
    }

    fn check(points: &[(Nanos, Nanos)], columns: usize) {
        assert_eq!(thinned(points.iter().copied(), columns), expected(points, columns));
    }

    proptest! {
        #[test]
        fn every_column_retains_its_first_min_max_and_last_point(
            steps in proptest::collection::vec((0_i64..5_000_000, -9_i64..9), 0..900),
            columns in 1_usize..90,
        ) {
            let mut at = Nanos::ZERO;
            let mut point = |(step, value)| {
                at += Nanos::new(step);
                (at, Nanos::new(value))
            };
            let points: Vec<_> = steps.into_iter().map(&mut point).collect();
            check(&points, columns);
        }
    }

    #[test]
    fn a_time_before_the_previous_one_moves_no_other_point() {
        let point = |at: i64| (Nanos::from_millis(at), Nanos::new(at % 7));
        let mut points: Vec<_> = (0..500).map(point).collect();
        let (last, missing) =
            ((points[499].0, Nanos::new(9)), (Nanos::new(i64::MIN), Nanos::new(9)));
        points.push(missing);
        let drawn = thinned(points.iter().copied(), 10);
        points[500] = last;
        assert_eq!(drawn, expected(&points, 10));
        assert!(10 < drawn.len(), "{}", drawn.len());
    }

    #[test]
    fn points_at_one_instant_are_all_drawn() {
        check(&[(Nanos::ZERO, Nanos::new(1)); 500], 10);
        check(&[], 10);
    }
}
