//! Typical work with the keyboard only: a check, its result, the cause of a late frame, an export, a
//! comparison. The tests neither use the pointer nor set the focus by other means than keys.

use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, Node};
use jitterscope::{App, PageId, Progress};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::run::{Run, RunId};
use jitterscope_engine::store::Store;

use super::offers::late_run;
use super::window::{step_until, window};

/// A number of Tab presses that reaches every widget on any page.
const MOST: usize = 120;

fn press(harness: &mut Harness<'_, App>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_steps(3);
}

fn shows(harness: &Harness<'_, App>, words: &str) -> bool {
    let text = |node: Node<'_>| {
        let node = node.accesskit_node();
        [node.label(), node.value()].map(Option::unwrap_or_default).concat()
    };
    let mut all = harness.root().children_recursive();
    all.any(|node| text(node).replace('\u{202f}', " ").contains(words))
}

/// Returns the role and the accessible name of the focused widget, such as `Button: Run check`.
fn focused(harness: &Harness<'_, App>) -> String {
    let mut all = harness.root().children_recursive();
    let node = all.find(|node| node.accesskit_node().is_focused());
    let described = |node: Node<'_>| {
        let node = node.accesskit_node();
        format!("{:?}: {}", node.role(), node.label().unwrap_or_default())
    };
    node.map(described).unwrap_or_default()
}

/// Presses Tab until a widget whose role and name begin with `name` has the focus.
fn tab_to(harness: &mut Harness<'_, App>, name: &str) {
    let mut seen = Vec::new();
    while !focused(harness).starts_with(name) {
        assert!(seen.len() < MOST, "'{name}' is not among {seen:?}");
        press(harness, Modifiers::NONE, Key::Tab);
        seen.push(focused(harness));
    }
}

fn type_text(harness: &mut Harness<'_, App>, text: &str) {
    harness.event(Event::Text(text.to_owned()));
    harness.run_steps(3);
}

/// Runs a quick check with a single part, the one with the shortest duration.
fn check(harness: &mut Harness<'_, App>) {
    press(harness, Modifiers::COMMAND, Key::Num1);
    assert_eq!(focused(harness), "Button: Run check", "Enter starts it");
    tab_to(harness, "Button: Select measurements");
    press(harness, Modifiers::NONE, Key::Space);
    for part in Part::ALL.into_iter().filter(|part| *part != Part::FrameIdle) {
        tab_to(harness, &format!("CheckBox: {}", part.name()));
        press(harness, Modifiers::NONE, Key::Space);
    }
    press(harness, Modifiers::NONE, Key::F5);
    step_until(harness, |app| app.session.running.quick.check.is_some());
    step_until(harness, |app| app.session.running.quick.check.is_none());
    assert!(shows(harness, "skipped 4 of 5 measurements"));
}

/// Exports the result of the page as a Markdown file; the window asks for the path.
fn export(harness: &mut Harness<'_, App>, path: &std::path::Path) {
    press(harness, Modifiers::COMMAND, Key::E);
    tab_to(harness, "RadioButton: Format, ");
    while focused(harness) != "RadioButton: Format, Markdown" {
        press(harness, Modifiers::NONE, Key::ArrowDown);
        assert!(focused(harness).starts_with("RadioButton: Format, "), "{}", focused(harness));
    }
    tab_to(harness, "Button: Save…");
    press(harness, Modifiers::NONE, Key::Enter);
    step_until(harness, |app| app.session.dialogs.question().is_some());
    harness.run_steps(3);
    assert_eq!(focused(harness), "TextInput: Path");
    press(harness, Modifiers::COMMAND, Key::A);
    type_text(harness, &path.display().to_string());
    press(harness, Modifiers::NONE, Key::Enter);
    step_until(harness, |app| app.session.exports.current.is_none());
    assert!(std::fs::read_to_string(path).unwrap().contains("late"));
}

#[test]
fn keyboard_alone_leads_from_a_check_to_the_cause_of_a_frame_a_file_and_a_comparison() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::at(folder.path());
    for (id, name) in [("aaaaaaa1", "driver before"), ("bbbbbbb2", "driver after")] {
        let id = RunId::parse(id).unwrap();
        store.save(&Run { id, name: name.to_owned(), ..late_run() }).unwrap();
    }
    let mut harness = window(&folder);
    harness.state_mut().ask_for_paths_in_window();
    check(&mut harness);

    tab_to(&mut harness, &format!("Link: Open {}", Part::FrameIdle.name()));
    press(&mut harness, Modifiers::NONE, Key::Enter);
    step_until(&mut harness, |app| app.page == PageId::Test("frame-loop"));
    step_until(&mut harness, |app| app.session.running.shown("frame-loop").is_some());

    press(&mut harness, Modifiers::COMMAND, Key::Num8);
    press(&mut harness, Modifiers::COMMAND, Key::F);
    type_text(&mut harness, "before");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::NONE, Key::Home);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    step_until(&mut harness, |app| app.page == PageId::Test("frame-loop"));
    harness.run_steps(4);
    press(&mut harness, Modifiers::NONE, Key::N);
    assert!(shows(&harness, "3.000 ms late"), "the account of the frame");
    export(&mut harness, &out.path().join("report.md"));

    press(&mut harness, Modifiers::COMMAND, Key::Num8);
    // Typing replaces the last search.
    press(&mut harness, Modifiers::COMMAND, Key::F);
    type_text(&mut harness, "driver");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::NONE, Key::Home);
    assert_eq!(focused(&harness), "Grid: List of runs");
    press(&mut harness, Modifiers::SHIFT, Key::ArrowDown);
    assert!(shows(&harness, "2 selected"));
    press(&mut harness, Modifiers::COMMAND, Key::D);
    assert_eq!(harness.state().page, PageId::Compare);
    step_until(&mut harness, |app| matches!(app.session.comparing.progress, Progress::Done(_)));
    harness.run_steps(3);
    tab_to(&mut harness, "Link: Swap A and B");
    press(&mut harness, Modifiers::NONE, Key::Enter);
    step_until(&mut harness, |app| matches!(app.session.comparing.progress, Progress::Done(_)));
    assert!(shows(&harness, "Remove A, "));
}

/// Returns the role and name of the focused widget, and the position of its center.
fn focused_at(harness: &Harness<'_, App>) -> (String, egui::Pos2) {
    let mut all = harness.root().children_recursive();
    let node = all.find(|node| node.accesskit_node().is_focused());
    (focused(harness), node.map_or(egui::Pos2::ZERO, |node| node.rect().center()))
}

/// Opens a saved run on its page, in a window of minimum size.
fn opened_run(folder: &tempfile::TempDir) -> Harness<'static, App> {
    Store::at(folder.path()).save(&late_run()).unwrap();
    let mut harness = window(folder);
    harness.set_size(egui::vec2(1000.0, 640.0));
    press(&mut harness, Modifiers::COMMAND, Key::Num8);
    press(&mut harness, Modifiers::NONE, Key::Home);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    step_until(&mut harness, |app| app.page == PageId::Test("frame-loop"));
    harness.run_steps(4);
    harness
}

#[test]
fn what_tab_focuses_is_scrolled_into_view() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = opened_run(&folder);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..MOST {
        press(&mut harness, Modifiers::NONE, Key::Tab);
        let (name, at) = focused_at(&harness);
        let rail_and_bars = name.is_empty() || (0.0..640.0).contains(&at.y);
        assert!(rail_and_bars, "{name} at {at:?} is out of sight");
        seen.insert(name);
    }
    assert!(30 < seen.len(), "{seen:?}");

    press(&mut harness, Modifiers::COMMAND, Key::E);
    step_until(&mut harness, |app| {
        app.session.exports.current.as_ref().is_some_and(|it| it.first().is_some())
    });
    harness.run_steps(20);
    let foot = harness.get_by_label("Cancel").rect().top();
    let mut contents = 0;
    for _ in 0..MOST {
        press(&mut harness, Modifiers::SHIFT, Key::Tab);
        let (name, at) = focused_at(&harness);
        let is_in_foot = ["Button: Cancel", "Button: Save…"].contains(&name.as_str());
        assert!(is_in_foot || at.y < foot, "{name} at {at:?} is below {foot}");
        contents += usize::from(!is_in_foot);
    }
    assert!(8 < contents);
    let top = |harness: &Harness<'_, App>| {
        harness.get_all_by_label_contains("Jitterscope 0.1.0)").next().unwrap().rect().top()
    };
    let scrolled = top(&harness);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    press(&mut harness, Modifiers::COMMAND, Key::E);
    step_until(&mut harness, |app| {
        app.session.exports.current.as_ref().is_some_and(|it| it.first().is_some())
    });
    harness.run_steps(20);
    assert!(scrolled < top(&harness), "another export begins at its top");
}

#[test]
fn shift_tab_shows_the_new_focus_in_the_frame_of_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = opened_run(&folder);
    press(&mut harness, Modifiers::COMMAND, Key::E);
    harness.run_steps(20);
    let before = focused(&harness);
    let modifiers = Modifiers::SHIFT;
    let key = Key::Tab;
    let tab = Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
    harness.event(Event::ModifiersChanged(modifiers));
    harness.step();
    harness.event(tab);
    harness.step();
    assert_ne!(focused(&harness), before);
}
