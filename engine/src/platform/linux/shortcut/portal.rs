//! The desktop's portal for global shortcuts: the desktop may ask the user, who may choose other keys.

use std::collections::HashMap;
use std::pin::pin;

use ashpd::desktop::global_shortcuts::{BindShortcutsOptions, GlobalShortcuts, NewShortcut};
use ashpd::desktop::{CreateSessionOptions, Session};
use ashpd::zbus::Connection;
use ashpd::zvariant::Value;
use futures_util::StreamExt as _;
use futures_util::future::abortable;
use futures_util::stream::select;

use super::super::super::{Shortcut, ShortcutEvent, ShortcutKey, ShortcutStop};

/// ID of the shortcut in the portal. The desktop saves the keys that the user chose under this ID.
const ID: &str = "mark";
/// ID of this program: the name of its desktop file.
const PROGRAM_ID: &str = "jitterscope";

/// Why the portal did not register a shortcut, or stopped reporting it.
pub(super) enum Failure {
    /// The desktop has no portal for shortcuts, or it accepts none from this program. The text is the error message.
    Absent(String),
    /// The portal refused the shortcut. The text is the reason.
    Denied(String),
}

/// Registers a shortcut through the portal and passes its events to `report` until `stop` ends the wait.
pub(super) fn wait(
    shortcut: Shortcut,
    stop: &ShortcutStop,
    report: &dyn Fn(ShortcutEvent),
) -> Result<(), Failure> {
    let mut session = None;
    let (work, abort) = abortable(listen(shortcut, report, &mut session));
    if !stop.arm(move || abort.abort()) {
        return Ok(());
    }
    let outcome = pollster::block_on(work);
    // Closing the session unregisters the shortcut and ends the connection.
    if let Some(session) = session
        && let Err(error) = pollster::block_on(session.close())
    {
        log::info!("the portal did not close the session of the shortcut: {error}");
    }
    // The work is aborted only by `stop`, which is not a failure.
    outcome.unwrap_or(Ok(()))
}

fn denied(error: ashpd::Error) -> Failure {
    Failure::Denied(match error {
        ashpd::Error::Response(_) => "the request was declined".to_owned(),
        error => error.to_string(),
    })
}

async fn listen(
    shortcut: Shortcut,
    report: &dyn Fn(ShortcutEvent),
    session: &mut Option<Session<GlobalShortcuts>>,
) -> Result<(), Failure> {
    let absent = |error: ashpd::Error| Failure::Absent(error.to_string());
    let connection = Connection::session().await.map_err(|error| absent(error.into()))?;
    register(&connection).await;
    let portal = GlobalShortcuts::with_connection(connection).await.map_err(absent)?;
    // This is the first call that fails if there is no portal, or if the portal requires an ID that is not registered.
    let session = &*session
        .insert(portal.create_session(CreateSessionOptions::default()).await.map_err(absent)?);
    let presses = portal.receive_activated().await.map_err(denied)?;
    let ends = session.receive_closed().await.map_err(denied)?;
    let trigger = trigger(shortcut);
    let mark = NewShortcut::new(ID, "Mark this moment of the test");
    let marks = [mark.preferred_trigger(trigger.as_str())];
    let request = portal.bind_shortcuts(session, &marks, None, BindShortcutsOptions::default());
    let bound = request.await.and_then(|request| request.response()).map_err(denied)?;
    let keys = match bound.shortcuts().iter().find(|bound| bound.id() == ID) {
        Some(bound) if !bound.trigger_description().is_empty() => {
            bound.trigger_description().to_owned()
        }
        Some(_) => shortcut.to_string(),
        None => return Err(Failure::Denied("it registered no shortcut".to_owned())),
    };
    report(ShortcutEvent::Registered(keys));
    let mut events = pin!(select(presses.map(Some), ends.map(|_| None)));
    while let Some(Some(press)) = events.next().await {
        if press.shortcut_id() == ID {
            report(ShortcutEvent::Pressed);
        }
    }
    Err(Failure::Denied("it closed the session of the shortcut".to_owned()))
}

/// Registers the ID of this program with the portals: they cannot derive the ID of a program that was started
/// in a terminal. This fails in a sandbox, where they know the ID, and if the desktop file is not installed.
async fn register(connection: &Connection) {
    // The crate for portals accepts only IDs with a dot.
    let body = (PROGRAM_ID, HashMap::<&str, Value<'_>>::new());
    let registered = connection.call_method(
        Some("org.freedesktop.portal.Desktop"),
        "/org/freedesktop/portal/desktop",
        Some("org.freedesktop.host.portal.Registry"),
        "Register",
        &body,
    );
    if let Err(error) = registered.await {
        log::info!("the ID of this program is not registered with the portals: {error}");
    }
}

/// Returns a shortcut in the notation of the portal, such as `CTRL+ALT+m`.
fn trigger(shortcut: Shortcut) -> String {
    let modifiers = [(shortcut.ctrl, "CTRL+"), (shortcut.alt, "ALT+"), (shortcut.shift, "SHIFT+")];
    let modifiers = modifiers.iter().filter(|(is_part, _)| *is_part).map(|(_, name)| *name);
    let key = match shortcut.key {
        ShortcutKey::Character(letter) => char::from(letter).to_ascii_lowercase().to_string(),
        key @ ShortcutKey::Function(_) => key.to_string(),
    };
    modifiers.chain([key.as_str()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigger_names_the_key_as_the_desktop_does() {
        assert_eq!(trigger(Shortcut::default()), "CTRL+ALT+m");
        assert_eq!(trigger("Ctrl+Shift+F9".parse().unwrap()), "CTRL+SHIFT+F9");
    }
}
