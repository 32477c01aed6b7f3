//! Everyday habits: a test that is stopped from another page, settings after a restart, a desktop without
//! dialogs, plots that are looked at closer.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use jitterscope::session::PageId;
use jitterscope_engine::export::{self, Format, Options};
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report;
use jitterscope_engine::run::Run;

use super::snapshots::made::run_of;
use super::window::{step_until, window, window_with_settings};

fn made(key: &str) -> Run {
    let plan = Plan::all().into_iter().find(|plan| plan.key() == key).unwrap();
    run_of(1, "made", plan, |_| false)
}

#[test]
fn a_running_test_is_stopped_from_any_page_and_by_esc_only_where_it_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness.key_press(Key::F5);
    step_until(&mut harness, |app| app.session().is_running());
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.step();
    assert_eq!(harness.state().page(), PageId::Runs, "the frame after the key shows the page");
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(harness.state().session().is_running(), "Esc belongs to this page");
    // Another test asks first; the one that runs goes on meanwhile.
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num4);
    harness.step();
    harness.key_press(Key::F5);
    harness.run_steps(2);
    harness.get_by_label("Frame loop is running. Stop it and start Spin strategies?");
    harness.get_by_label("Keep running").click();
    harness.run_steps(2);
    assert!(harness.state().session().live().is_some_and(|(one, _)| one.key() == "frame-loop"));
    harness.get_by_label("Stop Frame loop").click();
    step_until(&mut harness, |app| !app.session().is_busy());
    assert_eq!(harness.state().page(), PageId::Test("spin-strategies"));
}

#[test]
fn settings_of_tests_are_those_of_the_last_time() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |harness: &egui_kittest::Harness<'_, jitterscope::App>| {
        harness.state().session().bench("frame-loop").unwrap().plan().clone()
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
fn without_dialogs_of_the_system_the_window_asks_for_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let run = made("spin-strategies");
    let report = report::Report::of(&run, &report::Options::default());
    let path = folder.path().join("given.json");
    let mut file = std::fs::File::create(&path).unwrap();
    export::write(Format::Json, &run, &report, &Options::default(), &mut file).unwrap();
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
    step_until(&mut harness, |app| app.page() == PageId::Test("spin-strategies"));
}
