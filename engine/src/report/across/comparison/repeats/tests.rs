//! Two settings that are measured interleaved are distinguished even if the machine drifts.

use super::super::tests::{Lateness, run_of};
use super::*;
use crate::report::Options;
use crate::report::comparison::Reason;
use crate::stats::Outcome;

/// Returns `count` runs with the same settings, in which every frame is delayed by `delay` ns. The lateness of each
/// run has another level, as on a machine that drifts.
pub(in crate::report::across::comparison) fn repeats(count: u64, delay: i64) -> Vec<Run> {
    (0..count)
        .map(|turn| {
            let mut lateness = Lateness::new(turn);
            // The level of the lateness changes from run to run, by 0 to 80 µs.
            let level = i64::try_from(turn * 7_919 % 5).unwrap() * 20_000;
            let late = (0..1_200).map(move |_| lateness.next() + level + delay);
            run_of(100 + turn, late)
        })
        .collect()
}

pub(in crate::report::across::comparison) fn evaluated<T>(
    runs: &[Run],
    with: impl FnOnce(&[(&Run, &Report)]) -> T,
) -> T {
    let reports: Vec<Report> =
        runs.iter().map(|run| Report::of(run, &Options::default())).collect();
    let evaluated: Vec<(&Run, &Report)> = runs.iter().zip(&reports).collect();
    with(&evaluated)
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
    assert!((p50.delta.effect.difference - 30_000.0).abs() < 1_000.0, "{p50:?}");
    assert_eq!(p50.delta.result, Outcome::Worse);
    let one = paired_differences(&pairs[..1]);
    assert!(one.iter().all(|one| one.delta.effect.interval.is_none()));
    let p50 = one.iter().find(|one| one.metric == Metric::P50).unwrap();
    assert_eq!(p50.delta.result, Outcome::NotEnoughData);
    assert_eq!(p50.delta.reason, Some(Reason::TooFewRuns(1)));
    assert!(paired_differences(&[]).is_empty());
}
