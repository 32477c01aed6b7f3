//! A global keyboard shortcut: a hot key of the waiting thread.

use std::io;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::ERROR_HOTKEY_ALREADY_REGISTERED;
use windows_sys::Win32::System::Threading::GetCurrentThreadId;
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    MOD_ALT, MOD_CONTROL, MOD_NOREPEAT, MOD_SHIFT, RegisterHotKey, UnregisterHotKey, VK_F1,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    GetMessageW, MSG, PM_NOREMOVE, PeekMessageW, PostThreadMessageW, WM_HOTKEY, WM_QUIT, WM_USER,
};

use super::super::{Shortcut, ShortcutEvent, ShortcutKey, ShortcutRefusal, ShortcutStop};

/// The ID of the hot key, which is unique among the hot keys of the thread.
const ID: i32 = 1;

/// Registers a shortcut and passes the events of the shortcut to `report` until `stop` is called.
/// The shortcut is unregistered when this function returns.
#[expect(unsafe_code, reason = "the standard library has no hot keys")]
pub fn wait_for_shortcut(
    shortcut: Shortcut,
    stop: &ShortcutStop,
    report: &dyn Fn(ShortcutEvent),
) -> Result<(), ShortcutRefusal> {
    let key = match shortcut.key {
        ShortcutKey::Character(letter) => u32::from(letter),
        ShortcutKey::Function(number) => u32::from(VK_F1) + u32::from(number) - 1,
    };
    let modifiers =
        [(shortcut.ctrl, MOD_CONTROL), (shortcut.alt, MOD_ALT), (shortcut.shift, MOD_SHIFT)];
    let modifiers = modifiers.into_iter().filter(|(is_part, _)| *is_part);
    let modifiers = modifiers.fold(MOD_NOREPEAT, |all, (_, one)| all | one);
    create_message_queue();
    // SAFETY: the call takes plain values; without a window, the hot key belongs to this thread.
    if unsafe { RegisterHotKey(null_mut(), ID, modifiers, key) } == 0 {
        let error = io::Error::last_os_error();
        let code = error.raw_os_error().and_then(|code| u32::try_from(code).ok());
        return Err(ShortcutRefusal::Denied(match code {
            Some(ERROR_HOTKEY_ALREADY_REGISTERED) => format!("another program uses {shortcut}"),
            _ => error.to_string(),
        }));
    }
    // SAFETY: the call takes nothing and returns a plain value.
    let thread = unsafe { GetCurrentThreadId() };
    let wake = move || {
        // SAFETY: the call takes plain values; for a thread that has ended, it only returns an error.
        if unsafe { PostThreadMessageW(thread, WM_QUIT, 0, 0) } == 0 {
            log::info!("the thread of the shortcut has ended before");
        }
    };
    if stop.arm(wake) {
        report(ShortcutEvent::Registered(shortcut.to_string()));
        wait_for_presses(report);
    }
    // SAFETY: the call takes plain values, the same as the registration above.
    if unsafe { UnregisterHotKey(null_mut(), ID) } == 0 {
        log::info!("the shortcut was not registered any more");
    }
    Ok(())
}

/// Creates the message queue of the calling thread. Windows creates the queue at the thread's first
/// call of a message function; a `WM_QUIT` posted to the thread before such a call would be lost.
#[expect(unsafe_code, reason = "the standard library has no messages")]
fn create_message_queue() {
    let mut message = MSG::default();
    // SAFETY: the call fills `message`, which outlives it, and takes no message from the queue.
    let _ = unsafe { PeekMessageW(&raw mut message, null_mut(), WM_USER, WM_USER, PM_NOREMOVE) };
}

/// Reports each press of the shortcut until the thread receives `WM_QUIT`.
#[expect(unsafe_code, reason = "the standard library has no messages")]
fn wait_for_presses(report: &dyn Fn(ShortcutEvent)) {
    let mut message = MSG::default();
    // SAFETY: the call fills `message`, which outlives it; it returns 0 for `WM_QUIT` and −1 for an error.
    while 0 < unsafe { GetMessageW(&raw mut message, null_mut(), 0, 0) } {
        if message.message == WM_HOTKEY {
            report(ShortcutEvent::Pressed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::time::Duration;

    use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
        KEYEVENTF_KEYUP, VK_CONTROL, VK_MENU, keybd_event,
    };

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    type Ending = Receiver<Result<(), ShortcutRefusal>>;

    fn register(shortcut: Shortcut) -> (ShortcutStop, Receiver<ShortcutEvent>, Ending) {
        let (sender, events) = sync_channel(8);
        let (end, ending) = sync_channel(1);
        let stop = ShortcutStop::default();
        let inner = stop.clone();
        let wait = move || {
            let report = |event| sender.send(event).unwrap();
            end.send(wait_for_shortcut(shortcut, &inner, &report)).unwrap();
        };
        std::thread::Builder::new().name("shortcut".to_owned()).spawn(wait).unwrap();
        (stop, events, ending)
    }

    #[expect(unsafe_code, reason = "presses keys")]
    fn press(keys: &[u16]) {
        let events = keys.iter().map(|key| (key, 0));
        for (key, flags) in events.chain(keys.iter().rev().map(|key| (key, KEYEVENTF_KEYUP))) {
            // SAFETY: the call takes plain values.
            unsafe { keybd_event(u8::try_from(*key).unwrap(), 0, flags, 0) };
        }
    }

    #[test]
    fn shortcut_is_reported_until_stopped_and_free_for_others_after() {
        let shortcut: Shortcut = "Ctrl+Alt+F9".parse().unwrap();
        let (stop, events, ending) = register(shortcut);
        let first = events.recv_timeout(PATIENCE);
        assert_eq!(first, Ok(ShortcutEvent::Registered("Ctrl+Alt+F9".to_owned())));
        let (_stop, _events, second) = register(shortcut);
        let taken = "another program uses Ctrl+Alt+F9".to_owned();
        assert_eq!(second.recv_timeout(PATIENCE), Ok(Err(ShortcutRefusal::Denied(taken))));
        press(&[VK_CONTROL, VK_MENU, VK_F1 + 8]);
        assert_eq!(events.recv_timeout(PATIENCE), Ok(ShortcutEvent::Pressed));
        stop.stop();
        assert_eq!(ending.recv_timeout(PATIENCE), Ok(Ok(())));
        let (stop, events, ending) = register(shortcut);
        assert!(matches!(events.recv_timeout(PATIENCE), Ok(ShortcutEvent::Registered(_))));
        stop.stop();
        assert_eq!(ending.recv_timeout(PATIENCE), Ok(Ok(())));
    }
}
