//! What a person does by key, wherever the focus is.

use eframe::egui::{Context, Key, KeyboardShortcut, Modifiers};

use crate::session::{Action, PageId, Session};

const RUN: [KeyboardShortcut; 2] = [
    KeyboardShortcut::new(Modifiers::NONE, Key::F5),
    KeyboardShortcut::new(Modifiers::COMMAND, Key::R),
];
const STOP_AT_ONCE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::SHIFT, Key::F5);
const STOP: KeyboardShortcut = KeyboardShortcut::new(Modifiers::NONE, Key::Escape);
const FRAME_LOOP: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Num2);
const RUNS: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Num8);
const COMPARE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Num9);
const UNDO: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Z);
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
    for (shortcut, page) in [
        (&FRAME_LOOP, PageId::Test("frame-loop")),
        (&RUNS, PageId::Runs),
        (&COMPARE, PageId::Compare),
    ] {
        if pressed(shortcut) {
            actions.push(Action::GoTo(page));
        }
    }
    if pressed(&OPEN) {
        actions.push(Action::AskForFile);
    }
    // In a text field the same key takes back what was typed.
    if !ctx.egui_wants_keyboard_input() && pressed(&UNDO) {
        actions.push(Action::Undo);
    }
    if pressed(&THEME) {
        super::switch_theme(ctx);
    }
}
