//! Every column of the tables of gap probes, against figures worked out by hand.

use super::super::table::tests::check;
use super::super::test_run::run_of;
use super::super::{Options, Report};
use super::*;
use crate::plan::{Plan, SchedulingGaps};
use crate::run::{Run, counter};
use crate::sample::Sample;
use crate::stats::Grade;

const MICRO: i64 = 1_000;
const MILLI: i64 = 1_000_000;

fn gap(from: i64, length: i64) -> Sample {
    let (from, to) = (Nanos::new(from), Nanos::new(from + length));
    Sample { began: from, due: from, slept: None, woke: to, done: to, spins: 0, cpu: Some(0) }
}

/// One second on two CPUs: gaps of 1 to 100 µs every 4 ms on both, and a stall of 2 ms at 0.5 s on CPU 0,
/// 50 µs later and 1 ms longer on CPU 1; besides, intervals of 40 ns that fill the second on CPU 0.
fn run() -> Run {
    run_of(Plan::SchedulingGaps(SchedulingGaps::default()), |trial| {
        let is_second = trial.trial.label == "CPU 1";
        let mut gaps: Vec<Sample> = (1..=100).map(|k| gap(k * 4 * MILLI, k * MICRO)).collect();
        let stall = if is_second {
            gap(500 * MILLI + 50 * MICRO, 3 * MILLI)
        } else {
            gap(500 * MILLI, 2 * MILLI)
        };
        gaps.push(stall);
        // 5.05 ms in short gaps and 2 ms in the stall: 992.95 ms in 24 823 750 intervals of 40 ns.
        for (name, value) in [
            (counter::THRESHOLD_NANOS, MICRO),
            (counter::READINGS, 24_823_851),
            (counter::INTERVAL_SUM_NANOS, 1_000 * MILLI),
            (counter::INTERVAL_MIN_NANOS, 40),
            (counter::INTERVAL_MOST_NANOS, stall.late().get()),
            // 24 823 750 × 0.0016 + 1² + … + 100² + 2 000² square microseconds.
            (counter::INTERVAL_SQUARES, 39_718 + 338_350 + 4_000_000),
            ("intervals_from_40_nanos_count", 24_823_750),
        ] {
            trial.counters.insert(name.to_owned(), value);
        }
        for gap in &gaps {
            let length = gap.late().get();
            let shift = length.ilog2() - 3;
            let bin = format!("intervals_from_{}_nanos_count", length >> shift << shift);
            *trial.counters.entry(bin).or_insert(0) += 1;
        }
        trial.samples = gaps.into_iter().collect();
    })
}

#[test]
fn every_column_holds_its_figure() {
    let report = Report::of(&run(), &Options::default());
    let [table, _] = report.tables.as_slice() else { panic!("{} tables", report.tables.len()) };
    check(table);
    assert_eq!(table.note.replace('\u{202f}', " "), "gaps of 1.00 µs or longer");
    assert_eq!(table.rows[0].configuration, Some(1), "the longest gap first");
    let of = |key: &str| table.cell(1, key).unwrap().clone();
    for (key, expected) in [
        ("configuration", Cell::text_of("CPU 0")),
        ("cpu", Cell::text_of("0")),
        ("threshold_nanos", Cell::Time(1_000.0)),
        ("longest_nanos", Cell::Time(2e6)),
        ("p50_nanos", Cell::Time(51_000.0)),
        // numpy.percentile([*range(1, 101), 2000], 99) in µs.
        ("p99_nanos", Cell::Time(100_000.0)),
        ("gaps_count", Cell::Count(101)),
        ("gaps_per_second", Cell::Rate(101.0)),
        ("lost_share", Cell::Share(0.007_05)),
        ("regular_period_nanos", Cell::Time(4e6)),
        ("gaps_below_10_us_count", Cell::Count(9)),
        ("gaps_10_us_to_100_us_count", Cell::Count(90)),
        ("gaps_100_us_to_1_ms_count", Cell::Count(1)),
        ("gaps_1_ms_to_10_ms_count", Cell::Count(1)),
        ("gaps_10_ms_to_30_ms_count", Cell::Count(0)),
        ("gaps_from_30_ms_count", Cell::Count(0)),
        ("interval_min_nanos", Cell::Time(40.0)),
        ("interval_squares_square_seconds", Cell::Number(4_378_068e-12)),
        ("intervals_count", Cell::Count(24_823_851)),
        ("runtime_nanos", Cell::Time(1e9)),
        ("grade", Cell::Grade(Grade::Good)),
        ("samples_count", Cell::Count(101)),
        ("applied", Cell::text_of("nice 0 · CPUs 0–1")),
    ] {
        assert_eq!(of(key), expected, "{key}");
    }
    assert_eq!(of("p99_9_nanos").reason(), Some("needs 1\u{202f}000 samples, 101 were measured"));
    // 1e9 / 24 823 851, and the square root of 4 378 068e6 / 24 823 851 less the square of that.
    for (key, expected) in
        [("interval_average_nanos", 40.283_838_313), ("interval_std_dev_nanos", 418.022_243)]
    {
        let value = of(key).value().unwrap();
        assert!((value - expected).abs() < 1e-5, "{key}: {value}");
    }
    // Half of the time is in the bin of 40 to 43 ns, 7.05 of 1 000 ms in gaps, 1 ms of them in the stall.
    let half = of("time_p50_nanos").value().unwrap();
    assert!((40.0..=43.0).contains(&half), "{half}");
    assert!((40.0..=43.0).contains(&of("time_p99_nanos").value().unwrap()));
    assert_eq!(of("time_p99_9_nanos"), Cell::Time(2e6));
}

#[test]
fn gaps_newer_than_the_totals_are_a_share_of_the_time_in_which_they_are() {
    let mut run = run();
    for trial in &mut run.trials {
        trial.counters.retain(|name, _| !name.starts_with(counter::INTERVALS_FROM));
        // What a probe publishes first: one interval.
        trial.counters.insert(counter::READINGS.to_owned(), 1);
        trial.counters.insert(counter::INTERVAL_SUM_NANOS.to_owned(), 40);
    }
    let report = Report::of(&run, &Options::default());
    for row in &report.rows {
        let gaps = row.figures.gaps().unwrap();
        // From the first gap to the last it is half a second: the gaps may be all that there was.
        assert_eq!((gaps.lost_share, gaps.per_second, gaps.runtime), (None, None, Nanos::ZERO));
        assert!((gaps.mean_nanos - 40.0).abs() < 1e-9, "{gaps:?}");
    }
    let table = &report.tables[0];
    let at = table.columns.iter().position(|column| column.key == "lost_share").unwrap();
    assert!(table.rows.iter().all(|row| row.cells[at].reason() == Some(NOT_A_SECOND)));
    for trial in &mut run.trials {
        let later = trial.samples.iter().map(|mut gap| {
            gap.due += Nanos::from_secs(1);
            gap.woke += Nanos::from_secs(1);
            gap
        });
        let all: crate::sample::Samples = trial.samples.iter().chain(later).collect();
        trial.samples = all;
    }
    let report = Report::of(&run, &Options::default());
    for row in &report.rows {
        let gaps = row.figures.gaps().unwrap();
        let share = gaps.lost_share.unwrap();
        assert!(0.0 < share && share < 0.02, "{gaps:?}");
        assert!(Nanos::from_millis(1_490) < gaps.runtime, "{gaps:?}");
    }
}

#[test]
fn stalls_are_a_table_of_their_own() {
    let mut run = run();
    // Gaps of less than 100 µs are no stall: those at 100 × 4 ms are, on both CPUs.
    let report = Report::of(&run, &Options::default());
    let table = &report.tables[1];
    check(table);
    assert_eq!((table.key, table.note.as_str()), ("stalls", "2 in total, 2 on all CPUs"));
    let of = |row: usize, key: &str| table.cell(row, key).unwrap().clone();
    for (key, expected) in [
        ("at_nanos", Cell::Time(5e8)),
        ("length_nanos", Cell::Time(3e6)),
        ("cpus_count", Cell::Count(2)),
        ("cpus", Cell::text_of("CPU 0, CPU 1")),
        ("machine_wide", Cell::text_of("yes")),
    ] {
        assert_eq!(of(0, key), expected, "{key}");
    }
    assert_eq!(of(1, "at_nanos"), Cell::Time(4e8));
    assert_eq!(of(1, "length_nanos"), Cell::Time(1e5));
    run.trials.truncate(1);
    assert_eq!(Report::of(&run, &Options::default()).tables.len(), 1, "one CPU has no stalls");
}

#[test]
fn what_is_not_known_shows_why() {
    let mut run = run();
    let [first, second] = run.trials.as_mut_slice() else { panic!("two CPUs") };
    // While it runs, a probe has gaps and no counters; the other one had no gap at all.
    first.counters.clear();
    second.samples = crate::sample::Samples::new();
    let report = Report::live(&run, &Options::default());
    let table = &report.tables[0];
    check(table);
    let row = |label: &str| {
        table.rows.iter().position(|row| row.cells[0] == Cell::text_of(label)).unwrap()
    };
    let reason = |label: &str, key: &str| {
        let cell = table.cell(row(label), key).unwrap();
        cell.reason().map(str::to_owned).ok_or_else(|| cell.clone())
    };
    for key in ["interval_average_nanos", "interval_std_dev_nanos", "intervals_count"] {
        assert_eq!(reason("CPU 0", key), Ok(NOT_YET.to_owned()), "{key}");
    }
    assert_eq!(table.cell(row("CPU 0"), "longest_nanos"), Some(&Cell::Time(2e6)));
    assert_eq!(reason("CPU 1", "p50_nanos"), Ok("no gaps".to_owned()));
    assert_eq!(reason("CPU 1", "gaps_count"), Err(Cell::Count(0)));
    let [first, _] = run.trials.as_mut_slice() else { panic!("two CPUs") };
    (first.applied, first.skipped) = (None, Some("it was stopped".to_owned()));
    first.samples = crate::sample::Samples::new();
    let report = Report::of(&run, &Options::default());
    let table = &report.tables[0];
    check(table);
    let row = table.rows.iter().position(|row| !row.caution.is_empty()).unwrap();
    for key in ["longest_nanos", "p50_nanos", "time_p99_nanos", "intervals_count", "lost_share"] {
        assert_eq!(
            table.cell(row, key).unwrap().reason(),
            Some("skipped: it was stopped"),
            "{key}"
        );
    }
}
