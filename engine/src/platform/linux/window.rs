//! What a window needs of this system, checked before one is opened: the library that opens it ends the process where
//! something is missing.

use std::env;
use std::ffi::{CStr, OsString};
use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use super::guard;

/// The variables that name a display of Wayland.
const WAYLAND: &str = "WAYLAND_DISPLAY";
const WAYLAND_SOCKET: &str = "WAYLAND_SOCKET";
/// How many further files a window has to be able to open: those of the display, the graphics driver, and fonts, and the
/// threads of the window.
const MIN_FILES: u64 = 64;

/// A library that is loaded when the window opens, and its packages.
struct Library {
    file: &'static CStr,
    debian: &'static str,
    others: &'static str,
}

/// The libraries without which a window on X11 ends the process or does not open.
const ON_X11: [Library; 6] = [
    Library {
        file: c"libxkbcommon-x11.so.0",
        debian: "libxkbcommon-x11-0",
        others: "libxkbcommon-x11",
    },
    KEYBOARD,
    Library { file: c"libX11.so.6", debian: "libx11-6", others: "libX11" },
    Library { file: c"libX11-xcb.so.1", debian: "libx11-xcb1", others: "libX11-xcb" },
    Library { file: c"libXcursor.so.1", debian: "libxcursor1", others: "libXcursor" },
    Library { file: c"libXi.so.6", debian: "libxi6", others: "libXi" },
];
/// The same on Wayland.
const ON_WAYLAND: [Library; 3] = [
    KEYBOARD,
    Library {
        file: c"libwayland-client.so.0",
        debian: "libwayland-client0",
        others: "libwayland-client",
    },
    Library { file: c"libwayland-egl.so.1", debian: "libwayland-egl1", others: "libwayland-egl" },
];
const KEYBOARD: Library =
    Library { file: c"libxkbcommon.so.0", debian: "libxkbcommon0", others: "libxkbcommon" };

/// The display on which a window opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Display {
    Wayland,
    X11,
    /// No display is named, or none answers: the window reports that itself.
    None,
}

/// Checks that a window can open, and selects the display that answers. The error is a sentence without a period that
/// names what is missing. No other thread may run yet, since all threads share the environment.
pub fn prepare_window() -> Result<(), String> {
    let variable = |name: &str| env::var_os(name);
    let display = select_display(variable, |path| UnixStream::connect(path).is_ok(), has_library);
    if display == Display::X11 {
        for name in [WAYLAND, WAYLAND_SOCKET] {
            #[expect(
                unsafe_code,
                reason = "variables of the environment are shared by all threads"
            )]
            // SAFETY: no other thread runs yet, as documented.
            unsafe {
                env::remove_var(name);
            }
        }
    }
    check_libraries(display, has_library)?;
    check_files(free_files())
}

/// Returns the display on which a window opens: that of Wayland, unless nothing answers there or a library for it is
/// missing, and X11 is named and has its libraries.
fn select_display(
    variable: impl Fn(&str) -> Option<OsString>,
    answers: impl Fn(&Path) -> bool,
    has_library: impl Fn(&CStr) -> bool + Copy,
) -> Display {
    let named = |name: &str| variable(name).filter(|value| !value.is_empty());
    let has_x11 = named("DISPLAY").is_some();
    let is_passed = named(WAYLAND_SOCKET).is_some();
    let socket = named(WAYLAND).map(|name| {
        let folder = named("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
        folder.join(name)
    });
    let has_wayland = is_passed || socket.is_some_and(|socket| answers(&socket));
    let has_all = |display| check_libraries(display, has_library).is_ok();
    match (has_wayland, has_x11) {
        (true, true) if !has_all(Display::Wayland) && has_all(Display::X11) => Display::X11,
        (true, _) => Display::Wayland,
        (false, true) => Display::X11,
        (false, false) => Display::None,
    }
}

/// Returns an error that names the first missing library and its packages.
fn check_libraries(display: Display, has_library: impl Fn(&CStr) -> bool) -> Result<(), String> {
    let libraries: &[Library] = match display {
        Display::Wayland => &ON_WAYLAND,
        Display::X11 => &ON_X11,
        Display::None => &[],
    };
    let missing = libraries.iter().find(|library| !has_library(library.file));
    missing.map_or(Ok(()), |Library { file, debian, others }| {
        let file = file.to_string_lossy();
        Err(format!(
            "{file} is missing; install {debian} (Debian, Ubuntu) or {others} (Fedora, Arch)"
        ))
    })
}

#[expect(unsafe_code, reason = "only the dynamic linker finds libraries")]
fn has_library(file: &CStr) -> bool {
    // SAFETY: `file` is a valid C string; the window loads the same library later.
    let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    !library.is_null()
}

/// Returns how many further files this process can open, after its limit was raised as far as the system permits it.
fn free_files() -> Option<u64> {
    let (soft, hard) = guard::limit(libc::RLIMIT_NOFILE)?;
    let used = u64::try_from(fs::read_dir("/proc/self/fd").ok()?.count()).ok()?;
    if used + MIN_FILES <= soft {
        return Some(soft - used);
    }
    let raised = hard.min(used + 4 * MIN_FILES).max(soft);
    let limit = libc::rlimit { rlim_cur: raised, rlim_max: hard };
    let soft = if guard::set(libc::RLIMIT_NOFILE, &limit).is_ok() { raised } else { soft };
    Some(soft.saturating_sub(used))
}

fn check_files(free: Option<u64>) -> Result<(), String> {
    match free {
        Some(free) if free < MIN_FILES => Err(format!(
            "this program may open only {free} more files, and a window needs {MIN_FILES}; raise the limit, \
             such as with ulimit -n 1024"
        )),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_display(variables: &[(&str, &str)], answering: &str, expected: Display) {
        let value = |name: &str| {
            let found = variables.iter().find(|(one, _)| *one == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let answers = |path: &Path| path == Path::new(answering);
        assert_eq!(select_display(value, answers, |_| true), expected);
    }

    #[test]
    fn a_display_that_answers_is_selected() {
        let both = [(WAYLAND, "wayland-0"), ("XDG_RUNTIME_DIR", "/run"), ("DISPLAY", ":0")];
        check_display(&both, "/run/wayland-0", Display::Wayland);
        check_display(&both, "", Display::X11);
        check_display(&both[..2], "", Display::None);
        check_display(&both[2..], "", Display::X11);
        check_display(&[(WAYLAND, "/a/socket"), ("DISPLAY", ":0")], "/a/socket", Display::Wayland);
        check_display(&[(WAYLAND, ""), ("DISPLAY", "")], "", Display::None);
        check_display(&[(WAYLAND_SOCKET, "5"), ("DISPLAY", ":0")], "", Display::Wayland);
        let named = |_: &str| Some(OsString::from("/a"));
        let without = |missing: &'static CStr| {
            select_display(named, |_| true, move |file: &CStr| file != missing)
        };
        assert_eq!(without(c"libwayland-egl.so.1"), Display::X11);
        assert_eq!(without(c"libxkbcommon.so.0"), Display::Wayland, "missing on both");
        assert_eq!(without(c"libXi.so.6"), Display::Wayland);
    }

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        let without = |name: &'static CStr| move |file: &CStr| file != name;
        let error = check_libraries(Display::X11, without(c"libxkbcommon-x11.so.0")).unwrap_err();
        assert!(error.contains("install libxkbcommon-x11-0 (Debian, Ubuntu)"), "{error}");
        assert_eq!(check_libraries(Display::Wayland, without(c"libxkbcommon-x11.so.0")), Ok(()));
        assert!(check_libraries(Display::Wayland, without(c"libxkbcommon.so.0")).is_err());
        assert_eq!(check_libraries(Display::None, |_| false), Ok(()));
        assert!(check_files(Some(12)).unwrap_err().contains("only 12 more files"));
        assert_eq!((check_files(Some(64)), check_files(None)), (Ok(()), Ok(())));
        assert!(!has_library(c"libjitterscope-is-not-here.so.0"));
    }
}
