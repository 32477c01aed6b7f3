//! Accessibility preferences of the desktop (more contrast, reduced motion), from the settings of
//! GNOME and the file `kdeglobals` of KDE.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::super::DesktopPreferences;

/// Reads the preferences. Runs a program of the desktop: call it on a separate thread.
pub fn desktop_preferences() -> DesktopPreferences {
    let gnome = |schema: &str, key: &str| {
        let mut command = Command::new("gsettings");
        command.args(["get", schema, key]).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let from_gnome = DesktopPreferences {
        high_contrast: gnome("org.gnome.desktop.a11y.interface", "high-contrast")
            .map(|value| value == "true"),
        reduced_motion: gnome("org.gnome.desktop.interface", "enable-animations")
            .map(|value| value == "false"),
    };
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    let file = config.or_else(home).map(|folder| folder.join("kdeglobals"));
    let text = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let from_kde = of_kde(&text);
    DesktopPreferences {
        high_contrast: any(from_gnome.high_contrast, from_kde.high_contrast),
        reduced_motion: any(from_gnome.reduced_motion, from_kde.reduced_motion),
    }
}

/// Whether at least one of two desktops has a preference set; `None` if neither desktop reports it.
fn any(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (None, None) => None,
        (one, other) => Some(one == Some(true) || other == Some(true)),
    }
}

/// Reads the preferences in the text of KDE's file: a high-contrast color scheme, and animations of
/// zero duration.
fn of_kde(text: &str) -> DesktopPreferences {
    let mut section = "";
    let mut found = DesktopPreferences::default();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        match (section, key.trim()) {
            ("General", "ColorScheme") => {
                found.high_contrast =
                    Some(value.to_lowercase().replace(' ', "").contains("highcontrast"));
            }
            ("KDE", "AnimationDurationFactor") => {
                found.reduced_motion = value.trim().parse::<f64>().ok().map(|factor| factor <= 0.0);
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_kde_is_read_by_section() {
        let text =
            "[General]\nColorScheme=Breeze High Contrast\n[KDE]\nAnimationDurationFactor=0\n";
        let found = of_kde(text);
        assert_eq!((found.high_contrast, found.reduced_motion), (Some(true), Some(true)));
        let text = "[Other]\nColorScheme=HighContrast\n[KDE]\nAnimationDurationFactor=0.5\n";
        let found = of_kde(text);
        assert_eq!((found.high_contrast, found.reduced_motion), (None, Some(false)));
        assert_eq!(any(None, Some(false)), Some(false));
        assert_eq!(any(None, None), None);
    }
}
