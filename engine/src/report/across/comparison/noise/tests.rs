//! The noise floor follows from the differences between repeats. Repeats that happen to agree do not lower the limit
//! of a difference to 0.

use super::super::repeats::is_repeat;
use super::super::repeats::tests::{evaluated, repeats};
use super::*;
use crate::report::across::comparison::{Comparison, Overall, Prior, Rules, Variation};
use crate::stats::Outcome;

#[test]
fn the_noise_floor_is_what_repeats_differ_by() {
    assert_eq!(evaluated(&repeats(2, 0), NoiseFloor::of), None);
    let runs = repeats(5, 0);
    let floor = evaluated(&runs, NoiseFloor::of).unwrap();
    assert_eq!(floor.count, 5);
    let p50 = floor.variations.iter().find(|variation| variation.metric == Metric::P50).unwrap();
    // Levels of 0, 20, 40, 60, and 80 µs have a standard deviation of 31.6 µs; t for 4 degrees of freedom is 2.776.
    let expected = 2.776 * 2.0_f64.sqrt() * 31_623.0;
    assert!((p50.noise / expected - 1.0).abs() < 0.1, "{p50:?} and {expected}");
    assert!(80_000.0 * 0.9 < p50.most - p50.lowest, "{p50:?}");
    assert!(runs.iter().all(|run| is_repeat(run, &runs[0])));
    let mut other = runs[1].clone();
    other.machine.kernel = Some("another".to_owned());
    assert!(!is_repeat(&other, &runs[0]));
}

#[test]
fn a_difference_within_the_noise_floor_is_no_clear_one() {
    let runs = repeats(5, 0);
    let floor = evaluated(&runs, NoiseFloor::of).unwrap();
    // The level of `runs[2]` is 60 µs above the level of `runs[0]`, which is a difference within the noise floor.
    let compare = |a: &Run, b: &Run, floor| {
        let reports = [a, b].map(|run| Report::of(run, &Options::default()));
        Comparison::of_reports(
            &[(a, &reports[0]), (b, &reports[1])],
            0,
            &Rules { floor, ..Rules::default() },
        )
    };
    let with_noise = compare(&runs[0], &runs[2], Some(&floor));
    assert_eq!(with_noise.variation, Variation::Repeats(5));
    assert_eq!(with_noise.outcome(1), Overall::Of(Outcome::NoClearDifference));
    let figure = with_noise.rows[0].figures.iter().find(|one| one.metric == Metric::P99).unwrap();
    assert!(figure.noise.is_some());
    // A difference of 2 ms is far above the noise floor, so it is reported as worse.
    let far = &repeats(1, 2_000_000)[0];
    assert_eq!(compare(&runs[0], far, Some(&floor)).outcome(1), Overall::Of(Outcome::Worse));
    assert_eq!(compare(&runs[0], far, None).outcome(1), Overall::Of(Outcome::Worse));
}

#[test]
fn what_a_comparison_used_gives_the_same_results_without_the_repeats() {
    let runs = repeats(6, 0);
    let floor = evaluated(&runs[..5], NoiseFloor::of).unwrap();
    let reports = [&runs[0], &runs[5]].map(|run| Report::of(run, &Options::default()));
    let pair = [(&runs[0], &reports[0]), (&runs[5], &reports[1])];
    let with = |floor, prior| {
        Comparison::of_reports(&pair, 0, &Rules { floor, prior, ..Rules::default() })
    };
    let results = |comparison: &Comparison| -> Vec<_> {
        let figures = comparison.rows[0].figures.iter();
        figures.map(|figure| figure.deltas[1].map(|it| (it.result, it.effect.interval))).collect()
    };
    let first = with(Some(&floor), Prior::default());
    let text = first.prior.to_text();
    assert!(text.contains("p99@1="), "{text}");
    let again = with(None, Prior::from_text(&text).unwrap());
    assert_eq!(results(&first), results(&again), "{text}");
    assert_eq!(again.prior.to_text(), text);
}

#[test]
fn late_frames_counted_by_another_limit_have_no_noise_floor() {
    let runs = repeats(5, 0);
    let floor = evaluated(&runs, NoiseFloor::of).unwrap();
    assert_eq!(floor.late_limit, runs[0].subject.late_limit(5.0));
    let noises = |percents: [f64; 2]| {
        let counted = runs.iter().zip(percents).map(|(run, late_percent)| {
            Report::of(run, &Options { late_percent, ..Options::default() })
        });
        let reports: Vec<Report> = counted.collect();
        let evaluated: Vec<(&Run, &Report)> = runs.iter().zip(&reports).collect();
        let comparison = Comparison::of_reports(
            &evaluated,
            0,
            &Rules { floor: Some(&floor), ..Rules::default() },
        );
        [Metric::LATE, Metric::P99].map(|metric| {
            let figures = &comparison.rows[0].figures;
            figures.iter().find(|one| one.metric == metric).unwrap().noise.is_some()
        })
    };
    assert_eq!(noises([5.0, 5.0]), [true, true]);
    assert_eq!(noises([1.0, 1.0]), [false, true]);
    assert_eq!(noises([5.0, 1.0]), [false, true], "the runs themselves by unlike limits");
}
