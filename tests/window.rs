//! The window through its labels: each task a person has.

use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::App;
use jitterscope_engine::store::Store;

/// A window over an empty folder of runs.
pub(super) fn window(folder: &tempfile::TempDir) -> Harness<'static, App> {
    let store = Store::at(folder.path());
    let mut harness = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)));
    step_until(&mut harness, |app| app.session().facts().is_some());
    harness
}

/// Lets the window go on until something holds; a minute is more than anything here takes.
pub(super) fn step_until(harness: &mut Harness<'_, App>, holds: impl Fn(&App) -> bool) {
    let began = Instant::now();
    while !holds(harness.state()) {
        assert!(began.elapsed() < Duration::from_secs(60), "it never came to hold");
        std::thread::sleep(Duration::from_millis(20));
        harness.step();
    }
    harness.step();
    harness.step();
}

#[test]
fn a_frame_loop_is_run_stopped_saved_and_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness.key_press(egui::Key::F5);
    step_until(&mut harness, |app| app.session().is_running());
    step_until(&mut harness, |app| {
        app.session()
            .live()
            .is_some_and(|(_, live)| live.current().is_some_and(|trial| 10 < trial.samples.len()))
    });
    harness.get_by_label_contains("Configuration 1 of 1: Normal, not pinned");
    harness.key_press(egui::Key::Escape);
    step_until(&mut harness, |app| !app.session().is_busy());
    assert!(harness.query_all_by_label_contains("Stopped early").next().is_some());
    step_until(&mut harness, |app| app.session().library().count() == 1);
    assert_eq!(Store::at(folder.path()).list().unwrap().len(), 1);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    assert_eq!(harness.state().page(), jitterscope::session::PageId::Runs);
}

#[test]
fn both_pages_are_drawn_in_both_themes_and_when_small() {
    for theme in [egui::Theme::Dark, egui::Theme::Light] {
        let folder = tempfile::tempdir().unwrap();
        let mut harness = window(&folder);
        harness.ctx.set_theme(theme);
        for size in [[1440.0, 900.0], [1000.0, 640.0], [720.0, 450.0]] {
            harness.set_size(egui::Vec2::from(size));
            for key in [egui::Key::Num8, egui::Key::Num2] {
                harness.key_press_modifiers(egui::Modifiers::COMMAND, key);
                harness.run_steps(3);
            }
        }
        harness.get_by_label_contains("How evenly does this PC start each frame?");
    }
}
