//! A global keyboard shortcut: through the desktop's portal or, without a portal, the X server.

mod portal;
mod x11;

use std::env;

use super::super::{Shortcut, ShortcutEvent, ShortcutRefusal, ShortcutStop};

/// Registers a shortcut and passes its events to `report` until `stop` ends the wait. The shortcut
/// is unregistered when this function returns.
pub fn wait_for_shortcut(
    shortcut: Shortcut,
    stop: &ShortcutStop,
    report: &dyn Fn(ShortcutEvent),
) -> Result<(), ShortcutRefusal> {
    let absent = match portal::wait(shortcut, stop, report) {
        Ok(()) => return Ok(()),
        Err(portal::Failure::Denied(reason)) => return Err(ShortcutRefusal::Denied(reason)),
        Err(portal::Failure::Absent(reason)) => reason,
    };
    log::info!("no portal for shortcuts: {absent}");
    // An X server that runs within Wayland sees only the keys of its own windows.
    let is_set =
        |name| env::var_os(name).is_some_and(|value: std::ffi::OsString| !value.is_empty());
    if is_set("WAYLAND_DISPLAY") || !is_set("DISPLAY") {
        return Err(ShortcutRefusal::Unavailable(format!(
            "no portal of this desktop accepts shortcuts in other programs ({absent})"
        )));
    }
    x11::wait(shortcut, stop, report)
}
