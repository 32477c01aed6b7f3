//! The quick check: from the command line, in the window, and opened again.

use std::process::Command;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::App;
use jitterscope::session::PageId;
use jitterscope_engine::plan::quick::{Part, TAG};
use jitterscope_engine::report::quick::Figure;
use jitterscope_engine::report::{Options, Report, Standing};
use jitterscope_engine::store::{self, Store};

use super::window::{step_until, window};

/// A window that shows the quick check.
fn quick_window(folder: &tempfile::TempDir) -> Harness<'static, App> {
    let mut harness = window(folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num1);
    harness.run_steps(3);
    assert_eq!(harness.state().page(), PageId::Quick);
    harness
}

#[test]
fn a_check_agrees_with_its_runs_and_is_opened_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(super::cli::program())
        .arg("--data-dir")
        .arg(folder.path())
        .args(["quick", "--scale", "0", "--format", "json", "--quiet"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{error}");
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs: Vec<_> = Store::at(folder.path())
        .list()
        .unwrap()
        .iter()
        .map(|entry| store::load(&entry.path).unwrap())
        .collect();
    assert_eq!(runs.len(), Part::ALL.len());
    for (part, card) in Part::ALL.into_iter().zip(said["measurements"].as_array().unwrap()) {
        let run = runs.iter().find(|run| card["run"] == run.id.as_str()).unwrap();
        assert_eq!(run.tags, [TAG]);
        assert_eq!(run.plan().and_then(Part::of), Some(part));
        let grade = Report::of(run, &Options::default()).verdict.grade.map(|grade| grade.word());
        assert_eq!(card["grade"], serde_json::json!(grade), "{part:?}");
        assert!(0 <= card["value_nanos"].as_i64().unwrap(), "{part:?}");
    }
    assert_eq!(said["frame_rates"].as_array().unwrap().len(), 5);
    let sentence = said["sentence"].as_str().unwrap();

    let mut harness = quick_window(&folder);
    step_until(&mut harness, |app| app.session().library().last_check().is_some());
    harness.get_by_label("Open result").click();
    step_until(&mut harness, |app| app.session().quick().result().is_some());
    harness.get_by_label_contains(sentence);
    harness.get_by_label("Frame rates that this PC can pace under load");
    harness.get_by_label("Measurement quality");
    let result = harness.state().session().quick().result().unwrap().card.clone();
    assert_eq!(serde_json::json!(result.grade.map(|grade| grade.word())), said["grade"]);
    harness.get_by_label("Open Scheduling gaps").click();
    step_until(&mut harness, |app| app.page() == PageId::Test("scheduling-gaps"));
}

#[test]
fn a_check_of_one_part_and_a_skipped_one_give_no_answer_but_are_retained() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = quick_window(&folder);
    harness.get_by_label("Select measurements").click();
    harness.run_steps(3);
    for part in [Part::Sleep, Part::FrameIdle, Part::FrameLoad] {
        harness.get_by_role_and_label(egui::accesskit::Role::CheckBox, part.name()).click();
        harness.run_steps(3);
    }
    harness.key_press(egui::Key::F5);
    step_until(&mut harness, |app| {
        app.session().live().is_some_and(|(_, live)| live.current().is_some())
    });
    harness.get_by_label("Measurements");
    harness.get_by_label("Skip this measurement").click();
    step_until(&mut harness, |app| app.session().quick().going().is_none());
    harness.get_by_label_contains("Incomplete: 4 of 5 measurements were skipped.");
    let result = harness.state().session().quick().result().unwrap();
    let measured: Vec<_> =
        result.parts.iter().filter(|(_, shown)| shown.is_some()).map(|(part, _)| *part).collect();
    assert_eq!(measured, [Part::Spin]);
    let spin = result.card.card(Part::Spin).unwrap();
    let shown = result.parts.iter().find(|(part, _)| *part == Part::Spin);
    let shown = shown.and_then(|(_, shown)| shown.as_ref()).unwrap();
    let mut verdict = None;
    for entry in Store::at(folder.path()).list().unwrap() {
        let run = store::load(&entry.path).unwrap();
        assert_eq!(run.tags, [TAG]);
        if run.id == shown.run.id {
            verdict = Some(Report::of(&run, &Options::default()).verdict);
        }
    }
    let verdict = verdict.expect("the run of the part is saved");
    assert_eq!((spin.grade, spin.standing), (verdict.grade, verdict.standing));
    assert!(spin.grade.is_some() || spin.standing != Standing::Clear, "{spin:?}");
    assert!(!spin.is_skipped && matches!(spin.figure, Some(Figure::Spin { .. })), "{spin:?}");
}

#[test]
fn a_check_that_is_stopped_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = quick_window(&folder);
    harness.get_by_label("Start quick check").click();
    step_until(&mut harness, |app| app.session().is_running());
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::F5);
    step_until(&mut harness, |app| !app.session().is_busy());
    harness.get_by_label_contains("Incomplete: 5 of 5 measurements were skipped.");
    assert!(harness.state().session().quick().result().is_some());
}
