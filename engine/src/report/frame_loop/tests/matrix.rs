//! Conclusions from a matrix of priority × pinning: those that the data supports, and no others.

use super::super::conclusions::Conclusions;
use crate::nanos::Nanos;
use crate::plan::CpuChoice::{self, Any, Performance};
use crate::plan::Priority::{self, AboveNormal, Highest, Normal, TimeCritical};
use crate::plan::conditions::Cell;
use crate::plan::{FrameLoop, Load, Plan, Wait, Work};
use crate::report::tests::test_run::run_of;
use crate::report::{Options, Report};
use crate::run::Run;
use crate::sample::Sample;

/// The rows of the Linux table that gdt-cpus publishes: priority, pinning, and p99 in microseconds.
const LINUX: [(Priority, CpuChoice, i64); 6] = [
    (Normal, Any, 52),
    (AboveNormal, Any, 524),
    (Highest, Any, 5),
    (Highest, Performance, 11),
    (TimeCritical, Any, 3),
    (TimeCritical, Performance, 9),
];

/// Returns the report of a run on a fixed schedule whose rows have this p99 lateness, and the run itself. Lateness is
/// rare and long as on a busy PC: it is above `x` times p99 in 1% / x² of all frames.
fn report(rows: &[(Priority, CpuChoice, i64)], frame_count: i64, seed: u64) -> (Run, Report) {
    let plan = FrameLoop {
        fps: 60.0,
        time_each: FrameLoop::default().period() * frame_count,
        cells: rows.iter().map(|&(priority, cpu, _)| Cell { priority, cpu }).collect(),
        load: Load::NONE,
        wait: Wait::OsSleep,
        work: Work::Nothing,
        order_seed: 0,
        ..FrameLoop::default()
    };
    let period = plan.period();
    let run = run_of(Plan::FrameLoop(plan), |trial| {
        let conditions = trial.trial.conditions;
        let is_row = |row: &&(Priority, CpuChoice, i64)| {
            (row.0, row.1) == (conditions.priority, conditions.cpu)
        };
        let row = rows.iter().position(|row| is_row(&row)).unwrap();
        let mut random = fastrand::Rng::with_seed(seed * 100 + row as u64);
        trial.samples = (1..=frame_count)
            .map(|slot| {
                let above = 1.0 - random.f64();
                let late = Nanos::from_micros(rows[row].2).as_f64() * (0.01 / above).sqrt();
                let due = period * slot;
                let woke = due + Nanos::from_nanos_f64(late);
                Sample { began: due, due, slept: Some(woke), woke, done: woke, spins: 0, cpu: None }
            })
            .collect();
    });
    let report = Report::of(&run, &Options::default());
    (run, report)
}

#[test]
fn the_published_matrix_has_three_conclusions() {
    let (run, report) = report(&LINUX, 3_000, 1);
    let found = Conclusions::of(&run, &report.rows);
    let starts = |sentence: &Option<String>, start: &str| {
        assert!(sentence.as_deref().is_some_and(|it| it.starts_with(start)), "{sentence:?}");
    };
    starts(&found.priority, "Highest and Time-critical priority help: p99 lateness is ");
    starts(&found.pinning, "Pinning has no benefit on this PC: p99 lateness is ");
    starts(&found.worse, "Above normal is worse than Normal on this PC: p99 lateness is ");
    // The verdict states them, and recommends what helps.
    for sentence in found.sentences() {
        assert!(report.evidence().contains(sentence), "{}", report.evidence());
    }
    assert!(report.sentence().starts_with("Use "), "{}", report.sentence());
    assert!(!report.sentence().contains("inning"), "stated once: {}", report.sentence());
}

#[test]
fn each_level_is_named_once_however_many_rows_show_it() {
    let rows = [
        (Normal, Any, 52),
        (Normal, Performance, 55),
        (Highest, Any, 5),
        (Highest, Performance, 6),
        (TimeCritical, Any, 3),
        (TimeCritical, Performance, 4),
    ];
    let (run, report) = report(&rows, 3_000, 1);
    let priority = Conclusions::of(&run, &report.rows).priority.unwrap();
    assert!(priority.starts_with("Highest and Time-critical priority help: "), "{priority}");
}

#[test]
fn few_frames_support_only_the_conclusion_with_a_clear_interval() {
    let mut counts = [0; 3];
    for seed in 0..10 {
        let (run, report) = report(&LINUX, 600, seed);
        let found = Conclusions::of(&run, &report.rows);
        for (count, sentence) in
            counts.iter_mut().zip([&found.priority, &found.pinning, &found.worse])
        {
            *count += usize::from(sentence.is_some());
        }
    }
    println!("of 10 runs of 600 frames: priority, pinning, worse: {counts:?}");
    // Tenfold lateness is clear with 600 frames, twofold lateness often is not.
    let [priority, pinning, worse] = counts;
    assert!(priority == 10 && worse == 10 && pinning < 10, "{counts:?}");
}

#[test]
fn equal_rows_support_no_conclusion() {
    let equal = LINUX.map(|(priority, cpu, _)| (priority, cpu, 20));
    for frame_count in [600, 3_000] {
        for seed in 0..8 {
            let (run, report) = report(&equal, frame_count, seed);
            let found = Conclusions::of(&run, &report.rows);
            assert_eq!(found, Conclusions::default(), "{frame_count} frames, seed {seed}");
        }
    }
}
