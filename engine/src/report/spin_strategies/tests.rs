//! Tests that compare the columns of the spin table with figures computed by hand.

use super::super::model::table::tests::check;
use super::super::tests::test_run::{run_of, wait};
use super::super::{Options, Report};
use super::*;
use crate::plan::{Load, Plan, SpinStrategies, Wait};
use crate::platform::RequestOutcome;
use crate::run::{Run, counter};

const MICRO: i64 = 1_000;

/// Returns how many nanoseconds each wait takes longer than the wait before it.
const fn step(strategy: SpinStrategy) -> i64 {
    match strategy {
        SpinStrategy::None => 1,
        SpinStrategy::SpinLoopHint => 3,
        SpinStrategy::YieldThread => 200,
    }
}

/// Returns a run of 100 waits of 5 µs per strategy, idle and under load. Wait k is k, 3 k, or 200 k ns too long,
/// depending on the strategy, and 10 ns more under load.
fn run() -> Run {
    let plan = SpinStrategies {
        lengths: vec![Nanos::from_micros(5)],
        short_count: 100,
        ..SpinStrategies::default()
    };
    run_of(Plan::SpinStrategies(plan), |trial| {
        let Wait::Spin(strategy) = trial.trial.wait else { panic!("{:?}", trial.trial.wait) };
        let more = if trial.load.is_none() { 0 } else { 10 };
        let late = |k| k * step(strategy) + more;
        trial.samples = (1..=100).map(|k| wait(k * 100 * MICRO, 5 * MICRO, late(k))).collect();
        for (name, value) in [
            (counter::CPU_NANOS, 450_000),
            (counter::WALL_NANOS, 500_000),
            (counter::VOLUNTARY_SWITCHES, 4),
            (counter::INVOLUNTARY_SWITCHES, 3),
        ] {
            trial.counters.insert(name.to_owned(), value);
        }
    })
}

#[test]
fn every_column_holds_its_figure() {
    let report = Report::of(&run(), &Options::default());
    let [table] = report.tables.as_slice() else { panic!("{} tables", report.tables.len()) };
    check(table);
    assert_eq!((table.key, table.note.as_str()), ("configurations", "up to 100 waits each"));
    let of = |row: usize, key: &str| table.cell(row, key).unwrap().clone();
    for (key, expected) in [
        ("configuration", Cell::text_of("5 µs None, idle")),
        ("requested_nanos", Cell::Time(5_000.0)),
        ("strategy", Cell::text_of("None")),
        ("condition", Cell::text_of("Idle")),
        ("iterations_per_wait", Cell::Number(1.0)),
        ("iteration_nanos", Cell::Time(5_050.5)),
        ("average_nanos", Cell::Time(5_050.5)),
        ("second_reading_average_nanos", Cell::Time(5_070.5)),
        ("overshoot_average_nanos", Cell::Time(50.5)),
        // The values of `numpy.percentile(range(1, 101), [50, 99])`, rounded to whole nanoseconds.
        ("overshoot_p50_nanos", Cell::Time(51.0)),
        ("overshoot_p99_nanos", Cell::Time(99.0)),
        ("overshoot_max_nanos", Cell::Time(100.0)),
        ("rank", Cell::text_of("Best")),
        ("cpu_per_wait_nanos", Cell::Time(4_500.0)),
        ("cpu_share", Cell::Share(0.9)),
        ("involuntary_switches_per_1000_waits", Cell::Number(30.0)),
        ("voluntary_switches_count", Cell::Count(4)),
        ("involuntary_switches_count", Cell::Count(3)),
        ("grade", Cell::Grade(Grade::Excellent.into())),
        ("samples_count", Cell::Count(100)),
    ] {
        assert_eq!(of(0, key), expected, "{key}");
    }
    let order: Vec<Cell> = (0..6).map(|row| of(row, "strategy")).collect();
    assert_eq!(order[..3], ["None", "SpinLoopHint", "YieldThread"].map(Cell::text_of));
    assert_eq!(order[..3], order[3..]);
    assert_eq!(of(3, "condition"), Cell::text_of("1 load thread per CPU"));
    assert_eq!(of(3, "overshoot_average_nanos"), Cell::Time(60.5));
    assert_eq!(of(5, "grade"), Cell::Grade(Grade::Fair.into()));
}

#[test]
fn only_intervals_that_do_not_overlap_rank_strategies() {
    let mut run = run();
    let ranks = |run: &Run| -> Vec<String> {
        let table = Report::of(run, &Options::default()).tables.remove(0);
        assert!(table.rows.iter().zip(0..).all(
            |(row, at)| row.is_key == (table.cell(at, "rank") == Some(&Cell::text_of("Best")))
        ));
        let cell = |row| table.cell(row, "rank").unwrap().clone();
        (0..6)
            .map(|row| match cell(row) {
                Cell::Text(text) => text,
                other => other.reason().unwrap().to_owned(),
            })
            .collect()
    };
    let (best, not_best) = ("Best", "Not best");
    assert_eq!(ranks(&run), [best, not_best, not_best, best, not_best, not_best]);
    // The strategies with and without the hint get the same samples: neither strategy is better.
    let samples =
        run.trials.iter().find(|trial| trial.trial.wait == Wait::Spin(SpinStrategy::None));
    let samples = samples.unwrap().samples.clone();
    let is_hint = |wait: Wait| wait == Wait::Spin(SpinStrategy::SpinLoopHint);
    for trial in run.trials.iter_mut().filter(|trial| is_hint(trial.trial.wait)) {
        trial.samples = samples.clone();
    }
    assert_eq!(ranks(&run)[..3], ["Tied for best", "Tied for best", not_best]);
    for trial in &mut run.trials {
        trial.complete = trial.load != Load::NONE;
    }
    assert_eq!(ranks(&run)[0], "needs 100 waits, measured to the end and as requested");
    assert_eq!(ranks(&run)[5], not_best);
    let live = Report::live(&run, &Options::default()).tables.remove(0);
    assert_eq!(live.cell(5, "rank").unwrap().reason(), Some("known when the run is complete"));
}

#[test]
fn waits_of_few_clock_reads_carry_a_caution() {
    let mut run = run();
    run.clock.read_cost_nanos = 400.0;
    let table = Report::of(&run, &Options::default()).tables.remove(0);
    assert_eq!(table.rows[0].caution, "the clock read dominates: 12.5 reads per wait");
    run.clock.read_cost_nanos = 250.0;
    let table = Report::of(&run, &Options::default()).tables.remove(0);
    assert_eq!(table.rows[0].caution, "");
}

#[test]
fn a_configuration_without_samples_shows_why() {
    let mut run = run();
    run.trials[0].samples = crate::sample::Samples::new();
    run.trials[0].counters.clear();
    run.trials[0].applied = None;
    run.trials[0].skipped = Some("it was stopped".to_owned());
    let table = Report::of(&run, &Options::default()).tables.remove(0);
    check(&table);
    let row = table.rows.iter().position(|row| !row.caution.is_empty()).unwrap();
    for key in ["iterations_per_wait", "average_nanos", "overshoot_p99_nanos", "rank", "cpu_share"]
    {
        let cell = table.cell(row, key).unwrap();
        assert_eq!(cell.reason(), Some("skipped: it was stopped"), "{key}");
    }
}

#[test]
fn a_run_of_which_nothing_was_granted_has_no_verdict() {
    let mut run = run();
    let sentence = |run: &Run| Report::of(run, &Options::default()).sentence();
    assert!(sentence(&run).contains("for waits up to 1 ms"), "{}", sentence(&run));
    for trial in &mut run.trials {
        trial.applied.as_mut().unwrap().priority = RequestOutcome::Refused;
    }
    assert_eq!(sentence(&run), "No configuration ran as requested, so there is no verdict.");
}

#[test]
fn long_waits_alone_are_not_called_short() {
    let best = [SpinStrategy::None];
    assert_eq!(sentence(&best, &[], 3, true), "Use a plain spin for waits up to 1 ms.");
    assert_eq!(sentence(&best, &[], 3, false), "Use a plain spin.");
}

#[test]
fn few_waits_are_not_called_no_clear_difference() {
    for is_few in [|_: SpinStrategy| true, |strategy| strategy == SpinStrategy::SpinLoopHint] {
        let mut run = run();
        for trial in &mut run.trials {
            let Wait::Spin(strategy) = trial.trial.wait else { panic!("{:?}", trial.trial.wait) };
            if is_few(strategy) {
                trial.samples = trial.samples.iter().take(50).collect();
            }
        }
        let finding = Report::of(&run, &Options::default()).verdict.finding;
        let text = format!("{finding:?}");
        assert!(text.contains("Too few waits to compare the strategies."), "{text}");
        assert_eq!(finding.key, None, "none is the best");
    }
}
