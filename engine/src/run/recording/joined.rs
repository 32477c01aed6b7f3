//! A log that was joined with a recording afterward: what the recording was before, so that the join can be undone.

use serde::{Deserialize, Serialize};

use super::{EventKind, Follow, NoteKind, RecordedFrames, RecordedProcess, Recording};
use crate::nanos::Nanos;

/// The text of the note about a joined log.
pub const JOINED: &str = "a log was joined afterward";

/// What a recording was before a log was joined with it. It had no frames and no stutters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BeforeJoin {
    /// The name of the game or of the followed program; empty if there was none.
    pub label: String,
    /// What was followed.
    pub follow: Follow,
    /// The followed process; absent if there was none.
    pub process: Option<RecordedProcess>,
    /// How much the times of frames may have been off; absent without a followed log.
    #[serde(rename = "frame_uncertainty_nanos")]
    pub frame_uncertainty: Option<Nanos>,
}

impl BeforeJoin {
    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let Self { label, process, .. } = self;
        [label].into_iter().chain(process.iter_mut().map(|process| &mut process.name))
    }
}

impl Recording {
    /// Whether a log can be joined with the recording: it followed no thread and has no other frames, and the detail that shows where a log belongs
    /// was not deleted.
    pub fn can_join(&self) -> bool {
        self.answers.is_none()
            && !self.is_of_thread()
            && (self.frames.is_empty() || self.before_join.is_some())
    }

    /// Returns the recording as it was before a log was joined with it; `None` if none was joined. Detail that was deleted
    /// since then remains deleted.
    pub fn without_join(&self) -> Option<Self> {
        let before = self.before_join.clone()?;
        let mut recording = Self {
            label: before.label,
            follow: before.follow,
            process: before.process,
            frame_uncertainty: before.frame_uncertainty,
            frames: RecordedFrames::default(),
            before_join: None,
            // Those of its stutters.
            answers: None,
            ..self.clone()
        };
        recording.events.retain(|event| event.kind != EventKind::Stutter);
        recording.notes.retain(|note| note.kind != NoteKind::Log || note.text != JOINED);
        for detail in &mut recording.details {
            detail.frame_uncertainty = None;
        }
        Some(recording)
    }

    /// Returns how much the times of the frames of an interval may be off from the times of all other records; `None`
    /// without frames.
    pub fn frame_uncertainty_in(&self, (from, to): (Nanos, Nanos)) -> Option<Nanos> {
        let mut own = self.details.iter().filter(|detail| detail.begin <= to && from <= detail.end);
        let exact = own.next().and_then(|first| {
            let more = own.map(|detail| detail.frame_uncertainty);
            more.fold(first.frame_uncertainty, |most, next| Some(most?.max(next?)))
        });
        exact.or(self.frame_uncertainty)
    }
}
