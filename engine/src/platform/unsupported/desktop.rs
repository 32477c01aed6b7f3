//! The desktop: nothing is known of it, and nothing is started on it.

use super::super::DesktopPreferences;
use super::super::tool::{Launcher, SystemTool};
#[cfg(feature = "shortcuts")]
use super::super::{Shortcut, ShortcutEvent, ShortcutRefusal, ShortcutStop};

/// Returns no preferences.
pub fn desktop_preferences() -> DesktopPreferences {
    DesktopPreferences::default()
}

/// A note on which programs the completion sound needs; empty, as it needs none on this system.
pub const COMPLETION_SOUND_NOTE: &str = "";

/// Plays nothing.
pub fn play_completion_sound(_sentence: &str) {}

/// Returns a refusal: global shortcuts are not supported on this system.
#[cfg(feature = "shortcuts")]
pub fn wait_for_shortcut(
    _: Shortcut,
    _: &ShortcutStop,
    _: &dyn Fn(ShortcutEvent),
) -> Result<(), ShortcutRefusal> {
    Err(ShortcutRefusal::Unavailable("not supported on this system".to_owned()))
}

/// The programs that can start another program in a terminal: none.
pub(in super::super) const TERMINALS: &[Launcher] = &[];

/// Returns the programs that can show a window of the desktop: none.
pub(in super::super) const fn tools(_tool: SystemTool) -> &'static [Launcher] {
    &[]
}
