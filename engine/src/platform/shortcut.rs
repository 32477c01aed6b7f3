//! A global keyboard shortcut, which the system reports whichever window has the focus.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// A key with modifiers, written as `Ctrl+Alt+M`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shortcut {
    /// Whether Ctrl is part of the shortcut.
    pub ctrl: bool,
    /// Whether Alt is part of the shortcut.
    pub alt: bool,
    /// Whether Shift is part of the shortcut.
    pub shift: bool,
    /// The key.
    pub key: ShortcutKey,
}

/// A key that is the same on every keyboard layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortcutKey {
    /// A letter in upper case, or a digit, as ASCII.
    Character(u8),
    /// A function key, by its number: 1 to 12 for F1 to F12.
    Function(u8),
}

impl Default for Shortcut {
    fn default() -> Self {
        Self { ctrl: true, alt: true, shift: false, key: ShortcutKey::Character(b'M') }
    }
}

impl Display for ShortcutKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(letter) => write!(f, "{}", char::from(*letter)),
            Self::Function(number) => write!(f, "F{number}"),
        }
    }
}

impl FromStr for ShortcutKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let upper = text.to_ascii_uppercase();
        let number = upper.strip_prefix('F').and_then(|number| number.parse().ok());
        match (upper.as_bytes(), number) {
            ([letter], _) if letter.is_ascii_alphanumeric() => Ok(Self::Character(*letter)),
            (_, Some(number @ 1..=12)) => Ok(Self::Function(number)),
            _ => Err(format!("invalid key '{text}': expected a letter, a digit, or F1 to F12")),
        }
    }
}

impl Display for Shortcut {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let modifiers = [(self.ctrl, "Ctrl+"), (self.alt, "Alt+"), (self.shift, "Shift+")];
        for (_, name) in modifiers.iter().filter(|(is_part, _)| *is_part) {
            f.write_str(name)?;
        }
        self.key.fmt(f)
    }
}

impl FromStr for Shortcut {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (modifiers, key) = text.rsplit_once('+').unwrap_or(("", text));
        let mut shortcut = Self { ctrl: false, alt: false, shift: false, key: key.parse()? };
        for name in modifiers.split('+').filter(|_| !modifiers.is_empty()) {
            match name {
                "Ctrl" => shortcut.ctrl = true,
                "Alt" => shortcut.alt = true,
                "Shift" => shortcut.shift = true,
                _ => return Err(format!("invalid modifier '{name}': expected Ctrl, Alt, Shift")),
            }
        }
        // Without Ctrl or Alt, a key that is needed for typing would not reach other programs.
        let is_apart = shortcut.ctrl || shortcut.alt;
        is_apart.then_some(shortcut).ok_or_else(|| format!("'{text}' needs Ctrl or Alt"))
    }
}

impl TryFrom<String> for Shortcut {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shortcut> for String {
    fn from(shortcut: Shortcut) -> Self {
        shortcut.to_string()
    }
}

/// An event of a shortcut that the system reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShortcutEvent {
    /// The shortcut is registered as these keys, which may differ from the requested ones.
    Registered(String),
    /// The shortcut was pressed.
    Pressed,
}

/// Why a shortcut is not registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShortcutRefusal {
    /// The desktop denied the shortcut. The text is the reason.
    Denied(String),
    /// This system has no mechanism for global shortcuts. The text is the reason.
    Unavailable(String),
}

/// Ends the wait for a shortcut from any thread.
#[derive(Clone, Default)]
pub struct ShortcutStop(Arc<Mutex<StopState>>);

#[derive(Default)]
enum StopState {
    #[default]
    Unarmed,
    Armed(Box<dyn FnOnce() + Send>),
    Stopped,
}

impl fmt::Debug for ShortcutStop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortcutStop").finish_non_exhaustive()
    }
}

impl ShortcutStop {
    /// Ends the wait, even if it has not begun yet.
    pub fn stop(&self) {
        if let StopState::Armed(wake) = self.replace(StopState::Stopped) {
            wake();
        }
    }

    /// Saves the function that wakes the waiting thread; returns `false` if the wait was already stopped.
    #[cfg_attr(
        all(target_os = "macos", not(test)),
        expect(dead_code, reason = "nothing waits there")
    )]
    pub(super) fn arm(&self, wake: impl FnOnce() + Send + 'static) -> bool {
        match self.replace(StopState::Armed(Box::new(wake))) {
            StopState::Stopped => {
                self.replace(StopState::Stopped);
                false
            }
            StopState::Unarmed | StopState::Armed(_) => true,
        }
    }

    fn replace(&self, state: StopState) -> StopState {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *held, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcut_is_read_as_it_is_written() {
        for text in ["Ctrl+Alt+M", "Alt+F9", "Ctrl+Shift+5", "Ctrl+Alt+Shift+Z"] {
            assert_eq!(text.parse::<Shortcut>().unwrap().to_string(), text);
        }
        assert_eq!("Ctrl+Alt+m".parse(), Ok(Shortcut::default()));
        for text in ["M", "Shift+M", "Ctrl+F13", "Ctrl+ü", "Ctrl+", "Strg+M", ""] {
            assert!(text.parse::<Shortcut>().is_err(), "{text}");
        }
        let alone = "M".parse::<Shortcut>();
        assert_eq!(alone.unwrap_err(), "'M' needs Ctrl or Alt");
    }

    #[test]
    fn stop_ends_a_wait_that_has_yet_to_begin_and_one_that_has_begun() {
        let stop = ShortcutStop::default();
        let woken = Arc::new(Mutex::new(0));
        let count = Arc::clone(&woken);
        assert!(stop.arm(move || *count.lock().unwrap() += 1));
        stop.stop();
        stop.stop();
        assert_eq!(*woken.lock().unwrap(), 1);
        assert!(!stop.arm(|| {}));
        assert!(!stop.arm(|| {}), "and it stays stopped");
    }
}
