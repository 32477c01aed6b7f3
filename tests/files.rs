//! Files that leave the window and enter it: exports, reports copied for a ticket, dropped files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::App;
use jitterscope::PageId;
use jitterscope_engine::import;
use jitterscope_engine::run::{Run, RunId};
use jitterscope_engine::store::{self, Store};

use super::exchange::sample;
use super::window::{HANG, Poll, step_until, window};

/// Saves a run with this ID and name in the folder, and returns the run.
pub(super) fn saved(folder: &Path, id: &str, name: &str) -> Run {
    let mut run = sample::run("");
    run.id = RunId::parse(id).unwrap();
    run.name = name.to_owned();
    Store::at(folder).save(&run).unwrap();
    run
}

/// Opens a window on the page of the saved run with this name.
pub(super) fn showing(folder: &tempfile::TempDir, name: &str) -> Harness<'static, App> {
    let mut harness = window(folder);
    step_until(&mut harness, |app| 0 < app.session.library.count());
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label(&format!("Open {name}")).click_accesskit();
    harness.run_steps(2);
    step_until(&mut harness, |app| {
        app.session.running.test("frame-loop").is_some_and(|state| state.shown.is_some())
    });
    assert_eq!(harness.state().page, PageId::Test("frame-loop"));
    harness
}

pub(super) fn shows(harness: &Harness<'_, App>, words: &str) -> bool {
    harness.query_all_by_label_contains(words).next().is_some()
}

/// Returns the name of the configuration in the title of a Markdown report with a single configuration.
fn configuration(markdown: &str) -> &str {
    let title = markdown.lines().next().unwrap();
    title.split("**").nth(1).unwrap().split_once(": ").unwrap().1
}

/// Draws frames until a text that contains `words` is shown.
pub(super) fn step_until_shown(harness: &mut Harness<'_, App>, words: &str) {
    let mut poll = Poll::new();
    while !shows(harness, words) {
        poll.wait(words);
        harness.step();
    }
}

/// Presses and releases a key in a single frame. The harness's own functions take several frames, of which
/// only the last can be inspected.
pub(super) fn press_at_once(
    harness: &mut Harness<'_, App>,
    modifiers: egui::Modifiers,
    key: egui::Key,
) {
    let press =
        |pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
    let input = harness.input_mut();
    input.events.extend([
        egui::Event::ModifiersChanged(modifiers),
        press(true),
        press(false),
        egui::Event::ModifiersChanged(egui::Modifiers::NONE),
    ]);
}

/// Calls `ask`, which requests a copy to the clipboard, and draws frames until the window copies text;
/// returns the text.
pub(super) fn copied(
    harness: &mut Harness<'_, App>,
    ask: impl FnOnce(&mut Harness<'_, App>),
) -> String {
    ask(harness);
    let mut poll = Poll::new();
    loop {
        harness.step();
        let commands = &harness.output().platform_output.commands;
        let text = commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
        if let Some(text) = text {
            return text;
        }
        poll.wait("a copy");
    }
}

const FORMATS: [(&str, &str); 11] = [
    ("HTML report", "report.html"),
    ("Markdown", "report.md"),
    ("JSON", "run.json"),
    ("CSV summary", "summary.csv"),
    ("CSV raw samples", "samples.csv"),
    ("PNG", "plots.png"),
    ("MangoHud log", "mangohud.csv"),
    ("PresentMon CSV", "presentmon.csv"),
    ("HdrHistogram", "lateness.hgrm"),
    ("cyclictest JSON", "cyclictest.json"),
    ("Chrome trace", "trace.json"),
];

#[test]
fn a_result_is_exported_in_every_format() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = saved(folder.path(), "0a1b2c3d", "before");
    let mut harness = showing(&folder, "before");
    for (format, file) in FORMATS {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
        harness.run_steps(3);
        harness.get_by_label(&format!("Format, {format}")).click_accesskit();
        harness.run_steps(2);
        step_until_shown(&mut harness, "none found.");
        let path = out.path().join(file);
        harness.state_mut().set_next_dialog_answer(vec![path.clone()]);
        harness.get_by_label("Save…").click();
        harness.run_steps(2);
        step_until(&mut harness, |app| app.session.exports.current.is_none());
        if format == "HTML report" {
            // The first three toasts hide later ones: wait until this toast is shown.
            step_until_shown(&mut harness, "Saved report.html in ");
        }
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.is_empty(), "{format}");
        match format {
            "JSON" | "HTML report" => {
                let back = import::read(&path, &import::Options::default()).unwrap();
                assert!(back.into_run() == run, "{format}");
            }
            "PNG" => assert!(bytes.starts_with(b"\x89PNG\r\n") && 20_000 < bytes.len()),
            _ => {}
        }
    }
}

#[test]
fn an_export_that_fails_shows_what_to_do_and_stays_open() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path(), "0a1b2c3d", "before");
    let mut harness = showing(&folder, "before");
    harness.get_by_label("Export…").click();
    harness.run_steps(3);
    harness.get_by_label("Format, JSON").click();
    harness.run_steps(2);
    step_until_shown(&mut harness, "none found.");
    // If the user cancels the file dialog, nothing is written.
    harness.state_mut().set_next_dialog_answer(Vec::new());
    harness.get_by_label("Save…").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| {
        app.session.exports.current.as_ref().is_some_and(|exporting| !exporting.is_writing)
    });
    let nowhere = folder.path().join("no such folder").join("run.json");
    harness.state_mut().set_next_dialog_answer(vec![nowhere]);
    harness.get_by_label("Save…").click();
    step_until_shown(&mut harness, "choose another folder");
    assert!(harness.state().session.exports.current.is_some());
    harness.key_press(egui::Key::Escape);
    harness.run_steps(3);
    assert!(harness.state().session.exports.current.is_none());
    assert!(harness.query_by_label("Format, JSON").is_none());
}

#[test]
fn a_preview_reports_which_names_are_left_in() {
    let folder = tempfile::tempdir().unwrap();
    let home = std::env::var("HOME").or_else(|_| std::env::var("USERPROFILE")).unwrap_or_default();
    // A home folder such as `/` would be found in every text.
    if home.len() < 2 {
        println!("skipped: this user has no home folder");
        return;
    }
    let mut run = saved(folder.path(), "0a1b2c3d", "before");
    run.note = format!("saved in {home}/runs");
    Store::at(folder.path()).save(&run).unwrap();
    let mut harness = showing(&folder, "before");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run_steps(3);
    harness.get_by_label("Format, Markdown").click();
    harness.run_steps(2);
    step_until_shown(&mut harness, "none found.");
    // The preview shows the Markdown file, in which `~` is escaped.
    assert!(shows(&harness, "saved in \\~/runs"), "what is shown is what is written");
    assert!(shows(&harness, "Host and user name excluded."));
    for label in ["Include host name", "Include user name"] {
        harness.get_all_by_label(label).next().unwrap().click_accesskit();
        harness.run_steps(2);
    }
    step_until_shown(&mut harness, "home folder");
    step_until_shown(&mut harness, "Contains this PC's");
    harness.get_by_label("Notes and tags").click_accesskit();
    harness.run_steps(2);
    step_until_shown(&mut harness, "none found.");
    assert!(!shows(&harness, "/runs"));
}

#[test]
fn what_is_checked_is_what_is_copied_and_the_format_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let run = saved(folder.path(), "0a1b2c3d", "before");
    let report = jitterscope_engine::report::Report::of(
        &run,
        &jitterscope_engine::report::Options::default(),
    );
    let best = report.best().unwrap().label.clone();
    let other = report.rows.iter().find(|row| row.label != best).unwrap().label.clone();
    let mut harness = showing(&folder, "before");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run_steps(3);
    assert!(!shows(&harness, "Last used"));
    harness.get_by_label("Format, Markdown").click();
    harness.run_steps(2);
    step_until_shown(&mut harness, "none found.");
    for label in ["All 2 configurations", "Machine and conditions", "Settings to repeat this run"] {
        harness.get_by_label(label).click_accesskit();
        harness.run_steps(2);
    }
    // Select another configuration than the recommended one. The page behind the dialog also shows its name,
    // so click every match.
    harness
        .get_by_role_and_label(egui::accesskit::Role::ComboBox, "Configuration to export")
        .click();
    harness.run_steps(2);
    for node in harness.get_all_by_label(&other) {
        node.click_accesskit();
    }
    harness.run_steps(2);
    step_until_shown(&mut harness, "none found.");
    let text = copied(&mut harness, |harness| {
        harness.get_by_label("Copy to clipboard").click();
    });
    assert_eq!(configuration(&text), other, "{text}");
    for word in ["repeat with", "Machine", "Kernel"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    step_until(&mut harness, |app| app.session.exports.current.is_none());
    assert_eq!(harness.state().session.settings().last_export, "markdown");
    // The next export starts with the last format, Markdown, and with all parts, and its preview shows the
    // text of the file.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run_steps(3);
    step_until_shown(&mut harness, "none found.");
    harness.get_by_label("Last used: Markdown");
    assert!(shows(&harness, "| Configuration"), "the letters of the file");
    harness.get_by_label("Format, CSV summary").click();
    harness.run_steps(2);
    step_until_shown(&mut harness, "p99_9_nanos");
}

#[test]
fn the_configuration_that_was_selected_is_written_of_each_run_or_its_lack_is_reported() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = saved(folder.path(), "0a1b2c3d", "first");
    let report = jitterscope_engine::report::Report::of(
        &first,
        &jitterscope_engine::report::Options::default(),
    );
    // The dialog selects the recommended configuration by default. Unless the user selects one, each run
    // exports its own recommended one.
    let other = report.best().unwrap().label.clone();
    let one = report.rows.iter().find(|row| row.label != other).unwrap().label.clone();
    // The second run has the configurations in the opposite order, the third has only one of them.
    let mut run = first.clone();
    (run.id, run.name) = (RunId::parse("1b2c3d4e").unwrap(), "second".to_owned());
    run.trials.reverse();
    Store::at(folder.path()).save(&run).unwrap();
    (run.id, run.name) = (RunId::parse("2c3d4e5f").unwrap(), "third".to_owned());
    run.trials.retain(|trial| trial.trial.label == one);
    Store::at(folder.path()).save(&run).unwrap();
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    for name in ["first", "second", "third"] {
        harness.get_by_label(&format!("Select {name}")).click();
        harness.run_steps(2);
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run_steps(2);
    step_until(&mut harness, |app| {
        app.session.exports.current.as_ref().is_some_and(|exporting| exporting.count() == 3)
    });
    harness.get_by_label("Format, Markdown").click();
    harness.run_steps(2);
    step_until_shown(&mut harness, "the first of 3 files");
    harness.get_by_label("All 2 configurations").click_accesskit();
    harness.run_steps(2);
    harness
        .get_by_role_and_label(egui::accesskit::Role::ComboBox, "Configuration to export")
        .click();
    harness.run_steps(2);
    for node in harness.get_all_by_label(&other) {
        node.click_accesskit();
    }
    harness.run_steps(2);
    step_until_shown(&mut harness, "the first of 3 files");
    harness.state_mut().set_next_dialog_answer(vec![out.path().to_owned()]);
    harness.get_by_label("Save…").click();
    harness.run_steps(2);
    step_until_shown(&mut harness, "it has no such configuration");
    let files: Vec<_> = std::fs::read_dir(out.path()).unwrap().flatten().collect();
    assert_eq!(files.len(), 2);
    for file in files {
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert_eq!(configuration(&text), other, "{text}");
    }
}

#[test]
fn a_report_is_opened_in_the_browser() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path(), "0a1b2c3d", "before");
    let mut harness = showing(&folder, "before");
    let (sender, opened) = std::sync::mpsc::sync_channel(4);
    harness.state_mut().set_opener(Arc::new(move |path: &Path| {
        sender.send(path.to_owned()).map_err(|error| error.to_string())
    }));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run_steps(3);
    step_until_shown(&mut harness, "none found.");
    harness.get_by_label("Open in browser").click();
    harness.run_steps(2);
    let path = opened.recv_timeout(HANG).unwrap();
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("before"), "{}", path.display());
    assert!(path.starts_with(std::env::temp_dir()));
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    // If the browser cannot be started, the window shows the reason.
    harness.state_mut().set_opener(Arc::new(|_: &Path| Err("no browser".to_owned())));
    harness.get_by_label("Open in browser").click();
    step_until_shown(&mut harness, "This cannot be opened: no browser.");
}

#[test]
fn files_over_the_window_are_listed_as_they_will_be_treated() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = |name: &str, content: &[u8]| {
        let path = out.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let files = [
        file("capture.csv", capture().as_bytes()),
        file("engine.csv", b"frame;cost us\n0;16000\n1;16001\n"),
        file("run.json", b"{}"),
        file("notes.docx", b"PK\x03\x04\x14\0\x06\0\x08"),
        out.path().join("gone.html"),
        out.path().to_owned(),
    ];
    let mut harness = window(&folder);
    let hovered =
        |path: &PathBuf| egui::HoveredFile { path: Some(path.clone()), mime: String::new() };
    harness.input_mut().hovered_files = files.iter().map(hovered).collect();
    harness.run_steps(2);
    harness.get_by_label("Drop to import 6 files");
    for words in [
        "Frame times, 1 column used",
        "Table: asks for its column",
        "Run or capture",
        "Not supported: will be skipped",
        "Cannot be read: will be skipped",
        "Folder: opens all supported files",
    ] {
        step_until_shown(&mut harness, words);
    }
}

#[test]
fn a_result_is_copied_for_a_ticket_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path(), "0a1b2c3d", "before");
    let mut harness = showing(&folder, "before");
    let keys = egui::Modifiers::COMMAND.plus(egui::Modifiers::SHIFT);
    let text = copied(&mut harness, |harness| press_at_once(harness, keys, egui::Key::C));
    assert!(text.starts_with("**before**") && text.contains("| Configuration"), "{text}");
    assert!(text.lines().count() <= 15 && !text.contains("<details>"), "{text}");
    assert!(text.contains(", repeat with `jitterscope-cli frame-loop"), "{text}");
    step_until_shown(&mut harness, "Report copied as Markdown");
    // The button of the toast opens the export dialog, in which the report can be copied again.
    harness.get_by_label("Show").click();
    harness.run_steps(3);
    step_until_shown(&mut harness, "none found.");
    let again = copied(&mut harness, |harness| {
        harness.get_by_label("Copy to clipboard").click();
    });
    // The dialog copies the whole file that its preview shows, not only the short report.
    let (short, rest) = again.split_once("\n<details>").unwrap();
    assert!(short == text && rest.contains("All figures"), "{again}");
    step_until(&mut harness, |app| app.session.exports.current.is_none());
}

/// A file that is dropped on the window.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

pub(super) fn drop_on(harness: &mut Harness<'_, App>, files: &[PathBuf]) {
    for file in files {
        harness.input_mut().dropped_files.push(Arc::new(Dropped(file.clone())));
    }
    harness.step();
}

/// Returns a PresentMon capture of two processes, the second of which has more frames.
fn capture() -> String {
    let mut text = String::from(
        "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents\n",
    );
    for frame in 0..200_i32 {
        let secs = f64::from(frame) * 0.0167;
        if frame % 2 == 0 {
            text.push_str(&format!("menu.exe,11,0x1,DXGI,1,0,0,{secs:.6},0.1,33.3\n"));
        }
        text.push_str(&format!("game.exe,22,0x2,DXGI,1,0,0,{secs:.6},0.1,16.7\n"));
    }
    text
}

#[test]
fn dropped_files_are_opened_and_imported() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let elsewhere = tempfile::tempdir().unwrap();
    let run = saved(elsewhere.path(), "0a1b2c3d", "from elsewhere");
    let report = jitterscope_engine::report::Report::of(
        &run,
        &jitterscope_engine::report::Options::default(),
    );
    let html = out.path().join("report.html");
    let mut file = std::fs::File::create(&html).unwrap();
    let options = jitterscope_engine::export::Options::default();
    let format = jitterscope_engine::export::Format::Html;
    jitterscope_engine::export::write(format, &run, &report, &options, &mut file).unwrap();

    let mut harness = window(&folder);
    // While a file is dragged over the window, the window shows the expected kind of the file.
    harness.input_mut().hovered_files =
        vec![egui::HoveredFile { path: Some(html.clone()), mime: String::new() }];
    harness.run_steps(2);
    harness.get_by_label("Drop to import");
    assert!(shows(&harness, "Jitterscope report"));
    harness.input_mut().hovered_files.clear();
    drop_on(&mut harness, std::slice::from_ref(&html));
    step_until(&mut harness, |app| {
        app.session.running.test("frame-loop").is_some_and(|state| state.shown.is_some())
    });
    harness.run_steps(2);
    assert!(!shows(&harness, "Drop to import"));
    assert_eq!(harness.state().page, PageId::Test("frame-loop"));
    step_until(&mut harness, |app| app.session.library.count() == 1);
    let retained = store::load(&Store::at(folder.path()).lines().unwrap()[0].path).unwrap();
    assert!(retained == run, "the report holds the run as it was");
    // Drop the report again, together with a capture of several processes and a file of an unsupported kind.
    let (csv, other) = (out.path().join("presentmon.csv"), out.path().join("notes.json"));
    std::fs::write(&csv, capture()).unwrap();
    std::fs::write(&other, "{\"some\": \"notes\"}").unwrap();
    drop_on(&mut harness, &[html, csv, other]);
    step_until(&mut harness, |app| app.session.imports.which_series().is_some());
    harness.run_steps(2);
    assert!(shows(&harness, "notes.json: "), "what failed is told by name");
    harness.get_by_label("game.exe (22), swap chain 0x2, 200 frames");
    harness.get_by_label("menu.exe (11), swap chain 0x1, 100 frames").click();
    harness.run_steps(2);
    harness.get_by_label("Open").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| app.session.library.count() == 2);
    let shown = harness.state().session.running.capture.as_ref().unwrap().clone();
    assert_eq!(shown.run.sample_count(), 100, "as many as the file has");
    assert_eq!(shown.run.tags, ["imported"]);
    assert_eq!(shown.report.verdict.grade, None, "nobody ran a schedule");
    assert_eq!(harness.state().page, PageId::Capture);
    // Open the capture again with the file dialog, and accept the default series, which has the most frames.
    harness.state_mut().set_next_dialog_answer(vec![out.path().join("presentmon.csv")]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    step_until(&mut harness, |app| app.session.imports.which_series().is_some());
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    step_until(&mut harness, |app| app.session.library.count() == 3);
}

#[test]
fn of_a_file_of_no_known_program_the_column_is_asked_for() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = out.path().join("engine.csv");
    let mut text = String::from("frame;cost us;note\n");
    for frame in 0..300 {
        text.push_str(&format!("{frame};{};ok\n", 16_000 + frame % 7));
    }
    std::fs::write(&path, text).unwrap();
    let mut harness = window(&folder);
    drop_on(&mut harness, std::slice::from_ref(&path));
    step_until(&mut harness, |app| app.session.imports.which_column().is_some());
    harness.run_steps(2);
    harness.get_by_label("Which column is the frame time?");
    assert!(shows(&harness, "16000"), "its first lines are shown");
    // The first time, the question is skipped; the second time, the guessed column is corrected and the file
    // is opened.
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    assert!(harness.state().session.imports.which_column().is_none());
    drop_on(&mut harness, &[path]);
    step_until(&mut harness, |app| app.session.imports.which_column().is_some());
    harness.run_steps(2);
    harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Frame time").click();
    harness.run_steps(2);
    // The name of the column is shown in the preview and then in the list: click the one in the list.
    harness.get_all_by_label("cost us").last().unwrap().click();
    harness.run_steps(2);
    harness.get_by_label("Open").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| app.session.library.count() == 1);
    let shown = harness.state().session.running.capture.as_ref().unwrap().clone();
    assert_eq!(shown.run.sample_count(), 300);
    assert!(shown.run.note.contains("\"cost us\" was read as frame times in µs"));
}

#[test]
fn a_folder_is_opened_and_its_runs_offered_for_comparison() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    saved(out.path(), "0a1b2c3d", "one");
    saved(out.path(), "1b2c3d4e", "two");
    let mut harness = window(&folder);
    drop_on(&mut harness, &[out.path().to_owned()]);
    step_until(&mut harness, |app| app.page == PageId::Runs);
    step_until(&mut harness, |app| app.session.library.count() == 2);
    harness.run_steps(2);
    assert!(shows(&harness, "Opened 2 of 2 files."));
    // The navigation and the toast both have this label: click the button of the toast.
    harness.get_all_by_label("Compare").last().unwrap().click();
    step_until(&mut harness, |app| app.page == PageId::Compare);
}

#[test]
fn opening_many_files_shows_its_progress_and_can_be_canceled() {
    const COUNT: usize = 1_000;
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for number in 0..COUNT {
        let rows: String = (0..20).map(|row| format!("60,{}\n", 16 + (row * number) % 7)).collect();
        let path = other.path().join(format!("{number}.csv"));
        std::fs::write(path, format!("fps,frametime\n{rows}")).unwrap();
    }
    let mut harness = window(&folder);
    drop_on(&mut harness, &[other.path().to_owned()]);
    step_until(&mut harness, |app| app.session.imports.progress().is_some());
    harness.get_by_label("Cancel opening files").click();
    harness.run_steps(3);
    step_until(&mut harness, |app| app.session.imports.progress().is_none());
    harness.run_steps(3);
    assert!(harness.query_by_label("Cancel opening files").is_none());
    let saved = Store::at(folder.path()).lines().unwrap().len();
    assert!(saved < COUNT, "{saved}");
}
