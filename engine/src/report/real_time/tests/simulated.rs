//! Tests with simulated runs in which real-time scheduling changes nothing: how often a report still states a change.

use crate::nanos::Nanos;
use crate::plan::{Load, Plan, RealTime};
use crate::report::model::chart::{Marks, check};
use crate::report::tests::test_run::run_of;
use crate::report::{Change, Options, Report};
use crate::run::Run;
use crate::sample::{Sample, Samples};
use crate::stats::float;
use crate::stats::tests::simulated::{normal, rounds};

const PERIOD: i64 = 16_666_667;
/// Frames per block: 2 s at 60 FPS.
const FRAMES: i64 = 120;

/// Returns the frames of a block. The lateness is log-normal, its level is random per block, and its logarithm follows
/// an autoregressive process: neighboring frames have the correlation `memory`.
fn block(memory: f64, random: &mut fastrand::Rng) -> Samples {
    let level = (0.2 * normal(random)).exp();
    let rest = (1.0 - memory * memory).sqrt();
    let mut state = normal(random);
    (1..=FRAMES)
        .map(|k| {
            state = memory * state + rest * normal(random);
            let late = Nanos::from_nanos_f64(3e5 * level * (0.8 * state).exp());
            let due = Nanos::new(k * PERIOD);
            let woke = due + late;
            let done = woke + Nanos::from_micros(100);
            Sample { began: due, due, slept: None, woke, done, spins: 0, cpu: None }
        })
        .collect()
}

/// Returns a run of 8 pairs of blocks with the same random process for normal scheduling and the policy.
fn equal(memory: f64, random: &mut fastrand::Rng) -> Run {
    let plan = RealTime {
        fps: 60.0,
        time_each: Nanos::from_secs(16),
        turn: Nanos::from_secs(2),
        load: Load::NONE,
        ..RealTime::default()
    };
    let mut run = run_of(Plan::RealTime(plan), |_| {});
    for trial in &mut run.trials {
        trial.samples = block(memory, random);
    }
    run
}

#[test]
fn at_most_one_in_twenty_runs_without_an_effect_is_called_a_change() {
    let runs = rounds(12);
    for memory in [0.0, 0.6] {
        let mut random = fastrand::Rng::with_seed(20);
        let mut called = 0;
        for _ in 0..runs {
            let report = Report::of(&equal(memory, &mut random), &Options::default());
            let [change] = report.results::<Change>() else { panic!("{:?}", report.verdict) };
            called += usize::from(change.rests_on.is_some());
        }
        let share = float(called) / float(runs);
        println!("memory {memory}: {called} of {runs} called");
        let room = if runs < 1_000 { 3.0 * (0.05 * 0.95 / float(runs)).sqrt() } else { 0.0 };
        assert!(share <= 0.05 + room, "memory {memory}: {called} of {runs}");
    }
}

#[test]
fn a_plot_draws_every_metric_with_the_interval_of_its_row() {
    let run = equal(0.0, &mut fastrand::Rng::with_seed(7));
    let report = Report::of(&run, &Options::default());
    let charts = report.charts(&run);
    let chart = charts.first().unwrap();
    check(chart);
    assert_eq!((chart.key, chart.y.names.len()), ("changes", 14));
    let Marks::Points(series) = &chart.marks else { panic!("{chart:?}") };
    let of = |label: &str| series.iter().find(|one| one.label == label).unwrap();
    let drawn: usize = series.iter().map(|one| one.points.len()).sum();
    let table = report.tables.iter().find(|table| table.key == "changes").unwrap();
    let has_change =
        |at: &usize| table.cell(*at, "change_share").is_some_and(|it| it.value().is_some());
    assert_eq!(drawn, (0..14).filter(has_change).count());
    assert!(of("No interval").intervals.is_empty() && !of("No interval").points.is_empty());
    let unclear = of("No clear difference");
    assert!(!unclear.points.is_empty() && unclear.points.len() == unclear.intervals.len());
    assert!(unclear.intervals.iter().all(|&(low, high)| low <= 0.0 && 0.0 <= high), "{unclear:?}");
}
