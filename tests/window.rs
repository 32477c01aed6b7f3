//! The window, used through the names of its widgets: one test per task of a user.

use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::Contrast;
use jitterscope::{App, start_log};
use jitterscope::{PageId, SeriesColors, Settings, SettingsFile, ThemeChoice};
use jitterscope_engine::plan::{FrameLoop, Load, Plan, Work};
use jitterscope_engine::stats::LowDefinition;
use jitterscope_engine::store::Store;

/// Opens a window on the frame loop page, with the runs in the folder.
pub(super) fn window(folder: &tempfile::TempDir) -> Harness<'static, App> {
    let store = Store::at(folder.path());
    let mut harness = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)));
    step_until(&mut harness, |app| app.session.machine.facts().is_some());
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    harness
}

/// Returns settings of the frame loop without load and work, for tests that do not ask how a loaded PC paces frames: load
/// takes the CPU time of all other tests.
pub(super) fn without_load() -> Vec<serde_json::Value> {
    let plan = FrameLoop { load: Load::NONE, work: Work::Nothing, ..FrameLoop::default() };
    vec![serde_json::to_value(Plan::FrameLoop(plan)).unwrap()]
}

/// Like `window`, with a frame loop without load.
pub(super) fn unloaded_window(folder: &tempfile::TempDir) -> Harness<'static, App> {
    let (store, file) =
        (Store::at(folder.path()), SettingsFile::at(&folder.path().join("settings")));
    let settings = Settings { is_welcomed: true, tests: without_load(), ..Settings::default() };
    let mut harness = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_eframe(move |cc| App::with_settings(cc, Some(store), settings, file));
    step_until(&mut harness, |app| app.session.machine.facts().is_some());
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    harness
}

/// Opens a window with the settings and the runs that are saved in the folder.
pub(super) fn window_with_settings(folder: &tempfile::TempDir) -> Harness<'static, App> {
    let store = Store::at(folder.path().join("runs"));
    let file = SettingsFile::at(folder.path());
    let (settings, word) = file.load();
    assert_eq!(word, None);
    let mut harness = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_eframe(move |cc| App::with_settings(cc, Some(store), settings, file));
    step_until(&mut harness, |app| app.session.machine.facts().is_some());
    harness
}

/// A test that waits longer than this has failed, even on a slow and busy PC.
pub(super) const HANG: Duration = Duration::from_secs(600);

/// Waits between two looks at a condition: briefly at first, since most answers come at once, then longer, since each
/// frame of the window takes CPU time from other tests.
pub(super) struct Poll {
    began: Instant,
    pause: Duration,
}

impl Poll {
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), pause: Duration::from_millis(2) }
    }

    /// Waits; fails if the condition has not come to hold for too long.
    #[track_caller]
    pub(super) fn wait(&mut self, condition: &str) {
        assert!(self.began.elapsed() < HANG, "{condition} never came to hold");
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(Duration::from_millis(150));
    }
}

/// Draws frames until a condition is true.
#[track_caller]
pub(super) fn step_until(harness: &mut Harness<'_, App>, holds: impl Fn(&App) -> bool) {
    let mut poll = Poll::new();
    while !holds(harness.state()) {
        poll.wait("the condition");
        harness.step();
    }
    harness.step();
    harness.step();
}

/// Starts the test of the page, and waits until it has measured more than ten samples.
pub(super) fn start_measuring(harness: &mut Harness<'_, App>) {
    harness.key_press(egui::Key::F5);
    step_until(harness, |app| {
        let trial = app.session.running.live().and_then(|(_, live)| live.current());
        trial.is_some_and(|trial| 10 < trial.samples.len())
    });
}

#[test]
fn a_frame_loop_is_run_stopped_saved_and_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = unloaded_window(&folder);
    start_measuring(&mut harness);
    harness.get_by_label_contains("Configuration 1 of 1: Normal, unpinned");
    harness.key_press(egui::Key::Escape);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    assert!(harness.query_all_by_label_contains("Stopped early").next().is_some());
    step_until(&mut harness, |app| app.session.library.count() == 1);
    assert_eq!(Store::at(folder.path()).lines().unwrap().len(), 1);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Runs);
}

#[test]
fn every_page_is_drawn_in_both_themes_and_when_small() {
    for theme in [egui::Theme::Dark, egui::Theme::Light] {
        let folder = tempfile::tempdir().unwrap();
        let mut harness = window(&folder);
        harness.ctx.set_theme(theme);
        for size in [[1440.0, 900.0], [1000.0, 640.0], [720.0, 450.0]] {
            harness.set_size(egui::Vec2::from(size));
            use egui::Key::{Comma, I, Num1, Num2, Num8};
            for key in [Num1, Num8, I, Comma, Num2] {
                harness.key_press_modifiers(egui::Modifiers::COMMAND, key);
                harness.run_steps(3);
            }
        }
        harness.get_by_label_contains("How consistently does this PC pace frames?");
    }
}

#[test]
fn settings_are_saved_at_once_and_used_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    {
        let mut harness = window_with_settings(&folder);
        assert_eq!(harness.state().page, PageId::Welcome, "the very first start");
        harness.get_by_label_contains("No data leaves this PC");
        let start = harness.get_by_label("Run check");
        assert!(start.accesskit_node().is_focused(), "Enter starts the check");
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Comma);
        harness.run_steps(3);
        for label in [
            "Theme, Light",
            "Size, 125%",
            "Series colors, High contrast",
            "Reduce motion",
            "Redraw plots, 2 Hz",
            "Sound when finished",
            "Include user name in exports",
        ] {
            // Some of these switches are below the edge of the window.
            harness.get_all_by_label(label).last().unwrap().click_accesskit();
            harness.run_steps(4);
        }
        assert_eq!(Contrast::of(&harness.ctx), Contrast::High, "at once");
        let low = egui::accesskit::Role::ComboBox;
        harness.get_by_role_and_label(low, "1% low").click_accesskit();
        harness.run_steps(4);
        harness.get_by_label("1% of frames are slower, MangoHud").click_accesskit();
        harness.run_steps(4);
        let late = egui::accesskit::Role::SpinButton;
        harness.get_by_role_and_label(late, "Late threshold").focus();
        harness.run_steps(3);
        for _ in 0..3 {
            harness.key_press(egui::Key::ArrowUp);
            harness.run_steps(2);
        }
    }
    let expected = Settings {
        look: ThemeChoice::Light,
        scale_percent: 125,
        series_colors: SeriesColors::HighContrast,
        less_motion: true,
        low: LowDefinition::MangoHud,
        late_percent: 8,
        plays_sound: true,
        exports_user: true,
        plot_rate: jitterscope::PlotRate::Seldom,
        page: "settings".to_owned(),
        is_welcomed: true,
        ..Settings::default()
    };
    // Settings are saved on a separate thread: wait for them.
    let mut poll = Poll::new();
    // Ignore the settings of tests, which are saved in the same file.
    let written = || {
        let now = SettingsFile::at(folder.path()).load().0;
        Settings { tests: Vec::new(), ..now }
    };
    while written() != expected {
        poll.wait(&format!("{expected:?} in the file, where there is {:?},", written()));
    }
    let mut harness = window_with_settings(&folder);
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Settings);
    assert_eq!(harness.ctx.theme(), egui::Theme::Light);
    assert!((harness.ctx.zoom_factor() - 1.25).abs() < 0.01);
    assert_eq!(Contrast::of(&harness.ctx), Contrast::High);
    harness.get_by_label("Reset all settings").click_accesskit();
    harness.run_steps(3);
    harness.get_by_label("Reset").click();
    harness.run_steps(3);
    let reset = harness.state().session.settings().clone();
    assert!(!reset.tests.is_empty(), "what tests are set to stays");
    assert_eq!(Settings { tests: Vec::new(), ..reset }, expected.reset());
    assert_eq!(Contrast::of(&harness.ctx), Contrast::Standard);
}

#[cfg(target_os = "linux")]
#[test]
fn policies_of_other_systems_are_not_offered() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num6);
    harness.run_steps(3);
    assert!(harness.query_by_label("DEADLINE").is_some());
    for label in ["MMCSS Games", "MMCSS Pro Audio"] {
        assert!(harness.query_by_label(label).is_none(), "{label}");
    }
}

#[test]
fn the_sheet_of_keys_lists_every_page_and_closes_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness.key_press(egui::Key::F1);
    harness.run_steps(3);
    for words in [
        "Stop the test without confirmation",
        "Next late or stuttering frame",
        "Switch between dark and light",
        "Ctrl+1",
        "Ctrl+2",
    ] {
        harness.get_by_label(words);
    }
    harness.key_press(egui::Key::Escape);
    harness.run_steps(3);
    assert!(harness.query_by_label("Next late or stuttering frame").is_none());
}

#[test]
fn the_machine_is_shown_and_copied() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness.get_by_label_contains("Real-time: ").click();
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Machine, "the badge leads there");
    harness.get_by_label("Capabilities");
    harness.get_by_label("Issues found");
    assert!(harness.query_all_by_label_contains("CPU").next().is_some());
    harness.get_by_label("Copy as Markdown").click();
    harness.step();
    let copied =
        harness.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
    let copied = copied.expect("something was copied");
    assert!(copied.contains("## Capabilities"), "{copied}");
}

#[test]
fn a_window_with_a_running_test_is_not_closed_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = unloaded_window(&folder);
    harness.key_press(egui::Key::F5);
    step_until(&mut harness, |app| app.session.running.is_running());
    let root = harness.input_mut().viewport_id;
    harness.input_mut().viewports.entry(root).or_default().events.push(egui::ViewportEvent::Close);
    harness.step();
    harness.step();
    harness.get_by_label("Keep running").click();
    harness.run_steps(3);
    assert!(harness.state().session.running.is_running());
    assert!(harness.query_by_label("Stop and close").is_none());
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::F5);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    // A check that waits for quiet is stopped as well.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num1);
    harness.run_steps(3);
    harness.key_press(egui::Key::F5);
    step_until(&mut harness, |app| app.session.running.is_busy());
    harness.input_mut().viewports.entry(root).or_default().events.push(egui::ViewportEvent::Close);
    harness.run_steps(3);
    harness.get_by_label("Stop and close").click();
    step_until(&mut harness, |app| !app.session.running.is_busy());
}

#[test]
fn glossary_defines_the_terms_of_the_result_tables() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Comma);
    harness.run_steps(3);
    harness.get_by_label("Glossary").click_accesskit();
    harness.run_steps(4);
    let terms = jitterscope_engine::report::glossary();
    let first = &terms[0];
    assert!(harness.query_all_by_label(&first.definition).next().is_some(), "{first:?}");
    harness.key_press(egui::Key::Escape);
    harness.run_steps(4);
    assert!(harness.query_all_by_label(&first.definition).next().is_none());
}

#[test]
fn diagnostics_hold_machine_library_and_log_and_no_private_names() {
    let (folder, logs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    start_log(logs.path()).unwrap();
    let mut harness = window(&folder);
    let (sender, opened) = std::sync::mpsc::sync_channel(1);
    harness.state_mut().set_opener(std::sync::Arc::new(move |path: &std::path::Path| {
        sender.send(path.to_owned()).map_err(|error| error.to_string())
    }));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Comma);
    harness.run_steps(3);
    let copied = super::files::copied(&mut harness, |harness| {
        harness.get_by_label("Copy diagnostics").click_accesskit();
    });
    let version = env!("CARGO_PKG_VERSION");
    for words in [version, "## Capabilities", "## Library", "0 entries", "## Log"] {
        assert!(copied.contains(words), "{words}: {copied}");
    }
    assert!(copied.contains(&format!("Jitterscope {version} started")), "{copied}");
    if let Some(home) = std::env::var_os("HOME").filter(|home| 1 < home.len()) {
        assert!(!copied.contains(home.to_str().unwrap()), "{copied}");
    }
    harness.get_by_label("Open the folder of the log file").click_accesskit();
    harness.run_steps(2);
    assert_eq!(opened.recv_timeout(HANG).unwrap(), logs.path());
}
