//! Tells the desktop that something is over: a notification with the desktop's own sound for it.

use std::collections::HashMap;
use std::time::Duration;

use zbus::zvariant::Value;

/// How long the desktop may take: it may have to start what shows notifications.
const PATIENCE: Duration = Duration::from_secs(3);

/// By what the system plays its sound.
pub const CHIME_NOTE: &str = "Through the desktop's notifications";

/// Plays the desktop's own sound for something that is over, beside a notification with this sentence;
/// silent where there is no desktop. Takes as long as the desktop does: call it on a thread of its own.
pub fn chime(sentence: &str) {
    if let Err(error) = notify(sentence) {
        log::info!("no notification was shown: {error}");
    }
}

/// Asks the desktop by the notification protocol of freedesktop.org.
fn notify(sentence: &str) -> zbus::Result<()> {
    let connection =
        zbus::blocking::connection::Builder::session()?.method_timeout(PATIENCE).build()?;
    let hints: HashMap<&str, Value<'_>> = HashMap::from([
        ("sound-name", Value::from("complete")),
        ("desktop-entry", Value::from("jitterscope")),
        // It is news for a moment only: nothing of it stays in the desktop's list.
        ("transient", Value::from(true)),
    ]);
    let actions: [&str; 0] = [];
    let (replaces, icon, text, expires) = (0_u32, "jitterscope", "", -1_i32);
    connection
        .call_method(
            Some("org.freedesktop.Notifications"),
            "/org/freedesktop/Notifications",
            Some("org.freedesktop.Notifications"),
            "Notify",
            &("Jitterscope", replaces, icon, sentence, text, actions.as_slice(), hints, expires),
        )
        .map(|_| ())
}
