//! Tests that compare the columns of the sleep table with figures computed by hand.

use super::super::model::table::tests::check;
use super::super::tests::test_run::{run_of, wait};
use super::super::{Options, Report};
use super::*;
use crate::plan::{Plan, SleepAccuracy};
use crate::platform::RequestOutcome;
use crate::run::{Run, counter};

const MILLI: i64 = 1_000_000;

/// Returns a run of 100 sleeps of 1 ms, idle and under load. Sleep k takes k µs too long when idle, 10 k µs under load.
fn run() -> Run {
    let plan = SleepAccuracy { lengths: vec![Nanos::from_millis(1)], ..SleepAccuracy::default() };
    run_of(Plan::SleepAccuracy(plan), |trial| {
        let factor = if trial.load.is_none() { 1_000 } else { 10_000 };
        trial.samples = (1..=100).map(|k| wait(k * 10 * MILLI, MILLI, k * factor)).collect();
        trial.counters.insert(counter::CPU_NANOS.to_owned(), 812_345);
    })
}

#[test]
fn every_column_holds_its_figure() {
    let report = Report::of(&run(), &Options::default());
    let [table] = report.tables.as_slice() else { panic!("{} tables", report.tables.len()) };
    check(table);
    assert_eq!(table.key, "configurations");
    assert_eq!(table.note, "up to 100 sleeps each");
    let of = |row: usize, key: &str| table.cell(row, key).unwrap().clone();
    for (key, expected) in [
        ("configuration", Cell::text_of("1 ms, idle")),
        ("requested_nanos", Cell::Time(1e6)),
        ("method", Cell::text_of("Relative")),
        ("timers", Cell::text_of("Default")),
        ("condition", Cell::text_of("Idle")),
        ("average_nanos", Cell::Time(1_050_500.0)),
        ("best_nanos", Cell::Time(1_001_000.0)),
        ("p50_nanos", Cell::Time(1_050_500.0)),
        ("p95_nanos", Cell::Time(1_095_050.0)),
        ("p99_nanos", Cell::Time(1_099_010.0)),
        ("worst_nanos", Cell::Time(1_100_000.0)),
        ("overshoot_average_nanos", Cell::Time(50_500.0)),
        ("overshoot_p99_nanos", Cell::Time(99_010.0)),
        ("recommended_spin_tail_nanos", Cell::Time(100_000.0)),
        ("early_count", Cell::Count(0)),
        ("cpu_per_sleep_nanos", Cell::Time(8_123.45)),
        ("sleep_call", Cell::text_of("clock_nanosleep, relative")),
        ("timer_resolution_nanos", Cell::Time(50_000.0)),
        ("samples_count", Cell::Count(100)),
        ("lost_count", Cell::Count(0)),
        ("complete", Cell::text_of("yes")),
        ("load", Cell::text_of("Idle")),
        ("applied", Cell::text_of("nice 0 · CPUs 0–1")),
        ("as_requested", Cell::text_of("yes")),
    ] {
        assert_eq!(of(0, key), expected, "{key}");
    }
    assert_eq!(
        of(0, "p99_9_nanos").reason(),
        Some("needs 1\u{202f}000 samples, 100 were measured")
    );
    // The largest overshoots, 100 µs and 1 ms, are within the limits of Good and Fair.
    let grades: Vec<_> = report.rows.iter().map(|row| row.grade().unwrap().word()).collect();
    assert_eq!(grades, ["Good", "Fair"]);
    let sentence = &report.verdict.finding.sentence;
    assert!(sentence.starts_with("Sleep until "), "{sentence}");
    assert_eq!(of(1, "condition"), Cell::text_of("1 load thread per CPU"));
    assert_eq!(of(1, "worst_nanos"), Cell::Time(2e6));
    assert_eq!(of(1, "recommended_spin_tail_nanos"), Cell::Time(1e6));
    let configurations: Vec<_> = table.rows.iter().map(|row| row.configuration).collect();
    assert_eq!(configurations, [Some(0), Some(1)]);
}

#[test]
fn no_duration_is_called_accurate_where_a_longer_one_is_not() {
    let evidence = |late: [i64; 3]| {
        let lengths = [1, 2, 5].map(Nanos::from_millis).to_vec();
        let plan = SleepAccuracy { lengths, ..SleepAccuracy::default() };
        let run = run_of(Plan::SleepAccuracy(plan), |trial| {
            let length = trial.trial.pace.period();
            let micros = match length.get() / MILLI {
                1 => late[0],
                2 => late[1],
                _ => late[2],
            };
            let one = |k: i64| wait(k * 10 * MILLI, length.get(), micros * 1_000);
            // Fewer than 100 waits have no p99.
            let count = if micros == 0 { 40 } else { 600 };
            trial.samples = (1..=count).map(one).collect();
        });
        let evidence = Report::of(&run, &Options::default()).verdict.finding.evidence;
        let last = evidence.trim_end_matches('.').rsplit(". ").next().map(str::to_owned);
        last.unwrap_or_default().replace('\u{202f}', " ")
    };
    let below = "have a p99 overshoot below 100 µs";
    assert_eq!(evidence([60, 60, 60]), format!("Sleeps of 1.000 ms or longer {below}"));
    assert_eq!(evidence([60, 300, 60]), format!("Sleeps of 5.000 ms or longer {below}"));
    assert_eq!(
        evidence([60, 60, 0]),
        format!("Sleeps of 1.000 ms and 2.000 ms {below}"),
        "nothing is known of longer ones"
    );
    assert_eq!(
        evidence([300, 300, 0]),
        "No duration with enough sleeps has a p99 overshoot below 100 µs"
    );
    assert_eq!(
        evidence([60, 60, 300]),
        format!("Of the tested sleeps, only 1.000 ms and 2.000 ms {below}")
    );
    let one = "has a p99 overshoot below 100 µs";
    assert_eq!(evidence([300, 60, 300]), format!("Of the tested sleeps, only 2.000 ms {one}"));
    assert_eq!(evidence([300; 3]), "No tested duration has a p99 overshoot below 100 µs");
}

#[test]
fn sleeps_in_whole_milliseconds_do_not_decide_where_another_method_was_measured() {
    let mut run = run();
    let others = Report::of(&run, &Options::default()).verdict;
    let mut whole: Vec<_> = run.trials.clone();
    for trial in &mut whole {
        trial.trial.wait = Wait::WholeMillis;
        trial.trial.label.push_str(", Sleep(n)");
        trial.samples = (1..=100).map(|k| wait(k * 20 * MILLI, MILLI, 14 * MILLI)).collect();
    }
    run.trials.extend(whole.iter().cloned());
    let report = Report::of(&run, &Options::default());
    assert_eq!(report.rows.len(), 4);
    assert_eq!(report.verdict, others);
    run.trials = whole;
    let alone = Report::of(&run, &Options::default()).verdict;
    assert_ne!(alone, others);
}

#[test]
fn a_configuration_without_samples_shows_why() {
    let mut run = run();
    run.trials[1].samples = crate::sample::Samples::new();
    run.trials[1].applied = None;
    run.trials[1].skipped = Some("it was stopped".to_owned());
    let report = Report::of(&run, &Options::default());
    let table = &report.tables[0];
    check(table);
    assert_eq!(table.rows[1].caution, "skipped: it was stopped");
    for key in
        ["average_nanos", "p99_nanos", "recommended_spin_tail_nanos", "sleep_call", "applied"]
    {
        let cell = table.cell(1, key).unwrap();
        assert_eq!(cell.reason(), Some("skipped: it was stopped"), "{key}");
    }
}

#[test]
fn a_result_without_a_grade_is_not_called_inaccurate() {
    let plan = SleepAccuracy { lengths: vec![Nanos::from_millis(1)], ..SleepAccuracy::default() };
    let run = run_of(Plan::SleepAccuracy(plan), |trial| {
        let late = |k: i64| if k % 90 == 0 { 4 * MILLI } else { 60_000 };
        trial.samples = (1..=200).map(|k| wait(k * 10 * MILLI, MILLI, late(k))).collect();
    });
    let verdict = Report::of(&run, &Options::default()).verdict;
    assert_eq!(verdict.grade, None);
    assert!(!verdict.finding.sentence.contains("not accurate"), "{}", verdict.finding.sentence);
    assert!(verdict.finding.sentence.starts_with("p99 overshoot is up to"));
}

#[test]
fn no_spin_tail_is_recommended_where_one_condition_would_need_a_longer_one() {
    let mut run = run();
    assert!(recommended_tail(&Report::of(&run, &Options::default())).is_some());
    let late = |k: i64| wait(k * 30 * MILLI, MILLI, if k <= 5 { 9 * MILLI } else { MILLI });
    run.trials[1].samples = (1..=100).map(late).collect();
    let report = Report::of(&run, &Options::default());
    assert_eq!(recommended_tail(&report), None);
    assert!(!report.evidence().contains("frame limiter should spin"), "{}", report.evidence());
    // Too few sleeps say nothing about the tail.
    run.trials[1].samples = (1..=20).map(late).collect();
    assert!(recommended_tail(&Report::of(&run, &Options::default())).is_some());
}

#[test]
fn a_run_of_which_nothing_was_granted_has_no_verdict() {
    let mut run = run();
    for trial in &mut run.trials {
        trial.applied.as_mut().unwrap().priority = RequestOutcome::Refused;
    }
    let sentence = Report::of(&run, &Options::default()).sentence();
    assert_eq!(sentence, "No configuration ran as requested, so there is no verdict.");
}
