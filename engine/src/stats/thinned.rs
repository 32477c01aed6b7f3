//! Reduces values over time to few enough points to draw, without a list of all points in memory.

use super::{float, nanos_float};
use crate::nanos::Nanos;

/// Divides the time into `columns` columns of equal width, and returns the first, min, max, and last point of each.
/// Returns all points if there are at most `4 × columns`, or if all are at one instant. The points must be in order
/// of time. Times and values are returned in nanoseconds. Time: O(n).
pub fn thinned(
    points: impl Iterator<Item = (Nanos, Nanos)> + Clone,
    columns: usize,
) -> Vec<(f64, f64)> {
    let Some((first, _)) = points.clone().next() else { return Vec::new() };
    let (last, count) = points.clone().fold((first, 0), |(_, count), (at, _)| (at, count + 1));
    let (from, to) = (first.as_secs(), last.as_secs());
    if count <= columns.saturating_mul(4) || to <= from {
        return points.map(drawn).collect();
    }
    let width = (to - from) / float(columns);
    let mut thin = Vec::with_capacity(columns * 4);
    let mut own: Option<Column> = None;
    let mut column = 1;
    for (point, index) in points.zip(0_usize..) {
        // A point at the end of the last column belongs to this column.
        while column < columns && from + width * float(column) <= point.0.as_secs() {
            column += 1;
            if let Some(own) = own.take() {
                own.draw(&mut thin);
            }
        }
        match &mut own {
            Some(own) => own.add(index, point),
            None => own = Some(Column([(index, point); 4])),
        }
    }
    if let Some(own) = own {
        own.draw(&mut thin);
    }
    thin
}

fn drawn((at, value): (Nanos, Nanos)) -> (f64, f64) {
    (at.as_secs() * 1e9, nanos_float(value.get()))
}

/// The first, min, max, and last point of a column, each with its position among all points.
struct Column([(usize, (Nanos, Nanos)); 4]);

impl Column {
    fn add(&mut self, index: usize, point: (Nanos, Nanos)) {
        let Self([_, min, max, last]) = self;
        if point.1 < min.1.1 {
            *min = (index, point);
        }
        if max.1.1 < point.1 {
            *max = (index, point);
        }
        *last = (index, point);
    }

    /// Appends the four points of the column in order of time, and a repeated point only once.
    fn draw(self, thin: &mut Vec<(f64, f64)>) {
        let Self(mut points) = self;
        points.sort_unstable_by_key(|(index, _)| *index);
        let mut before = None;
        for (index, point) in points {
            if before.replace(index) != Some(index) {
                thin.push(drawn(point));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::Pyramid;

    fn check(points: &[(Nanos, Nanos)], columns: usize) {
        let mut pyramid = Pyramid::default();
        for &(at, value) in points {
            pyramid.push(at, value);
        }
        let from = pyramid.point(0).map_or(0.0, |first| first.0);
        let expected = pyramid.query(from, pyramid.end().as_secs(), columns);
        let expected: Vec<_> = expected.into_iter().map(|(at, it)| (at * 1e9, it)).collect();
        assert_eq!(thinned(points.iter().copied(), columns), expected);
    }

    proptest! {
        #[test]
        fn points_are_those_of_the_pyramid(
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
    fn points_at_one_instant_are_all_drawn() {
        check(&[(Nanos::ZERO, Nanos::new(1)); 500], 10);
        check(&[], 10);
    }
}
