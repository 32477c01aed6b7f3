//! The state of the window that eframe and egui restore, checked before they read it: a size of 10^9 points or a zoom that is
//! no number would end every start.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use jitterscope_engine::store;
use ron::Value;

/// Max size of the file.
const MAX_BYTES: u64 = 16 << 20;
/// The zoom factors that a window can be drawn with.
const ZOOM: std::ops::RangeInclusive<f64> = 0.2..=5.0;
/// The largest size or position that a screen has, in points or pixels.
const MAX_LENGTH: f64 = 100_000.0;
/// The largest number among the options of egui, such as a speed or a tolerance.
const MAX_OPTION: f64 = 10_000.0;

/// Returns the file to restore the window from if it is not the `usual` one, and a sentence if that one was damaged and is
/// set aside. A pipe or device in its place is left alone: opening it could block before the window opens.
pub fn check_window_state(usual: &Path) -> (Option<PathBuf>, Option<String>) {
    match usual.metadata() {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
            return (Some(usual.with_file_name("window.ron")), None);
        }
        Ok(_) => {}
        Err(_) => return (None, None),
    }
    let checked = store::read_bounded(usual, MAX_BYTES).and_then(|bytes| {
        let text = String::from_utf8(bytes).map_err(io::Error::other)?;
        if is_sound(&text) { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    });
    if checked.is_ok() {
        return (None, None);
    }
    match store::set_damaged(usual) {
        Ok(aside) => {
            let words = format!(
                "The saved size and layout of the window were damaged; defaults are in use. The file was renamed {}.",
                aside.display()
            );
            (None, Some(words))
        }
        Err(error) => {
            log::warn!("the damaged state of the window stays: {error}: {}", usual.display());
            (Some(usual.with_file_name("window.ron")), None)
        }
    }
}

/// Whether a window can be restored from this text. An empty file, and one without these entries, restore nothing.
fn is_sound(text: &str) -> bool {
    if text.trim().is_empty() {
        return true;
    }
    let Ok(entries) = ron::from_str::<HashMap<String, String>>(text) else { return false };
    let read = |key: &str| entries.get(key).map(|text| ron::from_str::<Value>(text));
    let is_window_sound = match read("window") {
        None => true,
        Some(Ok(window)) => numbers(&window).iter().all(|number| number.abs() <= MAX_LENGTH),
        Some(Err(_)) => false,
    };
    let is_memory_sound = match read("egui") {
        None => true,
        Some(Ok(memory)) => {
            let options = entry(&memory, "options");
            let zoom = options.and_then(|options| entry(options, "zoom_factor")).map(numbers);
            let is_option = |number: &f64| (0.0..=MAX_OPTION).contains(number);
            zoom.is_none_or(|zoom| zoom.iter().all(|zoom| ZOOM.contains(zoom)))
                && options.is_none_or(|options| numbers(options).iter().all(is_option))
                && !numbers(&memory).iter().any(|number| number.is_nan())
        }
        Some(Err(_)) => false,
    };
    is_window_sound && is_memory_sound
}

/// Returns the value of a field; `None` if the value has no such field.
fn entry<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    let Value::Map(fields) = value else { return None };
    fields.iter().find(|(name, _)| **name == Value::String(key.to_owned())).map(|(_, value)| value)
}

/// Returns every number in a value.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Number(number) => vec![number.into_f64()],
        Value::Option(Some(inner)) => numbers(inner),
        Value::Seq(all) => all.iter().flat_map(numbers).collect(),
        Value::Map(fields) => fields.iter().flat_map(|(_, value)| numbers(value)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a saved state with this zoom factor and width of the window.
    fn saved(zoom: &str, width: &str) -> String {
        let memory = format!(
            "(options:(theme_preference:System,zoom_factor:{zoom},tessellation_options:(epsilon:1e-5)),data:[],\
             areas:{{(1):(pivot_pos:Some((x:1042.0,y:806.0)))}})"
        );
        let window = format!(
            "(inner_position_pixels:Some((x:0.0,y:30.0)),fullscreen:false,maximized:false,\
             inner_size_points:Some((x:{width},y:900.0)))"
        );
        let entries = HashMap::from([("egui", memory), ("window", window)]);
        ron::to_string(&entries).unwrap()
    }

    #[test]
    fn a_size_or_zoom_that_no_window_has_is_damage() {
        assert!(is_sound(&saved("1.0", "1440.0")) && is_sound(&saved("2.5", "640.0")));
        assert!(is_sound("") && is_sound("{}"));
        for zoom in ["NaN", "0.0", "-1.0", "inf", "1e9", "100.0"] {
            assert!(!is_sound(&saved(zoom, "1440.0")), "{zoom}");
        }
        for width in ["NaN", "inf", "-inf", "1e9"] {
            assert!(!is_sound(&saved("1.0", width)), "{width}");
        }
        assert!(!is_sound(&saved("1.0", "1440.0").replace("1042.0", "NaN")));
        assert!(!is_sound(&saved("1.0", "1440.0").replace("1e-5", "-1.0")));
        assert!(!is_sound("{\"egui\": \"(options:(\"}") && !is_sound("\u{0}"));
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_a_sound_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.ron");
        assert_eq!(check_window_state(&path), (None, None), "there is none yet");
        std::fs::write(&path, saved("1.0", "1440.0")).unwrap();
        assert_eq!(check_window_state(&path), (None, None));
        assert!(path.exists());
        std::fs::write(&path, saved("NaN", "1440.0")).unwrap();
        let (other, words) = check_window_state(&path);
        assert_eq!(other, None);
        assert!(words.unwrap().contains("were damaged"));
        assert!(!path.exists());
        let aside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(aside.len(), 1, "nothing is lost");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_the_state_of_the_window_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.ron");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        assert_eq!(check_window_state(&path), (Some(folder.path().join("window.ron")), None));
    }
}
