//! Every test measures on this PC: counts, order, applied conditions, the report, and that a saved run equals
//! the measured one. Durations are not compared with limits.

use std::sync::Arc;
#[cfg(unix)]
use std::time::Duration;

use jitterscope_engine::format;
use jitterscope_engine::machine::{ClockFacts, Machine};
use jitterscope_engine::measure::{self, Event, Request, TraceMode};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::form::parts::LoadCondition;
use jitterscope_engine::plan::game_tick::ThreadCounts;
use jitterscope_engine::plan::work::CycleKind;
use jitterscope_engine::plan::{
    CpuChoice, FrameLoop, GameTick, Load, LoadCount, Plan, Priority, RealTime, SchedulingGaps,
    SettingChange, SleepAccuracy, SpinStrategies, SpinStrategy, WhatHelps, real_time,
};
use jitterscope_engine::platform::{self, Applied, Policy};
use jitterscope_engine::report::{
    Change, GapFigures, Measure, Options, Report, Scaling, TickFigures, WaitFigures,
};
use jitterscope_engine::run::{Ending, Labels, Run, counter};
use jitterscope_engine::units::format_time;

/// Returns a request to measure a plan on this PC.
pub(super) fn request(plan: Plan) -> Request {
    Request {
        plan,
        labels: Labels::default(),
        machine: Machine::read(),
        clock: ClockFacts::measure(),
        cpus: platform::cpu_facts(),
        trace: TraceMode::default(),
        ring_capacity: Request::RING_CAPACITY,
    }
}

fn start(plan: Plan) -> measure::Running {
    measure::start(request(plan), None, || {}).unwrap()
}

/// Waits for the end of a run, and returns the run.
pub(super) fn finish(running: &measure::Running) -> Arc<Run> {
    loop {
        match running.next_event() {
            Some(Event::Finished(run)) => {
                assert!(!matches!(run.ending, Ending::Failed(_)), "{:?}", run.ending);
                return run;
            }
            Some(_) => {}
            None => panic!("no run"),
        }
    }
}

/// Measures a plan; checks that the run is complete and is the same after being written and read.
pub(super) fn measure(plan: Plan) -> (Arc<Run>, Report) {
    let run = finish(&start(plan));
    assert_eq!(run.ending, Ending::Finished);
    assert_eq!(run.lost_count(), 0);
    let report = Report::of(&run, &Options::default());
    let mut file = Vec::new();
    format::write(&run, &mut file).unwrap();
    let read = format::read(&file).unwrap();
    assert_eq!(read, *run);
    assert_eq!(Report::of(&read, &Options::default()), report);
    (run, report)
}

/// Checks that a request for normal priority was granted. If the tests themselves run below normal priority,
/// the system may deny this user a higher one.
#[track_caller]
pub(super) fn assert_normal(applied: &Applied) {
    let own = platform::own_policy();
    let is_low = matches!(own, Policy::Nice(1..) | Policy::Batch(_) | Policy::Idle);
    let is_raise = applied.refusals.first().is_some_and(|refusal| refusal.call == "setpriority");
    if is_low && is_raise {
        println!("skipped: the tests run at {own}, {:?}", applied.refusals);
        assert!(!applied.is_as_requested(), "{applied:?}");
        return;
    }
    assert!(applied.is_as_requested(), "{applied:?}");
}

/// Returns a load of one thread.
pub(super) fn few_workers() -> Load {
    Load { count: LoadCount::Threads(1), ..SleepAccuracy::default().load }
}

#[test]
fn sleeps_are_all_counted_and_none_of_an_absolute_kind_is_early() {
    let plan = SleepAccuracy {
        count: 40,
        lengths: vec![Nanos::new(1), Nanos::from_millis(1)],
        methods: vec![
            jitterscope_engine::plan::sleep_accuracy::SleepMethod::Relative,
            jitterscope_engine::plan::sleep_accuracy::SleepMethod::Absolute,
        ],
        load: few_workers(),
        ..SleepAccuracy::default()
    };
    let (run, report) = measure(Plan::SleepAccuracy(plan));
    assert_eq!(report.rows.len(), 8);
    for row in &report.rows {
        let Some(waits) = row.figures.get::<WaitFigures>() else {
            panic!("{} has no waits", row.label)
        };
        assert_eq!(waits.actual.count, 40, "{}", row.label);
        assert!(Nanos::ZERO < waits.actual.min);
        if row.label.contains("absolute") {
            assert_eq!(waits.early_count, 0, "{}", row.label);
        }
    }
    // There are too few samples for a p99: nothing is graded, and the verdict states the reason.
    assert_eq!(report.verdict.grade, None);
    assert!(report.sentence().starts_with("Not enough samples for a verdict: 40 measured"));
    assert!(run.trials.iter().all(|trial| trial.complete));
}

/// Returns settings with a few long and short spins.
pub(super) fn few_spins() -> SpinStrategies {
    SpinStrategies {
        lengths: vec![Nanos::from_micros(50), Nanos::new(100)],
        count: 50,
        short_count: 200,
        circumstances: vec![LoadCondition::Idle],
        ..SpinStrategies::default()
    }
}

#[test]
fn spins_count_their_turns_and_never_end_early() {
    let (_, report) = measure(Plan::SpinStrategies(few_spins()));
    assert_eq!(report.rows.len(), 6);
    for row in &report.rows {
        let Some(waits) = row.figures.get::<WaitFigures>() else {
            panic!("{} has no waits", row.label)
        };
        let expected = if waits.requested == Nanos::new(100) { 200 } else { 50 };
        assert_eq!((waits.actual.count, waits.early_count), (expected, 0), "{}", row.label);
        assert!(0.0 < waits.spins, "{} has no turns", row.label);
    }
    // 50 waits give no interval of a mean: if more than one strategy may be the best, none is named.
    let finding = &report.verdict.finding;
    match &finding.key {
        Some(best) => {
            assert!(SpinStrategy::ALL.iter().any(|one| one.phrase().ends_with(best)), "{best}");
        }
        None => assert_eq!(finding.sentence, "Too few waits to compare the strategies."),
    }
}

#[test]
fn gaps_lie_within_the_time_of_their_probe_and_on_its_cpu() {
    let plan = SchedulingGaps { duration: Nanos::from_millis(600), ..SchedulingGaps::default() };
    let (run, report) = measure(Plan::SchedulingGaps(plan));
    let usable = platform::usable_cpus();
    assert_eq!(report.rows.len(), usable.len());
    for (trial, cpu) in run.trials.iter().zip(usable) {
        let applied = trial.applied.as_ref().unwrap();
        assert_eq!(applied.effective.cpus, [cpu]);
        let sum = trial.counters[counter::INTERVAL_SUM_NANOS];
        let threshold = trial.counters[counter::THRESHOLD_NANOS];
        assert!(trial.values().iter().all(|&gap| threshold <= gap));
        assert!(trial.values().iter().sum::<i64>() <= sum);
        assert!(trial.samples.cpus().all(|on| on.is_none() || on == Some(cpu)));
        let due: Vec<i64> = trial.samples.due_nanos().collect();
        assert!(due.windows(2).all(|pair| pair[0] < pair[1]), "gaps are out of order");
    }
    let gaps = || report.rows.iter().filter_map(|row| row.figures.get::<GapFigures>());
    // If a trace shows that threads of the tests caused gaps, the verdict ignores these gaps.
    let graded = gaps().map(|gaps| gaps.graded).max().unwrap();
    assert!(Nanos::ZERO < graded && gaps().all(|gaps| gaps.graded <= gaps.longest));
    let key = format!("longest {}", format_time(graded));
    assert_eq!(report.verdict.finding.key, Some(key));
}

/// Causes gaps by stopping the whole program for 50 ms. Repeats this until the program ends, because a slow
/// PC takes long to start the probes, and on a busy one a probe may be interrupted already.
#[cfg(unix)]
#[test]
fn a_stopped_program_is_found_on_every_cpu_as_one_stall() {
    let cli = crate::cli::program();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("gaps.json");
    let mut child = std::process::Command::new(cli)
        .args(["scheduling-gaps", "--duration", "5s", "--no-save", "--quiet", "--format", "json"])
        .arg("--out")
        .arg(&out)
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    let signal = |name: &str| {
        let done = std::process::Command::new("kill").args([name, &id]).status().unwrap();
        assert!(done.success());
    };
    let status = loop {
        std::thread::sleep(Duration::from_millis(150));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        signal("-STOP");
        std::thread::sleep(Duration::from_millis(50));
        signal("-CONT");
    };
    assert!(status.success());
    let run = format::read(&std::fs::read(&out).unwrap()).unwrap();
    let report = Report::of(&run, &Options::default());
    let everywhere: Vec<_> = report
        .results::<jitterscope_engine::report::Stall>()
        .iter()
        .filter(|stall| stall.is_everywhere)
        .collect();
    if run.trials.len() < 2 {
        eprintln!("skipped: one CPU has no stall of several");
        return;
    }
    assert!(
        everywhere.iter().any(|stall| Nanos::from_millis(49) <= stall.length),
        "no stall of 50 ms on every CPU: {everywhere:?}"
    );
}

#[test]
fn a_refused_policy_is_said_and_the_normal_half_still_runs() {
    // Linux denies DEADLINE to every pinned thread.
    let plan = RealTime {
        time_each: Nanos::from_secs(1),
        turn: Nanos::from_millis(500),
        cpu: CpuChoice::Performance,
        policies: vec![Priority::Deadline(real_time::UNFILLED)],
        load: Load::NONE,
        ..RealTime::default()
    };
    let (run, report) = measure(Plan::RealTime(plan));
    assert_eq!(report.rows.len(), 2);
    let (normal, deadline) = (&report.rows[0], &report.rows[1]);
    assert!(normal.summary.is_some());
    if cfg!(target_os = "linux") {
        for &trial in &normal.trials {
            assert_normal(run.trials[trial].applied.as_ref().unwrap());
        }
    }
    assert!(!deadline.is_as_requested(), "a pinned deadline was granted");
    let refusals = &deadline.granted.as_ref().unwrap().refusals;
    assert!(!refusals.is_empty() && !refusals[0].reason.is_empty());
    assert_eq!(report.results::<Change>()[0].reduction(Measure::StdDev), None);
    assert_eq!(report.verdict.grade, None);
}

#[cfg(target_os = "linux")]
#[test]
fn policies_are_granted_and_held_against_normal_where_the_machine_permits() {
    let policies =
        vec![Priority::Fifo(10), Priority::RoundRobin(10), Priority::Deadline(real_time::UNFILLED)];
    // Measures twice as many samples as an interval needs, because a busy PC misses frames.
    let plan = RealTime {
        time_each: Nanos::from_secs(4),
        turn: Nanos::from_secs(1),
        policies,
        load: Load::NONE,
        ..RealTime::default()
    };
    let (run, report) = measure(Plan::RealTime(plan));
    assert_eq!(report.rows.len(), 4);
    assert_eq!(run.trials.len(), 16);
    if !report.rows.iter().all(jitterscope_engine::report::Configuration::is_as_requested) {
        eprintln!("skipped: real-time scheduling is not granted here");
        return;
    }
    for change in report.results::<Change>() {
        let fall = change.reduction(Measure::StdDev).expect("a change of the period");
        assert!(fall.interval.is_some());
    }
    // The runtime requested with DEADLINE depends on the duration of the work; the applied value is in this
    // range.
    let deadline = run.trials.iter().find(|trial| trial.trial.label == "DEADLINE").unwrap();
    let runtime = deadline.counters[counter::RUNTIME_NANOS];
    assert!((16_666_667 / 10..=16_666_667 / 2).contains(&runtime), "{runtime}");
}

/// Returns a What helps test of two changes, with a fast frame loop in a few short blocks.
pub(super) fn few_changes() -> WhatHelps {
    let baseline = FrameLoop {
        fps: 240.0,
        time_each: Nanos::from_secs(1),
        warm_up: Nanos::from_millis(100),
        rounds: 3,
        load: Load::NONE,
        ..WhatHelps::default().baseline
    };
    let changes = vec![SettingChange::SpinTail, SettingChange::Highest];
    WhatHelps { baseline, changes, together: None }
}

/// Returns a game tick test with a few cycles of a small game, on one and on two threads.
pub(super) fn few_cycles() -> GameTick {
    GameTick {
        kinds: vec![CycleKind::Players, CycleKind::Npcs],
        players: 120,
        npcs: 40,
        counts: ThreadCounts::Custom,
        custom: vec![2],
        iterations: 3,
        warm_up: Nanos::from_millis(50),
        iteration: Nanos::from_millis(200),
        ..GameTick::default()
    }
}

#[test]
fn cycles_of_a_game_are_counted_on_every_number_of_threads() {
    let (run, report) = measure(Plan::GameTick(few_cycles()));
    assert_eq!(report.rows.len(), 4);
    for row in &report.rows {
        let Some(ticks) = row.figures.get::<TickFigures>() else {
            panic!("{} has no cycles", row.label)
        };
        assert!(0.0 < ticks.mean_nanos && ticks.error_nanos.is_some(), "{}", row.label);
        let phases: f64 = ticks.phase_nanos.unwrap().iter().sum();
        assert!(0.0 < phases && phases <= ticks.cycles.mean_nanos, "{}: {phases}", row.label);
    }
    assert!(run.trials.iter().all(|trial| 20 <= trial.counters[counter::WARM_UP_CYCLES]));
    assert_eq!(report.results::<Scaling>().len(), 4);
    assert!(report.results::<Scaling>().iter().all(|scaling| scaling.speed_up.is_some()));
}

#[test]
fn every_kind_of_test_is_stopped_and_retains_what_was_measured() {
    for plan in Plan::all() {
        let key = plan.key();
        let running = start(plan);
        loop {
            match running.next_event() {
                Some(Event::Samples { .. }) => break,
                Some(Event::Finished(_)) | None => {
                    panic!("{key} ended before it was stopped")
                }
                Some(_) => {}
            }
        }
        running.stop();
        let run = finish(&running);
        assert_eq!(run.ending, Ending::Stopped, "{key}");
        assert!(0 < run.sample_count(), "{key}");
        let report = Report::of(&run, &Options::default());
        assert_eq!(report.verdict.grade, None, "{key}: a stopped run is not judged");
    }
}
