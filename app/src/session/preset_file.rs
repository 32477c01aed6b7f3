//! The preset file, with which users exchange the settings of a test.

use std::path::Path;

use jitterscope_engine::plan::{CpuFacts, Plan};
use jitterscope_engine::store;
use serde::{Deserialize, Serialize};

use super::settings::OwnPreset;

/// The format version of the preset files that this app writes.
const VERSION: u32 = 1;
/// Maximum size of a preset file in bytes.
const MAX_BYTES: u64 = 1 << 16;
/// Maximum length of a preset name in characters.
pub(crate) const MAX_PRESET: usize = 40;
/// The ending of preset file names.
const ENDING: &str = ".preset.json";

/// The content of a preset file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct PresetFile {
    jitterscope_preset: u32,
    name: String,
    plan: Plan,
}

impl PresetFile {
    /// Creates a preset file from a name and settings.
    pub(super) fn new(name: &str, plan: Plan) -> Self {
        Self { jitterscope_preset: VERSION, name: name.to_owned(), plan }
    }

    /// Returns the bytes of the file.
    pub(super) fn write(&self) -> Result<Vec<u8>, String> {
        serde_json::to_vec_pretty(self).map_err(|error| error.to_string())
    }
}

/// Returns the file name for a preset of this test and name.
pub(super) fn file_name(test: &str, name: &str) -> String {
    let safe = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
    let name: String = name.chars().map(safe).collect();
    format!("{test}-{name}{ENDING}")
}

/// Reads only the version of a preset file, even if the other fields are unknown.
#[derive(Deserialize)]
struct FileVersion {
    #[serde(rename = "jitterscope-preset")]
    version: u32,
}

/// Reads a preset file. Returns `None` if it is no preset, and an error message if the preset is from a newer
/// version or if no PC can run it.
pub(super) fn read(path: &Path) -> Option<Result<OwnPreset, String>> {
    let bytes = store::read_bounded(path, MAX_BYTES).ok()?;
    let FileVersion { version } = serde_json::from_slice(&bytes).ok()?;
    if VERSION < version {
        let problem =
            "The preset is from a newer version of Jitterscope. Update Jitterscope to use it.";
        return Some(Err(problem.to_owned()));
    }
    let file: PresetFile = serde_json::from_slice(&bytes).ok()?;
    let name: String = file.name.trim().chars().take(MAX_PRESET).collect();
    if version != VERSION || name.is_empty() {
        return None;
    }
    // Whether the settings suit this PC is checked where they are shown.
    if let Some(problem) = file.plan.problems(&CpuFacts::many()).first() {
        return Some(Err(format!("The preset cannot be used: {}", problem.message)));
    }
    let plan = serde_json::to_value(&file.plan).ok()?;
    Some(Ok(OwnPreset { name, plan }))
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::plan::FrameLoop;
    use jitterscope_engine::store::ScratchFolder;

    use super::*;

    #[test]
    fn settings_that_no_pc_can_measure_are_refused() {
        let folder = ScratchFolder::new().unwrap();
        let path = folder.path().join("arena.preset.json");
        let read_with = |rounds| {
            let plan = Plan::FrameLoop(FrameLoop { rounds, ..FrameLoop::default() });
            std::fs::write(&path, PresetFile::new(" Arena ", plan).write().unwrap()).unwrap();
            read(&path).unwrap()
        };
        assert_eq!(read_with(3).unwrap().name, "Arena");
        let problem = read_with(u32::MAX).unwrap_err();
        assert!(problem.contains("rounds"), "{problem}");
    }

    #[test]
    fn presets_of_newer_versions_name_the_update() {
        let folder = ScratchFolder::new().unwrap();
        let path = folder.path().join("arena.preset.json");
        std::fs::write(&path, r#"{"jitterscope-preset": 2, "name": "Arena", "speed": 9}"#).unwrap();
        let problem = read(&path).unwrap().unwrap_err();
        assert!(problem.contains("Update Jitterscope"), "{problem}");
    }
}
