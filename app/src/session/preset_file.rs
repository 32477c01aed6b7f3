//! The file in which settings of a test are handed on.

use std::path::Path;

use jitterscope_engine::plan::Plan;
use jitterscope_engine::store;
use serde::{Deserialize, Serialize};

use super::settings::OwnPreset;

/// The version of the files that are written.
const VERSION: u32 = 1;
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 16;
/// How the names of these files end.
const ENDING: &str = ".preset.json";

/// A preset as a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct PresetFile {
    jitterscope_preset: u32,
    name: String,
    plan: Plan,
}

impl PresetFile {
    /// Settings under a name.
    pub(super) fn new(name: &str, plan: Plan) -> Self {
        Self { jitterscope_preset: VERSION, name: name.to_owned(), plan }
    }

    /// The bytes of the file.
    pub(super) fn write(&self) -> Result<Vec<u8>, String> {
        serde_json::to_vec_pretty(self).map_err(|error| error.to_string())
    }
}

/// The name of the file for a preset of this name.
pub(super) fn file_name(name: &str) -> String {
    let safe = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
    name.chars().map(safe).chain(ENDING.chars()).collect()
}

/// Reads a file as a preset; `None` where it is something else.
pub(super) fn read(path: &Path) -> Option<OwnPreset> {
    let bytes = store::read_bounded(path, MAX_BYTES).ok()?;
    let file: PresetFile = serde_json::from_slice(&bytes).ok()?;
    let plan = serde_json::to_value(&file.plan).ok()?;
    let is_known = file.jitterscope_preset == VERSION && !file.name.trim().is_empty();
    is_known.then_some(OwnPreset { name: file.name, plan })
}
