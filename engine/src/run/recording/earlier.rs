//! What the newest earlier recording of the same game on this PC showed, with which a recording is compared.

use serde::{Deserialize, Serialize};

use super::SavedBlame;
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::sample::{Cells, Column};

/// The events of an earlier recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EarlierRecording {
    /// The ID of its run.
    pub id: String,
    /// When it began.
    #[cfg_attr(test, schemars(with = "String"))]
    pub started_at: jiff::Timestamp,
    /// How long the game was played, without pauses; without a game, how long it lasted.
    #[serde(rename = "play_nanos")]
    pub play: Nanos,
    /// Whose switches it recorded; absent if none.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub source: Option<TraceSource>,
    /// Number of events whose records were too few to judge their cause.
    #[serde(default)]
    pub unjudged_count: u64,
    /// Its causes, with the events of each.
    pub causes: Vec<EarlierCause>,
}

/// The events of a cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EarlierCause {
    /// What was blamed; absent for the events that are not explained.
    pub blamed: Option<SavedBlame>,
    /// When each of them happened, in time of play, in order.
    #[serde(rename = "at_nanos", with = "Cells::<i64>")]
    pub at: Column,
}

impl EarlierRecording {
    /// Returns everything that is blamed, to be changed.
    pub fn blamed_mut(&mut self) -> impl Iterator<Item = &mut SavedBlame> {
        self.causes.iter_mut().filter_map(|cause| cause.blamed.as_mut())
    }
}
