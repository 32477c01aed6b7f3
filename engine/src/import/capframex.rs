//! A capture of CapFrameX: one or more recordings of one game.

use super::text::{frame_time, some_name};
use super::{BadLines, Content, FrameTimes, ImportError, Imported, Source, Told};
use crate::format::capframex;

/// Reads a capture.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let capture = capframex::read(text)?;
    let mut bad_lines = BadLines::default();
    let mut recordings = Vec::new();
    for recording in capture.runs {
        let mut times = FrameTimes::default();
        let column = recording.data.map(|data| data.ms_between_presents).unwrap_or_default();
        for (millis, number) in column.into_iter().zip(1_u64..) {
            match frame_time(millis.0) {
                Ok(time) => times.push(time),
                Err(reason) => bad_lines.add(number, reason),
            }
        }
        if times.present().next().is_some() {
            recordings.push(times);
        }
    }
    if recordings.is_empty() {
        return Err(ImportError::NoFrames { bad_count: bad_lines.count });
    }
    let info = capture.info;
    let some = |text: &Option<String>| text.as_deref().and_then(some_name);
    let notes = some(&info.comment).map(|comment| format!("Comment: {comment}"));
    Ok(Imported {
        name: some(&info.game_name).or_else(|| some(&info.process_name)).unwrap_or_default(),
        started_at: info.creation_date.and_then(|date| date.parse().ok()),
        told: Told { processor: some(&info.processor), os: some(&info.os), ..Told::default() },
        bad_lines,
        notes: notes.into_iter().collect(),
        ..Imported::new(Source::CapFrameX, Content::Frames(recordings))
    })
}
