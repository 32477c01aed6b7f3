//! A shortcut in other programs: a hot key of the waiting thread.

use std::io;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::ERROR_HOTKEY_ALREADY_REGISTERED;
use windows_sys::Win32::System::Threading::GetCurrentThreadId;
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    MOD_ALT, MOD_CONTROL, MOD_NOREPEAT, MOD_SHIFT, RegisterHotKey, UnregisterHotKey, VK_F1,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    GetMessageW, MSG, PostThreadMessageW, WM_HOTKEY, WM_QUIT,
};

use super::super::{Shortcut, ShortcutEvent, ShortcutKey, ShortcutRefusal, ShortcutStop};

/// The number of the hot key among those of the thread.
const ID: i32 = 1;

/// Registers a shortcut and reports it until it is stopped. The shortcut is unregistered when this returns.
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
        // SAFETY: the call takes plain values; a thread that has ended is an error and nothing more.
        if unsafe { PostThreadMessageW(thread, WM_QUIT, 0, 0) } == 0 {
            log::info!("the thread of the shortcut has ended before");
        }
    };
    if stop.arm(wake) {
        report(ShortcutEvent::Registered(shortcut.to_string()));
        wait_for_presses(report);
    }
    // SAFETY: the call takes plain values, those of the registration above.
    if unsafe { UnregisterHotKey(null_mut(), ID) } == 0 {
        log::info!("the shortcut was not registered any more");
    }
    Ok(())
}

/// Reports each press until the thread is to quit.
#[expect(unsafe_code, reason = "the standard library has no messages")]
fn wait_for_presses(report: &dyn Fn(ShortcutEvent)) {
    let mut message = MSG::default();
    // SAFETY: the call fills a message that lives as long as it does; 0 is to quit, −1 an error.
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

    type Ending = std::thread::JoinHandle<Result<(), ShortcutRefusal>>;

    fn register(shortcut: Shortcut) -> (ShortcutStop, Receiver<ShortcutEvent>, Ending) {
        let (sender, events) = sync_channel(8);
        let stop = ShortcutStop::default();
        let inner = stop.clone();
        let wait =
            move || wait_for_shortcut(shortcut, &inner, &|event| sender.send(event).unwrap());
        let thread = std::thread::Builder::new().name("shortcut".to_owned());
        (stop, events, thread.spawn(wait).unwrap())
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
        let (_, _, second) = register(shortcut);
        let taken = "another program uses Ctrl+Alt+F9".to_owned();
        assert_eq!(second.join().unwrap(), Err(ShortcutRefusal::Denied(taken)));
        press(&[VK_CONTROL, VK_MENU, VK_F1 + 8]);
        assert_eq!(events.recv_timeout(PATIENCE), Ok(ShortcutEvent::Pressed));
        stop.stop();
        assert_eq!(ending.join().unwrap(), Ok(()));
        let (stop, events, ending) = register(shortcut);
        assert!(matches!(events.recv_timeout(PATIENCE), Ok(ShortcutEvent::Registered(_))));
        stop.stop();
        assert_eq!(ending.join().unwrap(), Ok(()));
    }
}
