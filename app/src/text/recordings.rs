//! Words about a recorder.

use jitterscope_engine::report::recording::uncertainty;
use jitterscope_engine::run::Recording;
use jitterscope_engine::store::RecordStatus;

use super::{count_text, format_long_time};

/// Explains the button that joins a log.
pub const JOIN: &str = "Shows the frames of a log that CapFrameX, MangoHud, or another program saved at the end, \
    with the causes of their stutters";
/// Why no log can be joined.
pub const NO_JOIN: &str = "The recording followed a log, or its detail was deleted: nothing shows where another log belongs";
/// Explains the button that undoes a join.
pub const UNDO_JOIN: &str = "Restores the recording as it was before the log was joined";
/// Explains the button that deletes detail.
pub const DELETE_DETAIL: &str = "Deletes the kernel's records, and retains the causes";
/// Why there is no detail to delete.
pub const NO_DETAIL: &str = "The recording has no detail";
/// Why nothing can be changed for a moment.
pub const CHANGING: &str = "A recording is being changed";
/// Asks whether to delete detail.
pub const DELETES_DETAIL: &str = "The causes, the frames, and the stalls remain, without the paths that led to the causes. \
    No log can be joined afterward. It cannot be undone.";
/// Asks whether to delete the detail of a recording with a joined log.
pub const DELETES_DETAIL_OF_JOINED: &str = "The causes, the frames, and the stalls remain, without the paths that led to the \
    causes. The joined log remains for good. It cannot be undone.";
/// Refuses changes while a test runs.
pub const WHILE_TESTING: &str = "A test is running. Change the recording when it is finished.";
/// Reported after a join was undone, and after detail was deleted.
pub const JOIN_UNDONE: &str = "The recording is as it was recorded.";
pub const DETAIL_DELETED: &str = "Detail deleted. The causes remain.";

/// Returns the message after a log was joined: "4 120 frames joined, ± 100 µs."
pub fn joined(recording: &Recording) -> String {
    let count = count_text(recording.frames.len(), "frames");
    let off = uncertainty(recording).map_or_else(String::new, |off| format!(", {off}"));
    format!("{count} joined{off}.")
}

/// Returns why a recording was not changed, as a sentence of the error `why`.
pub fn refused(why: &str) -> String {
    format!("Not changed: {why}.")
}

/// Returns the state of a recorder as a line: "Recording witcher3, 23 min · 84 120 frames · 3 stutters · 1 stall".
pub fn subtitle(status: &RecordStatus) -> String {
    let RecordStatus { length, frame_count, stutter_count, stall_count, label, ring, .. } = status;
    let what = if label.is_empty() { "this PC" } else { label };
    let mut parts = vec![format!("Recording {what}, {}", format_long_time(*length))];
    if 0 < *frame_count {
        parts.push(count_text(*frame_count, status.frames_noun()));
        parts.push(count_text(*stutter_count, status.stutters_noun()));
    }
    parts.push(count_text(*stall_count, "stalls"));
    parts.extend(
        ring.map(|ring| format!("detail of the last {} in memory", format_long_time(ring))),
    );
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;

    use super::*;

    #[test]
    fn frames_are_named_only_where_there_are_some() {
        let mut status = RecordStatus { length: Nanos::from_secs(60), ..RecordStatus::default() };
        let words = subtitle(&status);
        assert!(words.starts_with("Recording this PC, ") && !words.contains("frames"), "{words}");
        status.label = "game".to_owned();
        status.frame_count = 7_200;
        status.stutter_count = 1;
        let words = subtitle(&status);
        assert!(words.starts_with("Recording game, "), "{words}");
        assert!(words.contains("1 stutter ·") && words.contains("frames"), "{words}");
        status.is_of_thread = true;
        let words = subtitle(&status);
        assert!(words.contains("cycles · 1 late cycle ·") && !words.contains("frame"), "{words}");
    }
}
