//! Administrator rights in the window: granted, canceled, not available, and given up again. A script
//! replaces pkexec, so the tests need root.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::sync::Once;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::{App, HostState, Place, Settings, SettingsFile};
use jitterscope_engine::run::Ending;
use jitterscope_engine::runner::lost_after;
use jitterscope_engine::store::{self, Store};

use super::administrator::{DISMISSED, PKEXEC, folder, is_root};
use super::cli::program;
use super::window::{start_measuring, step_until, window_with_settings, without_load};

const ROW: &str = "This PC, with administrator rights…";

/// Opens a window on the frame loop page with the host menu open. `command` is the setting for the command
/// that asks for administrator rights.
fn window(folder: &tempfile::TempDir, command: &str) -> Harness<'static, App> {
    // The window looks for the agent next to its own program, which is this test: link the command-line
    // program there.
    static LINKED: Once = Once::new();
    LINKED.call_once(|| {
        let agent = std::env::current_exe().unwrap().with_file_name("jitterscope-cli");
        fs::remove_file(&agent).ok();
        fs::hard_link(program(), agent).unwrap();
    });
    let administrator_command = command.to_owned();
    let tests = without_load();
    let settings =
        Settings { is_welcomed: true, administrator_command, tests, ..Settings::default() };
    SettingsFile::at(folder.path()).save(&settings).unwrap();
    let mut harness = window_with_settings(folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    open_menu(&mut harness);
    harness
}

fn open_menu(harness: &mut Harness<'_, App>) {
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::L);
    harness.run_steps(4);
}

fn pkexec(folder: &tempfile::TempDir) -> String {
    folder.path().join("pkexec").display().to_string()
}

/// Returns the process IDs of the agents that this process started.
fn agents() -> Vec<String> {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let children =
        threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok());
    let children = children.flat_map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let is_agent = |process: &String| {
        let process = Path::new("/proc").join(process);
        let line = fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        let status = fs::read_to_string(process.join("status")).unwrap_or_default();
        line.contains("\0agent\0") && status.contains("\nUid:\t65534\t65534\t65534\t65534\n")
    };
    children.filter(is_agent).collect()
}

#[test]
fn rights_are_granted_once_and_given_up_with_this_pc() {
    if !is_root() {
        return;
    }
    let folder = folder(PKEXEC);
    let mut harness = window(&folder, &pkexec(&folder));
    harness.get_by_label_contains(ROW).click();
    harness.run_steps(2);
    let is_connected =
        |app: &App| matches!(app.session.hosts.selected(), Some(HostState::Connected(_)));
    step_until(&mut harness, is_connected);
    harness.get_by_label("Tests run on: This PC, administrator");
    assert!(!agents().is_empty());
    for runs in 1..=2 {
        start_measuring(&mut harness);
        harness.key_press(egui::Key::Escape);
        step_until(&mut harness, |app| !app.session.running.is_busy());
        let list = Store::at(folder.path().join("runs")).lines().unwrap();
        assert_eq!(list.len(), runs);
        let run = store::load(&list[0].path).unwrap();
        assert_eq!(run.host, None, "it is this PC");
        assert!(run.health.window_cpu.is_some(), "the window is on it");
    }
    open_menu(&mut harness);
    let count = harness.state().session.machine.facts.as_ref().unwrap().machine.cpus.len();
    harness.get_by_label_contains(&format!("This PC, {count} CPU")).click();
    harness.run_steps(2);
    harness.get_by_label("Tests run on: This PC");
    step_until(&mut harness, |_| agents().is_empty());
}

#[test]
fn a_check_does_not_go_on_without_the_rights_it_began_with() {
    if !is_root() {
        return;
    }
    let folder = folder(PKEXEC);
    // Tests that run at the same time also start agents: find the one of this test by exclusion.
    let before = agents();
    let mut harness = window(&folder, &pkexec(&folder));
    harness.get_by_label_contains(ROW).click();
    harness.run_steps(2);
    let is_connected =
        |app: &App| matches!(app.session.hosts.selected(), Some(HostState::Connected(_)));
    step_until(&mut harness, is_connected);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num1);
    harness.run_steps(3);
    start_measuring(&mut harness);
    let own = agents().into_iter().find(|agent| !before.contains(agent)).unwrap();
    assert!(std::process::Command::new("kill").args(["-9", &own]).status().unwrap().success());
    step_until(&mut harness, |app| !app.session.running.is_busy());
    let check = harness.state().session.running.quick.result.clone().unwrap();
    assert_eq!(check.ending, Ending::Stopped);
    assert_eq!(harness.state().session.hosts.place, Place::ThisPc);
    let runs = Store::at(folder.path().join("runs")).lines().unwrap();
    let [run] = &runs[..] else { panic!("{} runs", runs.len()) };
    let run = store::load(&run.path).unwrap();
    assert!(lost_after(&run).is_some(), "{:?}", run.ending);
}

#[test]
fn without_the_password_this_pc_stays_selected() {
    if !is_root() {
        return;
    }
    let folder = folder(DISMISSED);
    let mut harness = window(&folder, &pkexec(&folder));
    harness.get_by_label_contains(ROW).click();
    harness.run_steps(1);
    step_until(&mut harness, |app| app.session.hosts.place == Place::ThisPc);
    harness.run_steps(2);
    let words = "Administrator rights were not granted: Request dismissed.";
    assert!(harness.query_all_by_label_contains(words).next().is_some());
    start_measuring(&mut harness);
    harness.key_press(egui::Key::Escape);
    step_until(&mut harness, |app| !app.session.running.is_busy());
}

#[test]
fn where_rights_cannot_be_requested_the_row_shows_why() {
    if !is_root() {
        return;
    }
    let folder = folder(PKEXEC);
    let harness = window(&folder, "not-there -A");
    let row = harness.get_by_label_contains(ROW);
    assert!(row.accesskit_node().is_disabled());
    let label = row.accesskit_node().label().unwrap();
    assert!(label.contains("Needs polkit, or another command in Settings."), "{label}");
}
