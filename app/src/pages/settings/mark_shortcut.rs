//! The row of the shortcut that marks the current time from another program: its keys, its switch,
//! and its state.

use eframe::egui::{Context, Event, ModifierNames, Ui};
use jitterscope_engine::platform::{Shortcut, ShortcutRefusal};

use super::row::row;
use crate::session::{Session, Settings, ShortcutState};
use crate::widgets::{Answer, Button, Dialog, toggle};

/// Draws the row of the shortcut; returns whether the user wants to change its keys.
pub(super) fn row_ui(ui: &mut Ui, session: &Session, settings: &mut Settings) -> bool {
    let mut wants_keys = false;
    row(ui, "Mark a moment in a game", &note(session), |ui| {
        let keys = settings.mark_shortcut.to_string();
        let change = Button::new(&keys).name("Change the keys that mark a moment in a game");
        wants_keys = ui.add_enabled(settings.marks_in_games, change).clicked();
        toggle(ui, &mut settings.marks_in_games, "Mark a moment in a game");
    });
    wants_keys
}

/// Describes the state of the shortcut.
fn note(session: &Session) -> String {
    match &session.mark_shortcut.state {
        None => "Works in every program, and is registered only while a test runs".to_owned(),
        Some(ShortcutState::Requested) => "Waiting for the desktop to register it".to_owned(),
        Some(ShortcutState::Registered(keys)) => {
            format!("Registered as {keys} until the test ends")
        }
        Some(ShortcutState::Refused(ShortcutRefusal::Denied(reason))) => {
            format!("Denied by the desktop: {reason}")
        }
        Some(ShortcutState::Refused(ShortcutRefusal::Unavailable(reason))) => {
            format!("Not available here: {reason}")
        }
    }
}

/// Draws the dialog that asks for other keys and stores them in `settings`; returns whether the
/// dialog stays open.
pub(super) fn question_ui(ctx: &Context, settings: &mut Settings) -> bool {
    let standard = Shortcut::default();
    let primary = format!("Use {standard}");
    let dialog = Dialog {
        title: "Press the keys that mark a moment",
        text: "Ctrl or Alt, with a letter, a digit, or F1 to F12. While a test runs, no other program receives \
               these keys.",
        primary: &primary,
        cancel: "Cancel",
        is_stop: false,
    };
    let chosen = match dialog.show(ctx) {
        Some(Answer::Cancel) => return false,
        Some(Answer::Primary) => Some(standard),
        None => pressed(ctx),
    };
    if let Some(shortcut) = chosen {
        settings.mark_shortcut = shortcut;
    }
    chosen.is_none()
}

/// Returns the shortcut that the user pressed since the last redraw; `None` if there was none.
fn pressed(ctx: &Context) -> Option<Shortcut> {
    ctx.input(|input| {
        input.events.iter().find_map(|event| match event {
            Event::Key { key, modifiers, pressed: true, .. } => {
                let names = ModifierNames::NAMES.format(modifiers, false);
                format!("{names}+{}", key.name()).parse().ok()
            }
            _ => None,
        })
    })
}
