//! Compares every column of the table of game cycles with numbers that were calculated by hand.

use super::super::model::table::tests::check;
use super::super::tests::test_run::run_of;
use super::super::{Options, Report};
use super::*;
use crate::plan::{GameTick, Plan};
use crate::run::{Run, counter};
use crate::sample::Sample;
use crate::stats::Grade;

const MILLI: i64 = 1_000_000;

fn cycle(began: i64, length: i64) -> Sample {
    let (began, done) = (Nanos::new(began), Nanos::new(began + length));
    Sample { began, due: began, slept: None, woke: began, done, spins: 0, cpu: Some(0) }
}

/// Returns a run with 3 iterations of 10 cycles per configuration. A cycle takes 100 ms on 1 thread and 60 ms on 2
/// threads for players, and 12 ms and 8 ms for NPCs. Cycles take 0.1 ms less in the first iteration, and 0.1 ms more
/// in the last.
fn run() -> Run {
    run_of(Plan::GameTick(GameTick::default()), |trial| {
        let Work::GameCycle(game) = trial.trial.work else { panic!("{:?}", trial.trial.work) };
        let round = i64::from(trial.trial.round);
        let length = match (game.kind, game.threads) {
            (CycleKind::Players, 1) => 100,
            (CycleKind::Players, _) => 60,
            (CycleKind::Npcs, 1) => 12,
            (CycleKind::Npcs, _) => 8,
        } * MILLI
            + (round - 1) * 100_000;
        trial.samples = (0..10).map(|k| cycle(k * 200 * MILLI, length)).collect();
        for (name, value) in [
            (counter::MOVING_NANOS, MILLI),
            (counter::PREPARING_NANOS, 2 * MILLI),
            (counter::ENCODING_NANOS, 50 * MILLI),
            (counter::RELEASING_NANOS, 3 * MILLI),
            (counter::PACKET_BYTES, 12_000 + 300 * round),
        ] {
            trial.counters.insert(name.to_owned(), value);
        }
    })
}

fn close(cell: Option<&Cell>, expected: f64) {
    let value = cell.and_then(Cell::value).unwrap_or(f64::NAN);
    assert!((value - expected).abs() <= 1e-6 * expected.abs(), "{cell:?}, not {expected}");
}

#[test]
fn every_column_holds_its_figure() {
    let report = Report::of(&run(), &Options::default());
    let [table] = report.tables.as_slice() else { panic!("{} tables", report.tables.len()) };
    check(table);
    let labels: Vec<&Cell> = table.rows.iter().map(|row| &row.cells[0]).collect();
    let expected = ["Players, 1 thread", "Players, 2 threads", "NPCs, 1 thread", "NPCs, 2 threads"];
    assert_eq!(labels, expected.map(Cell::text_of).each_ref());
    for (key, expected) in [
        ("workload", Cell::text_of("Players")),
        ("size_count", Cell::Count(2_046)),
        ("threads_count", Cell::Count(2)),
        ("cycle_average_nanos", Cell::Time(6e7)),
        ("p50_nanos", Cell::Time(6e7)),
        ("longest_nanos", Cell::Time(60_100_000.0)),
        ("of_budget_share", Cell::Share(0.1)),
        ("in_budget_share", Cell::Share(1.0)),
        ("in_frame_share", Cell::Share(0.0)),
        ("moving_nanos", Cell::Time(1e5)),
        ("preparing_nanos", Cell::Time(2e5)),
        ("encoding_nanos", Cell::Time(5e6)),
        ("releasing_nanos", Cell::Time(3e5)),
        ("bytes_per_cycle", Cell::Number(12_300.0)),
        ("grade", Cell::Grade(Grade::Good.into())),
        ("samples_count", Cell::Count(30)),
        ("trials_count", Cell::Count(3)),
    ] {
        assert_eq!(table.cell(1, key), Some(&expected), "{key}");
    }
    for (key, expected) in [
        // Student's t for 2 degrees of freedom at 99.9%, 31.599 055, times the standard error of 0.1 ms / √3.
        ("cycle_error_nanos", 1_824_372.3),
        ("speedup", 100.0 / 60.0),
        ("efficiency", 100.0 / 60.0 / 2.0),
        ("reference_ratio", 100.0 / 60.0 / 2.0),
        // The ratio times the root of the sum of squares of both relative errors: 1.824 372 / 100 and 1.824 372 / 60.
        ("reference_ratio_error", 0.029_549_519),
        ("serial_share", 0.2),
        ("karp_flatt_share", 0.2),
        ("of_frame_share", 60.0 / 16.666_667),
    ] {
        close(table.cell(1, key), expected);
    }
    // The fit is T(n) = 20 + 80 / n, in ms. Residuals of 0.1 give a variance of 0.01, and the share a variance of
    // 1.813 333e-6. Student's t for 4 degrees of freedom at 95% is 2.776 445.
    let Some(&Cell::Interval(Quantity::Share, low, high)) = table.cell(0, "serial_ci_share") else {
        panic!("{:?}", table.cell(0, "serial_ci_share"))
    };
    assert!(
        (low - 0.196_261_237).abs() < 1e-8 && (high - 0.203_738_763).abs() < 1e-8,
        "{low} {high}"
    );
    assert_eq!(table.cell(2, "size_count"), Some(&Cell::Count(500)));
    assert_eq!(table.cell(3, "in_frame_share"), Some(&Cell::Share(1.0)));
    let needs = Some("needs several threads and a complete measurement");
    assert_eq!(table.cell(0, "grade").unwrap().reason(), needs);
    assert_eq!(
        table.cell(1, "p99_nanos").unwrap().reason(),
        Some("needs 100 samples, 30 were measured")
    );
    assert_eq!(table.rows[1].caution, "");
    // The error of 1.824 ms is 23% of the cycle time of 8 ms.
    assert_eq!(table.rows[3].caution, "the error is above 10% of the time, so it is not graded");
    assert!(table.cell(3, "grade").unwrap().reason().unwrap().starts_with("not enough data"));
}

#[test]
fn a_workload_whose_score_is_too_uncertain_is_part_of_the_verdict() {
    let report = Report::of(&run(), &Options::default());
    let verdict = &report.verdict;
    assert_eq!((verdict.grade, verdict.word()), (None, "Not enough data"));
    let word = verdict.finding.word.as_deref();
    assert_eq!(word, Some("Players Good, NPCs not enough data"));
    assert!(report.sentence().contains("iterations"), "{}", report.sentence());
}

#[test]
fn threads_beyond_the_cores_count_for_efficiency_and_not_for_the_fit() {
    let mut run = run();
    run.machine.physical_cores = Some(1);
    let table = Report::of(&run, &Options::default()).tables.remove(0);
    check(&table);
    close(table.cell(1, "efficiency"), 100.0 / 60.0 / 2.0);
    close(table.cell(1, "reference_ratio"), 100.0 / 60.0);
    for key in ["serial_share", "serial_ci_share"] {
        assert!(table.cell(1, key).unwrap().reason().is_some(), "{key}");
    }
}

#[test]
fn what_is_not_known_shows_why() {
    let mut run = run();
    let is = |trial: &crate::run::TrialRun, label: &str| trial.trial.label == label;
    for trial in &mut run.trials {
        if is(trial, "Players, 1 thread") {
            trial.samples = crate::sample::Samples::new();
            trial.applied = None;
            trial.skipped = Some("it was stopped".to_owned());
        }
        if is(trial, "NPCs, 1 thread") {
            trial.counters.clear();
        }
    }
    let table = Report::live(&run, &Options::default()).tables.remove(0);
    check(&table);
    let reason = |row: usize, key: &str| table.cell(row, key).unwrap().reason();
    assert_eq!(reason(0, "cycle_average_nanos"), Some("skipped: it was stopped"));
    assert_eq!(table.cell(0, "threads_count"), Some(&Cell::Count(1)));
    assert_eq!(reason(1, "speedup"), Some(NO_SINGLE));
    assert_eq!(reason(2, "encoding_nanos"), Some("known when the iteration has ended"));
    assert_eq!(reason(2, "bytes_per_cycle"), Some("known when the iteration has ended"));
}

#[test]
fn the_published_scores_are_printed_as_jmh_printed_them() {
    // The scores of RSProt's document, from three iterations that vary by as much as its errors say.
    let run = run_of(Plan::GameTick(GameTick::default()), |trial| {
        let Work::GameCycle(game) = trial.trial.work else { panic!("{:?}", trial.trial.work) };
        let (score, off) = match (game.kind, game.threads) {
            (CycleKind::Players, 1) => (170_230_000, 398_931),
            (CycleKind::Players, _) => (11_544_000, 8_441),
            (CycleKind::Npcs, 1) => (64_195_000, 182_858),
            (CycleKind::Npcs, _) => (10_904_000, 335_458),
        };
        let length = score + (i64::from(trial.trial.round) - 1) * off;
        trial.samples = (0..10).map(|k| cycle(k * 200 * MILLI, length)).collect();
        for (name, count) in [
            (counter::PACKET_BYTES, 12_685_000 + i64::from(trial.trial.round)),
            (counter::PACKET_RECORDS, 526_000),
            (counter::PACKET_BLOCKS, 288_000),
        ] {
            trial.counters.insert(name.to_owned(), count);
        }
    });
    let report = Report::of(&run, &Options::default());
    let lines = crate::report::reference_lines(&run, &report, false).unwrap();
    let (notes, lines): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.is_error);
    let notes: Vec<String> = notes.into_iter().map(|line| line.text).collect();
    let note = "native encoder; RSProt's JVM scores are not comparable, efficiency is";
    let contents = |name| {
        format!(
            "{name}.benchmark: 12\u{202f}685\u{202f}001 bytes, 526\u{202f}000 records, and \
             288\u{202f}000 blocks per cycle; RSProt prints none, so the work is not compared"
        )
    };
    let [first, players, npcs, hidden] = notes.as_slice() else { panic!("{notes:?}") };
    assert_eq!(first, note, "once");
    assert_eq!([players, npcs], [&contents("PlayerInfoBenchmark"), &contents("NpcInfoBenchmark")]);
    assert!(hidden.starts_with("this method hides "), "{hidden}");
    let text: Vec<String> = lines.into_iter().map(|line| line.text).collect();
    let expected = "\
Single-threaded measurements:
Benchmark                      Mode  Cnt    Score   Error  Units
PlayerInfoBenchmark.benchmark  avgt    3  170.230 ± 7.278  ms/op

Multithreaded measurements (2 threads):
Benchmark                      Mode  Cnt   Score   Error  Units
PlayerInfoBenchmark.benchmark  avgt    3  11.544 ± 0.154  ms/op

Multithreaded ratio: 7.37x

Single-threaded measurements:
Benchmark                   Mode  Cnt   Score   Error  Units
NpcInfoBenchmark.benchmark  avgt    3  64.195 ± 3.336  ms/op

Multithreaded measurements (2 threads):
Benchmark                   Mode  Cnt   Score   Error  Units
NpcInfoBenchmark.benchmark  avgt    3  10.904 ± 6.120  ms/op

Multithreaded ratio: 2.94x
";
    assert_eq!(text.join("\n"), expected);
}
