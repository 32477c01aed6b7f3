//! Tests that compare the columns of the tables of gap probes with figures computed by hand.

use super::super::model::table::tests::check;
use super::super::tests::test_run::run_of;
use super::super::{Options, Report};
use super::*;
use crate::plan::{Plan, SchedulingGaps};
use crate::platform::TraceSource;
use crate::run::{Run, Trace, counter, series_name};
use crate::sample::{Sample, TraceEvent, TraceRecord};
use crate::stats::{Grade, Spread};

const MICRO: i64 = 1_000;
const MILLI: i64 = 1_000_000;

fn gap(from: i64, length: i64) -> Sample {
    let (from, to) = (Nanos::new(from), Nanos::new(from + length));
    Sample { began: from, due: from, slept: None, woke: to, done: to, spins: 0, cpu: Some(0) }
}

/// Returns a run of one second on two CPUs. Both have gaps of 1 to 100 µs every 4 ms. A stall begins on CPU 0 at 0.5 s
/// and takes 2 ms; on CPU 1, the stall begins 50 µs later and takes 3 ms. Intervals of 40 ns fill the rest of CPU 0.
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
        // On CPU 0, short gaps take 5.05 ms and the stall 2 ms. The other 992.95 ms are 24 823 750 intervals of 40 ns.
        for (name, value) in [
            (counter::THRESHOLD_NANOS, MICRO),
            (counter::READINGS, 24_823_851),
            (counter::INTERVAL_SUM_NANOS, 1_000 * MILLI),
            (counter::INTERVAL_MIN_NANOS, 40),
            (counter::INTERVAL_MOST_NANOS, stall.late().get()),
            // In square microseconds: 24 823 750 × 0.0016 + 1² + … + 100² + 2 000².
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
    let [table, _, _] = report.tables.as_slice() else { panic!("{} tables", report.tables.len()) };
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
        // The value of `numpy.percentile([*range(1, 101), 2000], 99)`, which is in µs.
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
        ("grade", Cell::Grade(Grade::Good.into())),
        ("samples_count", Cell::Count(101)),
        ("applied", Cell::text_of("nice 0 · CPUs 0–1")),
    ] {
        assert_eq!(of(key), expected, "{key}");
    }
    assert_eq!(of("p99_9_nanos").reason(), Some("needs 1\u{202f}000 samples, 101 were measured"));
    // The mean is 1e9 / 24 823 851. The standard deviation is the square root of
    // (4 378 068e6 / 24 823 851 − mean²).
    for (key, expected) in
        [("interval_average_nanos", 40.283_838_313), ("interval_std_dev_nanos", 418.022_243)]
    {
        let value = of(key).value().unwrap();
        assert!((value - expected).abs() < 1e-5, "{key}: {value}");
    }
    // Gaps take 7.05 of 1 000 ms, so p50 and p99 are in the bin of 40 to 43 ns. The last 0.1% of the time, 1 ms,
    // is in the stall.
    let half = of("time_p50_nanos").value().unwrap();
    assert!((40.0..=43.0).contains(&half), "{half}");
    assert!((40.0..=43.0).contains(&of("time_p99_nanos").value().unwrap()));
    assert_eq!(of("time_p99_9_nanos"), Cell::Time(2e6));
}

#[test]
fn all_cpus_together_are_one_spread() {
    let run = run();
    let report = Report::of(&run, &Options::default());
    let all = run.trials.iter().flat_map(crate::run::TrialRun::values).collect();
    let all = Spread::of(all).unwrap();
    let totals = GapTotals::of(&report.rows).unwrap();
    assert_eq!((totals.longest, totals.gap_count), (all.max, all.count));
    assert_eq!(report.rows[totals.longest_row].label, "CPU 1");
    assert!((totals.mean_nanos - all.mean_nanos).abs() < 1e-6, "{totals:?}");
    let deviation = totals.std_dev_nanos.unwrap();
    assert!((deviation - all.std_dev_nanos.unwrap()).abs() < 1e-3, "{deviation} {all:?}");
    let table = report.tables.last().unwrap();
    check(table);
    assert_eq!(table.cell(0, "mean_nanos"), Some(&Cell::Time(totals.mean_nanos)));
    assert_eq!(GapTotals::of(&[]), None);
}

#[test]
fn gaps_newer_than_the_totals_are_a_share_of_the_time_in_which_they_are() {
    let mut run = run();
    for trial in &mut run.trials {
        trial.counters.retain(|name, _| !name.starts_with(counter::INTERVALS_FROM));
        // The first totals that a probe reports have one interval.
        trial.counters.insert(counter::READINGS.to_owned(), 1);
        trial.counters.insert(counter::INTERVAL_SUM_NANOS.to_owned(), 40);
    }
    let report = Report::of(&run, &Options::default());
    for row in &report.rows {
        let gaps = row.figures.get::<GapFigures>().unwrap();
        // The gaps span only half a second: perhaps most of this time was in gaps.
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
        let gaps = row.figures.get::<GapFigures>().unwrap();
        let share = gaps.lost_share.unwrap();
        assert!(0.0 < share && share < 0.02, "{gaps:?}");
        assert!(Nanos::from_millis(1_490) < gaps.runtime, "{gaps:?}");
    }
}

#[test]
fn stalls_are_a_table_of_their_own() {
    let mut run = run();
    trace(&mut run, stopped);
    // Of the short gaps, only the last one of each CPU (at 100 × 4 ms) has the 100 µs that a stall needs.
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
    let tables = Report::of(&run, &Options::default()).tables;
    assert!(tables.iter().all(|table| table.key != "stalls"), "one CPU has no stalls");
}

/// An event of a thread in a trace: its instant, its kind, and the number of the thread.
type Switch = (Nanos, TraceEvent, u32);

/// Adds a trace to both CPUs. `switches` gives the events of a gap from the gap and the numbers of two threads: the
/// probe and another thread.
fn trace(run: &mut Run, switches: impl Fn(Sample, u32, u32) -> Vec<Switch>) {
    for (trial, cpu) in run.trials.iter_mut().zip(0..) {
        let (own, other) = (70 + cpu, 40 + cpu);
        let mut records = vec![(Nanos::ZERO, TraceEvent::SwitchIn, own)];
        records.extend(trial.samples.iter().flat_map(|gap| switches(gap, own, other)));
        records.push((Nanos::from_secs(2), TraceEvent::SwitchIn, own));
        let record = |(at, event, thread)| TraceRecord {
            at,
            event,
            cpu,
            thread: Some(thread),
            name: (thread == other).then_some(0),
            value: None,
        };
        let records: Vec<TraceRecord> = records.into_iter().map(record).collect();
        trial.trace = Some(Trace::from_records(vec!["rustc".to_owned()], &records));
        let counters = [
            (counter::TRACE_SOURCE, TraceSource::AllSwitches.number()),
            (counter::TRACE_THREAD, i64::from(own)),
        ];
        trial.counters.extend(counters.map(|(name, value)| (name.to_owned(), value)));
    }
}

/// Returns the stalls of a run with one gap on CPU 0 and one on CPU 1. `gaps` has the start and end of each gap, in
/// microseconds after 300 ms. `change` can change the run.
fn stalls_of(gaps: [(i64, i64); 2], change: impl Fn(&mut Run)) -> Vec<Stall> {
    let mut run = run();
    for (trial, (from, to)) in run.trials.iter_mut().zip(gaps) {
        let gap = gap(300 * MILLI + from * MICRO, (to - from) * MICRO);
        trial.samples = std::iter::once(gap).collect();
    }
    change(&mut run);
    Report::of(&run, &Options::default()).results::<Stall>().to_vec()
}

fn preempted(gap: Sample, own: u32, other: u32) -> Vec<Switch> {
    vec![
        (gap.due, TraceEvent::Preempted, own),
        (gap.due, TraceEvent::SwitchIn, other),
        (gap.woke, TraceEvent::Preempted, other),
        (gap.woke, TraceEvent::SwitchIn, own),
    ]
}

fn stopped(gap: Sample, own: u32, _: u32) -> Vec<Switch> {
    vec![(gap.due, TraceEvent::Stopped, own), (gap.woke, TraceEvent::SwitchIn, own)]
}

#[test]
fn preemptions_at_a_common_tick_are_no_stall() {
    // Two programs start at one tick and run for 3 and 4 ms.
    let at_a_tick = [(0, 3_000), (20, 4_000)];
    assert_eq!(stalls_of(at_a_tick, |_| {}), []);
    // Two programs start at one tick and end at another. Only a trace shows that each CPU ran a program.
    let to_a_tick = [(0, 3_000), (20, 3_050)];
    assert_eq!(stalls_of(to_a_tick, |_| {}).len(), 1, "without a trace");
    assert_eq!(stalls_of(to_a_tick, |run| trace(run, preempted)), []);
}

#[test]
fn gaps_without_a_cause_of_their_own_are_one_stall_where_they_overlap_by_half() {
    let stalls = |gaps| stalls_of(gaps, |run| trace(run, stopped));
    let [stall] = stalls([(0, 3_000), (500, 4_000)]).try_into().unwrap();
    assert_eq!((stall.at, stall.length), (Nanos::from_millis(300), Nanos::from_micros(3_500)));
    assert!(stall.is_everywhere);
    assert_eq!(stalls([(0, 3_000), (2_000, 5_000)]), [], "less than half of the longer one");
    assert_eq!(stalls([(0, 8_000), (0, 3_000)]), [], "less than half of the longer one");
}

#[test]
fn the_longest_gap_is_disturbed_by_what_used_its_own_cpu() {
    let one = |on_cpu: Option<[i64; 2]>, total: i64| {
        let mut run = run();
        for (position, trial) in run.trials.iter_mut().enumerate() {
            trial.samples.push(&gap(600 * MILLI, 40 * MILLI));
            let mut add = |name: &str, value: i64| trial.counters.insert(name.to_owned(), value);
            add(counter::FOREIGN_CPU_NANOS, total * MILLI);
            add(counter::FOREIGN_WINDOW_NANOS, 950 * MILLI);
            if let Some(on_cpu) = on_cpu {
                add(counter::CPU_NANOS, 800 * MILLI);
                add(counter::WALL_NANOS, 1_000 * MILLI);
                add(counter::PROGRAMS_ON_CPU_NANOS, (760 + on_cpu[position]) * MILLI);
            }
        }
        let report = Report::of(&run, &Options::default());
        let disturbed = report.rows.iter().map(|row| row.disturbance.is_some());
        (disturbed.collect::<Vec<_>>(), report.verdict.grade)
    };
    // Other programs used as much as one whole CPU, but it is not known which CPU: Poor is not stated.
    assert_eq!(one(None, 950), (vec![true, true], None));
    assert_eq!(one(None, 90), (vec![false, false], Some(Grade::Poor.into())));
    // If the use per CPU is known, only the used CPU is disturbed. The other CPU is Poor.
    assert_eq!(one(Some([500, 20]), 520), (vec![true, false], Some(Grade::Poor.into())));
    assert_eq!(one(Some([20, 20]), 950), (vec![false, false], Some(Grade::Poor.into())));
}

#[test]
fn gaps_by_threads_of_this_program_are_excluded_and_stated() {
    let named = |name: &str| {
        let mut run = run();
        let of_cpu_1 = run.trials.last_mut().unwrap();
        of_cpu_1.samples.push(&gap(600 * MILLI, 40 * MILLI));
        of_cpu_1.counters.insert(counter::INTERVAL_MOST_NANOS.to_owned(), 40 * MILLI);
        // Another thread causes the gap of 40 ms. During all other gaps, the CPU is stopped and no thread runs.
        trace(&mut run, |gap, own, other| {
            if gap.late() == Nanos::from_millis(40) {
                preempted(gap, own, other)
            } else {
                stopped(gap, own, other)
            }
        });
        for trial in &mut run.trials {
            let records = trial.trace.as_ref().unwrap().records();
            trial.trace = Some(Trace::from_records(vec![name.to_owned()], &records));
        }
        Report::of(&run, &Options::default())
    };
    let excluded = "1 longer gap by Jitterscope's own threads is excluded.";
    let of_another = named("rustc");
    assert_eq!(of_another.verdict.grade, Some(Grade::Poor.into()));
    assert!(!of_another.verdict.finding.evidence.contains("excluded"));
    let of_this = named("jitterscope");
    assert_eq!(of_this.verdict.grade, Some(Grade::Good.into()));
    let finding = &of_this.verdict.finding;
    assert!(finding.evidence.contains(excluded), "{finding:?}");
    assert_eq!(finding.key.as_deref(), Some("longest 3.000\u{202f}ms"));
    // The table still has the longest gap that was measured.
    assert_eq!(of_this.tables[0].cell(0, "longest_nanos"), Some(&Cell::Time(4e7)));
}

#[test]
fn without_a_trace_gaps_are_own_where_own_runs_explain_more_than_half_of_them() {
    let with_runs = |runs: &[(i64, i64)]| {
        let mut run = run();
        let of_cpu_1 = run.trials.last_mut().unwrap();
        of_cpu_1.samples.push(&gap(600 * MILLI, 40 * MILLI));
        of_cpu_1.counters.insert(counter::INTERVAL_MOST_NANOS.to_owned(), 40 * MILLI);
        let series = of_cpu_1.series.entry(series_name::OWN_RUN.to_owned()).or_default();
        for (at, length) in runs {
            series.push(Nanos::from_millis(*at), length * MILLI);
        }
        let verdict = Report::of(&run, &Options::default()).verdict;
        (verdict.grade, verdict.finding.evidence.contains("1 longer gap by Jitterscope's own"))
    };
    let (poor, good) = ((Some(Grade::Poor.into()), false), (Some(Grade::Good.into()), true));
    // The gap is from 600 to 640 ms. The thread may have lost its CPU for a tenth of each run.
    assert_eq!(with_runs(&[]), poor);
    assert_eq!(with_runs(&[(600, 30)]), good, "27 of 40 ms");
    assert_eq!(with_runs(&[(600, 22)]), poor, "19.8 of 40 ms");
    assert_eq!(with_runs(&[(601, 15), (620, 15)]), good, "27 of 40 ms");
    assert_eq!(with_runs(&[(580, 40)]), poor, "16 of 40 ms");
    assert_eq!(with_runs(&[(500, 99), (640, 60)]), poor, "before and after the gap");
}

#[test]
fn what_is_not_known_shows_why() {
    let mut run = run();
    let [first, second] = run.trials.as_mut_slice() else { panic!("two CPUs") };
    // The first probe still runs: it has gaps, but no counters. The second probe has no gaps.
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
