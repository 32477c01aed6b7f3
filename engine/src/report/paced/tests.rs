//! Tests that compare every column of the paced tables with figures computed by hand.

use super::super::model::table::tests::check;
use super::super::model::table::{Cell, Quantity, Table};
use super::super::tests::test_run::run_of;
use super::super::{Change, Measure, Options, Report, Standing};
use crate::nanos::Nanos;
use crate::plan::{FrameLoop, Load, Plan, Priority, RealTime, Wait, Work};
use crate::platform::RequestOutcome;
use crate::run::{Run, TrialRun, counter};
use crate::sample::Sample;
use crate::stats::Grade;

const PERIOD: i64 = 10_000_000;
const MICRO: i64 = 1_000;

/// Returns frame `k` of a schedule: `late` ns after its scheduled start, with an execution time of `work` ns.
fn frame(k: i64, late: i64, work: i64) -> Sample {
    let due = Nanos::new(k * PERIOD);
    let woke = due + Nanos::new(late);
    let done = woke + Nanos::new(work);
    Sample { began: due, due, slept: Some(woke), woke, done, spins: 0, cpu: Some(0) }
}

/// Returns a run of 200 frames at 100 FPS. Frame k is k µs late, but frame 1 is 2 µs early.
fn frame_loop() -> Run {
    let plan = FrameLoop {
        fps: 100.0,
        time_each: Nanos::from_secs(2),
        load: Load::NONE,
        wait: Wait::OsSleep,
        work: Work::Nothing,
        ..FrameLoop::default()
    };
    run_of(Plan::FrameLoop(plan), |trial| {
        let late = |k: i64| if k == 1 { -2 * MICRO } else { k * MICRO };
        trial.samples = (1..=200).map(|k| frame(k, late(k), 50 * MICRO + k)).collect();
        for (name, value) in [
            (counter::CPU_NANOS, 500_000_000),
            (counter::WALL_NANOS, 2_000_000_000),
            (counter::VOLUNTARY_SWITCHES, 201),
            (counter::INVOLUNTARY_SWITCHES, 3),
            (counter::EVIDENCE_READ_NANOS, 900),
        ] {
            trial.counters.insert(name.to_owned(), value);
        }
    })
}

#[track_caller]
fn expect(table: &Table, row: usize, cells: &[(&str, Cell)]) {
    for (key, expected) in cells {
        let found = table.cell(row, key);
        let is_close = match (found, expected) {
            (Some(Cell::Time(found)), Cell::Time(expected))
            | (Some(Cell::Share(found)), Cell::Share(expected))
            | (Some(Cell::Rate(found)), Cell::Rate(expected)) => {
                (found - expected).abs() <= 1e-9 * expected.abs()
            }
            _ => found == Some(expected),
        };
        assert!(is_close, "{key}: {found:?} is not {expected:?}");
    }
}

#[test]
fn every_column_of_a_frame_loop_holds_its_figure() {
    let report = Report::of(&frame_loop(), &Options::default());
    let [table, causes, worst] = report.tables.as_slice() else { panic!("no tables") };
    assert!(causes.rows.is_empty(), "no frame was later than 5% of 10 ms");
    check(worst);
    assert_eq!(worst.rows.len(), 10);
    expect(worst, 0, &[("late_nanos", Cell::Time(200_000.0)), ("frame_count", Cell::Count(200))]);
    check(table);
    assert_eq!(
        table.note,
        "target frame time 10 ms, up to 200 frames each, 1% low: mean of the slowest 1%"
    );
    assert!(table.rows[0].is_key, "the best configuration");
    expect(
        table,
        0,
        &[
            ("priority", Cell::text_of("Normal")),
            ("pinning", Cell::text_of("Unpinned")),
            ("min_nanos", Cell::Time(-2_000.0)),
            ("p50_nanos", Cell::Time(100_500.0)),
            ("p95_nanos", Cell::Time(190_050.0)),
            ("p99_nanos", Cell::Time(198_010.0)),
            ("p99_of_frame_share", Cell::Share(0.019_801)),
            ("max_nanos", Cell::Time(200_000.0)),
            ("mean_nanos", Cell::Time(100_485.0)),
            ("late_count", Cell::Count(0)),
            ("late_threshold_nanos", Cell::Time(500_000.0)),
            ("missed_count", Cell::Count(0)),
            ("slots_count", Cell::Count(200)),
            ("early_count", Cell::Count(1)),
            ("drift_nanos", Cell::Time(202_000.0)),
            ("frame_time_min_nanos", Cell::Time(10_001_000.0)),
            ("frame_time_max_nanos", Cell::Time(10_004_000.0)),
            ("work_mean_nanos", Cell::Time(50_100.5)),
            ("os_wake_up_p50_nanos", Cell::Time(100_500.0)),
            ("average_fps", Cell::Rate(1e9 / (1e7 + 202_000.0 / 199.0))),
            ("cpu_share", Cell::Share(0.25)),
            ("voluntary_switches_count", Cell::Count(201)),
            ("involuntary_switches_count", Cell::Count(3)),
            ("evidence_overhead_nanos", Cell::Time(900.0)),
            ("samples_count", Cell::Count(200)),
            ("trials_count", Cell::Count(1)),
        ],
    );
    let grade = report.rows[0].grade().map(crate::stats::GradeRange::word);
    assert_eq!(grade, Some("Good"), "no frame was later than 5% of 10 ms");
    for (key, reason) in [
        ("p99_corrected_nanos", "no frame was skipped"),
        ("p99_9_nanos", "needs 1\u{202f}000 samples, 200 were measured"),
        ("point_one_percent_low_fps", "needs 1\u{202f}000 frame times, none of them 0"),
        ("spin_tail_used_nanos", "not a hybrid wait"),
        ("load_cpu_share", "no load threads"),
    ] {
        assert_eq!(table.cell(0, key).unwrap().reason(), Some(reason), "{key}");
    }
}

#[test]
fn options_choose_the_late_threshold() {
    let run = frame_loop();
    let options = Options { late_percent: 1.0, ..Options::default() };
    let report = Report::of(&run, &options);
    let table = &report.tables[0];
    assert_eq!(table.cell(0, "late_count"), Some(&Cell::Count(100)), "101 to 200 µs");
    assert_eq!(table.cell(0, "late_threshold_nanos"), Some(&Cell::Time(100_000.0)));
    let default = Report::of(&run, &Options::default());
    assert_eq!(report.verdict.grade, default.verdict.grade, "no grade depends on options");
}

#[test]
fn a_live_report_has_the_same_cells_but_no_intervals() {
    let run = frame_loop();
    let (live, whole) =
        (Report::live(&run, &Options::default()), Report::of(&run, &Options::default()));
    let (live, whole) = (&live.tables[0], &whole.tables[0]);
    check(live);
    for (at, column) in live.columns.iter().enumerate() {
        let cells = (&live.rows[0].cells[at], &whole.rows[0].cells[at]);
        if column.is_interval {
            let reason = cells.0.reason().unwrap();
            assert!(reason.starts_with("computed when the run ends"), "{reason}");
        } else if column.key == "grade" {
            assert!(cells.0.reason().is_some());
        } else {
            assert_eq!(cells.0, cells.1, "{}", column.key);
        }
    }
}

/// Returns a run of 12 blocks of 50 frames under normal scheduling and as many under a policy. Frames are 0 to 297 µs
/// late under normal scheduling, and a tenth of that under the policy.
fn real_time() -> Run {
    let plan = RealTime {
        fps: 100.0,
        time_each: Nanos::from_secs(6),
        turn: Nanos::from_millis(500),
        policies: vec![Priority::Fifo(10)],
        ..RealTime::default()
    };
    run_of(Plan::RealTime(plan), |trial| {
        let factor = if is_normal(trial) { 3 * MICRO } else { 3 * MICRO / 10 };
        let first = i64::from(trial.trial.round) * 50;
        let late = |k: i64| ((first + k) * 7_919 % 100) * factor;
        trial.samples = (1..=50).map(|k| frame(k, late(k), 100 * MICRO)).collect();
    })
}

fn is_normal(trial: &TrialRun) -> bool {
    trial.trial.conditions.priority == Priority::Normal
}

fn position(table: &Table, metric: &str) -> usize {
    let is_it = |cell: Option<&Cell>| cell == Some(&Cell::text_of(metric));
    (0..table.rows.len()).find(|&row| is_it(table.cell(row, "metric"))).unwrap()
}

#[test]
fn changes_have_their_unit_in_the_row() {
    let report = Report::of(&real_time(), &Options::default());
    let [configurations, changes] = report.tables.as_slice() else { panic!("two tables") };
    check(configurations);
    check(changes);
    assert_eq!(changes.rows.len(), 14);
    let row = position(changes, "Frame time std dev");
    assert!(changes.rows[row].is_key);
    assert_eq!(changes.rows[row].configuration, Some(1));
    expect(
        changes,
        row,
        &[
            ("unit", Cell::text_of("nanos")),
            ("change_share", Cell::Share(-0.9)),
            ("result", Cell::text_of("Better")),
            ("grade", Cell::Grade(Grade::Excellent.into())),
        ],
    );
    let Some(Cell::Interval(Quantity::Share, low, high)) = changes.cell(row, "change_ci_share")
    else {
        panic!("{:?}", changes.cell(row, "change_ci_share"))
    };
    assert!(*low <= -0.9 && -0.9 <= *high && *high < -0.8, "{low} to {high}");
    let row = position(changes, "Lateness max");
    expect(
        changes,
        row,
        &[
            ("normal", Cell::Time(297_000.0)),
            ("value", Cell::Time(29_700.0)),
            ("change_share", Cell::Share(-0.9)),
        ],
    );
    let interval = changes.cell(row, "change_ci_share").unwrap();
    assert_eq!(interval.reason(), Some("a single extreme value has no interval"));
    let row = position(changes, "Missed frames");
    expect(changes, row, &[("unit", Cell::text_of("share")), ("normal", Cell::Share(0.0))]);
    assert_eq!(changes.cell(row, "change_share").unwrap().reason(), Some("normal is 0 or absent"));
    let row = position(changes, "Execution time mean");
    expect(changes, row, &[("change_share", Cell::Share(0.0))]);
    assert_eq!(changes.cell(row, "result"), Some(&Cell::text_of("Same")));
}

#[test]
fn a_denied_policy_is_shown_and_not_compared() {
    let mut run = real_time();
    for trial in run.trials.iter_mut().filter(|trial| !is_normal(trial)) {
        trial.applied.as_mut().unwrap().priority = RequestOutcome::Refused;
    }
    let report = Report::of(&run, &Options::default());
    let changes = &report.tables[1];
    check(changes);
    let row = position(changes, "Lateness max");
    assert_eq!(changes.cell(row, "value"), Some(&Cell::Time(29_700.0)));
    let reason = "the policy was not applied as requested";
    for key in ["change_share", "change_ci_share"] {
        assert_eq!(changes.cell(row, key).unwrap().reason(), Some(reason), "{key}");
    }
    assert_eq!(changes.rows[row].caution, reason);
}

#[test]
fn the_interval_of_p99_holds_it() {
    let report = Report::of(&real_time(), &Options::default());
    let table = &report.tables[0];
    let Some(Cell::Interval(Quantity::Time, low, high)) = table.cell(0, "p99_ci_nanos") else {
        panic!("{:?}", table.cell(0, "p99_ci_nanos"))
    };
    let p99 = table.cell(0, "p99_nanos").and_then(Cell::value).unwrap();
    assert!(*low <= p99 && p99 <= *high, "{low} {p99} {high}");
    assert_eq!(table.cell(0, "grade"), Some(&Cell::Grade(Grade::Good.into())));
}

/// Returns a run of 12 blocks of 15 frames under normal scheduling and as many under a policy. `late` and `of_policy`
/// give the lateness in nanoseconds by the number of a frame, for normal scheduling and for the policy.
fn few_frames(late: fn(i64) -> i64, of_policy: fn(i64) -> i64) -> Run {
    let plan = RealTime {
        fps: 30.0,
        time_each: Nanos::from_secs(6),
        turn: Nanos::from_millis(500),
        policies: vec![Priority::Fifo(10)],
        ..RealTime::default()
    };
    run_of(Plan::RealTime(plan), |trial| {
        let first = i64::from(trial.trial.round) * 15;
        let of = |k: i64| if is_normal(trial) { late(first + k) } else { of_policy(first + k) };
        trial.samples = (1..=15).map(|k| frame_at(k, 33_333_333, of(k))).collect();
    })
}

fn small(k: i64) -> i64 {
    k * 7_919 % 17 * MICRO
}

fn frame_at(k: i64, period: i64, late: i64) -> Sample {
    let due = Nanos::new(k * period);
    let woke = due + Nanos::new(late);
    Sample { began: due, due, slept: Some(woke), woke, done: woke, spins: 0, cpu: Some(0) }
}

#[test]
fn one_stall_does_not_hide_what_real_time_changes() {
    // Of 180 frames, 116 are late under normal scheduling and 1 is late under the policy. Each half has one
    // stall of 130 ms, which makes up nearly all of the standard deviation.
    let normal = |k: i64| match k {
        77 => 130_000_000,
        k if k * 116 % 180 < 116 => 2_000 * MICRO,
        _ => 100 * MICRO,
    };
    let run = few_frames(normal, |k| if k == 33 { 130_000_000 } else { small(k) });
    let report = Report::of(&run, &Options::default());
    let [change] = report.results::<Change>() else { panic!("{:?}", report.results::<Change>()) };
    assert_eq!(change.rests_on, Some(Measure::LateShare));
    let share = change.reduction(Measure::LateShare).unwrap().share;
    assert!(0.5 < share, "{share}");
    let sentence = report.sentence();
    assert!(
        sentence.starts_with("Real-time scheduling reduced the share of late frames from 6"),
        "{sentence}"
    );
    assert_eq!(report.verdict.grade, Some(Grade::Excellent.into()), "{:?}", report.verdict);
}

#[test]
fn halves_that_are_the_same_have_no_clear_difference_and_small_values_nothing_to_gain() {
    let same = Report::of(&few_frames(small, small), &Options::default());
    assert!(
        same.results::<Change>()[0].is_nothing_to_gain
            && same.results::<Change>()[0].rests_on.is_none()
    );
    assert!(same.sentence().starts_with("There is nothing to gain"));
    assert_eq!(same.verdict.grade, None);
    let mut few = few_frames(small, small);
    few.trials.retain(|trial| trial.trial.round < 7);
    for trial in &mut few.trials {
        let is_late = |k| is_normal(trial) && k % 2 == 0;
        let late = |k| if is_late(k) { 2_000 * MICRO } else { small(k) };
        trial.samples = (1..=30).map(|k| frame_at(k, 33_333_333, late(k))).collect();
    }
    let report = Report::of(&few, &Options::default());
    assert_eq!(report.verdict.grade, None, "7 pairs do not decide");
    assert!(matches!(report.verdict.standing, Standing::NotEnoughData(_)), "{:?}", report.verdict);
}

#[test]
fn a_measure_without_an_interval_is_not_called_unclear() {
    // 180 frames per half are enough for an interval of the standard deviation and of late frames, but not of p99.
    let late = |k| if k % 6 < 3 { 2_000 * MICRO } else { small(k) };
    let mut run = few_frames(late, late);
    let report = Report::of(&run, &Options::default());
    let [change] = report.results::<Change>() else { panic!("{:?}", report.results::<Change>()) };
    assert!(
        change.reduction(Measure::P99).unwrap().interval.is_none() && change.rests_on.is_none(),
        "{change:?}"
    );
    // An interval of p99 needs 500 frames: 34 pairs of blocks, of which 12 were measured.
    assert!(
        report.sentence().starts_with("About 22 more pairs of blocks"),
        "{}",
        report.sentence()
    );
    assert_eq!((report.word(), report.verdict.grade), ("Not enough data", None));
    // Five pairs of blocks are too few to conclude that there is no difference.
    run.trials.retain(|trial| trial.trial.round < 5);
    let report = Report::of(&run, &Options::default());
    assert_eq!((report.word(), report.verdict.grade), ("Not enough data", None));
    assert!(report.sentence().starts_with("About 3 more pairs of blocks"), "{}", report.sentence());
    assert!(!report.evidence().contains("no clear difference"), "{}", report.evidence());
}
