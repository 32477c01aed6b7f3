//! Tests that confidence intervals contain the true value as often as their confidence requires.

mod coverage;

use super::*;
use crate::stats::tests::simulated::{MODELS, rounds, series};

/// Simulates intervals; returns the share of them that contain the true value, and the number of intervals.
fn coverage(
    truth: f64,
    rounds: usize,
    interval: impl Fn(&mut fastrand::Rng) -> Option<(f64, f64)>,
) -> (f64, usize) {
    let mut random = fastrand::Rng::with_seed(14);
    let given: Vec<(f64, f64)> = (0..rounds).filter_map(|_| interval(&mut random)).collect();
    let held = given.iter().filter(|(low, high)| *low <= truth && truth <= *high).count();
    (float(held) / float(given.len().max(1)), given.len())
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_promise() {
    let rounds = rounds(150);
    for (name, model) in MODELS {
        let long = series(model, &mut fastrand::Rng::with_seed(1), 1_000_000);
        let mean_truth = long.iter().copied().map(nanos_float).sum::<f64>() / float(long.len());
        let mut sorted = long;
        sorted.sort_unstable();
        let p99_truth = nanos_float(sorted[990_000]);
        for count in [400, 600, 1_800, 10_000] {
            let p99 = coverage(p99_truth, rounds, |random| {
                let found = percentile(&series(model, random, count), Quantile::P99).ok()?;
                Some((found.0.as_f64(), found.1.as_f64()))
            });
            let mean = coverage(mean_truth, rounds, |random| mean(&series(model, random, count)));
            println!(
                "{name}, {count} values: p99 held by {:.1}% of {}, mean by {:.1}% of {}",
                p99.0 * 100.0,
                p99.1,
                mean.0 * 100.0,
                mean.1
            );
            // Tolerance for the share: three standard deviations of a simulation with this many intervals.
            let off = |given: usize| 3.0 * (0.95 * 0.05 / float(given.max(1))).sqrt();
            for (found, given) in [p99, mean] {
                // If only a few series have an interval, these series show less dependence than the model has.
                let is_default = rounds / 2 < given;
                assert!(!is_default || 0.93 - off(given) <= found, "{name}, {count}: {found}");
            }
        }
    }
}

#[test]
fn too_few_values_have_no_interval_and_it_is_known_how_many_are_missing() {
    // The 19 largest values are evenly spread, and so are the four largest of them.
    let mut values: Vec<i64> = (0..367).map(|k| k * 59 % 300).collect();
    for at in 0..19 {
        values[at * 19 + 2] = 1_000 + i64::try_from(at * 4 % 19).unwrap();
    }
    let too_few = percentile(&values, Quantile::P99).unwrap_err();
    // The lower end is the ninth largest value: more than 8 of 367 values are above p99 in less than 2.5% of cases.
    assert_eq!((too_few.needed, too_few.low), (368, Some(Nanos::new(ninth_largest(&values)))));
    assert_eq!((too_few.largest, too_few.burst_count), (Some(Nanos::new(1_018)), None));
    let none = TooFew { needed: 368, low: None, largest: None, burst_count: None };
    assert_eq!(percentile(&[], Quantile::P99), Err(none));
    assert_eq!(mean(&values[..99]), None);
    // Each value is repeated ten times in a row, so that the 400 values count for far fewer.
    let blocks: Vec<i64> = (0..400).map(|k| k / 10 * 7_919 % 1_000).collect();
    let needed = percentile(&blocks, Quantile::P99).unwrap_err().needed;
    assert!(1_000 < needed, "{needed}");
}

fn ninth_largest(values: &[i64]) -> i64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() - 9]
}

#[test]
fn values_that_are_all_the_same_have_an_interval_of_one_point() {
    let values = vec![5_i64; 1_000];
    assert_eq!(percentile(&values, Quantile::P99), Ok((Nanos::new(5), Nanos::new(5))));
    assert_eq!(mean(&values), Some((5.0, 5.0)));
}

#[test]
fn few_values_are_too_few_for_an_interval() {
    for count in 0..40 {
        let values: Vec<i64> = (0..count).map(|value| value * 7 % 11).collect();
        assert!(percentile(&values, Quantile::P99).is_err(), "{count}");
    }
}
