//! Hosts that lie, on the command line and in the window: each lie ends in a sentence or a saved run, within time and memory,
//! and no text of a host forges a line or reaches the terminal as an escape.
//!
//! `JITTERSCOPE_LONG_TESTS=1` also tries the lies that take a minute.
#![cfg(unix)]

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output};
use std::sync::Mutex;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::{App, HostState, SavedHost, Settings, SettingsFile};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{FrameLoop, Plan};
use jitterscope_engine::store;

use super::cli::{SHORT, install_script, is_long, program};
use super::tidy::root;
use super::window::{step_until, window_with_settings};

/// How far a lie gets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reach {
    /// The host is refused before a run.
    Refused,
    /// The run fails, or ends early with what arrived.
    Failed,
    /// The run ends as the host reports: what it sent is possible.
    Possible,
}

use Reach::{Failed, Possible, Refused};

/// Every lie. The liar has them under the same names.
const LIES: [(&str, Reach); 44] = [
    ("endless-line", Refused),
    ("endless-lines", Refused),
    ("silent", Refused),
    ("drip", Refused),
    ("drip-of-lines", Refused),
    ("endless-messages", Refused),
    ("escapes-in-the-message", Refused),
    ("version-of-the-far-future", Refused),
    ("other-bytes", Refused),
    ("ends-at-once", Refused),
    ("forged-refusal", Refused),
    ("huge-refusal", Refused),
    ("facts-of-many-lists", Refused),
    ("facts-of-great-depth", Refused),
    ("load-in-place-of-facts", Refused),
    ("facts-of-a-huge-cpu-number", Refused),
    ("forged-facts", Possible),
    ("facts-without-cpus", Possible),
    ("facts-of-8192-cpus", Possible),
    ("facts-of-huge-numbers", Possible),
    ("refused-run", Failed),
    ("machine-in-place-of-a-run", Failed),
    ("another-plan", Failed),
    ("another-test", Failed),
    ("forged-run", Possible),
    ("id-that-is-a-path", Failed),
    ("lost-at-once", Failed),
    ("silent-run", Failed),
    ("junk-in-a-run", Failed),
    ("trials-out-of-range", Failed),
    ("forged-steps", Failed),
    ("begun-twice", Failed),
    ("names-without-end", Failed),
    ("counters-without-end", Failed),
    ("line-without-end", Failed),
    ("samples-without-end", Failed),
    ("samples-of-extreme-times", Possible),
    ("uneven-columns", Failed),
    ("evidence-of-no-sample", Possible),
    ("lost-samples-beyond-count", Possible),
    ("recovered-ending", Failed),
    ("forged-ending", Failed),
    ("lines-after-the-end", Possible),
    ("stays", Possible),
];
/// Lies that end only when a host had its time to answer, three minutes: in a normal test run, each is used once in the window.
const PATIENT: [&str; 4] = ["silent", "drip", "drip-of-lines", "other-bytes"];
/// Lies that last as long as a run may take: more than a minute.
const SLOW: [&str; 2] = ["run-without-end", "steps-without-end"];
/// The address space of the command line while it listens to a lie, in bytes.
const MAX_ADDRESS_SPACE: u64 = 3 << 30;
/// Maximum size of what a lie leaves, in bytes.
const MAX_SAVED: u64 = 200 << 20;

fn lies() -> Vec<(&'static str, Reach)> {
    let slow = SLOW.into_iter().filter(|_| is_long()).map(|lie| (lie, Failed));
    LIES.into_iter().chain(slow).collect()
}

/// Creates a folder with the liar as `ssh`; `None` without Python.
fn folder() -> Option<tempfile::TempDir> {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: the host that lies needs Python as python3");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let liar = root().join("tests/liars/liar.py");
    let script = format!("#!/bin/sh\nexec python3 '{}' \"$@\"\n", liar.display());
    install_script(&script, &folder.path().join("ssh"));
    Some(folder)
}

/// Measures on a host that lies, with its own folder for runs.
fn measure(folder: &tempfile::TempDir, lie: &str) -> Output {
    let mut folders = vec![folder.path().to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut command = Command::new(program());
    command.env("PATH", std::env::join_paths(folders).unwrap());
    command.arg("--data-dir").arg(folder.path().join(lie)).args(SHORT).args(["--host", lie]);
    command.arg("--host-program").arg(program());
    let limit = || {
        let most = libc::rlimit { rlim_cur: MAX_ADDRESS_SPACE, rlim_max: MAX_ADDRESS_SPACE };
        // SAFETY: `most` is valid for the length of the call.
        unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const most) };
        Ok(())
    };
    // SAFETY: the function only calls `setrlimit`, which is safe after a fork.
    unsafe { command.pre_exec(limit) };
    command.output().unwrap()
}

/// Checks that a text has no escape, and no line that a host forged.
#[track_caller]
fn check_text(lie: &str, text: &str) {
    let is_escape = |letter: char| letter.is_control() && letter != '\n';
    assert!(!text.contains(is_escape), "{lie}: {text:?}");
    assert!(text.lines().all(|line| !line.starts_with("Excellent: this PC")), "{lie}: {text}");
}

/// Checks that what a lie left in a folder is small, and that each run in it can be opened; returns how many there are.
fn check_saved(lie: &str, folder: &std::path::Path) -> usize {
    let files = fs::read_dir(folder).into_iter().flatten().map(|file| file.unwrap());
    let files: Vec<_> = files.collect();
    let size: u64 = files.iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(size < MAX_SAVED, "{lie}: {size} bytes");
    let paths = files.iter().map(fs::DirEntry::path);
    let runs = paths.filter(|path| path.to_string_lossy().ends_with(store::EXTENSION));
    let loaded = runs.map(|path| store::load(&path).unwrap());
    loaded.count()
}

#[test]
fn lies_of_a_host_end_in_a_sentence_on_the_command_line() {
    let Some(folder) = folder() else { return };
    let left = Mutex::new(lies());
    std::thread::scope(|scope| {
        // Most lies only wait.
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let Some((lie, reach)) = left.lock().unwrap().pop() else { return };
                    let began = std::time::Instant::now();
                    let output = measure(&folder, lie);
                    let [text, error] = [&output.stdout, &output.stderr]
                        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                    let took = began.elapsed();
                    let last = error.lines().last().unwrap_or_default();
                    println!("{lie}: {:?} after {took:.1?}: {last}", output.status.code());
                    for text in [&text, &error] {
                        check_text(lie, text);
                        assert!(!text.contains(['\u{202e}', '\u{2028}']), "{lie}: {text:?}");
                    }
                    let saved = check_saved(lie, &folder.path().join(lie));
                    match reach {
                        Refused | Failed => {
                            assert_eq!(output.status.code(), Some(1), "{lie}: {error}")
                        }
                        Possible => {
                            assert!(matches!(output.status.code(), Some(0 | 1)), "{lie}: {error}")
                        }
                    }
                    assert!(reach != Refused || saved == 0, "{lie}: {saved} runs");
                    assert!(
                        output.status.code() == Some(0) || error.contains("error: "),
                        "{lie}: {error}"
                    );
                }
            });
        }
    });
}

/// Returns whether a host has been connected or refused.
fn is_answered(app: &App, lie: &str) -> bool {
    !matches!(app.session.hosts.state(lie), HostState::Connecting | HostState::NotConnected)
}

/// Checks every text that the window shows.
fn check_window(harness: &Harness<'_, App>, lie: &str) {
    for node in harness.root().children_recursive() {
        let node = node.accesskit_node();
        for text in [node.label(), node.value(), node.description()].into_iter().flatten() {
            check_text(lie, &text);
        }
    }
}

#[test]
fn lies_of_a_host_end_in_a_sentence_in_the_window() {
    let Some(folder) = folder() else { return };
    let host = |(lie, _): &(&str, Reach)| SavedHost {
        address: (*lie).to_owned(),
        ssh: folder.path().join("ssh").display().to_string(),
        program: program().display().to_string(),
        ..SavedHost::default()
    };
    let plan = FrameLoop {
        time_each: Nanos::from_millis(200),
        warm_up: Nanos::ZERO,
        ..FrameLoop::default()
    };
    let settings = Settings {
        is_welcomed: true,
        hosts: lies().iter().map(host).collect(),
        tests: vec![serde_json::to_value(Plan::FrameLoop(plan)).unwrap()],
        ..Settings::default()
    };
    SettingsFile::at(folder.path()).save(&settings).unwrap();
    let mut harness = window_with_settings(&folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    // Connect to all of them first: some answer only after the time that is allowed for it.
    for (lie, _) in lies() {
        choose(&mut harness, lie);
    }
    for (lie, reach) in lies() {
        step_until(&mut harness, |app| is_answered(app, lie));
        if PATIENT.contains(&lie) && !is_long() {
            let state = harness.state().session.hosts.state(lie);
            assert!(matches!(state, HostState::Failed { .. }), "{lie}: {state:?}");
            check_window(&harness, lie);
            continue;
        }
        choose(&mut harness, lie);
        step_until(&mut harness, |app| is_answered(app, lie));
        check_window(&harness, lie);
        let is_connected =
            |app: &App| matches!(app.session.hosts.state(lie), HostState::Connected(_));
        assert_eq!(is_connected(harness.state()), reach != Refused, "{lie}");
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::I);
        harness.run_steps(3);
        check_window(&harness, lie);
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
        harness.key_press(egui::Key::F5);
        harness.run_steps(3);
        check_window(&harness, lie);
        step_until(&mut harness, |app| !app.session.running.is_busy());
        check_window(&harness, lie);
        println!("{lie}: {} runs saved", check_saved(lie, &folder.path().join("runs")));
    }
}

/// Selects a host by its row in the menu, with the filter of the menu.
fn choose(harness: &mut Harness<'_, App>, lie: &str) {
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::L);
    harness.run_steps(4);
    super::host_window::field(harness, "Filter hosts").focus();
    harness.run_steps(2);
    harness.event(egui::Event::Text(lie.to_owned()));
    harness.run_steps(3);
    let rows = harness.query_all_by_label_contains(lie);
    let row = rows.into_iter().find(|row| {
        let node = row.accesskit_node();
        node.role() == egui::accesskit::Role::MenuItemRadio
            && node.label().is_some_and(|label| label.starts_with(&format!("{lie},")))
    });
    row.unwrap().click();
    harness.run_steps(3);
}
