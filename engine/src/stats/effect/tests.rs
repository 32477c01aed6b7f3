//! Outcomes agree with their intervals, and the example of the module is what it computes.

use super::*;

const A: [f64; 3] = [100.0, 103.0, 97.0];
const B: [f64; 3] = [110.0, 113.0, 107.0];

#[track_caller]
fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() < within, "{found}, not {expected}");
}

#[test]
fn the_example_is_computed_as_the_essay_shows() {
    let found = Estimated::of_groups([&A, &B], true, None, None).unwrap();
    near(found.values[0], 99.97, 0.005);
    near(found.values[1], 109.97, 0.005);
    near(found.probability(), 0.0154, 0.000_5);
    let (low, high) = found.interval(CHANCE);
    near(low, 3.1, 0.1);
    near(high, 17.4, 0.1);
    let outcome = |minimum| found.effect(CHANCE, minimum).outcome(false);
    assert_eq!(outcome(0.1 * 99.97), Outcome::Worse);
    assert_eq!(outcome(0.11 * 99.97), Outcome::SlightlyWorse);
    // The same change of a rate is the same outcome with the same probability.
    let rates = [A, B].map(|group| group.map(|time| 1_000.0 / time));
    let of_rates = Estimated::of_groups([&rates[0], &rates[1]], true, None, None).unwrap();
    near(of_rates.probability(), found.probability(), 1e-12);
}

#[test]
fn outcomes_follow_from_interval_and_minimum() {
    let effect = |difference, low, high| Effect {
        interval: Some((low, high)),
        ..Effect::without_interval(difference, 10.0)
    };
    for (difference, low, high, expected) in [
        (20.0, 5.0, 35.0, Outcome::Worse),
        (10.0, 0.1, 19.9, Outcome::Worse),
        (5.0, 1.0, 9.0, Outcome::SlightlyWorse),
        (9.0, 1.0, 17.0, Outcome::SlightlyWorse),
        (1.0, -8.0, 10.0, Outcome::Same),
        (0.0, 0.0, 0.0, Outcome::Same),
        (1.0, -8.0, 10.1, Outcome::NoClearDifference),
        (20.0, 0.0, 40.0, Outcome::NoClearDifference),
        (-20.0, -35.0, -5.0, Outcome::Better),
        (-5.0, -9.0, -1.0, Outcome::SlightlyBetter),
    ] {
        let found = effect(difference, low, high);
        assert_eq!(found.outcome(difference < 0.0), expected, "{difference}: {low} to {high}");
    }
    assert_eq!(Effect::without_interval(1.0, 10.0).outcome(false), Outcome::NotEnoughData);
    near(effect(20.0, 5.0, 35.0).certain_size(), 0.5, 1e-12);
    near(effect(-20.0, -35.0, -5.0).certain_size(), 0.5, 1e-12);
    near(effect(20.0, -5.0, 45.0).certain_size(), 0.0, 1e-12);
    for words in &OUTCOMES {
        let own = words.outcome.words();
        assert!(own.key == words.key && words.definition.ends_with('.'), "{words:?}");
    }
}

#[test]
fn intervals_contain_the_difference_and_exclude_0_exactly_below_their_level() {
    let interval = |low, high| Interval { low, high, error: 0.0 };
    let varies = |error| Some(RunVariation { error, freedom: 30, method: Method::Assumed(0.03) });
    let mut counted =
        Estimated::of_groups([&[0.0; 3], &[1.0, 1.0, 1.01]], false, None, None).unwrap();
    counted.at_least(0.2);
    let all = [
        Estimated::of_groups([&A, &B], true, None, Some(VariancePrior::known(0.02))).unwrap(),
        Estimated::of_groups([&A, &B], false, None, None).unwrap(),
        Estimated::of_pairs(&[[1.0, 2.0], [1.1, 2.5], [0.9, 1.6]], true).unwrap(),
        // An interval of resampled blocks can lie beside the difference.
        Estimated::of_singles([100.0, 105.0], interval(6.0, 9.0), None, false),
        Estimated::of_singles([100.0, 105.0], interval(1.0, 9.0), varies(0.02), true),
        Estimated::of_singles([100.0, 1.0], interval(-120.0, -1.0), varies(0.03), true),
        Estimated::of_singles([100.0, 95.0], interval(-9.0, -1.0), varies(3.0), false),
        counted,
    ];
    for one in &all {
        let probability = one.probability();
        for level in [0.05, 0.005, probability * 0.99, probability * 1.01] {
            let (low, high) = one.interval(level.min(0.99));
            assert!(low <= one.difference() && one.difference() <= high, "{one:?} at {level}");
            let excludes = 0.0 < low || high < 0.0;
            assert_eq!(excludes, probability < level, "{one:?} at {level}: {low} to {high}");
        }
    }
}

#[test]
fn sessions_and_too_few_runs_widen_or_remove_the_interval() {
    let width = |session| {
        let (low, high) =
            Estimated::of_groups([&A, &B], true, None, Some(VariancePrior::known(session)))
                .unwrap()
                .interval(CHANCE);
        high - low
    };
    assert!(width(0.0) < width(0.03));
    assert_eq!(Estimated::of_groups([&A[..1], &B], true, None, None), None);
    assert_eq!(Estimated::of_pairs(&[[1.0, 2.0]], true), None);
    let still = Estimated::of_groups([&[1.0; 2], &[1.0; 2]], true, None, None).unwrap();
    near(still.probability(), 1.0, 1e-12);
    assert_eq!(still.effect(CHANCE, 0.1).outcome(false), Outcome::Same);
}

#[test]
fn levels_are_those_of_holm() {
    let near_all = |found: &[f64], expected: &[f64]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    };
    near_all(&holm_levels(&[0.01, 0.001, 0.9]), &[0.025, 0.05 / 3.0, 0.05]);
    near_all(&holm_levels(&[0.04, 0.03, 0.02]), &[0.05 / 3.0; 3]);
    assert!(holm_levels(&[]).is_empty());
}
