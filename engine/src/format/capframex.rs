//! The capture file of CapFrameX, as far as frame times need it: internal to that program and unversioned.

use serde::Deserialize;

use super::FormatError;
pub use super::millis::Millis;

/// A capture.
#[derive(Debug, Deserialize)]
pub struct Capture {
    /// What was captured.
    #[serde(rename = "Info", default)]
    pub info: Info,
    /// The recordings.
    #[serde(rename = "Runs")]
    pub runs: Vec<Recording>,
}

/// What was captured, and where.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Info {
    /// The program's version.
    pub app_version: Option<String>,
    /// The game's name.
    pub game_name: Option<String>,
    /// Its process.
    pub process_name: Option<String>,
    /// The processor.
    pub processor: Option<String>,
    /// The operating system.
    #[serde(rename = "OS")]
    pub os: Option<String>,
    /// When.
    pub creation_date: Option<String>,
    /// What a person wrote.
    pub comment: Option<String>,
}

/// One recording.
#[derive(Debug, Deserialize)]
pub struct Recording {
    /// Its columns.
    #[serde(rename = "CaptureData", default)]
    pub data: Option<Columns>,
}

/// The columns of a recording.
#[derive(Debug, Deserialize)]
pub struct Columns {
    /// Frame times.
    #[serde(rename = "MsBetweenPresents", default)]
    pub ms_between_presents: Vec<Millis>,
}

/// Reads a capture.
pub fn read(text: &[u8]) -> Result<Capture, FormatError> {
    serde_json::from_slice(text).map_err(|source| FormatError::Damaged { source })
}
