//! The shortcut that marks a moment while another program has the focus: through a test portal on a separate
//! bus, through an X server, and without either.

mod portal;

use std::process::{Child, Command, Stdio};

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::App;
use jitterscope_engine::store::{self, Store};

use super::window::{start_measuring, step_until, unloaded_window};
use portal::{Answer, Bus};

/// The environment variable with the case that the child process checks: `refused: ` and the reason,
/// `one test`, or `several tests`.
const EXPECTED: &str = "JITTERSCOPE_TEST_EXPECTED";

/// Starts the test `window_of_the_child` in a child process whose desktop services are only those in
/// `environment`.
fn child(expected: &str, environment: &[(&str, &str)]) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "shortcut::window_of_the_child", "--ignored", "--nocapture"]);
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] {
        command.env_remove(name);
    }
    command.env(EXPECTED, expected).envs(environment.iter().copied());
    command.stdout(Stdio::null()).spawn().unwrap()
}

fn state(app: &App) -> String {
    format!("{:?}", app.session.mark_shortcut.state.as_ref())
}

/// Waits until the shortcut is registered; fails if it is refused.
fn registered(harness: &mut Harness<'_, App>) {
    step_until(harness, |app| !state(app).contains("Requested"));
    assert!(state(harness.state()).contains("Registered"), "{}", state(harness.state()));
}

/// Checks that the settings page shows a note about the shortcut that contains `words`, and returns to the
/// test.
fn note_in_settings(harness: &mut Harness<'_, App>, words: &str) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Comma);
    harness.run_steps(4);
    harness.get_by_label_contains(words);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    harness.run_steps(3);
}

fn switch(harness: &mut Harness<'_, App>) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Comma);
    harness.run_steps(4);
    let switch = egui::accesskit::Role::Switch;
    harness.get_by_role_and_label(switch, "Mark a moment in a game").click_accesskit();
    harness.run_steps(4);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    harness.run_steps(3);
}

fn stop(harness: &mut Harness<'_, App>) {
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F5);
    step_until(harness, |app| !app.session.running.is_busy());
    harness.run_steps(2);
}

#[test]
#[ignore = "the other tests start it, each with a desktop of its own"]
fn window_of_the_child() {
    let expected = std::env::var(EXPECTED).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut harness = unloaded_window(&folder);
    assert_eq!(state(harness.state()), "None", "nothing is registered while no test runs");
    start_measuring(&mut harness);
    if let Some(words) = expected.strip_prefix("refused: ") {
        step_until(&mut harness, |app| state(app).contains("Refused"));
        note_in_settings(&mut harness, words);
        stop(&mut harness);
        note_in_settings(&mut harness, words);
        return;
    }
    registered(&mut harness);
    note_in_settings(&mut harness, "Registered as ");
    // The parent process presses the keys: wait for two marks.
    step_until(&mut harness, |app| {
        let run = app.session.running.live().and_then(|(_, live)| live.run.as_ref());
        run.is_some_and(|run| 2 <= run.annotations.len())
    });
    stop(&mut harness);
    assert_eq!(state(harness.state()), "None", "the test was stopped");
    step_until(&mut harness, |app| app.session.library.count() == 1);
    let run = store::load(&Store::at(folder.path()).lines().unwrap()[0].path).unwrap();
    let last = run.trials[0].samples.last().unwrap().woke;
    assert!(2 <= run.annotations.len(), "{:?}", run.annotations);
    assert!(run.annotations.iter().all(|mark| mark.from <= last));
    if expected == "one test" {
        return;
    }

    switch(&mut harness);
    start_measuring(&mut harness);
    assert_eq!(state(harness.state()), "None", "it is turned off");
    // Switch the shortcut on and off again while the test runs.
    switch(&mut harness);
    registered(&mut harness);
    switch(&mut harness);
    assert_eq!(state(harness.state()), "None");
    stop(&mut harness);

    switch(&mut harness);
    // Run a test of a few seconds until it ends.
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num3);
    harness.run_steps(3);
    start_measuring(&mut harness);
    registered(&mut harness);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    harness.run_steps(2);
    assert_eq!(state(harness.state()), "None", "the test is over");

    // The last step: the window is closed during a test.
    start_measuring(&mut harness);
    registered(&mut harness);
}

#[test]
fn portal_marks_while_a_test_runs_and_is_closed_on_each_way_out() {
    let Some(bus) = Bus::start(Answer::Grants) else { return };
    let mut child = child("several tests", &[("DBUS_SESSION_BUS_ADDRESS", &bus.address)]);
    let status = bus.press_until_the_end_of(&mut child);
    assert!(status.success());
    let calls = bus.calls();
    let bound = calls.iter().filter(|call| call.starts_with("bind mark CTRL+ALT+m")).count();
    assert_eq!(bound, 4, "{calls:?}");
    // The last session may end with its connection instead of a call, because the window is closed.
    let closed = calls.iter().filter(|call| *call == "close").count();
    assert!((3..=4).contains(&closed), "{calls:?}");
    let at_once: Vec<_> = calls.iter().filter(|call| *call != "create").collect();
    let is_in_turns = |(place, call): (usize, &&String)| (*call == "close") == (place % 2 == 1);
    assert!(at_once.iter().enumerate().all(is_in_turns), "{calls:?}");
}

#[test]
fn refusal_of_the_desktop_is_shown_with_its_reason() {
    let Some(bus) = Bus::start(Answer::Declines) else { return };
    let expected = "refused: Denied by the desktop: the request was declined";
    let mut child = child(expected, &[("DBUS_SESSION_BUS_ADDRESS", &bus.address)]);
    assert!(child.wait().unwrap().success());
}

#[test]
fn desktop_without_portal_and_x_server_is_shown_as_not_available() {
    let expected = "refused: Not available here: no portal of this desktop accepts shortcuts";
    let none = "unix:path=/nonexistent";
    let mut child = child(expected, &[("DBUS_SESSION_BUS_ADDRESS", none)]);
    assert!(child.wait().unwrap().success());
}

#[test]
fn x_server_marks_while_a_test_runs() {
    let Some(screen) = portal::Screen::start() else { return };
    let none = "unix:path=/nonexistent";
    let mut child =
        child("one test", &[("DBUS_SESSION_BUS_ADDRESS", none), ("DISPLAY", &screen.display)]);
    let status = screen.press_until_the_end_of(&mut child);
    assert!(status.success());
}
