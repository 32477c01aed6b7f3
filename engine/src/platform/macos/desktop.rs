//! Accessibility preferences of the desktop: more contrast, reduced motion.

use std::process::{Command, Stdio};

use super::super::DesktopPreferences;

/// Reads the preferences. Runs a program of the system, which takes time: call this on a separate thread.
pub fn desktop_preferences() -> DesktopPreferences {
    let read = |key: &str| {
        let mut command = Command::new("/usr/bin/defaults");
        command.args(["read", "com.apple.universalaccess", key]);
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        // A preference that was never changed is missing.
        output.status.success().then(|| output.stdout.trim_ascii() == b"1")
    };
    DesktopPreferences {
        high_contrast: read("increaseContrast"),
        reduced_motion: read("reduceMotion"),
    }
}
