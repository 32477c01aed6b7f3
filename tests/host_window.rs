//! The host chooser of the window. A script that replaces ssh starts the agent on this PC, or fails like ssh.
#![cfg(unix)]

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::{
    App, CheckedHost, HostState, Place, Progress, SavedHost, Settings, SettingsFile,
};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::store::{self, Store};

use super::cli::{SHORT, program};
use super::hosts::folder;
use super::window::{start_measuring, step_until, window_with_settings, without_load};

/// Returns a saved host that uses the script in the folder instead of ssh.
fn host(folder: &tempfile::TempDir, address: &str) -> SavedHost {
    SavedHost {
        address: address.to_owned(),
        ssh: folder.path().join("ssh").display().to_string(),
        program: program().display().to_string(),
        ..SavedHost::default()
    }
}

/// Opens a window on the frame loop page, with these hosts saved.
fn window(folder: &tempfile::TempDir, addresses: &[&str]) -> Harness<'static, App> {
    let hosts = addresses.iter().map(|address| host(folder, address)).collect();
    let settings =
        Settings { is_welcomed: true, hosts, tests: without_load(), ..Settings::default() };
    SettingsFile::at(folder.path()).save(&settings).unwrap();
    let mut harness = window_with_settings(folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    harness
}

/// Opens the host menu by its shortcut, and selects a row.
pub(super) fn select(harness: &mut Harness<'_, App>, row: &str) {
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::L);
    harness.run_steps(4);
    harness.get_by_label_contains(row).click();
    harness.run_steps(4);
}

pub(super) fn field<'a>(harness: &'a Harness<'_, App>, label: &'a str) -> egui_kittest::Node<'a> {
    harness.get_by_role_and_label(egui::accesskit::Role::TextInput, label)
}

pub(super) fn connected(address: &'static str) -> impl Fn(&App) -> bool {
    move |app| matches!(app.session.hosts.state(address), HostState::Connected(_))
}

fn saved(folder: &tempfile::TempDir) -> Vec<Run> {
    let list = Store::at(folder.path().join("runs")).lines().unwrap();
    list.iter().map(|entry| store::load(&entry.path).unwrap()).collect()
}

#[test]
fn a_test_on_a_host_is_watched_stopped_and_saved_here() {
    let folder = folder();
    let mut harness = window(&folder, &["ann@good-07"]);
    harness.get_by_label("Tests run on: This PC");
    select(&mut harness, "ann@good-07");
    step_until(&mut harness, connected("ann@good-07"));
    harness.get_by_label("Tests run on: ann@good-07");
    let session = &harness.state().session;
    let (there, here) = (session.machine.facts(), session.machine.facts.as_ref());
    assert_eq!(there.unwrap().machine.short(), here.unwrap().machine.short());
    assert_eq!(there.unwrap().detail.system.caches, here.unwrap().detail.system.caches);
    assert!(there.unwrap().tools.is_empty(), "its desktop is not here");
    start_measuring(&mut harness);
    let badge = harness.get_by_label("Tests run on: ann@good-07");
    assert!(badge.accesskit_node().is_disabled(), "the PC stays during a test");
    harness.key_press(egui::Key::Escape);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    let [run] = &saved(&folder)[..] else { panic!("one run") };
    assert_eq!((run.host.as_deref(), &run.ending), (Some("ann@good-07"), &Ending::Stopped));
    assert!(0 < run.sample_count() && run.health.window_cpu.is_none());
    // The connection stays open after a run: use it for the next test.
    assert!(connected("ann@good-07")(harness.state()));
    start_measuring(&mut harness);
    harness.key_press(egui::Key::Escape);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    assert_eq!(saved(&folder).len(), 2);
    let cpus = jitterscope_engine::machine::Machine::read().cpus.len();
    select(&mut harness, &format!("This PC, {cpus} CPU"));
    harness.get_by_label("Tests run on: This PC");
}

#[test]
fn a_host_that_cannot_be_used_is_selected_but_nothing_runs() {
    let folder = folder();
    let mut harness = window(&folder, &["refused", "denied"]);
    select(&mut harness, "refused");
    let failed = |address: &'static str| {
        move |app: &App| matches!(app.session.hosts.state(address), HostState::Failed { .. })
    };
    step_until(&mut harness, failed("refused"));
    for words in ["Unreachable since", ": Connection refused"] {
        assert!(harness.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    harness.key_press(egui::Key::F5);
    harness.run_steps(3);
    assert!(!harness.state().session.running.is_busy());
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::L);
    harness.run_steps(4);
    harness.get_by_label("Try again: refused").click();
    harness.run_steps(2);
    step_until(&mut harness, failed("refused"));
    harness.key_press(egui::Key::Escape);
    harness.run_steps(3);
    select(&mut harness, "denied");
    step_until(&mut harness, failed("denied"));
    assert!(harness.query_all_by_label_contains("Sign-in needed").next().is_some());
    let cpus = jitterscope_engine::machine::Machine::read().cpus.len();
    select(&mut harness, &format!("This PC, {cpus} CPU"));
    start_measuring(&mut harness);
    harness.key_press(egui::Key::Escape);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    assert_eq!(saved(&folder)[0].host, None);
}

#[test]
fn a_lost_connection_is_reported_and_made_again() {
    let folder = folder();
    let mut harness = window(&folder, &["lost-1"]);
    select(&mut harness, "lost-1");
    step_until(&mut harness, connected("lost-1"));
    start_measuring(&mut harness);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    for words in ["Connection to lost-1 lost after", " frames were saved. No verdict."] {
        assert!(harness.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
    let [run] = &saved(&folder)[..] else { panic!("one run") };
    assert!(0 < run.sample_count() && matches!(run.ending, Ending::Failed(_)));
    assert!(!connected("lost-1")(harness.state()));
    harness.get_by_label("Connect again").click();
    step_until(&mut harness, connected("lost-1"));
    assert!(harness.query_by_label("Connect again").is_none());
}

#[test]
fn a_hostile_banner_does_not_reach_the_window() {
    let folder = folder();
    let mut harness = window(&folder, &["hostile", "endless"]);
    select(&mut harness, "hostile");
    step_until(&mut harness, connected("hostile"));
    select(&mut harness, "endless");
    step_until(&mut harness, |app| {
        matches!(app.session.hosts.state("endless"), HostState::Failed { .. })
    });
    assert!(harness.query_all_by_label_contains("Not an answer of an agent").next().is_some());
}

#[test]
fn a_host_is_checked_added_renamed_and_removed() {
    let folder = folder();
    let mut harness = window(&folder, &[]);
    let check = |harness: &mut Harness<'_, App>, address: &str| {
        field(harness, "Address").focus();
        harness.run_steps(2);
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        harness.event(egui::Event::Text(address.to_owned()));
        harness.run_steps(2);
        harness.get_by_label("Check").click();
        harness.run_steps(2);
        step_until(harness, |app| {
            let adding = app.session.hosts.adding.as_ref().unwrap();
            !matches!(adding.checked, CheckedHost::Unchecked | CheckedHost::Checking)
        });
    };
    select(&mut harness, "Add a host…");
    field(&harness, "ssh command (optional)").focus();
    harness.run_steps(2);
    let ssh = host(&folder, "").ssh;
    harness.event(egui::Event::Text(ssh.clone()));
    harness.run_steps(2);
    for (address, expected) in [
        ("unknown-name", "check its spelling"),
        ("changed", "key of this host has changed"),
        ("denied", "Sign-in was denied"),
        ("foreign", "another processor"),
        ("bare", "Install jitterscope-cli there"),
    ] {
        check(&mut harness, address);
        let found = harness.query_all_by_label_contains(expected).next().is_some();
        assert!(found, "{address}: {expected}");
        let add = harness.get_by_label("Add host");
        assert!(add.accesskit_node().is_disabled(), "{address}");
    }
    // The agent is not in the `PATH` of the host: enter its path.
    harness.get_by_label("Use another path…").click();
    harness.run_steps(3);
    field(&harness, "Path of jitterscope-cli on the host").focus();
    harness.run_steps(2);
    harness.event(egui::Event::Text(program().display().to_string()));
    harness.run_steps(2);
    check(&mut harness, "ann@good-07");
    harness.get_by_label("Add host").click();
    harness.run_steps(3);
    step_until(&mut harness, connected("ann@good-07"));
    let session = &harness.state().session;
    assert_eq!(session.hosts.place, Place::Host("ann@good-07".to_owned()));
    assert_eq!(session.settings().hosts, [host(&folder, "ann@good-07")]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::L);
    harness.run_steps(4);
    harness.get_by_label_contains("ann@good-07, ssh").click_secondary();
    harness.run_steps(3);
    harness.get_by_label("Rename").click();
    harness.run_steps(3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.event(egui::Event::Text("rack 7".to_owned()));
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    assert_eq!(harness.state().session.settings().hosts[0].name, "rack 7");
    harness.get_by_label("Tests run on: rack 7");
    harness.get_by_label_contains("rack 7, ssh").click_secondary();
    harness.run_steps(3);
    harness.get_by_label("Remove").click();
    harness.run_steps(3);
    let session = &harness.state().session;
    assert_eq!((session.settings().hosts.len(), &session.hosts.place), (0, &Place::ThisPc));
}

#[test]
fn repeats_and_an_interleaved_rerun_happen_on_the_selected_host() {
    let folder = folder();
    for name in ["one", "two"] {
        let mut measured = std::process::Command::new(program());
        measured.arg("--data-dir").arg(folder.path().join("runs")).args(SHORT);
        assert!(measured.args(["--name", name]).output().unwrap().status.success());
    }
    let mut harness = window(&folder, &["refused", "good-1"]);
    let rerun = |harness: &mut Harness<'_, App>| {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num9);
        harness.run_steps(3);
        harness.get_by_label("Re-run interleaved").click();
        harness.run_steps(3);
    };
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    step_until(&mut harness, |app| app.session.library.count() == 2);
    harness.run_steps(3);
    for name in ["Select one", "Select two"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::D);
    harness.run_steps(2);
    step_until(&mut harness, |app| matches!(app.session.comparing.progress, Progress::Done(_)));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    select(&mut harness, "refused");
    step_until(&mut harness, |app| {
        matches!(app.session.hosts.state("refused"), HostState::Failed { .. })
    });
    rerun(&mut harness);
    assert!(!harness.state().session.running.is_busy());
    let notice = "The test was not run: the selected host is not connected.";
    assert!(harness.query_all_by_label_contains(notice).next().is_some());
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    select(&mut harness, "good-1");
    step_until(&mut harness, connected("good-1"));
    rerun(&mut harness);
    let is_over = |app: &App| !app.session.running.is_busy() && 4 < app.session.library.count();
    step_until(&mut harness, is_over);
    let there = || saved(&folder).into_iter().filter(|run| run.host.as_deref() == Some("good-1"));
    assert_eq!(saved(&folder).len(), there().count() + 2);
    let before = there().count();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    harness.get_by_label("Frame loop, repeat").focus();
    harness.run_steps(2);
    harness.key_press(egui::Key::ArrowUp);
    harness.run_steps(2);
    // The runs are so short that the window may draw no frame during them: wait for their files.
    harness.key_press(egui::Key::F5);
    step_until(&mut harness, |app| {
        !app.session.running.is_busy() && there().any(|run| run.tags == ["repeat 2/2"])
    });
    assert_eq!(there().count(), before + 2);
}

#[test]
fn a_quick_check_and_what_helps_run_on_a_host() {
    let folder = folder();
    let mut harness = window(&folder, &["good-1"]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num1);
    select(&mut harness, "good-1");
    step_until(&mut harness, connected("good-1"));
    harness.get_by_label("Select measurements").click();
    harness.run_steps(3);
    for part in [Part::Sleep, Part::FrameIdle, Part::FrameLoad, Part::Gaps] {
        harness.get_by_role_and_label(egui::accesskit::Role::CheckBox, part.name()).click();
        harness.run_steps(3);
    }
    harness.key_press(egui::Key::F5);
    step_until(&mut harness, |app| app.session.running.quick.result.is_some());
    let runs = saved(&folder);
    assert!(!runs.is_empty() && runs.iter().all(|run| run.host.as_deref() == Some("good-1")));
    assert!(runs.iter().all(|run| run.group.is_some()));
    let shift = egui::Modifiers::COMMAND | egui::Modifiers::SHIFT;
    harness.key_press_modifiers(shift, egui::Key::H);
    harness.run_steps(3);
    start_measuring(&mut harness);
    harness.key_press(egui::Key::Escape);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    let of_change = saved(&folder).into_iter().find(|run| run.subject.key() == "what-helps");
    assert_eq!(of_change.unwrap().host.as_deref(), Some("good-1"));
}
