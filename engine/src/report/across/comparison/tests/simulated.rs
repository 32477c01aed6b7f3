//! How often equal runs are called different, how often the interval contains the true change, and how often a real
//! change is found, per metric and before the correction for several metrics. The figures are printed; with
//! `JITTERSCOPE_LONG_TESTS=1`, each is of 20 000 simulated comparisons, else of 400.

use crate::report::across::comparison::{Prior, RepeatedValues};
use crate::report::model::metric::{Metric, MetricKind};
use crate::stats::blocks::Interval;
use crate::stats::effect::{ASSUMED_FREEDOM, CHANCE, Method, RunVariation};
use crate::stats::student::student_chance;
use crate::stats::tests::simulated::{is_long, normal};
use crate::stats::{Estimated, VariancePrior, float, position};

/// Deviations from run to run, as shares of the value.
const DEVIATIONS: [f64; 5] = [0.003, 0.01, 0.03, 0.10, 0.50];

/// The kinds of metrics that are simulated, each with the value of a run and a metric of this kind.
const KINDS: [(&str, f64, Metric); 2] =
    [("schedules", 50e3, Metric::P99), ("captures", 16e6, Metric::FRAMES[6])];

fn cells() -> usize {
    if is_long() { 20_000 } else { 400 }
}

/// Returns the limit for a share of `cells()` comparisons: with few of them, three standard deviations are added.
fn most(share: f64) -> f64 {
    if is_long() { share } else { share + 3.0 * (share * (1.0 - share) / float(cells())).sqrt() }
}

/// Draws the values of a group of runs whose true value is `level`.
fn group(random: &mut fastrand::Rng, level: f64, deviation: f64, count: usize) -> Vec<f64> {
    (0..count).map(|_| level * (deviation * normal(random)).exp()).collect()
}

/// Returns the share of comparisons for which `is_so` holds.
fn share(mut is_so: impl FnMut(&mut fastrand::Rng) -> bool) -> f64 {
    let mut random = fastrand::Rng::with_seed(0x6566_6665_6374);
    float((0..cells()).filter(|_| is_so(&mut random)).count()) / float(cells())
}

#[test]
fn equal_groups_are_seldom_called_and_intervals_hold_the_change() {
    for (kind, level, _) in KINDS {
        for deviation in DEVIATIONS {
            for size in [2, 3, 5, 10] {
                let estimate = |random: &mut fastrand::Rng, factor: f64| {
                    let a = group(random, level, deviation, size);
                    let b = group(random, level * factor, deviation, size);
                    Estimated::of_groups([&a, &b], true, None, None).unwrap()
                };
                let called = share(|random| estimate(random, 1.0).probability() < CHANCE);
                let held = share(|random| {
                    let found = estimate(random, 1.3);
                    let ((low, high), change) = (found.interval(CHANCE), 0.3 * found.values[0]);
                    low <= change && change <= high
                });
                println!(
                    "{kind}, {size} + {size}, deviation {deviation}: A/A called {called:.4}, coverage {held:.4}"
                );
                assert!(called <= most(0.065), "{kind} {size} {deviation}: {called}");
                assert!(1.0 - held <= most(0.07) && most(0.02) - 0.04 <= 1.0 - held, "{held}");
            }
        }
    }
}

#[test]
fn interleaved_groups_find_as_much_as_a_welch_test() {
    for (kind, level, _) in KINDS {
        for (deviation, factor) in DEVIATIONS.into_iter().zip([1.007_f64, 1.022, 1.07, 1.25, 2.8]) {
            let both = |random: &mut fastrand::Rng| {
                let a = group(random, level, deviation, 5);
                (a, group(random, level * factor, deviation, 5))
            };
            let found = share(|random| {
                let (a, b) = both(random);
                let estimated = Estimated::of_groups([&a, &b], true, None, None).unwrap();
                estimated.probability() < CHANCE
            });
            let by_welch = share(|random| {
                let (a, b) = both(random);
                let [a, b] =
                    [a, b].map(|group| group.iter().map(|value| value.ln()).collect::<Vec<_>>());
                welch(&a, &b) < CHANCE
            });
            println!(
                "{kind}, 5 + 5, deviation {deviation}, ×{factor}: found {found:.4}, Welch {by_welch:.4}"
            );
            assert!(by_welch - 0.05 <= found, "{kind} {deviation}: {found} {by_welch}");
        }
    }
}

/// Returns the probability of Welch's test, with the degrees of freedom rounded down.
fn welch(a: &[f64], b: &[f64]) -> f64 {
    let parts = [a, b].map(|group| {
        let mean = group.iter().sum::<f64>() / float(group.len());
        let squares: f64 = group.iter().map(|value| (value - mean).powi(2)).sum();
        let freedom = float(group.len() - 1);
        (mean, squares / freedom / float(group.len()), freedom)
    });
    let [(mean_a, a, freedom_a), (mean_b, b, freedom_b)] = parts;
    let freedom = (a + b).powi(2) / (a.powi(2) / freedom_a + b.powi(2) / freedom_b);
    student_chance(position(freedom), (mean_b - mean_a) / (a + b).sqrt())
}

#[test]
fn two_single_runs_are_called_at_most_as_often_as_their_assumption_allows() {
    for (kind, level, metric) in KINDS {
        let assumed = metric.assumed_deviation();
        for deviation in DEVIATIONS {
            let called = share(|random| {
                let [a, b] = [0; 2].map(|_| group(random, level, deviation, 1)[0]);
                let variation = RunVariation {
                    error: assumed * std::f64::consts::SQRT_2,
                    freedom: position(ASSUMED_FREEDOM),
                    method: Method::Assumed(assumed),
                };
                // The blocks within long runs show the value of each run exactly.
                let exact = Interval { low: b - a, high: b - a, error: 0.0 };
                Estimated::of_singles([a, b], exact, Some(variation), true).probability() < CHANCE
            });
            println!(
                "{kind}, 1 + 1, deviation {deviation}, assumed {assumed}: A/A called {called:.4}"
            );
            assert!(assumed < deviation || called <= most(0.05), "{kind} {deviation}: {called}");
        }
    }
}

#[test]
fn a_shift_between_sessions_is_seldom_called_where_its_size_is_known() {
    let kinds = [MetricKind::Scheduling, MetricKind::Frames].into_iter().zip(KINDS);
    for (session, (kind, level, _)) in kinds.map(|(of, kind)| (of.session_deviation(), kind)) {
        for shift in [0.02, 0.05] {
            for known in [0.0, session, shift] {
                let called = share(|random| {
                    let groups = [0; 2].map(|_| {
                        let level = level * (shift * normal(random)).exp();
                        group(random, level, 0.01, 5)
                    });
                    let [a, b] = &groups;
                    let found =
                        Estimated::of_groups([a, b], true, None, Some(VariancePrior::known(known)))
                            .unwrap();
                    found.probability() < CHANCE
                });
                println!(
                    "{kind}, 5 + 5, session shift {shift}, known {known}: A/A called {called:.4}"
                );
                assert!(known < shift || called <= most(0.065), "{kind} {shift} {known}: {called}");
            }
        }
    }
}

#[test]
fn a_shift_between_sessions_is_seldom_called_where_earlier_sessions_show_its_size() {
    for (kind, level, metric) in KINDS {
        for (shift, deviation) in
            [(0.02, 0.01), (0.05, 0.01), (0.05, 0.05), (0.05, 0.10), (0.0, 0.03)]
        {
            let mut deviations = 0.0;
            let called = share(|random| {
                let session = |random: &mut fastrand::Rng| {
                    let level = level * (shift * normal(random)).exp();
                    group(random, level, deviation, 5)
                };
                let key = ("Normal".to_owned(), metric.key.to_owned());
                let earlier: Vec<RepeatedValues> =
                    (0..8).map(|_| [(key.clone(), session(random))].into()).collect();
                let prior = Prior::default().with_sessions(&[earlier]);
                let known = prior.of_sessions(&metric, &mut Prior::default());
                deviations += known.std_dev;
                let [a, b] = [0; 2].map(|_| session(random));
                Estimated::of_groups([&a, &b], true, None, Some(known)).unwrap().probability()
                    < CHANCE
            });
            println!(
                "{kind}, 5 + 5, deviation {deviation}, session shift {shift}, 8 earlier sessions, which show {:.4}: \
                 A/A called {called:.4}",
                deviations / float(cells())
            );
            assert!(called <= most(0.065), "{kind} {shift} {deviation}: {called}");
        }
    }
}
