//! Examples, and what a page without runs offers.

use egui_kittest::kittest::Queryable as _;
use jitterscope::{PageId, Progress};
use jitterscope_engine::store::Store;

use super::super::window::step_until;
use super::runs;

#[test]
fn an_example_opens_and_saves_nothing_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = runs(&folder, 0);
    harness.get_by_label("Example runs");
    harness.get_by_label("Open example: Comparison of two runs").click();
    step_until(&mut harness, |app| {
        matches!(&app.session.comparing.progress, Progress::Done(compared)
            if compared.runs.len() == 2)
    });
    assert_eq!(harness.state().session.library.count(), 0);
    harness.get_by_label("Example");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Open example: Quick check").click();
    step_until(&mut harness, |app| {
        app.page == PageId::Quick && app.session.running.quick.result.is_some()
    });
    harness.get_by_label("Not saved");
    harness.get_by_label("Example");
    assert!(Store::at(folder.path()).lines().unwrap().is_empty());
    // Open a new window, so that no messages about other examples are shown.
    drop(harness);
    let mut harness = runs(&folder, 0);
    harness.get_by_label("Open example: Quick check").click();
    harness.run_steps(3);
    harness.get_by_label("Save to library").click();
    step_until(&mut harness, |app| app.session.library.count() == 1);
    assert_eq!(Store::at(folder.path()).lines().unwrap().len(), 5, "all parts of the check");
    // Examples can be opened even if there are saved runs.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Open an example").click();
    harness.run_steps(3);
    harness.get_all_by_label("Scheduling gaps").last().unwrap().click();
    step_until(&mut harness, |app| app.page == PageId::Test("scheduling-gaps"));
    step_until(&mut harness, |app| app.session.running.shown("scheduling-gaps").is_some());
    harness.get_by_label("Example");
}

#[test]
fn the_example_of_a_capture_is_marked_and_saved_only_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = runs(&folder, 0);
    harness.get_by_label("Open example: Capture of a game").click_accesskit();
    step_until(&mut harness, |app| {
        app.page == PageId::Capture && app.session.running.capture.is_some()
    });
    harness.run_steps(3);
    harness.get_by_label("Example");
    assert!(Store::at(folder.path()).lines().unwrap().is_empty());
    let shown = harness.state().session.running.capture.as_ref().unwrap().clone();
    assert_eq!(shown.run.capture().unwrap().count(), 2_069);
    harness.get_by_label("Save to library").click();
    step_until(&mut harness, |app| app.session.library.count() == 1);
    assert_eq!(Store::at(folder.path()).lines().unwrap().len(), 1);
}

#[test]
fn a_page_without_runs_offers_to_record_and_to_open_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = runs(&folder, 0);
    let file = folder.path().join("log.csv");
    std::fs::write(&file, "fps,frametime\n".to_owned() + &"60,16.667\n".repeat(300)).unwrap();
    harness.state_mut().set_next_dialog_answer(vec![file]);
    harness.get_by_label("Open a game's log").click_accesskit();
    step_until(&mut harness, |app| app.page == PageId::Capture);
    let folder = tempfile::tempdir().unwrap();
    let mut harness = runs(&folder, 0);
    harness.get_by_label("Set up recording").click_accesskit();
    step_until(&mut harness, |app| app.page == PageId::Record);
}
