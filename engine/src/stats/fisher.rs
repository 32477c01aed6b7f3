//! Fisher's exact test: whether a property is more frequent in one group than in another.

use super::float;

/// Returns the probability that at least `first.0` of the `first.1` members of the first group have a property if the
/// members with the property are spread over both groups at random. Each group is (members with the property, all
/// members). Source: Fisher 1922, *On the interpretation of χ² from contingency tables*. Time: O(n).
pub fn more_often(first: (usize, usize), second: (usize, usize)) -> f64 {
    let (with, all) = (first.0 + second.0, first.1 + second.1);
    let without = all - with.min(all);
    let ln_factorials = ln_factorials(all);
    let ln = |count: usize| ln_factorials.get(count).copied().unwrap_or(0.0);
    let choose = |all: usize, some: usize| ln(all) - ln(some) - ln(all - some);
    let most = with.min(first.1);
    let chances = (first.0..=most).filter(|count| first.1 - count <= without).map(|count| {
        let ways = choose(with, count) + choose(without, first.1 - count);
        (ways - choose(all, first.1)).exp()
    });
    chances.sum::<f64>().min(1.0)
}

/// Returns the logarithms of 0! to `last`!.
fn ln_factorials(last: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let mut all = vec![0.0];
    for number in 1..=last {
        sum += float(number).ln();
        all.push(sum);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_hypergeometric_distribution() {
        let near = |first, second, expected: f64| {
            let found = more_often(first, second);
            assert!(
                (found - expected).abs() < 1e-9,
                "{first:?} {second:?}: {found}, not {expected}"
            );
        };
        // 1 of 1 with the property, 0 of 100: it is one of 101 places.
        near((1, 1), (0, 100), 1.0 / 101.0);
        // The lady tasting tea: 3 of 4, and 1 of 4: (16 + 1) / 70.
        near((3, 4), (1, 4), 17.0 / 70.0);
        near((0, 5), (3, 5), 1.0);
        near((5, 5), (5, 5), 1.0);
        near((0, 0), (0, 0), 1.0);
    }
}
