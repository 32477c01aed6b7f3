//! What a person does by key, wherever the focus is.

use eframe::egui::{Context, Key, KeyboardShortcut, Modifiers};

use crate::session::{Action, PageId, Session};

const RUN: [KeyboardShortcut; 2] = [
    KeyboardShortcut::new(Modifiers::NONE, Key::F5),
    KeyboardShortcut::new(Modifiers::COMMAND, Key::R),
];
const STOP_AT_ONCE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::SHIFT, Key::F5);
const STOP: KeyboardShortcut = KeyboardShortcut::new(Modifiers::NONE, Key::Escape);
/// The keys of the tests, in the order of the navigation.
const TESTS: [Key; 6] = [Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7];
/// The same in words.
pub(super) const TEST_SHORTCUTS: [&str; 6] =
    ["Ctrl+2", "Ctrl+3", "Ctrl+4", "Ctrl+5", "Ctrl+6", "Ctrl+7"];
const RUNS: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Num8);
const OPEN: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::O);
const THEME: KeyboardShortcut =
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::T);

/// Adds what the pressed keys ask for.
pub(super) fn take(ctx: &Context, session: &Session, page: PageId, actions: &mut Vec<Action>) {
    let pressed =
        |shortcut: &KeyboardShortcut| ctx.input_mut(|input| input.consume_shortcut(shortcut));
    if pressed(&STOP_AT_ONCE) && session.is_running() {
        actions.push(Action::StopAtOnce);
    }
    if let PageId::Test(key) = page
        && RUN.iter().any(pressed)
        && !session.is_busy()
    {
        actions.push(Action::Run(key));
    }
    // Esc belongs to what is open first: a list, a field.
    let is_taken = ctx.memory(|memory| memory.focused().is_some()) || ctx.any_popup_open();
    if session.is_running() && !is_taken && pressed(&STOP) {
        actions.push(Action::Stop);
    }
    for (bench, key) in session.benches().iter().zip(TESTS) {
        if pressed(&KeyboardShortcut::new(Modifiers::COMMAND, key)) {
            actions.push(Action::GoTo(PageId::Test(bench.key())));
        }
    }
    if pressed(&RUNS) {
        actions.push(Action::GoTo(PageId::Runs));
    }
    if pressed(&OPEN) {
        actions.push(Action::AskForFile);
    }
    if pressed(&THEME) {
        super::switch_theme(ctx);
    }
}
