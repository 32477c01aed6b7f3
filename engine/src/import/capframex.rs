//! The JSON format of CapFrameX: one or more recordings of one game.

use super::decode::check_rows;
use super::imported::{BadLines, Content, ImportError, Imported, Source};
use super::text::some_name;
use crate::format::capframex;
use crate::machine::Machine;
use crate::run::Capture;
use crate::run::capture::Recording;
use crate::sample::MISSING;

/// Imports the frame times of every recording in a capture.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let capture = capframex::read(text)?;
    let (mut bad_lines, mut recordings, mut frames) = (BadLines::default(), Vec::new(), 0_u64);
    for recording in capture.runs {
        let times = recording.data.map(|data| data.ms_between_presents).unwrap_or_default();
        let listed_count = u64::try_from(times.bad.len()).unwrap_or(u64::MAX);
        for (number, reason) in times.bad {
            bad_lines.add(number, reason);
        }
        bad_lines.count += times.bad_count.saturating_sub(listed_count);
        frames = frames.saturating_add(u64::try_from(times.nanos.len()).unwrap_or(u64::MAX));
        check_rows(frames)?;
        if times.nanos.values().any(|time| time != MISSING) {
            recordings.push(Recording { frame_times: times.nanos, ..Recording::default() });
        }
    }
    if recordings.is_empty() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    let count = recordings.len();
    for (recording, number) in recordings.iter_mut().zip(1..).filter(|_| 1 < count) {
        recording.label = format!("Recording {number}");
    }
    let info = capture.info;
    let some = |text: &Option<String>| text.as_deref().and_then(some_name);
    let notes = some(&info.comment).map(|comment| format!("Comment: {comment}"));
    Ok(Imported {
        name: some(&info.game_name).or_else(|| some(&info.process_name)).unwrap_or_default(),
        started_at: info.creation_date.and_then(|date| date.parse().ok()),
        machine: Machine {
            cpu_model: some(&info.processor),
            os: some(&info.os),
            gpu: some(&info.gpu),
            gpu_driver: some(&info.gpu_driver_version),
            ..Machine::default()
        },
        bad_lines,
        notes: notes.into_iter().collect(),
        ..Imported::new(Source::CapFrameX, Content::Capture(Capture::Frames(recordings)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_value_is_counted_also_one_whose_reason_is_not_listed() {
        let values = format!("{}16.7, 16.6", "-1.0, ".repeat(25));
        let run = format!("{{\"CaptureData\": {{\"MsBetweenPresents\": [{values}]}}}}");
        let text = format!("{{\"Info\": {{}}, \"Runs\": [{run}, {run}]}}");
        let imported = read(text.as_bytes()).unwrap();
        assert_eq!(imported.bad_lines.count, 50);
        assert_eq!(imported.bad_lines.first.len(), 10);
    }
}
