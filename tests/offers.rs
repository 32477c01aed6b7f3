//! Follow-up actions that pages offer: waiting for quiet, allowing what is denied, inspecting a late frame
//! without moving the page.

use std::path::PathBuf;

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::{App, PageId};
use jitterscope_engine::machine::Machine;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{CpuFacts, FrameLoop, Load, Plan, Probe as _, Wait};
use jitterscope_engine::report::Standing;
use jitterscope_engine::run::{METHOD_VERSION, Run, Trace, TrialRun, counter};
use jitterscope_engine::sample::{Sample, TraceEvent, TraceRecord};
use jitterscope_engine::store::Store;

use super::exchange::sample;
use super::window::{Poll, step_until, window};

/// Returns a run of one configuration in which every 20th frame is 3 ms late.
pub(super) fn late_run() -> Run {
    let mut run = sample::run("");
    run.trials.truncate(1);
    let period = run.trials[0].trial.pace.period();
    let frame = |slot: i64| {
        let due = period * slot;
        let late = if slot % 20 == 0 { Nanos::from_millis(3) } else { Nanos::from_micros(9) };
        let woke = due + late;
        let done = woke + Nanos::from_millis(2);
        let began = due - Nanos::from_millis(10);
        Sample { began, due, slept: None, woke, done, spins: 0, cpu: None }
    };
    run.trials[0].samples = (1..=1_200).map(frame).collect();
    run.trials[0].evidence.clear();
    run
}

/// Returns the same run with a record that chrome and cargo used more than one CPU.
fn disturbed_run() -> Run {
    let mut run = late_run();
    let busy = |name: u32, permille: i64| TraceRecord {
        at: Nanos::from_secs(1),
        event: TraceEvent::Busy,
        cpu: 0,
        thread: Some(9),
        name: Some(name),
        value: Some(permille),
    };
    let names = ["chrome", "cargo"].map(str::to_owned).to_vec();
    let trial = &mut run.trials[0];
    trial.trace = Some(Trace::from_records(names, &[busy(0, 620), busy(1, 310)]));
    for (name, millis) in
        [(counter::FOREIGN_CPU_NANOS, 1_550), (counter::FOREIGN_WINDOW_NANOS, 1_000)]
    {
        trial.counters.insert(name.to_owned(), millis * 1_000_000);
    }
    run
}

/// Opens a window on the page of the run.
fn showing(folder: &tempfile::TempDir, run: &Run) -> Harness<'static, App> {
    let path: PathBuf = Store::at(folder.path()).save(run).unwrap();
    let store = Store::at(folder.path());
    let mut harness = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)).opening(vec![path]));
    step_until(&mut harness, |app| {
        app.page == PageId::Test("frame-loop") && app.session.machine.facts().is_some()
    });
    step_until(&mut harness, |app| app.session.running.shown("frame-loop").is_some());
    harness.run_steps(3);
    harness
}

#[test]
fn a_disturbed_result_names_busy_programs_and_runs_again_when_it_is_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let run = disturbed_run();
    let mut harness = showing(&folder, &run);
    harness.get_by_label_contains("Busiest programs: chrome 62.0% of one CPU, cargo 31.0%.");
    harness.get_by_label("Wait for quiet and run again").click();
    step_until(&mut harness, |app| {
        app.session.running.waiting.is_some() || app.session.running.is_running()
    });
    // On a quiet PC, the wait may already be over.
    if harness.state().session.running.waiting.is_some() {
        harness.get_by_label("Waiting for quiet");
        harness.get_by_label_contains("Waiting until other programs are quiet");
        harness.get_by_label("Measure now").click();
    }
    step_until(&mut harness, |app| app.session.running.is_running());
    let state = harness.state().session.running.test("frame-loop").unwrap();
    assert_eq!(Some(&state.plan), run.plan(), "with the settings of the result");
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::F5);
    step_until(&mut harness, |app| !app.session.running.is_busy());
}

#[test]
fn a_policy_that_is_denied_here_is_stated_before_the_test_starts() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num6);
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Test("real-time"));
    let facts = harness.state().session.machine.facts().unwrap().clone();
    let words = "is denied on this PC: the test would end without a verdict.";
    if facts.realtime.is_granted {
        assert!(harness.query_by_label_contains(words).is_none());
        return;
    }
    harness.get_by_label_contains(words);
    harness.get_by_label("How to allow it");
    harness.key_press(egui::Key::F5);
    harness.run_steps(3);
    harness.get_by_label_contains("Run the test without ");
    assert!(!harness.state().session.running.is_running(), "it asks first");
    harness.get_by_label("Cancel").click();
    harness.run_steps(3);
    assert!(!harness.state().session.running.is_running());
    harness.key_press(egui::Key::F5);
    harness.run_steps(3);
    harness.get_by_label("Run anyway").click();
    step_until(&mut harness, |app| app.session.running.is_running());
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::F5);
    step_until(&mut harness, |app| !app.session.running.is_busy());
}

#[test]
fn a_selected_late_frame_moves_no_button_and_shrinks_no_plot() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = showing(&folder, &late_run());
    let places = |harness: &Harness<'_, App>| {
        let button = harness.get_by_label("Maximize the plot (E)").rect();
        let step = harness.get_by_label("Previous late frame (P)").rect();
        let plot = harness.get_by_label_contains("Timeline, ").rect();
        [button, step, plot]
    };
    let before = places(&harness);
    harness.get_by_label("Next late frame (N)").click();
    harness.run_steps(4);
    harness.get_by_label("Clear selection");
    assert_eq!(places(&harness), before);
}

#[test]
fn a_maximized_plot_fills_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = showing(&folder, &late_run());
    harness.set_size(egui::vec2(1_000.0, 640.0));
    harness.run_steps(4);
    let plot = |harness: &Harness<'_, App>| harness.get_by_label_contains("Timeline, ").rect();
    let before = plot(&harness).height();
    harness.key_press(egui::Key::E);
    harness.run_steps(4);
    assert!(plot(&harness).height() > 2.0 * before, "{before} and {:?}", plot(&harness));
    assert!(plot(&harness).bottom() < 640.0, "{:?}", plot(&harness));
    assert!(harness.query_by_label("Copy report").is_none());
    harness.key_press(egui::Key::Escape);
    harness.run_steps(4);
    assert!((plot(&harness).height() - before).abs() < 1.0);
    harness.get_by_label("Copy report");
}

#[test]
fn opening_a_result_lays_out_no_frame_twice_after_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = showing(&folder, &late_run());
    // The first share of a CPU that the window uses is known after a second, and appears in the status bar.
    let mut poll = Poll::new();
    while harness.query_by_label_contains("App CPU").is_none() {
        poll.wait("the CPU use of the window");
        harness.step();
    }
    for frame in 0..4 {
        harness.step();
        let output = &harness.output().platform_output;
        let reasons = &output.request_discard_reasons;
        assert_eq!(output.num_completed_passes, 1, "frame {frame}: {reasons:?}");
    }
}

#[test]
fn a_changed_setting_moves_no_field() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    let field = |harness: &Harness<'_, App>| {
        harness.get_by_role_and_label(Role::SpinButton, "Frame loop, repeat").rect()
    };
    let before = field(&harness);
    let plan = harness.state().session.running.test("frame-loop").unwrap().plan.clone();
    harness.get_by_label("Frame loop, loop, target frame rate, 120").click();
    harness.run_steps(4);
    let changed = harness.state().session.running.test("frame-loop").unwrap().plan.clone();
    assert_ne!(changed, plan);
    harness.get_by_label("Save as preset");
    assert_eq!(field(&harness), before);
}

#[test]
fn an_undecided_result_of_a_test_is_measured_longer_as_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let plan = FrameLoop {
        time_each: Nanos::from_secs(2),
        wait: Wait::OsSleep,
        load: Load::NONE,
        ..FrameLoop::default()
    };
    let (period, stage) = (plan.period(), plan.stages(&CpuFacts::default()).remove(0));
    let mut trial = TrialRun::new(0, stage.trials[0].clone(), stage.load);
    let frame = |k: i64| {
        let (due, late) = (period * k, if k % 60 == 7 { 9_000 } else { 60 });
        let woke = due + Nanos::from_micros(late);
        Sample { began: due - period, due, slept: None, woke, done: woke, spins: 0, cpu: None }
    };
    trial.samples = (1..=120).map(frame).collect();
    trial.applied = sample::run("").trials[0].applied.clone();
    trial.complete = true;
    let run = Run {
        method_version: METHOD_VERSION,
        machine: Machine::read(),
        subject: Plan::FrameLoop(plan).into(),
        trials: vec![trial],
        annotations: Vec::new(),
        ..sample::run("few")
    };
    let mut harness = showing(&folder, &run);
    let shown = |app: &App| app.session.running.shown("frame-loop").cloned();
    let before = shown(harness.state()).unwrap();
    assert!(matches!(before.report.verdict.standing, Standing::NotEnoughData(_)));
    harness.get_by_label_contains("Measure longer (").click();
    step_until(&mut harness, |app| app.session.running.is_running());
    step_until(&mut harness, |app| !app.session.running.is_busy());
    let after = shown(harness.state()).unwrap();
    assert_eq!((&after.run.id, &after.path), (&before.run.id, &before.path));
    assert!(before.run.trials.len() < after.run.trials.len(), "it is joined to what was measured");
}
