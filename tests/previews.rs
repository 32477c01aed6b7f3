//! The preview of an export: it shows the contents of the file, in the same order.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui_kittest::kittest::Queryable as _;
use jitterscope::{ExportKind, ExportRequest};
use jitterscope_engine::export::{Block, Format, IncludedNames, Parts, markdown};

use super::files::{saved, showing, step_until_shown};
use super::window::{step_until, window};

fn plain(text: &str) -> String {
    text.replace('\u{202f}', " ")
}

#[test]
fn the_preview_of_a_report_is_its_document_and_enter_saves_it_after_a_click() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    saved(folder.path(), "0a1b2c3d", "before");
    let mut harness = showing(&folder, "before");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run_steps(3);
    step_until_shown(&mut harness, "none found.");
    // Select another format and then the first one again, by clicks, which remove the focus from the primary
    // button.
    for format in ["Format, JSON", "Format, HTML report"] {
        harness.get_by_label_contains(format).click();
        harness.run_steps(2);
        step_until_shown(&mut harness, "none found.");
    }
    let exporting = harness.state().session.exports.current.as_ref().unwrap();
    let request = ExportRequest {
        kind: ExportKind::File(Format::Html),
        row: None,
        parts: Parts::ALL,
        included_names: IncludedNames::NOTHING,
        is_dark: harness.ctx.theme() == egui::Theme::Dark,
    };
    let preview = Arc::clone(exporting.preview(&request).unwrap().unwrap());
    let file = out.path().join("report.html");
    harness.state_mut().set_next_dialog_answer(vec![file.clone()]);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    step_until(&mut harness, |app| app.session.exports.current.is_none());
    let page = std::fs::read_to_string(&file).unwrap();
    assert_eq!(preview.bytes, u64::try_from(page.len()).unwrap());
    // The preview shows the document of the run: the answer of the page, and each of its tables.
    let shown = markdown::text(&preview.outline);
    let answer = page.split("<p class=\"answer\">").nth(1).unwrap().split('<').next().unwrap();
    assert!(plain(&shown).contains(&plain(answer)), "{answer}: {shown}");
    for table in page.split("data-table=").skip(1) {
        let title = table.split("<h2>").nth(1).unwrap().split('<').next().unwrap();
        let title = if title == "All figures" { "**Configurations: " } else { title };
        assert!(shown.contains(title), "{title}: {shown}");
    }
    let plots = preview.outline.iter().filter(|block| matches!(block, Block::Plot { .. })).count();
    assert!(1 < plots, "{:?}", preview.outline);
}

#[test]
fn selected_runs_are_exported_into_a_folder() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    saved(folder.path(), "0a1b2c3d", "before");
    saved(folder.path(), "1b2c3d4e", "after");
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Select all listed runs").click();
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run_steps(2);
    step_until(&mut harness, |app| {
        app.session.exports.current.as_ref().is_some_and(|exporting| exporting.count() == 2)
    });
    harness.get_by_label("Format, CSV summary").click();
    harness.run_steps(2);
    step_until_shown(&mut harness, "the first of 2 files");
    harness.state_mut().set_next_dialog_answer(vec![out.path().to_owned()]);
    harness.get_by_label("Save…").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| app.session.exports.current.is_none());
    step_until_shown(&mut harness, "Saved 8 files in ");
    let read = || {
        let files = std::fs::read_dir(out.path()).unwrap().flatten();
        files
            .map(|file| (file.path(), std::fs::read(file.path()).unwrap()))
            .collect::<BTreeMap<_, _>>()
    };
    let written = read();
    assert_eq!(written.len(), 8, "four tables of each run");
    // If some of the files exist, the window asks once. After the answer, either all files are written or
    // none.
    for (at, path) in written.keys().enumerate().filter(|(at, _)| at % 3 != 0) {
        std::fs::write(path, format!("own {at}")).unwrap();
    }
    std::fs::remove_file(written.keys().next().unwrap()).unwrap();
    let own = read();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run_steps(2);
    for (answer, expected) in [("Cancel", own), ("Replace", written)] {
        step_until_shown(&mut harness, "the first of 2 files");
        harness.state_mut().set_next_dialog_answer(vec![out.path().to_owned()]);
        harness.get_by_label("Save…").click();
        harness.run_steps(2);
        step_until_shown(&mut harness, "Replace 7 files?");
        harness.get_all_by_label(answer).last().unwrap().click_accesskit();
        harness.run_steps(2);
        step_until(&mut harness, |app| {
            app.session.exports.current.as_ref().is_none_or(|exporting| !exporting.is_writing)
        });
        assert!(read() == expected, "{answer}");
    }
    assert!(harness.state().session.exports.current.is_none());
}
