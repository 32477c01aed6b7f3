//! Tests with simulated runs: a simulated effect is found, and no effect is found where none was simulated.

use super::super::effect::{self, ChangeEffect};
use super::super::{is_little_to_gain, recommended};
use crate::nanos::Nanos;
use crate::plan::what_helps::{BASELINE_OF_TOGETHER, TOGETHER, Together};
use crate::plan::{FrameLoop, Plan, SettingChange, WhatHelps};
use crate::platform::{FINEST_TIMER, Refusal, RequestOutcome};
use crate::report::tests::test_run::run_of;
use crate::report::{Options, Report, follow_up, frame_loop_of, with_follow_up};
use crate::run::{Ending, Run, TrialRun, counter};
use crate::sample::{Sample, Samples};
use crate::stats::Outcome;
use crate::stats::tests::simulated::normal;

const PERIOD: i64 = 16_666_667;

/// Simulates a block of 2 s at 60 FPS. Lateness is log-normal and correlated from frame to frame; its level varies from
/// block to block.
fn block(scale: f64, random: &mut fastrand::Rng) -> Samples {
    let memory = 0.5_f64;
    let level = scale * (0.15 * normal(random)).exp();
    let rest = (1.0 - memory * memory).sqrt();
    let mut state = normal(random);
    (1..=120)
        .map(|k| {
            state = memory * state + rest * normal(random);
            let due = Nanos::new(k * PERIOD);
            let woke = due + Nanos::from_nanos_f64(3e5 * level * (0.6 * state).exp());
            Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: None }
        })
        .collect()
}

fn plan() -> WhatHelps {
    WhatHelps { changes: SettingChange::ALL.into(), ..WhatHelps::default() }
}

/// Simulates a run of a plan. `scale` returns the factor by which lateness is multiplied, given a configuration's
/// label.
fn run(plan: WhatHelps, scale: impl Fn(&str) -> f64, random: &mut fastrand::Rng) -> Run {
    let mut run = run_of(Plan::WhatHelps(plan), |trial| {
        if let Some(applied) = &mut trial.applied {
            applied.no_deep_idle = trial.trial.conditions.no_deep_idle;
        }
        let is_tail = trial.trial.label == SettingChange::SpinTail.name();
        if is_tail {
            trial.counters.insert(counter::TAIL_NANOS.to_owned(), 500_000);
        }
        let used = if is_tail || trial.trial.label == TOGETHER { 100 } else { 70 };
        trial.counters.insert(counter::CPU_NANOS.to_owned(), used);
        trial.counters.insert(counter::WALL_NANOS.to_owned(), 1_000);
    });
    for trial in &mut run.trials {
        trial.samples = block(scale(&trial.trial.label), random);
    }
    run
}

fn evaluated(run: &Run) -> Report {
    Report::of(run, &Options::default())
}

fn result_of(report: &Report, change: SettingChange) -> &ChangeEffect {
    let effects = report.results::<ChangeEffect>();
    effects.iter().find(|one| !one.is_together && one.changes == [change]).unwrap()
}

/// Denies a change in every round: the first block was measured, and the blocks of later rounds were skipped.
fn deny(run: &mut Run, change: SettingChange) {
    let label = change.name();
    for trial in run.trials.iter_mut().filter(|trial| trial.trial.label == label) {
        let applied = trial.applied.as_mut().unwrap();
        applied.priority = RequestOutcome::Refused;
        applied.refusals.push(Refusal {
            requested: "nice −5".to_owned(),
            call: "setpriority".to_owned(),
            errno: Some(13),
            error_name: "EACCES".to_owned(),
            reason: "permission denied".to_owned(),
            remedy: "Raise the limit of nice.".to_owned(),
        });
        if 0 < trial.trial.round {
            *trial = TrialRun::new(trial.stage, trial.trial.clone(), trial.load);
            trial.skipped = Some("not as requested in an earlier round".to_owned());
        }
    }
}

#[test]
fn a_made_effect_is_found_and_named_and_a_made_nothing_is_not() {
    let mut random = fastrand::Rng::with_seed(1);
    let scale = |label: &str| match label {
        label if label == SettingChange::SpinTail.name() => 0.1,
        label if label == SettingChange::Highest.name() => 0.5,
        label if label == SettingChange::Pinned.name() => 2.0,
        _ => 1.0,
    };
    let report = evaluated(&run(plan(), scale, &mut random));
    let found = SettingChange::ALL.map(|change| result_of(&report, change).result);
    let (helps, same) = (Outcome::Better, Outcome::NoClearDifference);
    let worse = Outcome::Worse;
    assert_eq!(found, [helps, same, helps, same, worse, same, same, same]);
    let ranks: Vec<Option<usize>> =
        report.results::<ChangeEffect>().iter().map(|one| one.rank).collect();
    assert_eq!(ranks[..3], [Some(1), Some(2), None]);
    assert_eq!(report.results::<ChangeEffect>()[0].changes, [SettingChange::SpinTail]);
    let tail = result_of(&report, SettingChange::SpinTail);
    let (share, (low, high)) = tail.effect.unwrap();
    assert!(low < -0.9 && -0.9 < high && (-0.93..-0.86).contains(&share), "{tail:?}");
    let (without, with) = tail.p99.unwrap();
    assert!((with / without - 1.0 - share).abs() < 1e-9, "the shown values have the shown effect");
    assert!((tail.cpu_cost.unwrap() - 0.03).abs() < 1e-9);
    assert_eq!(report.word(), "Helps");
    let sentence = report.sentence();
    assert!(sentence.starts_with("A spin tail of 500\u{202f}µs removes 89"), "{sentence}");
    assert!(sentence.ends_with("% of p99 lateness under load."), "{sentence}");
    assert!(report.evidence().contains("for 3.0% of one CPU"), "{}", report.evidence());
    let apply = report.tables.iter().find(|table| table.key == "apply").unwrap();
    assert_eq!(apply.rows.len(), 8, "two changes help, each in words and three languages");
    let first = report.tables.first().unwrap();
    assert_eq!((first.key, first.rows.len()), ("changes", 8));
    assert!(first.rows[0].is_key);
}

#[test]
fn a_change_opens_with_its_baseline_as_a_frame_loop() {
    let mut random = fastrand::Rng::with_seed(9);
    let run = run(plan(), |_| 1.0, &mut random);
    let report = evaluated(&run);
    let opened = frame_loop_of(&run, &report, result_of(&report, SettingChange::Pinned)).unwrap();
    let rows = evaluated(&opened).rows;
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    assert!(labels.contains(&"Baseline") && labels.contains(&SettingChange::Pinned.name()));
    assert!(rows.len() == 2 && rows.iter().all(|row| row.trials.len() == 8), "{labels:?}");
    assert_eq!(opened.plan().map(Plan::key), Some("frame-loop"));
}

#[test]
fn at_most_one_in_twenty_runs_without_an_effect_has_one_called() {
    const RUNS: usize = 1_000;
    let mut random = fastrand::Rng::with_seed(7);
    let plan = plan();
    let mut run = run(plan.clone(), |_| 1.0, &mut random);
    let report = evaluated(&run);
    let (mut called, mut helps) = (0, 0);
    for _ in 0..RUNS {
        for trial in &mut run.trials {
            trial.samples = block(1.0, &mut random);
        }
        let effects = effect::of(&plan, &run, &report.rows, true);
        let is = |result| effects.iter().any(|one| one.result == result);
        helps += usize::from(is(Outcome::Better));
        called += usize::from(is(Outcome::Better) || is(Outcome::Worse));
    }
    println!("{called} of {RUNS} runs without an effect have one called, {helps} a help");
    assert!(called * 20 <= RUNS, "{called} of {RUNS}");
}

#[test]
fn the_changes_that_help_are_measured_together_and_named_where_they_do_more() {
    let mut random = fastrand::Rng::with_seed(3);
    let scale = |label: &str| match label {
        label if label == SettingChange::Pinned.name() => 0.6,
        label if label == SettingChange::Highest.name() => 0.25,
        label if label == SettingChange::TimeCritical.name() => 0.35,
        TOGETHER => 0.02,
        _ => 1.0,
    };
    let first = run(plan(), scale, &mut random);
    let report = evaluated(&first);
    let next = follow_up(&first, &report).unwrap();
    let Plan::WhatHelps(together) = &next else { panic!("{next:?}") };
    let expected = vec![SettingChange::Highest, SettingChange::Pinned];
    assert_eq!(
        together.together,
        Some(Together { changes: expected.clone(), tail: Some(Nanos::from_micros(500)) })
    );
    let second = run(together.clone(), scale, &mut random);
    assert!(second.trials.iter().any(|trial| trial.trial.label == BASELINE_OF_TOGETHER));
    let stopped = Run { ending: Ending::Stopped, ..second.clone() };
    assert_eq!(with_follow_up(&first, stopped), first);
    let both = with_follow_up(&first, second);
    assert_eq!(
        (&both.id, both.started_at),
        (&first.id, first.started_at),
        "one entry in the library"
    );
    let report = evaluated(&both);
    let last = report.results::<ChangeEffect>().last().unwrap();
    assert!(last.is_together && last.changes == expected, "{last:?}");
    assert_eq!((last.result, last.detail.as_str()), (Outcome::Better, "changes 1 and 3"));
    assert_eq!(follow_up(&both, &report), None, "once");
    // The best single change has less than 80% of the effect of the combined row, so that row is recommended.
    assert_eq!(recommended(report.results()), Some(last));
    assert!(
        report
            .sentence()
            .starts_with("Priority highest and pinning to a performance core, together, remove 9"),
        "{}",
        report.sentence()
    );
}

#[test]
fn a_single_change_with_most_of_the_effect_is_enough() {
    let mut random = fastrand::Rng::with_seed(4);
    let scale = |label: &str| match label {
        label if label == SettingChange::SpinTail.name() => 0.1,
        label if label == SettingChange::Highest.name() => 0.4,
        TOGETHER => 0.04,
        _ => 1.0,
    };
    let first = run(plan(), scale, &mut random);
    let Some(Plan::WhatHelps(next)) = follow_up(&first, &evaluated(&first)) else { panic!() };
    let both = with_follow_up(&first, run(next, scale, &mut random));
    let report = evaluated(&both);
    assert_eq!(recommended(report.results()).unwrap().changes, [SettingChange::SpinTail]);
    assert!(
        report.evidence().contains("All changes that help, together, remove 9"),
        "{}",
        report.evidence()
    );
}

#[test]
fn little_to_gain_and_nothing_and_denied_are_each_a_sentence() {
    let mut random = fastrand::Rng::with_seed(5);
    let low = run(plan(), |_| 0.01, &mut random);
    let report = evaluated(&low);
    assert_eq!(report.word(), "Little to gain");
    assert!(report.sentence().starts_with("There is little to gain: p99 lateness is "));
    assert!(is_little_to_gain(report.results()) && follow_up(&low, &report).is_none());
    let mut none = run(plan(), |_| 1.0, &mut random);
    let report = evaluated(&none);
    assert_eq!(report.sentence(), "No change makes a clear difference on this PC.");
    assert!(report.evidence().starts_with("The smallest effect that this test could show is "));
    assert_eq!(follow_up(&none, &report), None);
    deny(&mut none, SettingChange::AboveNormal);
    let report = evaluated(&none);
    let denied = result_of(&report, SettingChange::AboveNormal);
    assert_eq!((denied.result, denied.p99, denied.effect), (Outcome::NotEvaluated, None, None));
    assert_eq!(
        report.sentence(),
        "Priority above normal was denied; the other changes make no clear difference."
    );
    let table = report.tables.first().unwrap();
    let row = table.rows.iter().find(|row| !row.caution.is_empty()).unwrap();
    assert_eq!(row.caution, "nice −5: permission denied (EACCES, 13). Raise the limit of nice.");
    for change in SettingChange::ALL.into_iter().filter(|it| *it != SettingChange::AboveNormal) {
        deny(&mut none, change);
    }
    let report = evaluated(&none);
    assert!(
        report.sentence().ends_with("were denied; no other change was measured."),
        "{}",
        report.sentence()
    );
}

#[test]
fn a_stopped_run_has_values_and_no_verdict() {
    let mut random = fastrand::Rng::with_seed(6);
    let mut stopped = run(plan(), |_| 1.0, &mut random);
    stopped.ending = Ending::Stopped;
    for trial in stopped.trials.iter_mut().filter(|trial| 4 < trial.trial.round) {
        *trial = TrialRun::new(trial.stage, trial.trial.clone(), trial.load);
    }
    let report = evaluated(&stopped);
    assert_eq!(report.word(), "Stopped early");
    for one in report.results::<ChangeEffect>() {
        assert!(one.p99.is_some() && one.effect.is_none() && one.rank.is_none(), "{one:?}");
        assert_eq!(one.result, Outcome::NotEnoughData);
    }
    let live = Report::live(&stopped, &Options::default());
    assert!(live.results::<ChangeEffect>().iter().all(|one| one.effect.is_none()));
}

#[test]
fn other_programs_leave_no_verdict() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut busy = run(plan(), |_| 1.0, &mut random);
    for trial in &mut busy.trials {
        trial.counters.insert(counter::FOREIGN_CPU_NANOS.to_owned(), 900_000_000);
        trial.counters.insert(counter::FOREIGN_WINDOW_NANOS.to_owned(), 2_000_000_000);
    }
    let report = evaluated(&busy);
    assert_eq!(report.word(), "Inconclusive");
    assert!(
        report.sentence().starts_with("Not decided: other programs used up to 45"),
        "{}",
        report.sentence()
    );
    let table = report.tables.first().unwrap();
    let verdict = table.position("verdict").unwrap();
    for row in &table.rows {
        assert!(row.caution.starts_with("other programs used up to 45"), "{}", row.caution);
        let crate::report::table::Cell::Text(words) = &row.cells[verdict] else {
            panic!("{:?}", row.cells[verdict])
        };
        assert_eq!(words.as_str(), "No clear difference, disturbed");
    }
}

#[test]
fn a_frame_loop_becomes_the_baseline() {
    let plan =
        WhatHelps::of(&FrameLoop { fps: 144.0, ..FrameLoop::default() }, plan().baseline.cells[0]);
    assert!((plan.baseline.fps - 144.0).abs() < 1e-9);
    assert_eq!((plan.baseline.rounds, plan.baseline.time_each), (8, Nanos::from_secs(2)));
}

#[test]
fn the_finest_timer_is_denied_where_the_system_has_no_timer_setting() {
    let mut random = fastrand::Rng::with_seed(9);
    let mut run = run(plan(), |_| 1.0, &mut random);
    let before = result_of(&evaluated(&run), SettingChange::FineTimer).result;
    assert_eq!(before, Outcome::NoClearDifference);
    let changed = |trial: &&mut TrialRun| trial.trial.label == SettingChange::FineTimer.name();
    for trial in run.trials.iter_mut().filter(changed) {
        trial.applied.as_mut().unwrap().refusals.push(Refusal {
            requested: FINEST_TIMER.to_owned(),
            call: String::new(),
            errno: None,
            error_name: String::new(),
            reason: "there is no such setting".to_owned(),
            remedy: String::new(),
        });
    }
    let report = evaluated(&run);
    assert_eq!(result_of(&report, SettingChange::FineTimer).result, Outcome::NotEvaluated);
    assert_ne!(result_of(&report, SettingChange::Highest).result, Outcome::NotEvaluated);
}
