//! What a recorder publishes while it runs, as JSON.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// What a recorder has so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordStatus {
    /// How long it records.
    #[serde(rename = "length_nanos")]
    pub length: Nanos,
    /// Number of frames.
    pub frame_count: usize,
    /// Number of stutters.
    pub stutter_count: usize,
    /// Number of stalls of the canaries.
    pub stall_count: usize,
    /// Number of saved details.
    pub detail_count: usize,
    /// The game, or the followed program; empty before it is found.
    pub label: String,
    /// Whether the frames are the cycles of a thread, and the stutters its late cycles and overruns.
    #[serde(default)]
    pub is_of_thread: bool,
    /// How much time the kernel's records in memory hold; `None` without such records.
    #[serde(rename = "ring_nanos")]
    pub ring: Option<Nanos>,
}

impl RecordStatus {
    /// Returns what frames are, in lower case: cycles of a thread.
    pub const fn frames_noun(&self) -> &'static str {
        if self.is_of_thread { "cycles" } else { "frames" }
    }

    /// Returns what stutters are, in lower case: late cycles of a thread, with its overruns.
    pub const fn stutters_noun(&self) -> &'static str {
        if self.is_of_thread { "late cycles" } else { "stutters" }
    }

    /// Returns the status as JSON.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads the status from JSON; `None` if it is not one.
    pub(crate) fn from_json(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_as_it_was_written() {
        let status = RecordStatus { frame_count: 7, label: "a".to_owned(), ..Default::default() };
        assert_eq!(RecordStatus::from_json(&status.to_json()), Some(status));
        assert_eq!(RecordStatus::from_json(b"{"), None);
    }
}
