//! Repeats vary by as much as they do, and what is measured interleaved is distinguished in spite of it.

use super::super::tests::{Lateness, run_of};
use super::*;
use crate::report::comparison::{Comparison, Outcome};

/// Runs of one setting, each on another level, as on a machine that is now quicker and now slower.
fn repeats(count: u64, delay: i64) -> Vec<Run> {
    (0..count)
        .map(|turn| {
            let mut lateness = Lateness::new(turn);
            // Minutes apart, the whole machine is a little quicker or slower.
            let level = i64::try_from(turn * 7_919 % 5).unwrap() * 20_000;
            let late = (0..1_200).map(move |_| lateness.next() + level + delay);
            run_of(100 + turn, late)
        })
        .collect()
}

fn evaluated<T>(runs: &[Run], with: impl FnOnce(&[(&Run, &Report)]) -> T) -> T {
    let reports: Vec<Report> =
        runs.iter().map(|run| Report::of(run, &Options::default())).collect();
    let evaluated: Vec<(&Run, &Report)> = runs.iter().zip(&reports).collect();
    with(&evaluated)
}

#[test]
fn the_noise_floor_is_what_repeats_differ_by() {
    assert_eq!(evaluated(&repeats(2, 0), NoiseFloor::of), None);
    let runs = repeats(5, 0);
    let floor = evaluated(&runs, NoiseFloor::of).unwrap();
    assert_eq!(floor.count, 5);
    let p50 = floor.variations.iter().find(|variation| variation.metric == Metric::P50).unwrap();
    // Levels 0, 20, 40, 60, 80 µs: a standard deviation of 31.6 µs; t of 4 is 2.776.
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
    // The first and one that was measured on a level 60 µs higher.
    let compare = |a: &Run, b: &Run, floor| {
        let reports = [a, b].map(|run| Report::of(run, &Options::default()));
        Comparison::of_reports(&[(a, &reports[0]), (b, &reports[1])], 0, floor)
    };
    let with_noise = compare(&runs[0], &runs[2], Some(&floor));
    assert_eq!(with_noise.repeat_count, 5);
    assert_eq!(with_noise.outcome(1), Outcome::NoClearDifference);
    let figure = with_noise.rows[0].figures.iter().find(|one| one.metric == Metric::P99).unwrap();
    assert!(figure.noise.is_some());
    // Ten times as far is called in spite of it.
    let far = &repeats(1, 2_000_000)[0];
    assert_eq!(compare(&runs[0], far, Some(&floor)).outcome(1), Outcome::Worse);
    assert_eq!(compare(&runs[0], far, None).outcome(1), Outcome::Differs);
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
        let comparison = Comparison::of_reports(&evaluated, 0, Some(&floor));
        [Metric::LATE, Metric::P99].map(|metric| {
            let figures = &comparison.rows[0].figures;
            figures.iter().find(|one| one.metric == metric).unwrap().noise.is_some()
        })
    };
    assert_eq!(noises([5.0, 5.0]), [true, true]);
    assert_eq!(noises([1.0, 1.0]), [false, true]);
    assert_eq!(noises([5.0, 1.0]), [false, true], "the runs themselves by unlike limits");
}

#[test]
fn pairs_tell_a_difference_that_repeats_hide() {
    let (before, after) = (repeats(5, 0), repeats(5, 30_000));
    let reports = |runs: &[Run]| -> Vec<Report> {
        runs.iter().map(|run| Report::of(run, &Options::default())).collect()
    };
    let (of_before, of_after) = (reports(&before), reports(&after));
    let pairs: Vec<[(&Run, &Report); 2]> = before
        .iter()
        .zip(&of_before)
        .zip(after.iter().zip(&of_after))
        .map(|(before, after)| [before, after])
        .collect();
    let found = paired_differences(&pairs);
    let p50 = found.iter().find(|one| one.metric == Metric::P50).unwrap();
    assert!((p50.change - 30_000.0).abs() < 1_000.0, "{p50:?}");
    assert_eq!(p50.result, DeltaResult::Worse);
    let one = paired_differences(&pairs[..1]);
    assert!(one.iter().all(|one| one.interval.is_none() && one.result != DeltaResult::Worse));
    assert!(paired_differences(&[]).is_empty());
}
