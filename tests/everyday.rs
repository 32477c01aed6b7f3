//! Everyday use: stopping a test from another page, the user's own presets, settings and results after a
//! restart, a second start of the app, a desktop without file dialogs.

use std::path::{Path, PathBuf};

use egui::{Event, Key, Modifiers, ViewportCommand};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::App;
use jitterscope::PageId;
use jitterscope::{Instance, Settings, SettingsFile, Start};
use jitterscope_engine::export::{self, Format, Options};
use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{FrameLoop, Load, Plan};
use jitterscope_engine::report;
use jitterscope_engine::run::{Annotation, Run, counter};
use jitterscope_engine::store::{self, Store};

use super::plots::opened;
use super::snapshots::made::run_of;
use super::tidy::root;
use super::window::{
    Poll, start_measuring, step_until, unloaded_window, window, window_with_settings,
};

fn made(key: &str) -> Run {
    let plan = Plan::all().into_iter().find(|plan| plan.key() == key).unwrap();
    run_of(1, "made", plan, |_| false)
}

/// Writes a run of spins as a JSON file that another user might send; returns its path.
fn given(folder: &Path) -> PathBuf {
    let run = made("spin-strategies");
    let report = report::Report::of(&run, &report::Options::default());
    let path = folder.join("given.json");
    let mut file = std::fs::File::create(&path).unwrap();
    export::write(Format::Json, &run, &report, &Options::default(), &mut file).unwrap();
    path
}

fn go(harness: &mut Harness<'_, App>, key: Key) {
    harness.key_press_modifiers(Modifiers::COMMAND, key);
    harness.run_steps(3);
}

fn click(harness: &mut Harness<'_, App>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(3);
}

fn type_text(harness: &mut Harness<'_, App>, text: &str, end: Key) {
    harness.event(Event::Text(text.to_owned()));
    harness.run_steps(2);
    harness.key_press(end);
    harness.run_steps(3);
}

#[test]
fn a_running_test_is_stopped_from_any_page_and_by_esc_only_where_it_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = unloaded_window(&folder);
    harness.key_press(Key::F5);
    step_until(&mut harness, |app| app.session.running.is_running());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.step();
    assert_eq!(harness.state().page, PageId::Runs, "the frame after the key shows the page");
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(harness.state().session.running.is_running(), "Esc belongs to this page");
    // An example would hide the running test.
    click(&mut harness, "Open example: Frame loop with a late frame");
    harness.get_by_label_contains("A test is running. Open the example when it is finished.");
    // Starting another test asks for confirmation first; until it is given, the running test continues.
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num4);
    harness.step();
    harness.key_press(Key::F5);
    harness.run_steps(2);
    harness.get_by_label("Frame loop is running. Stop it and start Spin strategies?");
    harness.get_by_label("Keep running").click();
    harness.run_steps(2);
    assert!(
        harness.state().session.running.live().is_some_and(|(one, _)| one.key() == "frame-loop")
    );
    harness.get_by_label("Stop Frame loop").click();
    step_until(&mut harness, |app| !app.session.running.is_busy());
    assert_eq!(harness.state().page, PageId::Test("spin-strategies"));
}

#[test]
fn the_empty_page_of_every_test_offers_to_stop_the_running_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness.set_size(egui::vec2(1000.0, 640.0));
    go(&mut harness, Key::Num4);
    harness.key_press(Key::F5);
    step_until(&mut harness, |app| app.session.running.is_running());
    for (key, name) in [(Key::Num2, "Frame loop"), (Key::Num3, "Sleep accuracy")] {
        go(&mut harness, key);
        for run in harness.get_all_by_label("Run test") {
            assert!(run.rect().right() < 1000.0, "{:?} is cut", run.rect());
        }
        // Both the top bar and the page have this button; click the one on the page.
        harness.get_all_by_label("Run test").last().unwrap().click();
        harness.run_steps(3);
        harness.get_by_label(&format!("Spin strategies is running. Stop it and start {name}?"));
        click(&mut harness, "Keep running");
    }
    click(&mut harness, "Stop Spin strategies");
    step_until(&mut harness, |app| !app.session.running.is_busy());
}

#[test]
fn a_moment_marked_during_a_test_is_saved_with_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = unloaded_window(&folder);
    start_measuring(&mut harness);
    for _ in 0..2 {
        harness.get_by_label_contains("Timeline, ").focus();
        harness.run_steps(2);
        harness.key_press(Key::M);
        harness.run_steps(2);
    }
    // Stop the test from another page, so that the page of the test never shows the result.
    go(&mut harness, Key::Num8);
    harness.get_by_label("Stop Frame loop").click();
    step_until(&mut harness, |app| app.session.library.count() == 1);
    let run = store::load(&Store::at(folder.path()).lines().unwrap()[0].path).unwrap();
    let marks: Vec<_> = run.annotations.iter().map(|one| (one.trial, one.text.as_str())).collect();
    assert_eq!(marks, [(0, "Mark 1"), (0, "Mark 2")]);
    assert!(run.annotations.iter().all(|one| Nanos::ZERO < one.from));
}

/// Calls `mark` until the label of the mark button is `next`, which shows that a mark was added.
fn mark(harness: &mut Harness<'_, App>, next: &str, mark: impl Fn(&mut Harness<'_, App>)) {
    while harness.query_by_label(next).is_none() {
        // Between two trials, no mark can be added: wait for the first sample of a trial.
        step_until(harness, |app| {
            let live = app.session.running.live();
            let trial = live.and_then(|(_, live)| live.current());
            trial.is_some_and(|trial| trial.samples.last().is_some())
        });
        mark(harness);
        harness.run_steps(3);
    }
}

#[test]
fn moments_of_every_test_are_marked_by_key_and_by_button() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = unloaded_window(&folder);
    go(&mut harness, Key::Num4);
    start_measuring(&mut harness);
    harness.get_by_label("Stop").focus();
    harness.run_steps(2);
    mark(&mut harness, "Mark 2", |harness| harness.key_press(Key::M));
    mark(&mut harness, "Mark 3", |harness| harness.get_by_label("Mark 2").click());
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F5);
    step_until(&mut harness, |app| app.session.library.count() == 1);
    let run = store::load(&Store::at(folder.path()).lines().unwrap()[0].path).unwrap();
    let marks: Vec<_> = run.annotations.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(marks, ["Mark 1", "Mark 2"]);
}

#[test]
fn settings_of_tests_are_those_of_the_last_time() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |harness: &Harness<'_, App>| {
        harness.state().session.running.test("frame-loop").unwrap().plan.clone()
    };
    let changed = {
        let mut harness = window_with_settings(&folder);
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
        harness.run_steps(3);
        let before = plan(&harness);
        harness.get_by_label("Frame loop, loop, target frame rate, 144").click();
        harness.run_steps(3);
        assert_ne!(plan(&harness), before);
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
        harness.run_steps(3);
        let file = folder.path().join("settings.json");
        step_until(&mut harness, |_| {
            std::fs::read_to_string(&file).is_ok_and(|text| text.contains("\"fps\": 144"))
        });
        plan(&harness)
    };
    let harness = window_with_settings(&folder);
    assert_eq!(plan(&harness), changed);
}

#[test]
fn many_annotations_are_drawn_at_once_and_a_result_that_was_not_drawn_is_omitted() {
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("assets/examples/frame-loop-fifo.jitterscope.json");
    let mut run = store::load(&example).unwrap();
    let annotation = |number: i64| {
        let at = Nanos::from_micros(10 * number);
        Annotation { trial: 0, from: at, to: at, text: format!("note {number}") }
    };
    run.annotations = (0..100_000).map(annotation).collect();
    run.note = "x".repeat(1 << 20);
    run.tags = (0..20_000).map(|number| format!("tag {number}")).collect();
    let path = Store::at(folder.path().join("runs")).save(&run).unwrap();
    let results = [("frame-loop".to_owned(), path.clone())].into();
    let page = "frame-loop".to_owned();
    let settings = Settings { results, page, is_welcomed: true, ..Settings::default() };
    SettingsFile::at(folder.path()).save(&settings).unwrap();
    let shown = |app: &App| app.session.running.test("frame-loop").unwrap().shown.is_some();
    let marker = folder.path().join("last-result.opening");
    {
        let mut harness = window_with_settings(&folder);
        step_until(&mut harness, shown);
        harness.run_steps(4);
        let others = harness.query_all_by_label_contains("more; zoom in to list them");
        assert_eq!(others.count(), 1);
        assert!(!marker.exists(), "the result was drawn");
    }
    // As a window leaves it that was killed while it opened the result.
    std::fs::write(&marker, path.to_str().unwrap()).unwrap();
    let mut harness = window_with_settings(&folder);
    harness.run_steps(4);
    assert!(!shown(harness.state()));
    assert!(
        harness.query_all_by_label_contains("The last result is not opened again").next().is_some()
    );
    assert!(harness.state().session.settings().results.is_empty());
    let file = folder.path().join("settings.json");
    step_until(&mut harness, |_| {
        std::fs::read_to_string(&file).is_ok_and(|text| text.contains("\"results\": {}"))
    });
    drop(harness);
    let mut harness = window_with_settings(&folder);
    harness.run_steps(4);
    assert!(!shown(harness.state()), "it is not tried again");
    assert!(!marker.exists());
}

#[test]
fn without_dialogs_of_the_system_the_window_asks_for_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = given(folder.path());
    let runs = tempfile::tempdir().unwrap();
    let mut harness = window(&runs);
    harness.state_mut().ask_for_paths_in_window();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    harness.run_steps(4);
    harness.get_by_label("Open runs and captures");
    harness.get_by_label("Path").focus();
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run_steps(2);
    harness.get_by_label("Path").type_text(&format!("{}/giv", folder.path().display()));
    harness.run_steps(3);
    harness.get_by_label("Enter an existing file or folder.");
    harness.get_by_label(&path.display().to_string()).click();
    harness.run_steps(3);
    harness.get_by_label("Open").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| app.page == PageId::Test("spin-strategies"));
}

#[test]
fn an_own_preset_is_saved_renamed_exported_deleted_and_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let own = |app: &App| -> Vec<String> {
        app.session.settings().own_presets("frame-loop").map(|(name, _)| name.to_owned()).collect()
    };
    let file = folder.path().join("arena.preset.json");
    let measured = {
        let mut harness = window_with_settings(&folder);
        go(&mut harness, Key::Num2);
        click(&mut harness, "Frame loop, loop, target frame rate, 120");
        click(&mut harness, "Save as preset");
        type_text(&mut harness, "Forgotten", Key::Escape);
        assert_eq!(own(harness.state()), [""; 0], "Esc saves nothing");
        click(&mut harness, "Save as preset");
        type_text(&mut harness, "Arena", Key::Enter);
        assert_eq!(own(harness.state()), ["Arena"]);
        click(&mut harness, "Rename preset");
        type_text(&mut harness, " 120", Key::Enter);
        assert_eq!(own(harness.state()), ["Arena 120"]);
        click(&mut harness, "Frame loop, loop, target frame rate, 240");
        click(&mut harness, "Save as preset");
        type_text(&mut harness, "Arena 120", Key::Enter);
        assert_eq!(own(harness.state()), ["Arena 120", "Arena 120 2"], "the other one stays");
        click(&mut harness, "Delete");
        click(&mut harness, "Frame loop, loop, target frame rate, 120");
        assert_eq!(own(harness.state()), ["Arena 120"]);
        harness.state_mut().set_next_dialog_answer(vec![file.clone()]);
        click(&mut harness, "Export…");
        step_until(&mut harness, |_| file.exists());
        go(&mut harness, Key::Num8);
        let settings = folder.path().join("settings.json");
        step_until(&mut harness, |_| {
            let text = std::fs::read_to_string(&settings).unwrap_or_default();
            text.contains("\"Arena 120\"") && 2 <= text.matches("\"fps\": 120").count()
        });
        harness.state().session.running.test("frame-loop").unwrap().plan.clone()
    };
    // After a restart, the preset still exists. After it is deleted, opening its file restores it.
    let mut harness = window_with_settings(&folder);
    assert_eq!(own(harness.state()), ["Arena 120"]);
    go(&mut harness, Key::Num2);
    click(&mut harness, "Delete");
    assert_eq!(own(harness.state()), [""; 0]);
    click(&mut harness, "Frame loop, loop, target frame rate, 60");
    go(&mut harness, Key::Num8);
    harness.state_mut().set_next_dialog_answer(vec![file]);
    go(&mut harness, Key::O);
    step_until(&mut harness, |app| own(app) == ["Arena 120"]);
    assert_eq!(harness.state().page, PageId::Test("frame-loop"));
    assert_eq!(&harness.state().session.running.test("frame-loop").unwrap().plan, &measured);
    // Renaming a preset to a name that is taken appends a number.
    click(&mut harness, "Frame loop, loop, target frame rate, 240");
    click(&mut harness, "Save as preset");
    type_text(&mut harness, "Arena", Key::Enter);
    click(&mut harness, "Rename preset");
    type_text(&mut harness, " 120", Key::Enter);
    assert_eq!(own(harness.state()), ["Arena 120", "Arena 120 2"]);
}

#[test]
fn the_page_and_its_last_result_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    Store::at(folder.path().join("runs")).save(&made("spin-strategies")).unwrap();
    {
        let mut harness = window_with_settings(&folder);
        step_until(&mut harness, |app| app.session.library.count() == 1);
        go(&mut harness, Key::Num8);
        harness.get_by_label("Open made").click_accesskit();
        step_until(&mut harness, |app| app.page == PageId::Test("spin-strategies"));
        go(&mut harness, Key::Num3);
        go(&mut harness, Key::Num4);
        let file = folder.path().join("settings.json");
        step_until(&mut harness, |_| {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            text.contains("\"page\": \"spin-strategies\"") && text.contains("\"results\": {\n")
        });
    }
    let mut harness = window_with_settings(&folder);
    assert_eq!(harness.state().page, PageId::Test("spin-strategies"));
    step_until(&mut harness, |app| app.session.running.shown("spin-strategies").is_some());
    harness.run_steps(3);
    harness.get_by_label("Export…");
    assert!(harness.state().session.running.shown("sleep-accuracy").is_none(), "it had none");
}

#[test]
fn a_second_start_brings_the_window_to_the_front_and_hands_it_its_files() {
    let (settings, runs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = given(settings.path());
    let Start::First(first) = Instance::claim(settings.path(), &[]) else { panic!("not first") };
    let store = Store::at(runs.path());
    let mut harness = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)).started(Start::First(first)));
    step_until(&mut harness, |app| app.session.machine.facts().is_some());
    let folder = settings.path().to_owned();
    // On a busy PC, the first window may not answer in time: then try again.
    let second = move || loop {
        let start = Instance::claim(&folder, std::slice::from_ref(&file));
        if !matches!(start, Start::Busy) {
            return start;
        }
    };
    let second = std::thread::Builder::new().name("second".to_owned()).spawn(second).unwrap();
    let (mut poll, mut is_focused) = (Poll::new(), false);
    while harness.state().page != PageId::Test("spin-strategies") {
        poll.wait("the page of the file");
        harness.step();
        let viewports = harness.output().viewport_output.values();
        is_focused |=
            viewports.flat_map(|one| &one.commands).any(|it| *it == ViewportCommand::Focus);
    }
    assert!(is_focused);
    assert!(matches!(second.join().unwrap(), Start::HandedOver));
}

#[test]
fn welcome_page_starts_the_check_by_key_and_every_visit_begins_at_its_button() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window_with_settings(&folder);
    assert_eq!(harness.state().page, PageId::Welcome);
    harness.key_press(Key::F5);
    step_until(&mut harness, |app| app.session.running.quick.check.is_some());
    assert_eq!(harness.state().page, PageId::Quick);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F5);
    drop(harness);
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    for _ in 0..2 {
        go(&mut harness, Key::Num1);
        let start = harness.get_all_by_label("Run check").last().unwrap();
        assert!(start.accesskit_node().is_focused());
        harness.get_by_label("Select measurements").focus();
        go(&mut harness, Key::Comma);
    }
}

#[test]
fn report_of_an_own_run_opens_the_run_itself() {
    let (folder, runs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let report = given(folder.path());
    let run = Run { note: "with every name".to_owned(), ..made("spin-strategies") };
    Store::at(runs.path()).save(&run).unwrap();
    let mut harness = window(&runs);
    harness.state_mut().set_next_dialog_answer(vec![report]);
    go(&mut harness, Key::O);
    step_until(&mut harness, |app| app.session.running.shown("spin-strategies").is_some());
    let shown = harness.state().session.running.shown("spin-strategies").unwrap();
    assert_eq!(shown.run.note, "with every name");
}

#[test]
fn a_window_next_to_one_that_does_not_respond_warns() {
    let runs = tempfile::tempdir().unwrap();
    let store = Store::at(runs.path());
    let mut harness = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)).started(Start::Busy));
    harness.run_steps(3);
    harness.get_by_label_contains("Two windows that measure at the same time");
}

#[test]
fn repeats_are_marked_and_a_stop_ends_the_series() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = unloaded_window(&folder);
    harness.get_by_label("Frame loop, repeat").focus();
    harness.run_steps(2);
    for _ in 0..2 {
        harness.key_press(Key::ArrowUp);
        harness.run_steps(2);
    }
    assert_eq!(harness.state().session.running.test("frame-loop").unwrap().repeat, 3);
    start_measuring(&mut harness);
    assert_eq!(harness.state().session.running.sequence.as_ref().unwrap().place(), (1, 3));
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F5);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    step_until(&mut harness, |app| app.session.library.count() == 1);
    assert!(harness.state().session.running.sequence.is_none());
    let run = store::load(&Store::at(folder.path()).lines().unwrap()[0].path).unwrap();
    assert_eq!(run.tags, ["repeat 1/3"]);
}

#[test]
fn a_result_is_measured_again_with_a_trace_and_its_own_settings() {
    let folder = tempfile::tempdir().unwrap();
    let frames = FrameLoop { fps: 240.0, order_seed: 0, load: Load::NONE, ..FrameLoop::default() };
    let run = run_of(7, "made", Plan::FrameLoop(frames), |_| false);
    let (mut harness, path) = opened(&folder, &run);
    step_until(&mut harness, |app| app.session.machine.facts().is_some());
    harness.get_by_label("Frame loop, trace, Off").click_accesskit();
    harness.run_steps(3);
    harness.get_by_label("Trace is off. Causes come from counters.");
    let state = |harness: &Harness<'_, App>| {
        let state = harness.state().session.running.test("frame-loop").unwrap();
        (state.plan.clone(), state.trace)
    };
    let (plan, trace) = state(&harness);
    assert!(Some(&plan) != run.plan() && trace == TraceMode::Off, "{plan:?}, {trace:?}");
    let facts = harness.state().session.machine.facts().unwrap();
    if facts.trace.source.is_none() {
        assert!(harness.query_by_label("Run again with trace").is_none(), "{:?}", facts.trace);
        println!("skipped the rest: {:?}", facts.trace);
        return;
    }
    go(&mut harness, Key::Num4);
    harness.key_press(Key::F5);
    step_until(&mut harness, |app| app.session.running.is_running());
    go(&mut harness, Key::Num2);
    // The link is below the edge of the window, out of reach of the pointer.
    harness.get_by_label("Run again with trace").click_accesskit();
    harness.run_steps(3);
    harness.get_by_label("Spin strategies is running. Stop it and start Frame loop?");
    click(&mut harness, "Stop and start");
    step_until(&mut harness, |app| {
        app.session.running.live().is_some_and(|(one, _)| one.key() == "frame-loop")
    });
    let (plan, trace) = state(&harness);
    assert_eq!((Some(&plan), trace), (run.plan(), TraceMode::Off), "the user's choice stays");
    step_until(&mut harness, |app| {
        let trial = app.session.running.live().and_then(|(_, live)| live.current());
        trial.is_some_and(|trial| 10 < trial.samples.len())
    });
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F5);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    let runs = Store::at(folder.path()).lines().unwrap();
    let runs = runs.iter().filter(|entry| entry.path != path);
    let mut runs = runs.map(|entry| store::load(&entry.path).unwrap());
    let again = runs.find(|again| again.plan() == run.plan()).unwrap();
    assert!(again.trials[0].counters.contains_key(counter::TRACE_SOURCE), "it has a trace");
}
