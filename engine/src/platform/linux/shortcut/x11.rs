//! Global shortcuts through the X server, for desktops without a portal. Grabbing a key fails if
//! another program has grabbed the same key.

use std::sync::Arc;

use x11rb::connection::Connection as _;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, GrabMode, ModMask,
    WindowClass,
};
use x11rb::protocol::{ErrorKind, Event};
use x11rb::rust_connection::RustConnection;
use x11rb::{COPY_DEPTH_FROM_PARENT, COPY_FROM_PARENT};

use super::super::super::{Shortcut, ShortcutEvent, ShortcutKey, ShortcutRefusal, ShortcutStop};

/// The key symbol of F1 in X11. The symbols of F2 to F12 are the next eleven numbers.
const F1: u32 = 0xffbe;

/// Registers a shortcut with the X server and passes its events to `report` until `stop` ends the wait.
pub(super) fn wait(
    shortcut: Shortcut,
    stop: &ShortcutStop,
    report: &dyn Fn(ShortcutEvent),
) -> Result<(), ShortcutRefusal> {
    listen(shortcut, stop, report).map_err(|error| match error.downcast::<ReplyError>() {
        Ok(error) => match *error {
            ReplyError::X11Error(error) if error.error_kind == ErrorKind::Access => {
                ShortcutRefusal::Denied(format!("another program uses {shortcut}"))
            }
            error => ShortcutRefusal::Unavailable(error.to_string()),
        },
        Err(error) => ShortcutRefusal::Unavailable(error.to_string()),
    })
}

fn listen(
    shortcut: Shortcut,
    stop: &ShortcutStop,
    report: &dyn Fn(ShortcutEvent),
) -> Result<(), Box<dyn std::error::Error>> {
    let (connection, screen) = x11rb::connect(None)?;
    let root = connection.setup().roots.get(screen).ok_or("the X server has no screen")?.root;
    // This window exists only to receive the message that ends the wait.
    let own = connection.generate_id()?;
    let (class, looks) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
    let depth = COPY_DEPTH_FROM_PARENT;
    connection
        .create_window(depth, own, root, 0, 0, 1, 1, 0, class, COPY_FROM_PARENT, &looks)?
        .check()?;
    let code = key_code(&connection, shortcut.key)?
        .ok_or_else(|| format!("this keyboard has no key {}", shortcut.key))?;
    let modifiers = [
        (shortcut.ctrl, ModMask::CONTROL),
        (shortcut.alt, ModMask::M1),
        (shortcut.shift, ModMask::SHIFT),
    ];
    let modifiers = modifiers.into_iter().filter(|(is_part, _)| *is_part);
    let modifiers = modifiers.fold(ModMask::default(), |all, (_, one)| all | one);
    // For the X server, the same keys with Caps Lock (LOCK) or Num Lock (M2) on are another combination.
    for lock in [ModMask::default(), ModMask::LOCK, ModMask::M2, ModMask::LOCK | ModMask::M2] {
        let mode = GrabMode::ASYNC;
        connection.grab_key(false, root, modifiers | lock, code, mode, mode)?.check()?;
    }
    let connection = Arc::new(connection);
    let waker = Arc::clone(&connection);
    let wake = move || {
        let message = ClientMessageEvent::new(32, own, 1_u32, [0_u32; 5]);
        let sent = waker.send_event(false, own, EventMask::NO_EVENT, message);
        if sent.is_err() || waker.flush().is_err() {
            log::info!("the X server is gone, and with it the shortcut");
        }
    };
    if stop.arm(wake) {
        report(ShortcutEvent::Registered(shortcut.to_string()));
        wait_for_presses(&connection, report)?;
    }
    Ok(())
}

/// Reports each press of the shortcut until a message from this program ends the wait.
fn wait_for_presses(
    connection: &RustConnection,
    report: &dyn Fn(ShortcutEvent),
) -> Result<(), Box<dyn std::error::Error>> {
    let mut released = 0;
    loop {
        match connection.wait_for_event()? {
            // A key that is held down repeats. Each repetition is a release and a press with the same time.
            Event::KeyPress(press) if press.time != released => report(ShortcutEvent::Pressed),
            Event::KeyRelease(release) => released = release.time,
            Event::ClientMessage(_) => return Ok(()),
            _ => {}
        }
    }
}

/// Returns the X11 code of a letter, digit, or function key; `None` if this keyboard has no such key.
fn key_code(
    connection: &RustConnection,
    key: ShortcutKey,
) -> Result<Option<u8>, Box<dyn std::error::Error>> {
    let symbol = match key {
        ShortcutKey::Character(letter) => u32::from(letter.to_ascii_lowercase()),
        ShortcutKey::Function(number) => F1 + u32::from(number) - 1,
    };
    let (first, last) = (connection.setup().min_keycode, connection.setup().max_keycode);
    let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
    let per_code = usize::from(mapping.keysyms_per_keycode).max(1);
    let mut codes = (first..=last).zip(mapping.keysyms.chunks(per_code));
    Ok(codes.find(|(_, symbols)| symbols.contains(&symbol)).map(|(code, _)| code))
}
