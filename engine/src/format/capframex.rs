//! The capture file of CapFrameX, as far as frame times need it: internal to that program and unversioned.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::FormatError;
use super::millis::FrameTimes;

/// Recordings of one capture.
const MAX_RECORDINGS: usize = 1_000;

/// A capture.
#[derive(Debug, Deserialize)]
pub struct Capture {
    /// What was captured.
    #[serde(rename = "Info", default)]
    pub info: Info,
    /// The recordings.
    #[serde(rename = "Runs", deserialize_with = "recordings")]
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
    /// The graphics card.
    #[serde(rename = "GPU")]
    pub gpu: Option<String>,
    /// Its driver.
    #[serde(rename = "GPUDriverVersion")]
    pub gpu_driver_version: Option<String>,
    /// When.
    pub creation_date: Option<String>,
    /// The user's comment.
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
    pub ms_between_presents: FrameTimes,
}

/// Reads at most this many recordings: each takes far more memory than an empty one takes in the
/// file.
fn recordings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Recording>, D::Error> {
    struct List;
    impl<'de> Visitor<'de> for List {
        type Value = Vec<Recording>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of recordings")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Recording>, A::Error> {
            let mut recordings = Vec::new();
            while let Some(recording) = list.next_element()? {
                if MAX_RECORDINGS <= recordings.len() {
                    return Err(A::Error::custom(format!("more than {MAX_RECORDINGS} recordings")));
                }
                recordings.push(recording);
            }
            Ok(recordings)
        }
    }
    deserializer.deserialize_seq(List)
}

/// Reads a capture.
pub fn read(text: &[u8]) -> Result<Capture, FormatError> {
    Ok(serde_json::from_slice(text)?)
}
