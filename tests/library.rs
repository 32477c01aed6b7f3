//! Saved runs in the list, before they are opened: histograms, applied settings, notes and tags, folder.

mod examples;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::App;
use jitterscope::PageId;
use jitterscope::{day, local, now};
use jitterscope_engine::format::checksum::sha256;
use jitterscope_engine::format::measurement_sum;
use jitterscope_engine::import;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::run::{RunId, Subject};
use jitterscope_engine::store::{Store, load};

use super::exchange::sample;
use super::window::{HANG, Poll, step_until, window};

/// Saves a run with this ID, name, and target frame rate; returns the path of its file.
fn saved(folder: &Path, id: &str, name: &str, fps: f64) -> PathBuf {
    let mut run = sample::run("");
    run.id = RunId::parse(id).unwrap();
    run.name = name.to_owned();
    run.machine.cpu_model = Some("A processor".to_owned());
    if let Subject::Measured(Plan::FrameLoop(plan)) = &mut run.subject {
        plan.fps = fps;
    }
    run.note = format!("of {name}");
    run.tags = vec!["limiter".to_owned(), name.to_owned()];
    Store::at(folder).save(&run).unwrap()
}

/// Opens the Runs page after `count` list entries are loaded.
fn runs(folder: &tempfile::TempDir, count: usize) -> Harness<'static, App> {
    let mut harness = window(folder);
    step_until(&mut harness, |app| app.session.library.count() == count);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness
}

fn shows(harness: &Harness<'_, App>, words: &str) -> bool {
    harness.query_all_by_label_contains(words).next().is_some()
}

fn select(harness: &mut Harness<'_, App>, name: &str) {
    harness.get_by_label(&format!("Select {name}")).click();
    harness.run_steps(3);
}

fn step_until_looked_at(harness: &mut Harness<'_, App>, paths: &[&PathBuf]) {
    step_until(harness, |app| {
        paths.iter().all(|path| {
            app.session.library.run_preview(path).is_some_and(|run_preview| run_preview.is_ok())
        })
    });
    harness.run_steps(2);
}

#[test]
fn one_run_is_shown_with_its_image_its_sum_and_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), "0a1b2c3d", "before", 60.0);
    let mut harness = runs(&folder, 1);
    let (sender, opened) = sync_channel(4);
    harness.state_mut().set_opener(Arc::new(move |path: &Path| {
        sender.send(path.to_owned()).map_err(|error| error.to_string())
    }));
    select(&mut harness, "before");
    step_until_looked_at(&mut harness, &[&path]);
    let run_preview =
        Arc::clone(harness.state().session.library.run_preview(&path).unwrap().unwrap());
    assert_eq!(run_preview.rows.len(), 2);
    let row = run_preview.row(None).unwrap();
    assert_eq!(row.histogram.total(), 1_200, "every frame is in the picture");
    harness.get_by_label(&format!("Lateness, {}", row.label));
    harness.get_by_label_contains("Histogram, ");
    assert!(shows(&harness, "Target frame rate: 60 FPS"));
    let sum = sha256(&std::fs::read(&path).unwrap());
    assert_eq!(run_preview.checksum, sum);
    let measurement = measurement_sum(&load(&path).unwrap());
    let words = format!("measurement: {}…{}", &measurement[..4], &measurement[60..]);
    harness.get_by_label(&format!("SHA-256 of the {words}"));
    harness.get_by_label(&format!("SHA-256 of the file: {}…{}", &sum[..4], &sum[60..])).click();
    harness.step();
    let copied = harness
        .output()
        .platform_output
        .commands
        .iter()
        .any(|command| matches!(command, egui::OutputCommand::CopyText(text) if *text == sum));
    assert!(copied, "the whole sum is copied");
    // It may be below what the window shows of the details.
    harness.get_by_label("Open folder").click_accesskit();
    harness.run_steps(2);
    assert_eq!(opened.recv_timeout(HANG).unwrap(), folder.path());
}

#[test]
fn the_details_of_a_capture_have_the_words_of_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let log = format!("fps,frametime\n{}", "100,10\n".repeat(300));
    let histogram = r#"{"thread":{"0":{"histogram":{"5":9}},"1":{"histogram":{"7":9}}}}"#;
    let paths = [("a log", log.as_str()), ("a histogram", histogram)].map(|(name, text)| {
        let imported = import::from_bytes(text.as_bytes(), &import::Options::default()).unwrap();
        let mut run = imported.into_run();
        run.name = name.to_owned();
        Store::at(folder.path()).save(&run).unwrap()
    });
    let mut harness = runs(&folder, 2);
    for (path, name, words) in [
        (&paths[0], "a log", " recorded · 1 recording · "),
        (&paths[1], "a histogram", "2 histograms · "),
    ] {
        select(&mut harness, name);
        step_until_looked_at(&mut harness, &[path]);
        assert!(shows(&harness, words), "{words}");
        assert!(!shows(&harness, "configuration"), "{name}");
        assert!(!shows(&harness, "requested and applied settings"), "{name}");
        assert!(shows(&harness, "SHA-256 of the file"), "{name}");
        select(&mut harness, name);
    }
    // Both together.
    select(&mut harness, "a log");
    select(&mut harness, "a histogram");
    assert!(shows(&harness, "· 1 recording") && shows(&harness, "· 2 histograms"));
}

#[test]
fn two_runs_are_laid_over_each_other_and_noted_and_tagged_together() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [("0a1b2c3d", "before"), ("1b2c3d4e", "after")]
        .map(|(id, name)| saved(folder.path(), id, name, 60.0));
    let fast = saved(folder.path(), "2c3d4e5f", "fast", 144.0);
    let mut harness = runs(&folder, 3);
    select(&mut harness, "before");
    select(&mut harness, "after");
    step_until_looked_at(&mut harness, &[&paths[0], &paths[1]]);
    harness.get_by_label("2 runs selected");
    assert!(shows(&harness, "Lateness, "));
    harness.get_by_label_contains("before: 1\u{202f}200 frames");
    assert!(shows(&harness, "Same processor and system. Same test, target and load: comparable."));
    harness.get_by_label("Note for both");
    harness.get_by_label("Note of the selected runs").focus();
    harness.run_steps(2);
    harness.get_by_label("Note of the selected runs").type_text("seen by both");
    let of = |app: &App, path: &PathBuf| {
        let items = app.session.library.items.as_deref().unwrap_or_default();
        let item = items.iter().find(|item| item.path == *path).unwrap();
        item.run.as_ref().unwrap().clone()
    };
    // A note that is typed for several runs is appended to their existing notes.
    for (path, name) in paths.iter().zip(["before", "after"]) {
        let note = format!("of {name}\n\nseen by both");
        step_until(&mut harness, |app| of(app, path).note == note);
    }
    // The button focuses the field for another tag, which is added to both runs; then a common tag is removed
    // from both.
    harness.get_by_label("Tag").click();
    harness.run_steps(3);
    harness.get_by_label("Add a tag to all").type_text("bug-7");
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    harness.get_by_label("Remove tag limiter").click();
    harness.run_steps(2);
    for (path, name) in paths.iter().zip(["before", "after"]) {
        step_until(&mut harness, |app| of(app, path).tags == [name, "bug-7"]);
    }
    assert!(harness.query_by_label("Remove tag before").is_none(), "not all have it");
    assert!(of(harness.state(), &fast).tags.contains(&"limiter".to_owned()));
    // The details show that the targets of the selected runs differ, before the runs are compared.
    select(&mut harness, "before");
    select(&mut harness, "fast");
    step_until_looked_at(&mut harness, &[&paths[1], &fast]);
    assert!(shows(&harness, "different targets: compare shares of a frame"));
}

#[test]
fn a_change_of_tags_is_undone() {
    undoes_tags(|harness| harness.get_by_label("Undo tags").click());
}

#[test]
fn a_change_of_tags_is_undone_by_key() {
    undoes_tags(|harness| {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    });
}

/// Removes a tag of two runs, and checks that `undo` restores it.
fn undoes_tags(undo: fn(&mut Harness<'_, App>)) {
    let folder = tempfile::tempdir().unwrap();
    let before = saved(folder.path(), "0a1b2c3d", "before", 60.0);
    let after = saved(folder.path(), "1b2c3d4e", "after", 60.0);
    let mut harness = runs(&folder, 2);
    select(&mut harness, "before");
    select(&mut harness, "after");
    // Waits for the files without drawing: the message is shown for a time that only frames let pass.
    harness.get_by_label("Remove tag limiter").click();
    harness.run_steps(3);
    for (path, name) in [(&before, "before"), (&after, "after")] {
        let mut poll = Poll::new();
        while load(path).unwrap().tags != [name] {
            poll.wait("the tag to be removed");
        }
    }
    assert!(shows(&harness, "Tags of 2 runs changed"));
    undo(&mut harness);
    harness.run_steps(3);
    for (path, name) in [(&before, "before"), (&after, "after")] {
        let mut poll = Poll::new();
        while load(path).unwrap().tags != ["limiter", name] {
            poll.wait("the tag to return");
        }
    }
}

#[test]
fn two_deletions_are_undone_by_key_the_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let before = saved(folder.path(), "0a1b2c3d", "before", 60.0);
    let after = saved(folder.path(), "1b2c3d4e", "after", 60.0);
    let mut harness = runs(&folder, 2);
    for (name, path, left) in [("before", &before, 1), ("after", &after, 0)] {
        select(&mut harness, name);
        harness.get_by_label("Delete").click();
        harness.run_steps(3);
        step_until(&mut harness, |app| app.session.library.count() == left);
        assert!(!path.exists(), "{name}");
    }
    for (path, there) in [(&after, 1), (&before, 2)] {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
        step_until(&mut harness, |app| app.session.library.count() == there);
        assert!(path.exists());
    }
}

#[test]
fn what_the_filter_hides_stays_selected_and_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let before = saved(folder.path(), "0a1b2c3d", "before", 60.0);
    let after = saved(folder.path(), "1b2c3d4e", "after", 60.0);
    let mut harness = runs(&folder, 2);
    select(&mut harness, "before");
    select(&mut harness, "after");
    harness.get_by_label("Search runs").focus();
    harness.run_steps(2);
    harness.get_by_label("Search runs").type_text("tag:after");
    harness.run_steps(3);
    harness.get_by_label("1 selected, 1 hidden");
    harness.get_by_label("Delete").click();
    step_until(&mut harness, |app| app.session.library.deleted.len() == 1);
    assert!(before.exists() && !after.exists());
    harness.get_by_label("Search runs").focus();
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.key_press(egui::Key::Backspace);
    harness.run_steps(3);
    harness.get_by_label("1 selected");
}

#[test]
fn what_is_typed_is_retained_when_the_page_is_left_or_the_run_is_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), "0a1b2c3d", "before", 60.0);
    let mut harness = runs(&folder, 1);
    let note_of = |app: &App| {
        let item = app.session.library.items.as_deref()?.first()?;
        Some((item.run.as_ref().ok()?.note.clone(), item.run.as_ref().ok()?.name.clone()))
    };
    select(&mut harness, "before");
    harness.get_by_label("Note of the run").focus();
    harness.run_steps(2);
    harness.get_by_label("Note of the run").type_text("seen");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(2);
    assert_eq!(harness.state().page, PageId::Test("frame-loop"));
    step_until(&mut harness, |app| note_of(app).is_some_and(|(note, _)| note.contains("seen")));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Name of the run").focus();
    harness.run_steps(2);
    harness.get_by_label("Name of the run").type_text("the run");
    harness.run_steps(1);
    harness.get_by_label("Delete").click_accesskit();
    harness.run_steps(2);
    step_until(&mut harness, |app| app.session.library.count() == 0);
    assert!(!path.exists());
    harness.get_by_label("Undo").click();
    step_until(&mut harness, |app| app.session.library.count() == 1);
    harness.run_steps(3);
    assert!(shows(&harness, "Name of the run"), "the restored run is selected again");
    let (note, name) = note_of(harness.state()).unwrap();
    assert!(note.contains("seen") && name.contains("the run"), "{note:?}, {name:?}");
    assert!(path.exists());
}

#[test]
fn the_list_follows_what_other_programs_save_and_delete() {
    let folder = tempfile::tempdir().unwrap();
    let first = saved(folder.path(), "0a1b2c3d", "before", 60.0);
    let mut harness = runs(&folder, 1);
    saved(folder.path(), "0a1b2c3e", "after", 60.0);
    step_until(&mut harness, |app| app.session.library.count() == 2);
    assert!(shows(&harness, "after"));
    std::fs::remove_file(first).unwrap();
    step_until(&mut harness, |app| app.session.library.count() == 1);
    assert!(!shows(&harness, "before"));
}

#[test]
fn a_damaged_file_leads_to_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken.jitterscope.json"), "{").unwrap();
    let mut harness = runs(&folder, 1);
    let (sender, opened) = sync_channel(4);
    harness.state_mut().set_opener(Arc::new(move |path: &Path| {
        sender.send(path.to_owned()).map_err(|error| error.to_string())
    }));
    select(&mut harness, "broken.jitterscope.json");
    assert!(harness.get_by_label("Tag").accesskit_node().is_disabled(), "it takes no tag");
    harness.get_by_label("Show file").click();
    harness.run_steps(2);
    assert_eq!(opened.recv_timeout(HANG).unwrap(), folder.path());
}

#[test]
fn runs_are_named_by_their_settings_grouped_by_day_and_filtered_by_a_saved_filter() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path(), "0a1b2c3d", "", 144.0);
    saved(folder.path(), "1b2c3d4e", "mine", 60.0);
    let mut harness = runs(&folder, 2);
    harness.key_press(egui::Key::ArrowDown);
    harness.run_steps(3);
    harness.get_by_label("1 selected");
    harness.get_by_label("Open 144 FPS, 2 configurations, under load");
    harness.get_by_label("Open mine");
    let began = "2026-11-21T05:00:00Z".parse().unwrap();
    let day = day(&local(began), &local(now()));
    harness.get_by_label(&day);
    // Filter the list by a word.
    harness.get_by_label("Search runs").focus();
    harness.run_steps(2);
    harness.get_by_label("Search runs").type_text("144");
    harness.run_steps(3);
    assert!(harness.query_by_label("Open mine").is_none());
    harness.get_by_label("Save this filter").click();
    harness.run_steps(3);
    harness.get_by_label("Name of the filter").type_text("Fast");
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    harness.get_by_label("Filter All, 2 runs").click();
    harness.run_steps(3);
    harness.get_by_label("Open mine");
    harness.get_by_label("Filter Fast, 1 run").click();
    harness.run_steps(3);
    assert!(harness.query_by_label("Open mine").is_none());
    harness.get_by_label("Rename").click();
    harness.run_steps(3);
    harness.get_by_label("Name of the filter").type_text("er");
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    harness.get_by_label("Filter Faster, 1 run");
    harness.get_by_label("Delete this filter").click();
    harness.run_steps(3);
    assert!(!shows(&harness, "Filter Fast"));
    harness.get_by_label("Open mine");
}

#[test]
fn a_baseline_is_the_only_one_of_its_settings_and_shows_the_trend() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = ["0a1b2c3d", "1b2c3d4e", "2c3d4e5f", "3d4e5f60"]
        .into_iter()
        .map(|id| saved(folder.path(), id, id, 60.0))
        .collect();
    let mut harness = runs(&folder, 4);
    let has_tag = |app: &App, path: &PathBuf| {
        let items = app.session.library.items.as_deref().unwrap_or_default();
        items.iter().any(|item| {
            let tags = item.run.as_ref().map_or(&[][..], |run| &run.tags);
            item.path == *path && tags.iter().any(|tag| tag == "baseline")
        })
    };
    for (id, path) in [("0a1b2c3d", &paths[0]), ("1b2c3d4e", &paths[1])] {
        harness.get_by_label(&format!("Select {id}")).click();
        harness.run_steps(3);
        harness.get_by_label("Set as baseline").click();
        step_until(&mut harness, |app| has_tag(app, path));
        harness.get_by_label("Remove baseline");
        harness.get_by_label(&format!("Select {id}")).click();
        harness.run_steps(3);
    }
    assert!(!has_tag(harness.state(), &paths[0]), "the second took its place");
    // A tag that is added after that keeps the baseline.
    harness.get_by_label("Select 1b2c3d4e").click();
    harness.run_steps(3);
    harness.get_by_label("Remove baseline").click();
    step_until(&mut harness, |app| !has_tag(app, &paths[1]));
    harness.run_steps(3);
    harness.get_by_label("Set as baseline").click();
    step_until(&mut harness, |app| has_tag(app, &paths[1]));
    harness.get_by_label("Tag").click();
    harness.run_steps(3);
    harness.get_by_label("Add a tag").type_text("nightly");
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    step_until(&mut harness, |app| {
        let items = app.session.library.items.as_deref().unwrap_or_default();
        items
            .iter()
            .filter_map(|item| item.run.as_ref().ok())
            .any(|run| run.tags.contains(&"nightly".to_owned()))
    });
    assert!(has_tag(harness.state(), &paths[1]));
    harness.get_by_label("Select 1b2c3d4e").click();
    harness.run_steps(3);
    select(&mut harness, "2c3d4e5f");
    assert!(shows(&harness, "p99 lateness, 4 runs"));
    assert!(shows(&harness, "The same as the baseline"));
}

#[test]
fn enter_opens_the_run_whose_check_box_was_clicked() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path(), "0a1b2c3d", "mine", 60.0);
    let mut harness = runs(&folder, 1);
    harness.get_by_label("Select mine").click();
    harness.run_steps(3);
    harness.key_press(egui::Key::Enter);
    step_until(&mut harness, |app| app.page != PageId::Runs);
}

#[test]
fn only_old_runs_without_words_of_the_user_are_offered_and_a_deletion_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let began = |id: &str, name: &str, date: &str| {
        let mut run = sample::run("");
        run.id = RunId::parse(id).unwrap();
        run.name = name.to_owned();
        (run.note, run.tags) = (String::new(), Vec::new());
        run.started_at = date.parse().unwrap();
        Store::at(folder.path()).save(&run).unwrap()
    };
    let old = began("0a1b2c3d", "", "2020-11-21T05:00:00Z");
    began("1b2c3d4e", "named", "2020-11-21T05:00:00Z");
    began("2c3d4e5f", "", &now().to_string());
    let mut harness = runs(&folder, 3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Comma);
    harness.run_steps(3);
    let bytes = harness.state().session.library.items.as_deref().unwrap_or_default();
    let bytes: u64 = bytes.iter().map(|item| item.bytes).sum();
    assert!(shows(&harness, &format!("{} in 3 entries", jitterscope::format_bytes(bytes))));
    assert!(shows(&harness, "No run is beyond the limits"));
    harness.get_by_role_and_label(egui::accesskit::Role::SpinButton, "Age limit").focus();
    harness.run_steps(3);
    harness.event(egui::Event::Text("30".to_owned()));
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    let offered = harness.state().session.library.beyond_limits(0, 30);
    assert_eq!(offered, std::slice::from_ref(&old));
    assert!(shows(&harness, "1 entry is beyond the limits"));
    assert!(old.exists(), "nothing is deleted unasked");
    harness.get_by_label("Delete runs beyond the limits").click_accesskit();
    step_until(&mut harness, |app| app.session.library.count() == 2);
    assert!(!old.exists());
    harness.get_by_label("Undo").click();
    step_until(&mut harness, |app| app.session.library.count() == 3);
    assert!(old.exists());
}

#[test]
fn the_message_of_a_deletion_counts_what_was_there_to_delete() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path(), "0a1b2c3d", "before", 60.0);
    let other = saved(folder.path(), "1b2c3d4e", "after", 60.0);
    let mut harness = runs(&folder, 2);
    for name in ["before", "after"] {
        select(&mut harness, name);
    }
    // Another program removes one of the files before the window does.
    std::fs::remove_file(other).unwrap();
    harness.get_by_label("Delete").click();
    step_until(&mut harness, |app| app.session.library.deleted.len() == 1);
    harness.run_steps(3);
    assert!(shows(&harness, "Deleted 1 run"));
    assert!(!shows(&harness, "Deleted 2 runs"));
}

#[test]
fn deleted_runs_are_listed_after_a_restart_restored_from_there_and_removed_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), "0a1b2c3d", "before", 60.0);
    saved(folder.path(), "1b2c3d4e", "after", 60.0);
    let content = std::fs::read(&path).unwrap();
    let in_trash = |app: &App| app.session.library.deleted.len();
    let mut harness = runs(&folder, 2);
    assert!(!shows(&harness, "Deleted ("), "nothing is deleted yet");
    select(&mut harness, "before");
    harness.get_by_label("Delete").click();
    step_until(&mut harness, |app| app.session.library.count() == 1 && in_trash(app) == 1);
    drop(harness);
    // After a restart, there is no toast and nothing to undo, but the run is still in the trash.
    let mut harness = runs(&folder, 1);
    assert!(!path.exists());
    assert!(harness.query_by_label("Undo delete").is_none());
    harness.get_by_label("Deleted (1)").click();
    harness.run_steps(3);
    assert!(shows(&harness, "Removed in 6 days"));
    harness.get_by_label("Restore before").click();
    step_until(&mut harness, |app| app.session.library.count() == 2 && in_trash(app) == 0);
    harness.run_steps(3);
    assert_eq!(std::fs::read(&path).unwrap(), content);
    assert!(harness.query_by_label("Close").is_none(), "an empty list closes");
    // What was restored is selected.
    select(&mut harness, "after");
    harness.get_by_label("Delete").click();
    step_until(&mut harness, |app| in_trash(app) == 2);
    harness.run_steps(3);
    harness.get_by_label("Undo delete").click();
    step_until(&mut harness, |app| app.session.library.count() == 2 && in_trash(app) == 0);
    harness.run_steps(3);
    select(&mut harness, "after");
    harness.get_by_label("Delete").click();
    step_until(&mut harness, |app| in_trash(app) == 1);
    harness.run_steps(3);
    harness.get_by_label("Deleted (1)").click();
    harness.run_steps(3);
    // Permanent removal asks for confirmation, because it cannot be undone.
    for (answer, left) in [("Cancel", 1), ("Delete for good", 0)] {
        harness.get_by_label("Delete before for good").click();
        harness.run_steps(3);
        assert!(shows(&harness, "Delete 1 run for good?"));
        harness.get_by_label(answer).click();
        harness.run_steps(3);
        step_until(&mut harness, |app| in_trash(app) == left);
    }
    assert_eq!(harness.state().session.library.count(), 1);
    assert_eq!(Store::at(folder.path()).trash().lines().unwrap().len(), 0);
}

#[test]
fn the_selected_runs_survive_a_restart_and_the_details_are_a_region() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path(), "0a1b2c3d", "before", 60.0);
    let memory = {
        let mut harness = runs(&folder, 1);
        select(&mut harness, "before");
        let mut regions = Vec::new();
        for _ in 0..5 {
            harness.key_press(egui::Key::F6);
            harness.run_steps(3);
            let all = harness.query_all_by_role(egui::accesskit::Role::Region);
            let focused = all.filter(|one| one.is_focused());
            regions.extend(focused.filter_map(|one| one.accesskit_node().label()));
        }
        // The focus may start in any region: rotate the list so that it begins with the navigation.
        let first = regions.iter().position(|region| region == "Navigation").unwrap();
        regions.rotate_left(first);
        assert_eq!(regions, ["Navigation", "Top bar", "Results", "Details", "Status bar"]);
        ron::to_string(&harness.ctx.memory(Clone::clone)).unwrap()
    };
    let store = Store::at(folder.path());
    let mut harness = Harness::builder().with_size([1440.0, 900.0]).build_eframe(move |cc| {
        let memory: egui::Memory = ron::from_str(&memory).unwrap();
        cc.egui_ctx.memory_mut(|own| *own = memory);
        App::with_store(cc, Some(store))
    });
    step_until(&mut harness, |app| app.session.library.count() == 1);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("1 selected");
}
