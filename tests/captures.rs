//! The page of an imported capture: what it shows in a small window.

use egui_kittest::kittest::Queryable as _;
use jitterscope_engine::report::RecordingFigures;
use jitterscope_engine::report::capture::CaptureFigures;
use jitterscope_engine::stats::LowDefinition;

use super::window::{step_until, window};

#[test]
fn the_lows_by_every_definition_are_whole_in_the_smallest_window() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = out.path().join("frames.csv");
    let mut text = String::from("Application,ProcessID,TimeInSeconds,msBetweenPresents\n");
    for frame in 0..3_000_i32 {
        let time = if frame % 90 == 0 { 51.9 + f64::from(frame % 7) } else { 16.7 };
        text.push_str(&format!("game.exe,22,{:.6},{time}\n", f64::from(frame) * 0.0167));
    }
    std::fs::write(&file, text).unwrap();
    let mut harness = window(&folder);
    harness.set_size(egui::vec2(1_000.0, 640.0));
    harness.state_mut().set_next_dialog_answer(vec![file]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    step_until(&mut harness, |app| app.session().running().capture().is_some());
    harness.run_steps(5);
    let shown = harness.state().session().running().capture().unwrap().clone();
    let results = shown.report.results::<RecordingFigures>();
    let CaptureFigures::Frames(frames) = &results[0].figures else { panic!("{results:?}") };
    for lows in [frames.one_percent_low, frames.tenth_percent_low] {
        for by in LowDefinition::ALL {
            let value = format!("{:.1}", lows.unwrap().by(by));
            // An ellipsis takes the room of all but the first digit.
            let widths: Vec<f32> =
                harness.get_all_by_label(&value).map(|node| node.rect().width()).collect();
            assert!(widths.iter().all(|width| 22.0 < *width), "{value}: {widths:?}");
        }
    }
}
