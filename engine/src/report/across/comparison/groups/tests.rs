//! Groups of runs with the same settings are seldom reported as different, and a real effect is found.
//!
//! The tests print how often a difference is reported, in 4 to 40 simulated comparisons each. With
//! `JITTERSCOPE_LONG_TESTS=1`, they simulate up to 1 000 each.

use super::super::tests::run_of;
use super::*;
use crate::report::Options;
use crate::report::comparison::{Delta, NoiseFloor, Note, Overall, paired_differences};
use crate::run::Ending;
use crate::stats::Outcome;
use crate::stats::tests::simulated::{normal, rounds};

/// Run-to-run variation: the standard deviation, as a share, of the factor by which a run scales all its lateness.
const VARIATION: f64 = 0.03;
/// Number of frames per run.
const FRAMES: usize = 600;

/// Returns a run whose lateness is around 100 µs times `factor`.
fn run(random: &mut fastrand::Rng, factor: f64) -> Run {
    let level = factor * (VARIATION * normal(random)).exp();
    let late: Vec<i64> = (0..FRAMES)
        .map(|_| Nanos::from_nanos_f64(100_000.0 * level * (0.4 * normal(random)).exp()).get())
        .collect();
    run_of(random.u64(..) & 0xffff_ffff, late.into_iter())
}

fn group(random: &mut fastrand::Rng, count: usize, factor: f64) -> Vec<Run> {
    (0..count).map(|_| run(random, factor)).collect()
}

fn compared(a: &[Run], b: &[Run]) -> Comparison {
    let evaluate = |runs: &[Run]| -> Vec<Report> {
        runs.iter().map(|run| Report::live(run, &Options::default())).collect()
    };
    let (of_a, of_b) = (evaluate(a), evaluate(b));
    let a: Vec<(&Run, &Report)> = a.iter().zip(&of_a).collect();
    let b: Vec<(&Run, &Report)> = b.iter().zip(&of_b).collect();
    Comparison::of_groups(&[&a, &b], &Rules::default())
}

fn delta(comparison: &Comparison, metric: Metric) -> Delta {
    let figures = &comparison.rows[0].figures;
    figures.iter().find(|one| one.metric == metric).unwrap().deltas[1].unwrap()
}

fn is_called(result: Outcome) -> bool {
    matches!(result, Outcome::Better | Outcome::Worse)
}

/// Returns how many of `count` comparisons report any metric as better or worse, and how many report p99 as worse.
fn called(sizes: [usize; 2], factor: f64, count: usize) -> [usize; 2] {
    let mut random = fastrand::Rng::with_seed(0x6772_6f75_7073);
    let mut found = [0; 2];
    for _ in 0..count {
        let (a, b) = (group(&mut random, sizes[0], 1.0), group(&mut random, sizes[1], factor));
        let comparison = compared(&a, &b);
        let all = comparison.rows[0].figures.iter().filter_map(|figure| figure.deltas[1]);
        found[0] += usize::from(all.map(|delta| delta.result).any(is_called));
        found[1] += usize::from(delta(&comparison, Metric::P99).result == Outcome::Worse);
    }
    println!(
        "{sizes:?} × {factor}: any number called in {}, p99 worse in {} of {count}",
        found[0], found[1]
    );
    found
}

#[test]
fn equal_groups_are_seldom_called_different() {
    let count = rounds(40);
    for sizes in [[2, 2], [3, 3], [5, 5], [10, 10], [2, 8]] {
        let [any, _] = called(sizes, 1.0, count);
        // At most 5% of 1 000 comparisons, which is 50. Of 40 comparisons, 6 is 5% plus three standard deviations of
        // chance.
        assert!(any <= if 1_000 <= count { 50 } else { 6 }, "{sizes:?}: {any} of {count}");
    }
}

#[test]
fn real_effects_are_found_in_groups() {
    let count = rounds(20);
    for (sizes, factor, percent) in [([5, 5], 2.0, 95), ([10, 10], 1.2, 80)] {
        let [_, worse] = called(sizes, factor, count);
        assert!(percent * count <= 100 * worse, "{sizes:?} × {factor}: {worse} of {count}");
    }
}

/// Whether a comparison of two single runs reports p99 as worse. Its noise floor is computed from the runs of both
/// groups, so the effect itself raises the noise floor.
fn is_found_by_a_pair(a: &[Run], b: &[Run]) -> bool {
    let all: Vec<Run> = a.iter().chain(b).cloned().collect();
    let floor = NoiseFloor::of_runs(&all);
    let pair = [a.last().unwrap(), b.last().unwrap()];
    let reports = pair.map(|run| Report::live(run, &Options::default()));
    let runs = [(pair[0], &reports[0]), (pair[1], &reports[1])];
    let comparison =
        Comparison::of_reports(&runs, 0, &Rules { floor: floor.as_ref(), ..Rules::default() });
    delta(&comparison, Metric::P99).result == Outcome::Worse
}

fn is_found_by_groups(a: &[Run], b: &[Run]) -> bool {
    delta(&compared(a, b), Metric::P99).result == Outcome::Worse
}

/// Returns the smallest of several increases of lateness, in percent, that `is_found` detects in at least 80% of
/// comparisons; `None` if there is no such increase.
fn smallest_found(size: usize, count: usize, is_found: fn(&[Run], &[Run]) -> bool) -> Option<u32> {
    let mut random = fastrand::Rng::with_seed(0x736d_616c);
    [5, 10, 15, 20, 30, 50, 100, 200].into_iter().find(|percent| {
        let factor = 1.0 + f64::from(*percent) / 100.0;
        let mut is_found_once =
            || is_found(&group(&mut random, size, 1.0), &group(&mut random, size, factor));
        let found = (0..count).filter(|_| is_found_once()).count();
        80 * count <= 100 * found
    })
}

#[test]
fn groups_find_smaller_changes_than_a_pair_with_the_effect_in_its_noise() {
    let count = rounds(16) / 4;
    let words = |percent: Option<u32>| {
        percent.map_or("none up to +200%".to_owned(), |it| format!("+{it}%"))
    };
    println!("runs before and after | one pair | groups");
    for size in [2, 3, 5, 10] {
        let pair = smallest_found(size, count, is_found_by_a_pair);
        let groups = smallest_found(size, count, is_found_by_groups);
        println!("{size} and {size} | {} | {}", words(pair), words(groups));
        let is_smaller = groups.zip(pair).is_none_or(|(groups, pair)| groups <= pair);
        assert!(size < 5 || (groups.is_some() && is_smaller), "{size}: {groups:?} {pair:?}");
    }
}

#[test]
fn one_missed_frame_in_two_runs_against_none_is_no_difference() {
    let mut random = fastrand::Rng::with_seed(1);
    let none = group(&mut random, 2, 1.0);
    let mut one = group(&mut random, 2, 1.0);
    for run in &mut one {
        let samples: Vec<_> = run.trials[0].samples.iter().collect();
        run.trials[0].samples = samples
            .into_iter()
            .enumerate()
            .map(|(at, mut sample)| {
                // The work of this frame ends after the deadline, 16.67 ms after the frame was due.
                if at == 300 {
                    sample.done = sample.due + Nanos::from_millis(17);
                }
                sample
            })
            .collect();
    }
    let missed = delta(&compared(&none, &one), Metric::MISSED);
    let runs: Vec<&Run> = none.iter().chain(&one).collect();
    let reports: Vec<Report> =
        runs.iter().map(|run| Report::live(run, &Options::default())).collect();
    let evaluated: Vec<(&Run, &Report)> = runs.into_iter().zip(&reports).collect();
    let [a, b, c, d] = <[_; 4]>::try_from(evaluated).unwrap();
    let paired = paired_differences(&[[a, c], [b, d]]);
    let paired = paired.iter().find(|one| one.metric == Metric::MISSED).unwrap().delta;
    for missed in [missed, paired] {
        assert!((missed.effect.difference * 600.0 - 1.0).abs() < 0.01, "{missed:?}");
        assert!(!missed.result.is_certain(), "{missed:?}");
    }
}

#[test]
fn the_only_common_configuration_is_compared_and_no_other_one() {
    let mut random = fastrand::Rng::with_seed(3);
    // Each side has another configuration before the common one, with a hundredth of its lateness.
    let side = |random: &mut fastrand::Rng, other: &str| -> Vec<Run> {
        let mut runs = group(random, 2, 1.0);
        for run in &mut runs {
            let mut first = self::run(random, 0.01).trials.remove(0);
            first.trial.label = other.to_owned();
            run.trials.insert(0, first);
        }
        runs
    };
    let (a, b) = (side(&mut random, "High"), side(&mut random, "Low"));
    let comparison = compared(&a, &b);
    let [row] = comparison.rows.as_slice() else { panic!("{:?}", comparison.rows) };
    let p50 = row.figures.iter().find(|one| one.metric == Metric::P50).unwrap();
    assert!(p50.values.iter().all(|value| 50e3 < value.unwrap()), "{:?}", p50.values);
}

#[test]
fn notes_are_about_all_runs_of_a_group_and_not_repeated() {
    let mut random = fastrand::Rng::with_seed(4);
    let (a, mut b) = (group(&mut random, 2, 1.0), group(&mut random, 3, 1.0));
    for run in &mut b {
        run.health.debug_build = true;
        run.trials[0].lost_count = 2;
    }
    b[2].ending = Ending::Stopped;
    let mut applied = crate::report::tests::test_run::applied();
    applied.priority = crate::platform::RequestOutcome::Refused;
    let granted = compared(&a, &b).notes;
    assert_eq!(
        granted,
        [Note::Incomplete(1), Note::Lost { run: 1, count: 6 }, Note::DebugBuild(1)]
    );
    for run in &mut b[1..] {
        run.trials[0].applied = Some(applied.clone());
    }
    let notes = compared(&a, &b).notes;
    assert_eq!(notes[..3], granted);
    assert!(matches!(&notes[3..], [Note::NotAsRequested { run: 1, .. }]), "{notes:?}");
}

#[test]
fn a_group_of_one_run_and_a_mixed_group_have_no_result() {
    let mut random = fastrand::Rng::with_seed(2);
    let (mut a, b) = (group(&mut random, 3, 1.0), group(&mut random, 3, 2.0));
    let single = delta(&compared(&a[..1], &b), Metric::P99);
    assert_eq!(
        (single.result, single.reason),
        (Outcome::NotEnoughData, Some(Reason::TooFewRuns(1)))
    );
    assert_eq!(delta(&compared(&a, &b), Metric::MAX).reason, Some(Reason::Maximum));
    a[1].machine.kernel = Some("another".to_owned());
    let mixed = compared(&a, &b);
    assert_eq!(mixed.obstacle, Some(Incompatibility::MixedGroup(0)));
    assert_eq!(mixed.outcome(1), Overall::NotComparable);
    let p99 = delta(&mixed, Metric::P99);
    assert_eq!((p99.result, p99.effect.interval), (Outcome::NotEvaluated, None));
}
