//! The answers of a recording whose detail was deleted: its events with their causes, as the detail showed them.
//!
//! Conclusions are computed from facts, and not saved. This is an exception, as without the detail, they cannot be computed
//! again; the other one is what an earlier recording showed ([`EarlierRecording`](super::EarlierRecording)).

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// The events of a recording with their causes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SavedAnswers {
    /// The stutters, or without a game the stalls, in order of time.
    pub events: Vec<SavedEvent>,
    /// The causes, the one with the most events first.
    pub causes: Vec<SavedCause>,
    /// The threads that presented the frames of each game, in order of time.
    pub presenters: Vec<SavedPresenter>,
    /// Number of ordinary frames with detail.
    pub ordinary_count: u64,
    /// Number of switches from idle that the kernel had not recorded.
    pub added_switch_count: u64,
}

/// What an event was blamed on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SavedBlame {
    /// The key of the class.
    pub class: String,
    /// The program, thread, or device; absent if none is known.
    pub name: Option<String>,
}

/// A stutter or a stall with its cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SavedEvent {
    /// When the frame was presented, or the canary woke.
    #[serde(rename = "at_nanos")]
    pub at: Nanos,
    /// The frame time, or the lateness.
    #[serde(rename = "length_nanos")]
    pub length: Nanos,
    /// The moving median of the frame times; 0 for a stall.
    #[serde(rename = "median_nanos")]
    pub median: Nanos,
    /// The cause; absent if none was stated.
    pub cause: Option<SavedBlame>,
    /// The key of the reason for which no cause was stated; empty with a cause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unexplained: String,
    /// What the path passed through, the largest growth first.
    pub growths: Vec<SavedGrowth>,
}

/// How much longer a path passed through something than ordinary paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SavedGrowth {
    /// What it passed through.
    #[serde(flatten)]
    pub blamed: SavedBlame,
    /// For how long.
    #[serde(rename = "time_nanos")]
    pub time: Nanos,
    /// For how long ordinary paths did.
    #[serde(rename = "ordinary_nanos")]
    pub ordinary: Nanos,
}

/// A cause with its events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SavedCause {
    /// What is blamed.
    #[serde(flatten)]
    pub blamed: SavedBlame,
    /// Positions in the list of events.
    pub events: Vec<u64>,
    /// In how many ordinary frames the same culprit held the path for as long.
    pub ordinary_count: u64,
    /// Number of ordinary frames in which it was looked for.
    pub control_count: u64,
    /// Whether it is stated without "maybe".
    pub is_sure: bool,
}

/// A thread that presented frames.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SavedPresenter {
    /// The number of the thread.
    pub thread: u32,
    /// The name of the thread.
    pub name: String,
    /// The number of its process; absent if not known.
    pub process: Option<u32>,
}

impl SavedAnswers {
    /// Returns everything that is blamed, to be changed.
    pub fn blamed_mut(&mut self) -> impl Iterator<Item = &mut SavedBlame> {
        all_blamed(&mut self.events, &mut self.causes)
    }

    /// Returns every text that comes from the system or another program, to be changed.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let Self { events, causes, presenters, .. } = self;
        let names = all_blamed(events, causes).filter_map(|blamed| blamed.name.as_mut());
        names.chain(presenters.iter_mut().map(|presenter| &mut presenter.name))
    }
}

fn all_blamed<'a>(
    events: &'a mut [SavedEvent],
    causes: &'a mut [SavedCause],
) -> impl Iterator<Item = &'a mut SavedBlame> {
    let events = events.iter_mut().flat_map(|event| {
        let growths = event.growths.iter_mut().map(|growth| &mut growth.blamed);
        event.cause.iter_mut().chain(growths)
    });
    events.chain(causes.iter_mut().map(|cause| &mut cause.blamed))
}
